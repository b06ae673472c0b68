"""Which project a folder belongs to, with real git repositories."""

import subprocess
from pathlib import Path

import pytest

from slowwave.projects import project_of, slugify


def git(*args: str, cwd: Path) -> None:
    """Run a real git with an identity of its own."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", *identity, *args], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit, in a folder with a space."""
    root = tmp_path / "My App"
    root.mkdir()
    git("init", "-q", "-b", "main", cwd=root)
    (root / "a").write_text("a")
    git("add", "a", cwd=root)
    git("commit", "-q", "-m", "a", cwd=root)
    return root


def test_every_folder_of_a_repository_is_one_project(repository: Path) -> None:
    """The repository is found from a folder deep inside it, even one that does not exist any more."""
    top = project_of(str(repository))
    assert project_of(str(repository / "src" / "gone")) == top
    assert (top.slug, top.root) == ("my-app", str(repository))


def test_worktrees_share_a_project_unless_asked(repository: Path, tmp_path: Path) -> None:
    """A worktree belongs to its repository's project; with separate worktrees it is its own."""
    other = tmp_path / "feature"
    git("worktree", "add", "-q", str(other), "-b", "feature", cwd=repository)
    assert project_of(str(other)) == project_of(str(repository))
    assert project_of(str(other), separate_worktrees=True).key != project_of(str(repository)).key


def test_a_folder_in_no_repository_is_its_own_project() -> None:
    """A folder that is not here (another machine's) is known by its path."""
    found = project_of("/home/dev/no such place/ledger")
    assert (found.key, found.slug) == ("/home/dev/no such place/ledger", "ledger")


def test_an_impossible_path_is_no_error() -> None:
    """A path longer than the system allows, as another machine may have written, is still a project."""
    assert project_of("/x/" + "y" * 5000).key.startswith("/x/")


@pytest.mark.parametrize(
    ("cwd", "slug"),
    [
        ("C:\\Users\\x\\My App", "my-app"), ("C:\\Users\\x\\app\\", "app"), ("C:/Users/x/app", "app"),
        ("\\\\server\\share\\app", "app"), ("src/app", "app"), ("app", "app"), (".", "project"), ("..", "project"),
        ("", "project"), ("~/app", "app"), ("C:\\", "c"),
    ],
)  # fmt: skip
def test_a_path_that_is_not_absolute_here_is_known_by_its_text(
    repository: Path, monkeypatch: pytest.MonkeyPatch, cwd: str, slug: str
) -> None:
    """A relative path, or another system's, never finds the repository slowwave was started in."""
    monkeypatch.chdir(repository)
    found = project_of(cwd)
    assert (found.key, found.slug, found.root) == (cwd, slug, cwd)


def test_ways_to_write_a_folder_are_one_project(repository: Path) -> None:
    """Slashes at the end, dots and detours change nothing, in a repository or not."""
    for base in (str(repository), "/home/dev/harbor"):
        for written in (
            f"{base}/",
            f"{base}/.",
            f"{base}/src/..",
            f"{base}//",
            f"{base}/../{Path(base).name}",
        ):
            assert project_of(written) == project_of(base), written
    assert project_of("//home/dev/harbor").slug == "harbor"


@pytest.mark.parametrize(
    ("name", "slug"), [("My App", "my-app"), ("--", "project"), ("Größe_2", "grösse-2"), ("a" * 99, "a" * 60)]
)
def test_slugs_are_folder_names(name: str, slug: str) -> None:
    """A slug is lower case with single dashes, and never empty or long."""
    assert slugify(name) == slug
