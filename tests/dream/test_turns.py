"""Every turn is dreamed once or is named: whatever happens to files, processes, clocks and the store."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from slowwave.dream import gate, retention
from slowwave.errors import BusyError, InterruptedDreamError, TranscriptError
from slowwave.report import DreamReport, Failed, Merged, NoChanges, NothingToReflect, Pending
from slowwave.service import Service
from slowwave.store import progress, runs
from slowwave.verbs import DreamRequest, OnStep, ignore_step
from tests.sessions import ClaudeSession

NOW = 1_800_000_000.0


def wish(number: int) -> str:
    """A wish that the offline reflector learns, told apart by its number."""
    return f"From now on always run `make check{number}` before you report work{number} as done."


@dataclass
class Desk:
    """One person's machine, with a clock that a test sets. Each call is a process of its own."""

    root: Path
    now: float = NOW
    first_start: str = "1000"

    @property
    def user(self) -> Path:
        """The person's home."""
        return self.root / "user"

    @property
    def home(self) -> Path:
        """Where slowwave keeps its things."""
        return self.root / "home"

    def session(self, name: str, **given: str) -> ClaudeSession:
        """A session of Claude Code."""
        return ClaudeSession(self.user, name, **given)  # type: ignore[arg-type]

    def service(self, stop: Callable[[], bool] = lambda: False) -> Service:
        """The verbs, as a new process has them."""
        env = {"SLOWWAVE_HOME": str(self.home), "HOME": str(self.user), "SLOWWAVE_INSTANCE_ID": "t"}
        own = Service(env, lambda: self.now, cwd=Path("/home/dev/harbor"), stop=stop)
        with own.db.transaction():
            own.db.execute(
                "INSERT INTO meta VALUES ('first_start', ?) ON CONFLICT DO NOTHING", (self.first_start,)
            )
        return own

    def scan(self) -> None:
        """Read what is new, without dreaming."""
        own = self.service()
        own.ingest.scan(own.session_files())
        own.ingest.close_abandoned()
        own.close()

    def dreams(self, on_step: OnStep = ignore_step, **request: object) -> list[DreamReport]:
        """Dream over everything."""
        own = self.service()
        try:
            return list(own.dream(DreamRequest(**{"everything": True, **request}), on_step))  # type: ignore[arg-type]
        finally:
            own.close()

    def dream(self, on_step: OnStep = ignore_step, **request: object) -> DreamReport:
        """Dream over everything; one report."""
        [report] = self.dreams(on_step, **request)
        return report

    def states(self) -> list[str]:
        """The state of every turn, by session and number."""
        own = self.service()
        found = [r[0] for r in own.db.rows("SELECT state FROM turns ORDER BY session, number")]
        own.close()
        return found

    def log(self) -> list[str]:
        """The status of every dream in the log, newest first."""
        own = self.service()
        found = [line.status for line in own.log(limit=50)]
        own.close()
        return found

    def gate(self) -> gate.Fire | gate.Hold:
        """The gate of the first project."""
        own = self.service()
        decision = own.gate(1)
        own.close()
        return decision

    def remembers(self, words: str) -> int:
        """How many lines of memory say something."""
        texts = [p.read_text() for p in (self.home / "memory").rglob("*.md")]
        return sum(line.startswith("- ") and words in line for text in texts for line in text.splitlines())

    def lose_the_store(self) -> None:
        """Delete the record store."""
        for file in (self.home / "data").glob("slowwave.db*"):
            file.unlink()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A fresh machine."""
    return Desk(tmp_path)


# ---------------------------------------------------------------------- files that go, shrink or cannot be read
@pytest.mark.parametrize("how", ["deleted", "linked"])
def test_a_transcript_that_is_gone_does_not_hold_up_the_others(desk: Desk, how: str) -> None:
    """Its turns are settled as vanished and named; the other sessions are dreamed, and it ends there."""
    gone, kept = desk.session("gone").turn(wish(1)), desk.session("kept").turn(wish(2))
    desk.scan()
    gone.path.unlink()
    if how == "linked":
        gone.path.symlink_to(kept.path)
    report = desk.dream()
    assert isinstance(report.outcome, Merged)
    assert desk.remembers("make check2")
    [problem] = report.problems
    assert f"turn 1 of session {gone.session_id}" in problem
    assert sorted(desk.states()) == ["merged", "vanished"]
    assert isinstance(desk.dream().outcome, NothingToReflect)


def test_when_all_that_was_new_is_gone_the_person_is_told(desk: Desk) -> None:
    """Nothing can be reflected: no failure, no row in the log, but the lost turns are named."""
    session = desk.session("a").turn(wish(1))
    desk.scan()
    session.path.unlink()
    report = desk.dream()
    assert isinstance(report.outcome, NothingToReflect)
    assert session.session_id in report.problems[0]
    assert desk.log() == []


def test_a_transcript_that_comes_back_is_dreamed(desk: Desk) -> None:
    """Vanished is no verdict: with its file a turn is new again."""
    session = desk.session("a").turn(wish(1))
    desk.scan()
    away = shutil.move(session.path, desk.root / "away.jsonl")
    desk.dream()
    assert desk.states() == ["vanished"]
    shutil.move(away, session.path)
    assert isinstance(desk.dream().outcome, Merged)
    assert desk.remembers("make check1")


@pytest.mark.skipif(os.geteuid() == 0, reason="NOT TESTED HERE: root reads everything")
def test_a_transcript_that_may_not_be_read_is_tried_again(desk: Desk) -> None:
    """Its turns stay new and are named; the others are dreamed. Alone it is a failure, which backs off."""
    closed = desk.session("closed").turn(wish(1))
    desk.session("open").turn(wish(2))
    desk.scan()
    closed.path.chmod(0)
    _is_named_and_tried_again(desk, closed)
    closed.path.chmod(0o600)
    assert isinstance(desk.dream().outcome, Merged)


def test_a_folder_in_place_of_a_transcript_is_tried_again(desk: Desk) -> None:
    """What is no plain file now may be one later: its turns stay new and are named, the others are dreamed."""
    session = desk.session("odd").turn(wish(1))
    desk.session("open").turn(wish(2))
    desk.scan()
    away = shutil.move(session.path, desk.root / "away.jsonl")
    session.path.mkdir()
    _is_named_and_tried_again(desk, session)
    session.path.rmdir()
    shutil.move(away, session.path)
    assert isinstance(desk.dream().outcome, Merged)
    assert desk.remembers("make check1")


def _is_named_and_tried_again(desk: Desk, session: ClaudeSession) -> None:
    report = desk.dream()
    assert isinstance(report.outcome, Merged)
    assert "will be tried again" in report.problems[0]
    assert session.session_id in report.problems[0]
    assert sorted(desk.states()) == ["merged", "new"]
    assert isinstance(desk.dream().outcome, Failed)
    assert desk.log()[0] == "failed"


def test_an_older_copy_settles_no_turn_it_does_not_hold(desk: Desk) -> None:
    """`--from path:` on a copy with fewer turns leaves the session's own file in charge."""
    session = desk.session("a").turn(wish(1))
    copy = desk.root / "copy"
    copy.mkdir()
    shutil.copy(session.path, copy)
    session.turn(wish(2)).turn(wish(3))
    desk.scan()
    desk.dreams(sources=(f"path:{copy}",))
    desk.dreams()
    assert all(desk.remembers(f"make check{n}") == 1 for n in (1, 2, 3))


def test_a_file_that_was_cut_settles_only_what_it_holds(desk: Desk) -> None:
    """The range of a dream ends at the last turn really read; the rest is named as vanished."""
    session = desk.session("a").turn(wish(1)).turn(wish(2))
    desk.scan()
    cut = "".join(session.path.read_text().splitlines(keepends=True)[:2])

    def on_step(step: str) -> None:
        if step == "recover":
            session.path.write_text(cut)

    report = desk.dream(on_step)
    assert [(s.from_turn, s.to_turn) for s in report.sources] == [(0, 1)]
    assert "turn 2" in report.problems[0]
    assert desk.states() == ["merged", "vanished"]
    session.turns = 10
    session.turn(wish(3))
    desk.dream()
    assert desk.remembers("make check3")


def test_other_turns_under_old_numbers_stay_new_until_they_are_dreamed(desk: Desk) -> None:
    """After a revert the range of the old dream does not settle them at a later read."""
    session = desk.session("a").turn(wish(1)).turn(wish(2))
    desk.dream()
    session.path.write_text("".join(session.path.read_text().splitlines(keepends=True)[:2]))
    desk.scan()
    session.turns = 10
    session.turn(wish(22))
    desk.scan()
    session.turn(wish(33))
    desk.scan()
    assert desk.states() == ["merged", "new", "new"]
    desk.dream()
    assert desk.remembers("make check22")
    assert desk.remembers("make check33")


# ---------------------------------------------------------------------- a turn that goes on
def _late(session: ClaudeSession, text: str) -> None:
    """The agent of an unfinished turn is resumed: an answer, a wish that joins the turn, and an end."""
    block = {"type": "text", "text": text}
    session.append(
        [session._assistant(f"late-{session.turns}", f"msg-late-{session.turns}", block, "end_turn")]
    )


def test_a_turn_that_goes_on_after_it_was_dreamed_is_read_as_what_remains(desk: Desk) -> None:
    """Its new steps count and are dreamed; what was read before, the prompt too, is not read again."""
    session = desk.session("a").turn(wish(1), steps=3, ends=False)
    desk.now = session.path.stat().st_mtime
    desk.scan()
    desk.now += 7 * 3600
    first = desk.dream()
    assert isinstance(first.outcome, Merged)
    assert first.steps == 2
    _late(session, "Done at last.")
    desk.scan()
    assert desk.states() == ["new"]
    own = desk.service()
    assert progress.project_progress(own.db, 1, desk.now).steps == 1
    own.close()
    seen = desk.dream()
    assert isinstance(seen.outcome, NoChanges)
    assert (seen.steps, [(s.from_turn, s.to_turn) for s in seen.sources]) == (1, [(0, 1)])
    assert desk.states() == ["no_changes"]
    assert desk.remembers("make check1") == 1


def test_a_turn_that_goes_on_while_it_is_dreamed_is_settled_as_far_as_it_was_read(desk: Desk) -> None:
    """Steps that come between the snapshot and the landing are new afterwards."""
    session = desk.session("a").turn(wish(1), steps=3, ends=False)
    desk.now = session.path.stat().st_mtime
    desk.scan()
    desk.now += 7 * 3600

    def on_step(step: str) -> None:
        if step == "validate":
            _late(session, "Done at last.")
            desk.scan()

    assert isinstance(desk.dream(on_step).outcome, Merged)
    assert desk.states() == ["new"]
    assert desk.dream().steps == 1
    assert desk.states() == ["no_changes"]


# ---------------------------------------------------------------------- dreams that fail or lose their right
def test_a_dream_that_lost_its_lease_leaves_what_another_has_merged(desk: Desk) -> None:
    """The first finds that the second has begun; the turns stay merged, and are dreamed once."""
    desk.session("a").turn(wish(1))
    asked: list[str] = []

    def on_step(step: str) -> None:
        if step == "import" and "slept" not in asked:
            asked.append("slept")
            desk.now += 3600
            desk.dream()

    with pytest.raises(BusyError, match="lease was lost"):
        desk.dream(on_step)
    assert desk.states() == ["merged"]
    assert desk.log() == ["merged", "interrupted"]
    assert desk.remembers("make check1") == 1


@pytest.mark.parametrize("review", [False, True])
def test_a_failure_after_the_landing_changes_nothing(desk: Desk, *, review: bool) -> None:
    """What is merged stays merged, and what is pending stays reserved."""
    desk.session("a").turn(wish(1))

    def on_step(step: str) -> None:
        if step == "clean":
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk"):
        desk.dream(on_step, review=review)
    wanted = "pending" if review else "merged"
    assert (desk.log(), desk.states()) == ([wanted], [wanted])


def test_tidying_up_never_fails_a_dream(desk: Desk) -> None:
    """When the folder of copies cannot be listed, the dream has landed all the same."""
    desk.session("a").turn(wish(1))
    own = desk.service()

    def on_step(step: str) -> None:
        if step == "clean":
            shutil.rmtree(own.homes.runs)
            own.homes.runs.write_text("no folder")

    assert isinstance(desk.dream(on_step).outcome, Merged)
    assert retention.sweep(own.workshop()) == ()


def test_a_memory_of_many_files_can_be_dreamed_into(desk: Desk) -> None:
    """The limit on files is for what a reflection adds, not for what memory holds."""
    desk.session("a").turn(wish(1))
    desk.dream()
    memory = desk.home / "memory"
    (memory / "reference").mkdir()
    for number in range(5001):
        (memory / "reference" / f"f{number}.md").write_text(f"- fact {number}\n")
    git = ["git", "-c", "user.name=p", "-c", "user.email=p@x", "-C", str(memory)]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "many"], check=True)
    desk.session("b").turn(wish(2))
    assert isinstance(desk.dream().outcome, Merged)


def test_interruptions_do_not_end_the_back_off(desk: Desk) -> None:
    """A dream refused again and again waits longer each time, also when some were interrupted between."""
    own = desk.service()
    desk.session("a").turn(wish(1))
    desk.scan()
    for number, status in enumerate(("failed", "interrupted", "failed", "interrupted")):
        run = own.claim(1, "manual", "offline", {})  # type: ignore[arg-type]
        runs.finish(own.db, run.id, status, f"2027-01-01T00:0{number}:00+00:00")
    until = runs.back_off_until(own.db, 1, lambda t: datetime.fromisoformat(t).timestamp())
    assert until == datetime.fromisoformat("2027-01-01T00:02:00+00:00").timestamp() + 120


def test_a_stop_ends_the_series_and_tells_what_was_done(desk: Desk) -> None:
    """After Ctrl-C no other project is begun; a dream that was finished before is still reported."""
    for number in range(3):
        desk.session(f"s{number}", cwd=f"/home/dev/p{number}").turn(wish(number))
    asked: list[str] = []
    own = desk.service(stop=lambda: asked.count("worktree") == 2)
    first, second = own.dream(DreamRequest(everything=True), asked.append)
    assert isinstance(first.outcome, Merged)
    assert isinstance(second.outcome, Failed)
    assert second.outcome.exit_code == 130
    assert desk.log() == ["interrupted", "merged"]
    at_once = desk.service(stop=lambda: asked.count("worktree") > 2)
    with pytest.raises(InterruptedDreamError):
        at_once.dream(DreamRequest(everything=True), asked.append)


def test_a_busy_lease_in_the_middle_keeps_the_reports_before_it(desk: Desk) -> None:
    """The first project's dream is told though the second found another at it."""
    for number in range(2):
        desk.session(f"s{number}", cwd=f"/home/dev/p{number}").turn(wish(number))
    asked: list[str] = []
    own = desk.service()

    def on_step(step: str) -> None:
        asked.append(step)
        if step == "lease" and asked.count("lease") == 2:
            runs.take_lease(own.db, "other", "dream other", desk.now)

    first, second = desk.dreams(on_step)
    assert isinstance(first.outcome, Merged)
    assert isinstance(second.outcome, Failed)
    assert second.outcome.exit_code == BusyError.exit_code
    assert desk.log() == ["merged"]


# ---------------------------------------------------------------------- history
def _history(desk: Desk, *names: str) -> None:
    """Sessions from before the first start, one project each."""
    desk.first_start = str(NOW)
    for number, name in enumerate(names):
        session = desk.session(name, cwd=f"/home/dev/{name}", day="2026-03-01").turn(wish(number))
        os.utime(session.path, (NOW - 99, NOW - 99))
    desk.scan()
    desk.now += 99


def test_a_backfill_uncovers_the_wanted_project_alone(desk: Desk) -> None:
    """The history of the others stays history."""
    _history(desk, "harbor", "other")
    assert isinstance(desk.dream(everything=False, backfill=True).outcome, Merged)
    assert desk.states() == ["merged", "baseline"]
    assert isinstance(desk.dream().outcome, NothingToReflect)
    assert isinstance(desk.dream(backfill=True).outcome, Merged)
    assert desk.states() == ["merged", "merged"]


def test_a_backfill_since_leaves_older_turns_history(desk: Desk) -> None:
    """Later plain dreams do not learn them, and the answer speaks of the time asked for only."""
    _history(desk, "harbor")
    outcome = desk.dream(backfill=True, since="2026-11-01").outcome
    assert isinstance(outcome, NothingToReflect)
    assert "since 2026-11-01" in outcome.why
    assert desk.states() == ["baseline"]
    assert isinstance(desk.dream().outcome, NothingToReflect)
    assert isinstance(desk.dream(backfill=True, since="2026-02-01").outcome, Merged)


def test_history_that_is_resumed_in_a_new_file_stays_history(desk: Desk) -> None:
    """A fork copies turns from before the first start; only what is said after it is news."""
    _history(desk, "harbor")
    [old] = (desk.user / ".claude").rglob("*.jsonl")
    fork = desk.session("fork", day="2027-02-01")
    fork.path.write_text(old.read_text().replace(old.stem, fork.session_id))
    fork.turns = 5
    fork.turn(wish(7))
    os.utime(fork.path, (desk.now, desk.now))
    desk.dream()
    assert desk.states() == ["baseline", "merged"]
    assert desk.remembers("make check0") == 0
    assert desk.remembers("make check7")


# ---------------------------------------------------------------------- clocks, secrets, a lost store
def test_a_time_in_the_future_holds_a_project_no_longer_than_now(desk: Desk) -> None:
    """A file whose time lies ahead counts as grown now: after the quiet seconds the gate opens."""
    session = desk.session("a")
    for _ in range(30):
        session.turn("hello there")
    os.utime(session.path, (NOW + 3e7, NOW + 3e7))
    desk.scan()
    assert isinstance(desk.gate(), gate.Hold)
    desk.now += desk.service().settings.dream.quiet_seconds + 1
    assert isinstance(desk.gate(), gate.Fire)


def test_a_lease_from_before_the_clock_was_set_back_is_not_live(desk: Desk) -> None:
    """One that ends later than any lease taken now could is left from another time."""
    own = desk.service()
    runs.take_lease(own.db, "other", "dream other", desk.now + 3600)
    assert runs.current_lease(own.db, desk.now) is None
    desk.session("a").turn(wish(1))
    assert isinstance(desk.dream().outcome, Merged)


def test_a_secret_in_an_instruction_reaches_no_file(desk: Desk) -> None:
    """What a person types is redacted before the ledger keeps it."""
    secret = "sk-ant-api03-" + "A9b" * 31
    desk.session("a").turn(wish(1))
    desk.dream(instruction=f"use {secret}")
    files = [p for p in desk.home.rglob("*") if p.is_file()]
    assert not [p for p in files if secret.encode() in p.read_bytes()]


def test_a_discarded_dream_is_known_to_a_rebuilt_store(desk: Desk) -> None:
    """The repository remembers what a person turned down, out of sight of the branches."""
    desk.session("a").turn(wish(1))
    assert isinstance(desk.dream(review=True).outcome, Pending)
    own = desk.service()
    own.discard("", dry_run=False)
    own.close()
    desk.lose_the_store()
    assert isinstance(desk.dream().outcome, NothingToReflect)
    assert (desk.states(), desk.log()) == (["discarded"], ["discarded"])


def test_the_log_holds_no_dream_that_did_nothing(desk: Desk) -> None:
    """A dream that found another at it leaves no row."""
    desk.session("a").turn(wish(1))
    own = desk.service()
    runs.take_lease(own.db, "other", "dream other", NOW)
    for _ in range(3):
        with pytest.raises(BusyError):
            desk.dream()
    assert desk.log() == []


def test_nothing_but_unreadable_files_is_an_error(desk: Desk) -> None:
    """A run that could read none of its turns fails with their names, so that the daemon backs off."""
    session = desk.session("a").turn(wish(1))
    desk.scan()
    session.path.unlink()
    session.path.mkdir()
    own = desk.service()
    run = own.claim(1, "manual", "offline", {})  # type: ignore[arg-type]
    with pytest.raises(TranscriptError, match=session.session_id):
        own.run_claimed(run.id, ignore_step)
    assert desk.log() == ["failed"]
    assert desk.states() == ["new"]
