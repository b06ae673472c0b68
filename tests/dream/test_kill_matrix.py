"""SIGKILL at every numbered step of a dream, then a restart: nothing lost, nothing twice, nothing stuck.

A child process runs the dream with a listener that kills the process when the step is announced, which is
just before the step. Another kills between any two commits of the store, where no step is announced.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from slowwave.report import Merged, NothingToReflect
from slowwave.store import progress, runs
from slowwave.verbs import DreamRequest, ignore_step
from tests.dream.test_pipeline import WISH, again, dream, everything, git
from tests.sessions import ClaudeSession

STEPS = (
    "scan", "lease", "recover", "snapshot", "worktree", "reflect 1/1", "import", "validate", "commit",
    "publish stage", "publish lock-index", "publish journal", "publish ref", "publish file:",
    "publish index", "publish done", "settle", "clean",
)  # fmt: skip

CHILD = """
import os, signal, sys
from pathlib import Path
from slowwave.service import Service
from slowwave.store.database import Database
from slowwave.verbs import DreamRequest

home, user, step, commits = sys.argv[1:]
own = Service({"SLOWWAVE_HOME": home, "HOME": user, "SLOWWAVE_INSTANCE_ID": "test-instance"},
              lambda: 1_800_000_000.0, cwd=Path("/home/dev/harbor"))
with own.db.transaction():
    own.db.execute("INSERT INTO meta VALUES ('first_start', '1000') ON CONFLICT DO NOTHING")

def die():
    os.kill(os.getpid(), signal.SIGKILL)

left = int(commits)
if left >= 0:
    real = Database._run
    def run(self, sql, parameters=()):
        global left
        done = real(self, sql, parameters)
        if sql == "COMMIT":
            left -= 1
            if left < 0:
                die()
        return done
    Database._run = run

own.dream(DreamRequest(everything=True), lambda s: die() if step and s.startswith(step) else None)
"""


def killed(home: Path, user: Path, step: str = "", commits: int = -1) -> bool:
    """Run a dream in a process that dies at a step, or after so many commits. False when it outlived them."""
    command = [sys.executable, "-c", CHILD, str(home), str(user), step, str(commits)]
    done = subprocess.run(command, check=False, capture_output=True, timeout=60)
    assert done.returncode in {0, -9}, done.stderr.decode()
    return done.returncode == -9


def check_one_story(home: Path, user: Path, wanted: dict[str, bytes]) -> None:
    """After the restart: memory, cursor, branch, lease and folders tell the same, complete story."""
    service = again(home, user)
    report = dream(service)
    assert isinstance(report.outcome, Merged | NothingToReflect)
    assert isinstance(dream(service).outcome, NothingToReflect)
    memory = service.homes.memory
    assert everything(memory) == wanted
    assert git(service, "status", "--porcelain") == ""
    git(service, "fsck", "--strict", "--no-dangling")
    landed = git(service, "log", "--first-parent", "--format=%(trailers:key=Dream-Id,valueonly)").split()
    assert len(landed) == 1
    merged = runs.latest(service.db, statuses=("merged",))
    assert [r.id for r in merged] == landed
    assert not runs.unfinished(service.db)
    assert runs.current_lease(service.db, 1_800_000_000.0) is None
    number = progress.projects(service.db)[0][0]
    assert progress.project_progress(service.db, number, 0).turns == 0
    assert git(service, "branch", "--format=%(refname)").split() == ["refs/heads/main"]
    assert not list(service.homes.worktrees.glob("*"))
    assert not (memory / ".git" / "slowwave" / "journal.json").exists()
    assert not list(memory.rglob("*.lock"))
    service.close()


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A person's home with one session that has something to learn."""
    home = tmp_path / "user"
    ClaudeSession(home, "s1").turn(WISH, steps=4)
    return home


@pytest.fixture
def wanted(user: Path, tmp_path: Path) -> dict[str, bytes]:
    """What memory holds after a dream that nobody killed."""
    service = again(tmp_path / "reference", user)
    assert isinstance(dream(service).outcome, Merged)
    return everything(service.homes.memory)


def test_the_matrix_knows_every_step(home: Path, user: Path) -> None:
    """The steps a dream announces are those the matrix kills at."""
    told: list[str] = []
    again(home, user).dream(DreamRequest(everything=True), told.append)
    files = [s for s in told if s.startswith("publish file:")]
    assert files
    rest = [s for s in told if s not in files]
    assert rest == [s for s in STEPS if s != "publish file:"]


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_step_is_recovered(home: Path, user: Path, wanted: dict[str, bytes], step: str) -> None:
    """Killed just before the step, once or twice in a row, the next dream completes the work once."""
    assert killed(home, user, step)
    killed(home, user, step)
    check_one_story(home, user, wanted)


@pytest.mark.parametrize("commits", range(14))
def test_a_kill_after_any_commit_of_the_store_is_recovered(
    home: Path, user: Path, wanted: dict[str, bytes], commits: int
) -> None:
    """Wherever the store was just written, a kill leaves it and the branch in a state recovery completes."""
    killed(home, user, commits=commits)
    check_one_story(home, user, wanted)


@pytest.mark.parametrize("step", ["publish journal", "publish file:", "publish done", "settle"])
def test_a_persons_edit_survives_a_kill_during_landing(home: Path, user: Path, step: str) -> None:
    """An uncommitted edit elsewhere in memory is there after the kill and after the recovery."""
    service = again(home, user)
    dream(service)
    ClaudeSession(user, "s2").turn("Never commit straight to main, always open a pull request.")
    (service.homes.memory / "README.txt").write_text("a person was here\n")
    assert killed(home, user, step)
    later = again(home, user)
    later.dream(DreamRequest(everything=True), ignore_step)
    files = everything(later.homes.memory)
    assert files["README.txt"] == b"a person was here\n"
    assert any(b"pull request" in text for text in files.values())
    assert git(later, "status", "--porcelain") == " M README.txt\n"


@pytest.mark.parametrize("commits", range(3, 12))
def test_a_kill_while_keeping_a_pending_dream_keeps_it(home: Path, user: Path, commits: int) -> None:
    """A dream that must wait for a person is pending once after the restart, with its range reserved."""
    (home / "config.toml").write_text('[dream]\nmerge = "review"\n')
    killed(home, user, commits=commits)
    service = again(home, user)
    dream(service)
    assert len(runs.latest(service.db, statuses=("pending",))) == 1
    assert isinstance(dream(service).outcome, NothingToReflect)
    assert service.merge("", prefer="", dry_run=False).status == "merged"
    assert git(service, "branch", "--format=%(refname)").split() == ["refs/heads/main"]


def test_a_kill_during_a_persons_verb_is_recovered(home: Path, user: Path) -> None:
    """Killed between git and the store, `undo` is complete after the next start, and nothing comes twice."""
    service = again(home, user)
    dream(service)
    code = CHILD.split("left = int", maxsplit=1)[0] + (
        "from slowwave.dream import settle\nsettle.settle_undone = lambda *a: die()\n"
        'own.undo("", dry_run=False)\n'
    )
    command = [sys.executable, "-c", code, str(home), str(user), "", "-1"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == -9
    later = again(home, user)
    later.recover()
    assert len(runs.latest(later.db, statuses=("undone",))) == 1
    assert set(everything(later.homes.memory)) == {"README.txt"}
    assert isinstance(dream(later).outcome, NothingToReflect)
