"""One dream from the lease to the landing, with real git, a real store and real transcripts."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.errors import BusyError, InterruptedDreamError
from slowwave.model import Author
from slowwave.report import DreamReport, Failed, Merged, NoChanges, NothingToReflect, Pending, Planned
from slowwave.service import Service
from slowwave.store import audit, progress, runs
from slowwave.verbs import DreamRequest, ignore_step
from tests.sessions import ClaudeSession

WISH = "From now on always run `make check` before you report work as done."
NOW = 1_800_000_000.0


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The person's home, where the agents write."""
    return tmp_path / "user"


@pytest.fixture
def service(home: Path, user: Path) -> Service:
    """The verbs over a fresh home, as a process would see them."""
    return again(home, user)


def again(home: Path, user: Path, stop: Callable[[], bool] = lambda: False) -> Service:
    """A new process over the same home. It started long before any transcript was written."""
    own = Service(
        {"SLOWWAVE_HOME": str(home), "HOME": str(user), "SLOWWAVE_INSTANCE_ID": "test-instance"},
        lambda: NOW, cwd=Path("/home/dev/harbor"), stop=stop,
    )  # fmt: skip
    with own.db.transaction():
        own.db.execute("INSERT INTO meta VALUES ('first_start', '1000') ON CONFLICT DO NOTHING")
    return own


def dream(service: Service, **request: object) -> DreamReport:
    """Dream over everything; exactly one project has something new."""
    reports = service.dream(DreamRequest(everything=True, **request), ignore_step)  # type: ignore[arg-type]
    assert len(reports) == 1
    return reports[0]


def git(service: Service, *args: str) -> str:
    """Ask the memory repository with a git that trusts nothing of ours."""
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", *args],
        cwd=service.homes.memory,
        check=True,
        capture_output=True,
    )
    return done.stdout.decode()


def everything(memory: Path) -> dict[str, bytes]:
    """Every file of memory, without git's own."""
    return {
        p.relative_to(memory).as_posix(): p.read_bytes()
        for p in memory.rglob("*")
        if p.is_file() and ".git" not in p.parts
    }


def test_a_dream_lands_as_a_merge_commit_with_its_cursor(service: Service, user: Path) -> None:
    """What a person asked for is in memory with evidence; the commit says who, why and from where."""
    session = ClaudeSession(user, "s1").turn(WISH, steps=3)
    report = dream(service)
    assert isinstance(report.outcome, Merged)
    assert [(s.session_id, s.from_turn, s.to_turn) for s in report.sources] == [(session.session_id, 0, 1)]
    assert report.steps == 3
    [learned] = report.learned
    assert "make check" in learned.text
    assert learned.evidence[0].role is Author.HUMAN
    assert learned.evidence[0].quote in WISH
    assert "make check" in everything(service.homes.memory)[learned.path].decode()
    commit = git(service, "log", "-1", "--format=%P%n%(trailers:only,unfold)")
    assert len(commit.splitlines()[0].split()) == 2
    for trailer in (
        f"Dream-Id: {report.dream_id}", "Trigger: manual", "Reflector: offline", "Sandbox-Level: L0",
        "Instance-Id: test-instance", f"Sources: claude-code {session.session_id} 0..1 sha256:{report.sources[0].digest}",
    ):  # fmt: skip
        assert trailer in commit
    assert git(service, "status", "--porcelain") == ""
    assert git(service, "branch", "--format=%(refname)").split() == ["refs/heads/main"]


def test_the_second_dream_has_nothing_to_reflect(service: Service, user: Path, home: Path) -> None:
    """The same input twice makes no commit, not even in a new process; new turns alone are read next."""
    session = ClaudeSession(user, "s1").turn(WISH)
    dream(service)
    head = git(service, "rev-parse", "main")
    assert isinstance(dream(service).outcome, NothingToReflect)
    assert isinstance(dream(again(home, user)).outcome, NothingToReflect)
    assert git(service, "rev-parse", "main") == head
    session.turn("Never commit straight to main, always open a pull request.")
    third = dream(again(home, user))
    assert isinstance(third.outcome, Merged)
    assert [(s.from_turn, s.to_turn) for s in third.sources] == [(1, 2)]


def test_turns_without_anything_to_learn_count_as_read(service: Service, user: Path) -> None:
    """Small talk makes no commit, moves the cursor and clears the marks."""
    ClaudeSession(user, "s1").turn("hello there").compaction()
    report = dream(service)
    assert isinstance(report.outcome, NoChanges)
    assert isinstance(dream(service).outcome, NothingToReflect)
    number = progress.projects(service.db)[0][0]
    assert progress.project_progress(service.db, number, NOW).marks == 0


def test_undo_brings_back_the_exact_tree(service: Service, user: Path) -> None:
    """After undo the tree, the files and the index are what they were, and nothing is dreamed again."""
    session = ClaudeSession(user, "s1").turn("Never commit straight to main, always open a pull request.")
    dream(service)
    tree, files = git(service, "rev-parse", "main^{tree}"), everything(service.homes.memory)
    session.turn(WISH)
    report = dream(service)
    assert git(service, "rev-parse", "main^{tree}") != tree
    assert service.undo("", dry_run=True).status == "would undo"
    change = service.undo("", dry_run=False)
    assert (change.status, change.dream_id) == ("undone", report.dream_id)
    assert git(service, "rev-parse", "main^{tree}") == tree
    assert everything(service.homes.memory) == files
    assert git(service, "status", "--porcelain") == ""
    assert isinstance(dream(service).outcome, NothingToReflect)
    assert f"Undoes: {report.dream_id}" in git(service, "log", "-1", "--format=%B")


# ---------------------------------------------------------------------- people
def edits_during(service: Service, user: Path, edit: Callable[[Path], None]) -> DreamReport:
    """A dream with a person at work in the memory folder just before it lands."""
    ClaudeSession(user, "s2").turn("Never commit straight to main, always open a pull request.")
    memory = service.homes.memory

    def on_step(step: str) -> None:
        if step == "commit":
            edit(memory)

    [report] = service.dream(DreamRequest(everything=True), on_step)
    return report


@pytest.mark.parametrize("committed", [True, False])
def test_a_persons_other_edit_survives_a_dream(service: Service, user: Path, *, committed: bool) -> None:
    """An edit to another file, committed or not, is there afterwards and the dream lands."""
    ClaudeSession(user, "s1").turn(WISH)
    dream(service)

    def edit(memory: Path) -> None:
        (memory / "mine é.md").write_text("---\ndescription: mine\n---\nmine\n")
        if committed:
            git(service, "add", "-A")
            git(service, "-c", "user.name=p", "-c", "user.email=p@localhost", "commit", "-qm", "mine")

    report = edits_during(service, user, edit)
    assert isinstance(report.outcome, Merged)
    assert everything(service.homes.memory)["mine é.md"].endswith(b"mine\n")
    assert ("mine" in git(service, "status", "--porcelain", "-z")) is not committed


def test_an_overlapping_edit_makes_a_dream_pending_until_it_can_land(service: Service, user: Path) -> None:
    """The person's text wins; the dream waits, is not read again, and lands later without reflecting."""
    ClaudeSession(user, "s1").turn(WISH)
    path = dream(service).learned[0].path

    def edit(memory: Path) -> None:
        file = memory / path
        file.write_text(f"{file.read_text()}\n## Mine\n\nA person wrote this.\n")

    ClaudeSession(user, "s1b").turn("Always run `make lint` before every commit, no exceptions.")
    report = edits_during(service, user, edit)
    assert isinstance(report.outcome, Pending)
    assert report.outcome.paths == (path,)
    assert "A person wrote this." in (service.homes.memory / path).read_text()
    assert isinstance(dream(service).outcome, NothingToReflect)
    still = service.merge("", prefer="", dry_run=False)
    assert (still.status, path in still.reason) == ("pending", True)
    git(service, "-c", "user.name=p", "-c", "user.email=p@localhost", "commit", "-qam", "mine")
    assert service.merge("", prefer="", dry_run=False).status == "merged"
    assert "A person wrote this." in (service.homes.memory / path).read_text()
    assert "make lint" in (service.homes.memory / path).read_text()
    assert runs.get(service.db, report.dream_id).status == "merged"
    assert isinstance(dream(service).outcome, NothingToReflect)


def test_a_discarded_dream_leaves_no_branch_and_is_not_dreamed_again(service: Service, user: Path) -> None:
    """Discard drops the work but keeps the range read and the audit record."""
    ClaudeSession(user, "s1").turn(WISH)
    report = dream(service, review=True)
    assert isinstance(report.outcome, Pending)
    assert f"refs/heads/reflection/pending/{report.dream_id}" in git(
        service, "for-each-ref", "--format=%(refname)"
    )
    assert service.discard("", dry_run=True).status == "would discard"
    change = service.discard("", dry_run=False)
    assert change.status == "discarded"
    assert "make check" in change.text
    assert git(service, "branch", "--format=%(refname)").split() == ["refs/heads/main"]
    assert isinstance(dream(service).outcome, NothingToReflect)
    assert audit.latest(service.db)[0]["action"] == "discarded"


# ---------------------------------------------------------------------- dry run, failures, busy
def test_a_dry_run_shows_the_diff_and_changes_nothing(service: Service, user: Path) -> None:
    """The plan says what would land; store, memory and run folders stay as they were."""
    ClaudeSession(user, "s1").turn(WISH)
    dream(service)
    ClaudeSession(user, "s2").turn("Never commit straight to main, always open a pull request.")
    before = everything(service.homes.memory)
    rows = (
        service.db.rows("SELECT count(*) FROM turns")[0][0],
        service.db.rows("SELECT count(*) FROM runs")[0][0],
    )
    head = git(service, "rev-parse", "main")
    report = dream(service, dry_run=True)
    assert isinstance(report.outcome, Planned)
    assert "pull request" in report.outcome.diff
    assert everything(service.homes.memory) == before
    assert git(service, "rev-parse", "main") == head
    assert rows == (
        service.db.value("SELECT count(*) FROM turns"), service.db.value("SELECT count(*) FROM runs"),
    )  # fmt: skip
    assert isinstance(dream(service).outcome, Merged)


def script(path: str, text: str) -> str:
    """A script for the scripted reflector: it writes one file and claims nothing."""
    return json.dumps({"edits": [{"op": "create", "path": path, "text": text}], "learned": []})


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("projects/other/system/x.md", "---\ndescription: d\n---\n", "not writable"),
        ("../escape.md", "x", ""),
        ("system/key.md", "---\ndescription: d\n---\nghp_" + "a1B2c3D4e5" * 3 + "f6G7h8\n", "secret"),
        ("system/x.md", "no head at all\n", "description"),
    ],
)
def test_a_reflector_that_misbehaves_lands_nothing(
    service: Service, user: Path, path: str, text: str, why: str
) -> None:
    """Edits outside the scope, secrets and broken heads fail the dream; its turns are read again."""
    ClaudeSession(user, "s1").turn(WISH)
    report = dream(service, reflector="scripted", instruction=script(path, text))
    assert isinstance(report.outcome, Failed)
    assert why in report.outcome.error
    assert everything(service.homes.memory).keys() == {"README.txt"}
    assert git(service, "branch", "--format=%(refname)").split() == ["refs/heads/main"]
    assert runs.latest(service.db, limit=1)[0].status == "failed"
    assert isinstance(dream(service).outcome, Merged)


def test_a_busy_lease_stops_a_dream_and_costs_it_nothing(service: Service, user: Path) -> None:
    """While another dream runs, a second one is told so; it is no failure and no back-off."""
    ClaudeSession(user, "s1").turn(WISH)
    runs.take_lease(service.db, "other", "dream other", NOW)
    with pytest.raises(BusyError, match="dream other"):
        dream(service)
    runs.give_lease_back(service.db, "other")
    assert runs.latest(service.db, limit=1) == []
    assert isinstance(dream(service).outcome, Merged)


def test_a_dream_that_lost_its_lease_lands_nothing(service: Service, user: Path) -> None:
    """A machine that slept past the expiry finds another dream begun: the first one steps back."""
    ClaudeSession(user, "s1").turn(WISH)

    def on_step(step: str) -> None:
        if step == "validate":
            with service.db.transaction():
                service.db.execute("UPDATE leases SET owner = 'other'")

    with pytest.raises(BusyError, match="lease was lost"):
        service.dream(DreamRequest(everything=True), on_step)
    assert everything(service.homes.memory).keys() == {"README.txt"}
    assert git(service, "branch", "--format=%(refname)").split() == ["refs/heads/main"]
    service.db.execute("DELETE FROM leases")
    assert isinstance(dream(service).outcome, Merged)


def test_a_dream_that_is_asked_to_stop_gives_its_turns_back(home: Path, user: Path) -> None:
    """Between two steps the flag is seen; the run is interrupted and the next dream reads the same."""
    ClaudeSession(user, "s1").turn(WISH)
    asked: list[str] = []
    stopped = again(home, user, stop=lambda: "worktree" in asked)
    with pytest.raises(InterruptedDreamError):
        stopped.dream(DreamRequest(everything=True), asked.append)
    assert runs.latest(stopped.db, limit=1)[0].status == "interrupted"
    assert isinstance(dream(again(home, user)).outcome, Merged)


def test_a_lost_store_comes_back_from_the_branch(service: Service, user: Path, home: Path) -> None:
    """Without its database slowwave learns from the merge commits what was read, and dreams only the new."""
    session = ClaudeSession(user, "s1").turn(WISH)
    first = dream(service)
    ClaudeSession(user, "s9").turn("Always write commit messages in English.")
    kept = dream(service, review=True)
    service.close()
    for file in service.homes.data.glob("slowwave.db*"):
        file.unlink()
    session.turn("Never commit straight to main, always open a pull request.")
    report = dream(again(home, user))
    assert isinstance(report.outcome, Merged)
    assert [(s.session_id, s.from_turn, s.to_turn) for s in report.sources] == [(session.session_id, 1, 2)]
    new = again(home, user)
    assert runs.get(new.db, first.dream_id).status == "merged"
    assert runs.get(new.db, kept.dream_id).status == "pending"
    assert new.merge("", prefer="", dry_run=False).status == "merged"
