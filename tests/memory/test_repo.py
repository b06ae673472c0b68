"""The repository is made once, opened only in the right shape, and read without surprises."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.errors import MemoryRepositoryError
from slowwave.memory import shape
from slowwave.memory.objects import TreeEntry, blob_hash
from slowwave.memory.repo import NOT_A_FILE, MemoryRepository

Git = Callable[..., str]


def test_a_new_repository_has_one_commit_of_ours(tmp_path: Path) -> None:
    """Creating makes the folder, branch main, a README that explains it, and a clean checkout."""
    repo = shape.create(tmp_path / "deep" / "memory")
    assert repo.branch == "main"
    (commit,) = repo.log()
    assert commit.author == "slowwave <slowwave@localhost>"
    assert commit.parents == ()
    assert (repo.path / "README.txt").read_bytes() == repo.read("HEAD", "README.txt")
    assert repo.staged() == {"README.txt": repo.tree("HEAD")["README.txt"].oid}


def test_creating_twice_is_opening(repo: MemoryRepository) -> None:
    """Creating on an existing repository changes nothing."""
    head = repo.head()
    assert shape.create(repo.path).head() == head


def test_an_empty_repository_of_the_person_is_completed(tmp_path: Path) -> None:
    """A repository without a commit gets its first one, on the branch it names."""
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(tmp_path)], check=True)
    with pytest.raises(MemoryRepositoryError, match="no commit yet"):
        shape.open_(tmp_path)
    repo = shape.create(tmp_path)
    assert repo.branch == "trunk"
    assert repo.head()


def _remove_objects(repo: MemoryRepository, _git: Git) -> None:
    shutil.rmtree(repo.git_dir / "objects")
    (repo.git_dir / "objects").mkdir()


def _break_head(repo: MemoryRepository, _git: Git) -> None:
    (repo.git_dir / "HEAD").write_text("rubbish\n")


def _empty_ref(repo: MemoryRepository, _git: Git) -> None:
    (repo.git_dir / "refs/heads/main").write_bytes(b"")


def _linked(repo: MemoryRepository, git: Git) -> None:
    git("worktree", "add", "-q", "-b", "side", str(repo.path.parent / "side"))
    shutil.move(repo.path, repo.path.parent / "main checkout")
    shutil.move(repo.path.parent / "side", repo.path)


def _write(name: str, text: str = "x") -> Callable[[MemoryRepository, Git], object]:
    return lambda repo, _git: (repo.git_dir / name).write_text(text)


WRONG: dict[str, tuple[Callable[[MemoryRepository, Git], object], str]] = {
    "missing": (lambda r, _: shutil.rmtree(r.path), "no memory folder"),
    "no repository": (lambda r, _: shutil.rmtree(r.git_dir), "not a git repository"),
    "bare setting": (lambda _, git: git("config", "core.bare", "true"), "bare"),
    "bare": (lambda r, _: _make_bare(r), "bare"),
    "linked worktree": (_linked, "linked worktree"),
    "detached": (lambda _, git: git("checkout", "-q", "--detach"), "detached"),
    "merging": (_write("MERGE_HEAD"), "merge is in progress"),
    "reverting": (_write("REVERT_HEAD"), "revert is in progress"),
    "rebasing": (lambda r, _: (r.git_dir / "rebase-merge").mkdir(), "rebase is in progress"),
    "objects gone": (_remove_objects, "damaged"),
    "broken HEAD": (_break_head, "damaged"),
    "empty ref": (_empty_ref, "damaged"),
    "broken config": (_write("config", "[core\n"), "damaged"),
}


def _make_bare(repo: MemoryRepository) -> None:
    shutil.rmtree(repo.path)
    subprocess.run(["git", "init", "-q", "--bare", str(repo.path)], check=True)


@pytest.mark.parametrize("case", WRONG)
def test_a_repository_in_another_shape_is_refused(repo: MemoryRepository, git: Git, case: str) -> None:
    """Each wrong shape is named in a MemoryRepositoryError that says what to do."""
    spoil, word = WRONG[case]
    spoil(repo, git)
    with pytest.raises(MemoryRepositoryError, match=word) as error:
        shape.open_(repo.path)
    assert error.value.hint


@pytest.mark.parametrize("case", ["objects gone", "broken HEAD", "empty ref", "broken config", "detached"])
def test_creating_never_repairs(repo: MemoryRepository, git: Git, case: str) -> None:
    """Creating over a damaged repository refuses, and does not begin a new memory in it."""
    WRONG[case][0](repo, git)
    with pytest.raises(MemoryRepositoryError):
        shape.create(repo.path)


def test_a_folder_with_files_is_not_taken(tmp_path: Path) -> None:
    """Creating in a folder that holds something else is refused."""
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(MemoryRepositoryError, match="has files"):
        shape.create(tmp_path)
    assert not (tmp_path / ".git").exists()


def test_sha256_repositories_are_refused(tmp_path: Path) -> None:
    """The other object format is named, not misread."""
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(tmp_path)], check=True)
    env = {
        "GIT_AUTHOR_NAME": "p",
        "GIT_AUTHOR_EMAIL": "p",
        "GIT_COMMITTER_NAME": "p",
        "GIT_COMMITTER_EMAIL": "p",
    }
    command = ["git", "-C", str(tmp_path), "commit", "-qm", "x", "--allow-empty"]
    subprocess.run(command, check=True, env={**os.environ, **env})
    with pytest.raises(MemoryRepositoryError, match="SHA-256"):
        shape.open_(tmp_path)


def test_inherited_git_variables_reach_no_child(
    repo: MemoryRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_* of our own environment steer nothing, and are still there afterwards."""
    head = repo.head()
    trace = repo.path.parent / "trace"
    hostile = {
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_NAMESPACE": "elsewhere",
        "GIT_TRACE": str(trace),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
    }
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    again = shape.open_(repo.path)
    assert again.head() == head
    assert again.tree(head)
    assert {name: os.environ[name] for name in hostile} == hostile
    assert not trace.exists()


def test_objects_are_read_as_they_are(repo: MemoryRepository) -> None:
    """Tree, blobs, changes and text difference agree with each other."""
    tree = repo.tree("HEAD")
    blobs = repo.read_many(entry.oid for entry in tree.values())
    for path, entry in tree.items():
        assert blobs[entry.oid] == repo.read("HEAD", path) == (repo.path / path).read_bytes()
        assert entry.size == len(blobs[entry.oid])
        assert blob_hash(blobs[entry.oid]) == entry.oid == repo.raw_hash(path)
    new = repo.edit_tree(
        "HEAD", {"system/person.md": None, "neu é.md": TreeEntry("100644", repo.write_blob(b"1\n"))}
    )
    assert [(c.path, c.old is None, c.new is None) for c in repo.changes("HEAD", new)] == [
        ("neu é.md", True, False),
        ("system/person.md", False, True),
    ]
    assert "+++ b/neu é.md" in repo.diff("HEAD", new)
    assert "person" not in repo.diff("HEAD", new, ["neu é.md"])
    with pytest.raises(FileNotFoundError):
        repo.read("HEAD", "nothing.md")
    with pytest.raises(MemoryRepositoryError, match="missing"):
        repo.read_many(["0" * 39 + "1"])


def test_what_is_no_file_has_no_hash(repo: MemoryRepository) -> None:
    """Absence is None; links, folders, hardlinks and paths through links are never taken for content."""
    (repo.path / "link.md").symlink_to("README.txt")
    (repo.path / "linked").symlink_to("system")
    os.link(repo.path / "README.txt", repo.path / "twin.md")
    assert repo.raw_hash("nothing.md") is None
    assert repo.raw_hash("nothing/at/all.md") is None
    for path in ("link.md", "system", "linked/person.md", "twin.md"):
        assert repo.raw_hash(path) == NOT_A_FILE


def test_a_reference_moves_only_from_where_it_was(repo: MemoryRepository) -> None:
    """Compare and swap: True when it moved, False when it stands elsewhere; None means not there yet."""
    head, ref = repo.head(), "refs/heads/reflection/x"
    other = repo.commit_tree(repo.tree_id(head), [head], "other")
    assert repo.update_ref(ref, head, None)
    assert not repo.update_ref(ref, other, None)
    assert not repo.update_ref(ref, head, other) or repo.resolve(ref) == head
    assert repo.update_ref(ref, other, head)
    assert repo.refs("refs/heads/reflection/") == {ref: other}
    repo.delete_ref(ref)
    assert repo.resolve(ref) is None


def test_the_log_follows_first_parents(repo: MemoryRepository) -> None:
    """`log` is newest first, `commits_since` oldest first; messages keep their text and trailers."""
    start = repo.head()
    one = repo.commit_tree(
        repo.tree_id(start), [start], "Ein ü\n\nBody\nmore\n\nKey: a\nKey: b\nOther: c: d\n"
    )
    repo.update_ref(repo.branch_ref, one, start)
    assert [c.sha for c in repo.commits_since(start)] == [one]
    assert [c.sha for c in repo.commits_since("f" * 40)] == [c.sha for c in repo.log()][::-1]
    newest = repo.log(1)[0]
    assert newest.subject == "Ein ü"
    assert newest.body.startswith("Body\nmore")
    assert newest.trailers == {"Key": ("a", "b"), "Other": ("c: d",)}
    assert newest.at.tzinfo


def test_a_shallow_clone_can_be_read(repo: MemoryRepository, tmp_path: Path) -> None:
    """A repository that was cloned without its history is ordinary."""
    source, clone = repo.path.as_uri(), tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=1", source, str(clone)], check=True)
    assert len(shape.open_(clone).log()) == 1


def test_memory_lives_on_one_branch(repo: MemoryRepository, git: Git) -> None:
    """Another branch checked out is refused with what to do; the setting in the hint adopts it."""
    git("switch", "-q", "-c", "try/out")
    for look in (shape.open_, shape.create):
        with pytest.raises(
            MemoryRepositoryError, match="on the branch try/out, but memory lives on main"
        ) as error:
            look(repo.path)
    assert "switch main" in error.value.hint
    assert "config slowwave.branch try/out" in error.value.hint
    git("config", "slowwave.branch", "try/out")
    assert shape.open_(repo.path).branch == "try/out"


def test_the_branch_is_noted_at_the_first_dream(repo: MemoryRepository, git: Git) -> None:
    """A repository that names no branch yet keeps the one it is on; opening alone notes nothing."""
    git("config", "--unset", "slowwave.branch")
    git("switch", "-q", "-c", "trunk")
    assert shape.open_(repo.path).branch == "trunk"
    assert "slowwave.branch" not in git("config", "--list")
    shape.create(repo.path)
    assert git("config", "slowwave.branch").strip() == "trunk"


def test_hints_name_commands_that_exist(repo: MemoryRepository) -> None:
    """A missing memory is made by the command its hint names."""
    shutil.rmtree(repo.path)
    with pytest.raises(MemoryRepositoryError) as error:
        shape.open_(repo.path)
    assert "`slowwave dream`" in error.value.hint
