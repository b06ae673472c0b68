"""A worker's file tools stay inside the scope, whatever it names and whoever swaps links meanwhile."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slowwave.errors import ScopeError
from slowwave.memory.beneath import Folder
from slowwave.memory.scope import Scope, ScopedFiles


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A worktree with one file, and a secret beside it."""
    folder = tmp_path / "work tree"
    (folder / "system").mkdir(parents=True)
    (folder / "system" / "a.md").write_text("inside\n")
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "b.md").write_text("not writable\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f.md").write_text("SECRET")
    return folder


@pytest.fixture(params=[True, False], ids=["descriptors", "fallback"])
def files(root: Path, request: pytest.FixtureRequest) -> ScopedFiles:
    """The tools over it, by both guards."""
    scope = Scope(root, ("system/", "projects/foo/"), (root.parent / "outside",))
    return ScopedFiles(scope, descriptors=request.param)


def _link(to: str) -> Callable[[Path], str]:
    def plant(root: Path) -> str:
        (root / "system" / "x.md").symlink_to(to)
        return "system/x.md"

    return plant


def _linked_folder(root: Path) -> str:
    (root / "system" / "d").symlink_to(root.parent / "outside")
    return "system/d/f.md"


def _hardlink(root: Path) -> str:
    os.link(root.parent / "outside" / "f.md", root / "system" / "x.md")
    return "system/x.md"


def _fifo(root: Path) -> str:
    os.mkfifo(root / "system" / "x.md")
    return "system/x.md"


def _socket(root: Path) -> str:
    here = Path.cwd()
    os.chdir(root / "system")
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("x.md")
    finally:
        os.chdir(here)
    return "system/x.md"


def _device(root: Path) -> str:
    with contextlib.suppress(PermissionError):  # without the right to make one, absence is refused as well
        os.mknod(root / "system" / "x.md", 0o020600, os.makedev(1, 5))
    return "system/x.md"


ESCAPES: dict[str, Callable[[Path], str]] = {
    "up": lambda _: "../outside/f.md",
    "up from within": lambda _: "system/../../outside/f.md",
    "absolute": lambda _: "/etc/passwd",
    "own descriptors": lambda _: "/proc/self/fd/0",
    "parent's environment": lambda _: f"/proc/{os.getppid()}/environ",
    "link to a file": _link("/etc/passwd"),
    "relative link": _link("../../outside/f.md"),
    "link to a folder": _linked_folder,
    "hardlink": _hardlink,
    "fifo": _fifo,
    "socket": _socket,
    "device": _device,
    "a folder": lambda _: "system",
    "git hooks": lambda _: "system/.git/hooks/x",
    "git under another case": lambda _: "system/.GIT/config",
    "git short name": lambda _: "system/GIT~1/config",
    "attributes": lambda _: "system/.gitattributes",
    "dotfile": lambda _: "system/.env",
    "newline": lambda _: "system/a\nb.md",
    "control": lambda _: "system/a\x1bb.md",
    "NUL": lambda _: "system/a\0.md",
    "trailing dot": lambda _: "system/a.md.",
    "right to left": lambda _: "system/\u202egnp.md",
    "zero width": lambda _: "system/a\u200b.md",
    "option": lambda _: "system/-rf",
    "reserved": lambda _: "system/NUL.md",
    "stream": lambda _: "system/a.md:hidden",
    "backslash": lambda _: "system\\a.md",
    "empty part": lambda _: "system//a.md",
    "dot part": lambda _: "system/./a.md",
    "lone surrogate": lambda _: "system/\udcff.md",
    "too long": lambda _: f"system/{'x' * 300}.md",
    "empty": lambda _: "",
}


@pytest.mark.parametrize("escape", ESCAPES)
def test_no_escape_reads_writes_deletes_or_renames(root: Path, files: ScopedFiles, escape: str) -> None:
    """Every way out is ScopeError for every tool, and the secret outside stays as it is."""
    path = ESCAPES[escape](root)
    for act in (
        lambda: files.read(path),
        lambda: files.write(path, "changed"),
        lambda: files.delete(path),
        lambda: files.rename(path, "system/new.md"),
        lambda: files.rename("system/a.md", path),
    ):
        if escape == "device" and not os.path.lexists(root / path):
            return
        with pytest.raises(ScopeError):
            act()
    assert (root.parent / "outside" / "f.md").read_text() == "SECRET"
    assert (root / "system" / "a.md").read_text() == "inside\n"


def test_inside_the_scope_everything_works(root: Path, files: ScopedFiles) -> None:
    """Reading, writing, renaming and deleting inside the writable prefixes do what they say."""
    files.write("projects/foo/reference/neu é.md", "one\r\ntwo\n")
    assert (root / "projects/foo/reference/neu é.md").read_bytes() == b"one\r\ntwo\n"
    files.rename("projects/foo/reference/neu é.md", "system/moved.md")
    assert files.read("system/moved.md") == "one\r\ntwo\n"
    files.write("system/a.md", "again\n")
    assert files.list() == ("elsewhere/b.md", "system/a.md", "system/moved.md")
    assert files.list("system") == ("system/a.md", "system/moved.md")
    files.delete("system/moved.md")
    files.delete("system/a.md")
    assert not (root / "system").exists()
    assert files.list() == ("elsewhere/b.md",)


def test_outside_the_writable_prefixes_reading_is_all(root: Path, files: ScopedFiles) -> None:
    """The primary root is readable everywhere and writable below its prefixes only; rename needs both ends."""
    assert files.read("elsewhere/b.md") == "not writable\n"
    acts: tuple[Callable[[], object], ...] = (
        lambda: files.write("elsewhere/b.md", "x"),
        lambda: files.write("top.md", "x"),
        lambda: files.write("projects/foobar/x.md", "x"),
        lambda: files.delete("elsewhere/b.md"),
        lambda: files.rename("system/a.md", "elsewhere/a.md"),
        lambda: files.rename("elsewhere/b.md", "system/b.md"),
    )
    for act in acts:
        with pytest.raises(ScopeError, match="not writable"):
            act()


def test_read_only_roots_are_readable_by_absolute_path(root: Path, files: ScopedFiles) -> None:
    """A read-only root can be listed and read by its absolute path, and not written."""
    secret = str(root.parent / "outside" / "f.md")
    assert files.read(secret) == "SECRET"
    assert files.list(str(root.parent / "outside")) == (secret,)
    for path in (secret, f"{root.parent}/outside/../work tree/system/a.md"):
        with pytest.raises(ScopeError):
            files.write(path, "x")
    with pytest.raises(ScopeError):
        files.read(f"{root.parent}/outside/../work tree/system/a.md")
    with pytest.raises(ScopeError):
        files.rename("system/a.md", f"{root.parent}/outside/a.md")


def test_a_rename_never_replaces(files: ScopedFiles) -> None:
    """Renaming onto an existing file is refused."""
    files.write("system/b.md", "b")
    with pytest.raises(ScopeError, match="exists"):
        files.rename("system/a.md", "system/b.md")


def test_text_that_is_no_utf8_is_refused(root: Path, files: ScopedFiles) -> None:
    """A file that is not UTF-8 is not read as something else, and such text is not written."""
    (root / "system" / "latin.md").write_bytes(b"caf\xe9")
    with pytest.raises(ScopeError, match="UTF-8"):
        files.read("system/latin.md")
    with pytest.raises(ScopeError, match="UTF-8"):
        files.write("system/x.md", "\udcff")


def test_a_missing_file_is_refused_in_the_same_way(files: ScopedFiles) -> None:
    """A path that names nothing is a ScopeError with its name."""
    with pytest.raises(ScopeError, match=r"none\.md: no such file"):
        files.read("system/none.md")


def test_links_and_special_files_are_not_listed(root: Path, files: ScopedFiles) -> None:
    """A listing shows plain files under allowed names only, and follows no link."""
    _linked_folder(root)
    _fifo(root)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x")
    assert files.list() == ("elsewhere/b.md", "system/a.md")


@pytest.mark.parametrize("prefix", ["system", "/system/", "../", "a/../b/", ".git/", "/"])
def test_a_writable_prefix_is_a_relative_folder(root: Path, prefix: str) -> None:
    """A scope with a prefix that is no folder below its root cannot be made."""
    with pytest.raises(ScopeError):
        Scope(root, (prefix,))


_SWAPPER = """
import os, sys
root, out = sys.argv[1:]
print("ready", flush=True)
while True:
    for target in (out, "real"):
        os.symlink(target, root + "/swap")
        os.rename(root + "/swap", root + "/system")
    os.rename(root + "/system", root + "/old")
    os.rename(root + "/real", root + "/system")
    os.rename(root + "/system", root + "/real")
    os.rename(root + "/old", root + "/system")
"""


@pytest.fixture
def swapped(root: Path) -> Iterator[Path]:
    """A tree in which another process keeps turning a folder into a link to the outside and back."""
    (root / "system").rename(root / "real")
    command = [sys.executable, "-c", _SWAPPER, str(root), str(root.parent / "outside")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield root
        process.kill()


def test_a_link_swapped_during_the_call_leads_nowhere(swapped: Path) -> None:
    """For a second of swapping, no read returns the outside's bytes and no write, rename or delete reaches it."""
    files = ScopedFiles(Scope(swapped, ("system/",)))
    outside = swapped.parent / "outside"
    tries = done = 0
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        tries += 1
        with contextlib.suppress(ScopeError, FileNotFoundError, FileExistsError):
            files.write("system/f.md", "x")
            done += 1
            assert files.read("system/f.md") != "SECRET"
            files.rename("system/f.md", "system/g.md")
            files.delete("system/g.md")
    assert tries > 100
    assert done > 0
    assert [p.name for p in outside.iterdir()] == ["f.md"]
    assert (outside / "f.md").read_text() == "SECRET"


def test_a_failed_write_leaves_nothing_behind(root: Path) -> None:
    """When the rename cannot be done, the temporary file is gone and the old content stands."""
    folder = Folder(root)
    (root / "system" / "taken.md").mkdir()
    with pytest.raises(ScopeError):
        folder.write("system/taken.md", b"x")
    assert sorted(p.name for p in (root / "system").iterdir()) == ["a.md", "taken.md"]
