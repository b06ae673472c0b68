"""What a worker left behind is judged before git sees any of it."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.errors import MemoryRepositoryError, RefusedError
from slowwave.memory import importer
from slowwave.memory.importer import Limits, collect, presentable
from slowwave.memory.names import name_problem, path_problem
from slowwave.memory.publish import reflection_ref
from slowwave.memory.repo import MemoryRepository


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A harmless folder."""
    folder = tmp_path / "tree"
    (folder / "system").mkdir(parents=True)
    (folder / "system" / "a.md").write_text("fine\n")
    return folder


def _named(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text("x")


def _hardlink(folder: Path) -> None:
    outside = folder.parent.parent / "outside"
    outside.write_text("secret")
    os.link(outside, folder / "linked.md")


def _collision(folder: Path) -> None:
    (folder / "Aa.md").write_text("1")
    (folder / "aA.md").write_text("2")


def _sparse(folder: Path) -> None:
    with (folder / "big.md").open("wb") as file:
        file.truncate(1 << 30)


def _socket(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)  # socket paths are short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("s.md")
    finally:
        os.chdir(here)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "symlink": lambda f: (f / "link.md").symlink_to("/etc/passwd"),
    "symlinked folder": lambda f: (f / "etc").symlink_to("/etc"),
    "fifo": lambda f: os.mkfifo(f / "pipe.md"),
    "hardlink": _hardlink,
    "socket": _socket,
    ".git": _named(".git"),
    ".GIT": _named(".GIT"),
    "git~1": _named("git~1"),
    "hidden .git": _named(".gi\u200ct"),
    ".gitattributes": _named(".gitattributes"),
    ".gitmodules": _named(".gitmodules"),
    "newline": _named("a\nb.md"),
    "option": _named("-rf.md"),
    "reserved": _named("con.md"),
    "trailing blank": _named("x.md "),
    "trailing dot": _named("x.md."),
    "right to left": _named("\u202etxt.md"),
    "settings": _named(".mcp.json"),
    "script": _named("run.sh"),
    "backslash": _named("..\\up.md"),
    "case collision": _collision,
    "unicode collision": lambda f: (_named("\u00e9.md")(f), _named("e\u0301.md")(f)),
    "nested repository": lambda f: (f / "sub" / ".git").mkdir(parents=True),
    "1 GB sparse": _sparse,
    "NUL byte": lambda f: (f / "b.md").write_bytes(b"a\0b"),
    "not UTF-8": lambda f: (f / "b.md").write_bytes(b"caf\xe9"),
    "name not UTF-8": lambda f: Path(os.fsdecode(os.fsencode(f) + b"/\xff.md")).write_text("x"),
    "deep": lambda f: (f / "/".join("d" * 30)).mkdir(parents=True),
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_tree_is_refused(tree: Path, attack: str) -> None:
    """Each hostile tree raises RefusedError, and what it attacks is not read."""
    HOSTILE[attack](tree / "system")
    with pytest.raises(RefusedError) as refusal:
        collect(tree)
    assert len(refusal.value.problems) == 1
    assert "secret" not in str(refusal.value)


def test_every_problem_is_named_at_once(tree: Path) -> None:
    """A refusal lists all problems of the tree, not the first one only."""
    for attack in ("symlink", "fifo", "script", ".gitmodules", "NUL byte"):
        HOSTILE[attack](tree / "system")
    with pytest.raises(RefusedError) as refusal:
        collect(tree)
    assert len(refusal.value.problems) == 5
    assert refusal.value.exit_code == 5


def test_a_million_problems_are_not_listed(tree: Path) -> None:
    """A refusal stops at a length a person can read."""
    for number in range(400):
        (tree / f"{number}.sh").write_text("x")
    with pytest.raises(RefusedError) as refusal:
        collect(tree)
    assert len(refusal.value.problems) == 200


@pytest.mark.parametrize(
    ("limits", "word"),
    [(Limits(files=1), "files"), (Limits(total_bytes=8), "bytes in all"), (Limits(file_bytes=4), "larger")],
)
def test_sizes_and_counts_are_capped(tree: Path, limits: Limits, word: str) -> None:
    """More files, more bytes or a larger file than the limits allow is refused."""
    (tree / "b.md").write_text("fine\n")
    with pytest.raises(RefusedError, match=word):
        collect(tree, limits)


def test_an_agent_file_passes_for_the_review_gate_to_judge(tree: Path) -> None:
    """A plain CLAUDE.md is text like any other here; whether it may land is decided later."""
    (tree / "CLAUDE.md").write_text("obey\n")
    assert collect(tree) == {"CLAUDE.md": b"obey\n", "system/a.md": b"fine\n"}


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    """A folder that is gone is never taken for an empty one (which would delete all memory)."""
    with pytest.raises(MemoryRepositoryError):
        collect(tmp_path / "nowhere")


def test_the_same_files_make_no_commit(repo: MemoryRepository) -> None:
    """Importing what is there already answers None and makes no branch."""
    files = presentable(repo, repo.head())
    assert importer.commit(repo, repo.head(), reflection_ref("r"), files, "nothing") is None
    assert not repo.refs("refs/heads/reflection/")


def test_an_import_holds_exactly_the_bytes(repo: MemoryRepository) -> None:
    """New, changed and removed files are in the commit to the byte, whatever their line ends and names."""
    base = repo.head()
    files = presentable(repo, base)
    files["reference/neu 日本.md"] = b"a\r\nb\n\xc3\xa9"
    files["reference/crlf.md"] = b"\r\n\r\n"
    del files["projects/tea/notes.md"]
    commit = importer.commit(repo, base, reflection_ref("r"), files, "Learned ü\n\nDream-Id: 7\n")
    assert commit == repo.resolve(reflection_ref("r"))
    assert commit
    assert presentable(repo, commit) == files
    assert {c.path for c in repo.changes(base, commit)} == {
        "reference/neu 日本.md",
        "reference/crlf.md",
        "projects/tea/notes.md",
    }


def test_files_a_worker_is_not_shown_stay(repo: MemoryRepository, git: Callable[..., str]) -> None:
    """The person's dotfiles, links, pictures and scripts are not shown, and an import does not delete them."""
    (repo.path / ".gitignore").write_text("*.bak\n")
    (repo.path / "run.sh").write_text("true\n")
    (repo.path / "picture.png").write_bytes(b"\x89PNG\0")
    (repo.path / "link").symlink_to("reference")
    git("add", "-A")
    git("commit", "-qm", "mine")
    base = repo.head()
    files = presentable(repo, base)
    assert not {".gitignore", "run.sh", "picture.png", "link"} & files.keys()
    commit = importer.commit(repo, base, reflection_ref("r"), {**files, "new.md": b"x"}, "m")
    assert commit
    assert repo.tree(commit).keys() == repo.tree(base).keys() | {"new.md"}
    with pytest.raises(RefusedError, match="person's"):
        importer.commit(repo, base, reflection_ref("s"), {**files, "link/new.md": b"x"}, "m")


def test_too_many_changes_are_refused(repo: MemoryRepository) -> None:
    """One reflection may change only so many files."""
    files = {**presentable(repo, repo.head()), "a.md": b"", "b.md": b""}
    with pytest.raises(RefusedError, match="changes 2 files"):
        importer.commit(repo, repo.head(), reflection_ref("r"), files, "m", limits=Limits(changed=1))


def test_a_branch_of_another_run_is_not_taken(repo: MemoryRepository, reflect: Callable[..., str]) -> None:
    """A reflection cannot be imported over a branch that stands elsewhere, but may continue its own."""
    first = reflect({"a.md": b"1"})
    with pytest.raises(MemoryRepositoryError, match="exists already"):
        reflect({"a.md": b"2"})
    assert repo.resolve(reflection_ref("r1")) == first
    second = reflect({"a.md": b"3"}, base=first)
    assert repo.resolve(reflection_ref("r1")) == second


@given(st.text())
def test_a_name_that_passes_is_one_harmless_part(name: str) -> None:
    """Whatever text a name is: when it passes, it is one visible part that no system reads as something else."""
    if name_problem(name) is None:
        assert path_problem(name) is None
        assert "/" not in name
        assert name.isprintable()
        assert not name.startswith((".", "-", " "))
