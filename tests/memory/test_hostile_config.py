"""Nothing a repository can name is run: not its hooks, filters, drivers, monitors, attributes or aliases."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.memory import importer, shape
from slowwave.memory.importer import collect
from slowwave.memory.publish import (
    Landed,
    keep_pending,
    pending_ref,
    publish,
    recover,
    reflection_ref,
    resolve,
    undo,
)
from slowwave.memory.repo import MemoryRepository
from slowwave.memory.worktree import reflection_worktree

Git = Callable[..., str]

HOOKS = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "update",
]
ATTRIBUTES = "* filter=evil merge=evil diff=evil text eol=crlf ident\n"


@pytest.fixture
def marker(repo: MemoryRepository, git: Git, tmp_path: Path) -> Path:
    """A repository whose every program setting touches a marker file."""
    marker = tmp_path / "marker"
    script = tmp_path / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> "{marker}"\nexec cat "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    # attributes in the tree, committed before the settings give them teeth
    (repo.path / ".gitattributes").write_text(ATTRIBUTES)
    git("add", ".gitattributes")
    git("commit", "-qm", "attributes", "--no-verify")
    hooks = repo.git_dir / "hooks"
    hooks.mkdir()
    for name in HOOKS:
        (hooks / name).symlink_to(script)
    (repo.git_dir / "info").mkdir(exist_ok=True)
    (repo.git_dir / "info" / "attributes").write_text(ATTRIBUTES)
    lines = [
        f'[core]\n\tfsmonitor = "{script}"\n\thooksPath = "{hooks}"\n\tpager = "{script}"\n\teditor = "{script}"',
        f'\tsshCommand = "{script}"\n\taskPass = "{script}"\n\talternateRefsCommand = "{script}"',
        f'\tattributesFile = "{repo.git_dir}/info/attributes"\n\tautocrlf = true',
        f'[filter "evil"]\n\tclean = "{script}"\n\tsmudge = "{script}"\n\tprocess = "{script}"\n\trequired = true',
        f'[merge "evil"]\n\tdriver = "{script} %O %A %B"\n[merge]\n\trenormalize = true',
        f'[diff "evil"]\n\ttextconv = "{script}"\n\tcommand = "{script}"\n[diff]\n\texternal = "{script}"',
        f'[gpg]\n\tprogram = "{script}"\n[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true',
        f'[pager]\n\tlog = "{script}"\n\tdiff-tree = "{script}"\n[credential]\n\thelper = "{script}"',
        f'[alias]\n\tmerge-tree = "!{script}"\n\tupdate-ref = "!{script}"',
        f'[uploadpack]\n\tpackObjectsHook = "{script}"\n[gc]\n\tauto = 1\n[interactive]\n\tdiffFilter = "{script}"',
    ]
    with (repo.git_dir / "config").open("a") as config:
        config.write("\n".join(lines) + "\n")
    marker.unlink(missing_ok=True)
    return marker


def test_the_trap_is_armed(repo: MemoryRepository, git: Git, marker: Path) -> None:
    """The person's own git does run these programs, so that silence elsewhere means something."""
    (repo.path / "system" / "person.md").write_text("x\n")
    with pytest.raises(AssertionError, match="filter"):
        git("status", "--porcelain")
    assert "evil.sh" in marker.read_text()


def test_the_whole_flow_runs_none_of_it(repo: MemoryRepository, marker: Path, tmp_path: Path) -> None:
    """Open, worktree, import, publish with a three-way merge, conflict, pending, diff, log, undo and recover
    leave no marker, and the bytes are exact.
    """
    path = "reference/crlf.md"
    repo = shape.create(repo.path)
    base = repo.head()
    lines = b"one\r\ntwo\r\nmixed\n\rend"
    with reflection_worktree(repo, base, tmp_path / "run") as folder:
        assert (folder / path).read_bytes() == lines
        (folder / path).write_bytes(lines.replace(b"one", b"ONE"))
        (folder / "projects" / "tea" / "notes.md").unlink()
        assert importer.commit(repo, base, reflection_ref("a"), collect(folder), "a\n")
        (folder / path).write_bytes(lines.replace(b"one", b"Eins"))
        other = importer.commit(repo, base, reflection_ref("b"), collect(folder), "b\n")
    third = {**importer.presentable(repo, base), path: lines.replace(b"end", b"END")}
    assert importer.commit(repo, base, reflection_ref("c"), third, "c\n")

    first = publish(repo, reflection_ref("a"), "dream a\n")
    assert isinstance(first, Landed)
    assert isinstance(publish(repo, reflection_ref("c"), "dream c\n"), Landed)
    assert (repo.path / path).read_bytes() == b"ONE\r\ntwo\r\nmixed\n\rEND"

    assert other
    keep_pending(repo, "b", other)
    assert publish(repo, pending_ref("b"), "dream b\n").__class__.__name__ == "Blocked"
    assert resolve(repo, pending_ref("b"), "person")
    assert isinstance(publish(repo, pending_ref("b"), "dream b\n", prefer="dream"), Landed)
    assert (repo.path / path).read_bytes() == lines.replace(b"one", b"Eins")

    assert repo.diff(base, "HEAD")
    assert len(repo.log()) == 6
    last = repo.log(1)[0]
    assert isinstance(undo(repo, last.sha, "undo\n"), Landed)
    assert repo.tree_id("HEAD") == repo.tree_id(last.parents[0])
    assert (repo.path / path).read_bytes() == b"ONE\r\ntwo\r\nmixed\n\rEND"
    assert recover(repo).locks == ()
    assert not marker.exists(), marker.read_text()
