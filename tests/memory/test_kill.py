"""Killed at any step, a landing is either not begun or finished by the next process; never half, never twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.memory import shape
from slowwave.memory.publish import Landed, publish, recover, reflection_ref
from slowwave.memory.repo import MemoryRepository

Git = Callable[..., str]
Reflect = Callable[..., str]

EDITED = "system/person.md"
CHANGES: dict[str, bytes | None] = {
    "reference/neu 日本.md": b"new\r\nfile",
    "reference/a file with blanks.md": b"dreamt\n",
    "reference/crlf.md": b"bytes \xc3\xa9\r\n",
    "projects/tea/notes.md": None,
    "skills/brew/SKILL.md": b"---\nname: brew\n---\n",
}
STEPS = [
    "stage",
    "lock-index",
    "journal",
    "ref",
    *(f"file:{path}" for path in CHANGES),
    "index",
    "done",
    "never",
]

_PUBLISHER = """
import os, signal, sys
from pathlib import Path
from slowwave.memory.publish import publish, reflection_ref
from slowwave.memory import shape
from slowwave.memory.repo import MemoryRepository

def step(name):
    if name == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

print(publish(shape.open_(Path(sys.argv[1])), reflection_ref("r1"), "dream", step))
"""
_RECOVERER = """
import sys
from pathlib import Path
from slowwave.memory.publish import recover
from slowwave.memory import shape
from slowwave.memory.repo import MemoryRepository
print(recover(shape.open_(Path(sys.argv[1]))))
"""


def _python(code: str, *args: str) -> int:
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, check=False).returncode


@pytest.fixture
def busy(repo: MemoryRepository, git: Git, reflect: Reflect) -> str:
    """A reflection to publish; since it began a person has committed one file and is editing another."""
    reflect(CHANGES)
    (repo.path / "mine.md").write_text("mine\n")
    git("add", "mine.md")
    git("commit", "-qm", "mine")
    (repo.path / EDITED).write_text("typing right now\n")
    return repo.head()


def _check_whole(repo: MemoryRepository, git: Git, old: str) -> bool:
    """All the facts that must hold after recovery; answers whether the dream is in memory."""
    git("fsck", "--strict", "--no-dangling")
    assert git("status", "--porcelain") == f" M {EDITED}\n"
    assert (repo.path / EDITED).read_text() == "typing right now\n"
    assert sorted(p.name for p in repo.own_dir.iterdir()) == ["lock", "plumbing"]
    assert not list(repo.git_dir.rglob("*.lock"))
    head = repo.head()
    if head == old:
        return False
    assert repo.log(1)[0].parents == (old, repo.resolve(reflection_ref("r1")))
    for path, entry in repo.tree(head).items():
        assert path == EDITED or repo.raw_hash(path) == entry.oid
    return True


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_it_recovers(repo: MemoryRepository, git: Git, busy: str, step: str) -> None:
    """After SIGKILL and recovery main is old or new, the checkout equals it, the person's edit is intact;
    publishing again lands exactly once.
    """
    code = _python(_PUBLISHER, str(repo.path), step)
    assert code == (0 if step == "never" else -signal.SIGKILL)
    assert _python(_RECOVERER, str(repo.path)) == 0
    assert _check_whole(repo, git, busy) == (STEPS.index(step) > STEPS.index("ref"))
    outcome = publish(shape.open_(repo.path), reflection_ref("r1"), "dream")
    assert isinstance(outcome, Landed)
    assert _check_whole(repo, git, busy)
    assert recover(repo).finished is None
    assert len(repo.commits_since(busy)) == 1


@pytest.mark.parametrize("step", STEPS[:-1])
def test_the_next_publish_recovers_by_itself(repo: MemoryRepository, git: Git, busy: str, step: str) -> None:
    """Publishing again without a recovery in between lands exactly once as well."""
    _python(_PUBLISHER, str(repo.path), step)
    assert isinstance(publish(repo, reflection_ref("r1"), "dream"), Landed)
    assert _check_whole(repo, git, busy)
    assert len(repo.commits_since(busy)) == 1


def test_edits_made_before_the_recovery_are_kept(repo: MemoryRepository, git: Git, busy: str) -> None:
    """A person who edits a touched file after the crash keeps the text; the rest is finished."""
    path = "reference/crlf.md"
    _python(_PUBLISHER, str(repo.path), "file:reference/neu 日本.md")
    (repo.path / path).write_text("after the crash\n")
    done = recover(repo)
    assert done.finished == repo.head()
    assert done.left_to_person == (path,)
    assert (repo.path / path).read_text() == "after the crash\n"
    assert git("status", "--porcelain").splitlines() == [f" M {path}", f" M {EDITED}"]


def test_a_person_who_reset_after_the_crash_is_obeyed(repo: MemoryRepository, git: Git, busy: str) -> None:
    """When the branch was put back by hand, recovery does not bring the dream again."""
    _python(_PUBLISHER, str(repo.path), "done")
    git("commit", "-qam", "typed")
    git("reset", "-q", "--hard", busy)
    assert recover(repo).finished is None
    assert repo.head() == busy
    assert git("status", "--porcelain") == ""


def test_a_commit_after_the_crash_stays(repo: MemoryRepository, git: Git, busy: str) -> None:
    """A person's commit on top of a half-landed dream stays, and recovery brings the checkout to it."""
    _python(_PUBLISHER, str(repo.path), "index")
    (repo.git_dir / "index.lock").unlink()
    git("read-tree", "HEAD")
    (repo.path / "reference" / "crlf.md").write_text("newer\n")
    git("commit", "-qam", "newer")
    head = repo.head()
    recover(repo)
    assert repo.head() == head
    assert (repo.path / "reference" / "crlf.md").read_text() == "newer\n"
    assert git("status", "--porcelain") == ""


def test_killed_at_random_moments_it_recovers(repo: MemoryRepository, git: Git, busy: str) -> None:
    """SIGKILL to the whole group (git children too) after any number of milliseconds leaves a recoverable state."""
    command = [sys.executable, "-c", _PUBLISHER, str(repo.path), "never"]
    for wait in range(200, 560, 30):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                process.wait(wait / 1000)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        for lock in repo.git_dir.rglob("*.lock"):
            os.utime(lock, (1, 1))
        recover(repo)
        if _check_whole(repo, git, busy):
            git("update-ref", "refs/heads/main", busy)
            git("read-tree", busy)
            for change in repo.changes(busy, reflection_ref("r1")):
                _restore(repo, change.path, busy)


def _restore(repo: MemoryRepository, path: str, rev: str) -> None:
    target = Path(repo.path, path)
    if path in {EDITED, "mine.md"}:
        return
    if path in repo.tree(rev):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(repo.read(rev, path))
    else:
        target.unlink(missing_ok=True)
