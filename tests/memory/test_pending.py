"""A dream that waits for a person; and what stands in the way of landing: other branches, dead locks."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.errors import MemoryRepositoryError, UsageError
from slowwave.memory import publish as publishing
from slowwave.memory.publish import (
    Landed,
    drop_pending,
    keep_pending,
    pending,
    publish,
    recover,
    reflection_ref,
)
from slowwave.memory.repo import MemoryRepository

Git = Callable[..., str]
Reflect = Callable[..., str]

MESSAGE = "Dream d1\n"


def landed(outcome: object) -> str:
    """The commit of an outcome that must be a landing without leftovers."""
    assert isinstance(outcome, Landed), outcome
    assert outcome.left_to_person == ()
    return outcome.commit


def test_a_pending_reflection_is_kept_and_can_still_land(repo: MemoryRepository, reflect: Reflect) -> None:
    """A pending dream moves to its own branch, lands from there, or is dropped."""
    commit = reflect({"a.md": b"a"}, "run-1")
    keep_pending(repo, "run-1", commit)
    keep_pending(repo, "run-1", commit)
    assert pending(repo) == {"run-1": commit}
    assert repo.resolve(reflection_ref("run-1")) is None
    landed(publish(repo, publishing.pending_ref("run-1"), MESSAGE))
    drop_pending(repo, "run-1")
    drop_pending(repo, "run-1")
    assert pending(repo) == {}


@pytest.mark.parametrize(
    "name", ["pending", "", "a/b", "..", "a..b", "-x", "a.lock", ".a", "a.", "a b", "a\n", "@{"]
)
def test_a_run_id_must_fit_a_branch(name: str) -> None:
    """Names git would refuse or read as something else are a usage error."""
    with pytest.raises(UsageError):
        reflection_ref(name)


def test_an_unknown_reflection_is_an_error(repo: MemoryRepository) -> None:
    """Publishing what does not exist is told as such."""
    with pytest.raises(MemoryRepositoryError, match="not known"):
        publish(repo, reflection_ref("none"), MESSAGE)


def test_another_branch_checked_out_is_told(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """When a person has switched branches, nothing lands and the hint says what to do."""
    reflect({"a.md": b"a"})
    git("switch", "-q", "-c", "side")
    with pytest.raises(MemoryRepositoryError, match="not on the branch") as error:
        publish(repo, reflection_ref("r1"), MESSAGE)
    assert "switch main" in error.value.hint


def test_dead_locks_go_and_living_ones_stay(repo: MemoryRepository, tmp_path: Path) -> None:
    """An old lock file of a dead git is removed; a young one, or one a living git may own, is not."""
    dead, young = repo.git_dir / "HEAD.lock", repo.git_dir / "refs" / "heads" / "x.lock"
    for lock in (dead, young):
        lock.write_bytes(b"")
    long_ago = time.time() - 1000
    os.utime(dead, (long_ago, long_ago))
    with subprocess.Popen(["git", "cat-file", "--batch"], cwd=repo.path, stdin=subprocess.PIPE) as alive:
        deadline = time.monotonic() + 5
        while Path(f"/proc/{alive.pid}/comm").read_text().strip() != "git" and time.monotonic() < deadline:
            time.sleep(0.01)
        assert recover(repo).locks == ()
        alive.kill()
    assert recover(repo).locks == ("HEAD.lock",)
    assert not dead.exists()
    assert young.exists()
