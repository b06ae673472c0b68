"""The record store: migrations, transactions, the lease, back-off, audit; real files, real processes."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from slowwave.errors import BusyError, StoreError, UsageError
from slowwave.model import Project, Session, SourceRange, Trigger, Turn, TurnStatus
from slowwave.store import audit, blocks, progress, records, runs
from slowwave.store.database import Database
from slowwave.store.migrations import MIGRATIONS

NOW = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def db(tmp_path: Path) -> Database:
    """A fresh store."""
    return Database(tmp_path / "data" / "slowwave.db")


def turn(number: int, steps: int = 3) -> Turn:
    """A closed turn with nothing in it but its counts."""
    return Turn(number, TurnStatus.COMPLETED, (), steps, steps, 0, number * 10, number * 10 + 9)


def add(db: Database, count: int, session_id: str = "s1") -> tuple[int, int]:
    """A project with one session of that many new turns."""
    with db.transaction():
        project = progress.ensure_project(db, Project("/r/.git", "r", "/r"), NOW)
        session = progress.ensure_session(
            db, Session("claude-code", session_id, Path("/t/s.jsonl"), cwd="/r"), project
        )
        turns = [turn(n) for n in range(1, count + 1)]
        progress.add_turns(db, session, turns, ["new"] * count, [False] * count)
    return project, session


def test_the_file_is_private_and_migrations_run_once(tmp_path: Path) -> None:
    """The store is readable by this user alone, and opening it again changes nothing."""
    path = tmp_path / "x" / "slowwave.db"
    Database(path).close()
    assert path.stat().st_mode & 0o077 == 0
    with Database(path) as db:
        assert [r[0] for r in db.rows("SELECT name FROM migrations")] == [name for name, _ in MIGRATIONS]


def test_a_newer_store_is_not_touched(tmp_path: Path, db: Database) -> None:
    """A store with a migration this program does not know is refused, with what to do."""
    db.execute("INSERT INTO migrations (name) VALUES ('9999_future')")
    db.close()
    with pytest.raises(StoreError, match="newer slowwave"):
        Database(db.path)


def test_a_damaged_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    """A file that is no database is named, and left as it is."""
    path = tmp_path / "slowwave.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match=r"slowwave\.db"):
        Database(path)
    assert path.read_bytes().startswith(b"not a database")


def test_a_transaction_lands_whole_or_not_at_all(db: Database) -> None:
    """An error inside a transaction takes everything back."""

    def fail_half_way() -> None:
        with db.transaction():
            audit.record(db, NOW, "t", "a", "s")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert audit.latest(db) == []


def test_audit_records_cannot_be_changed(db: Database) -> None:
    """The database itself refuses to update or delete an audit record."""
    audit.record(db, NOW, "t", "a", "s", "because", {"k": 1})
    with pytest.raises(StoreError, match="append-only"):
        db.execute("UPDATE audit SET actor = 'x'")
    with pytest.raises(StoreError, match="append-only"):
        db.execute("DELETE FROM audit")
    assert audit.latest(db)[0]["detail"] == {"k": 1}


def test_the_same_turns_twice_count_once(db: Database) -> None:
    """Recording turns again changes neither their number nor their steps."""
    project, _ = add(db, 4)
    add(db, 4)
    seen = progress.project_progress(db, project, 0)
    assert (seen.turns, seen.steps) == (4, 12)


@pytest.mark.parametrize(("status", "left"), [
    ("merged", 2), ("no_changes", 2), ("pending", 2), ("discarded", 2), ("undone", 2),
    ("failed", 5), ("interrupted", 5),
])  # fmt: skip
def test_a_runs_fate_is_its_turns_fate(db: Database, status: str, left: int) -> None:
    """Merged and empty dreams read their turns, pending ones reserve them, failed ones give them back."""
    project, session = add(db, 5)
    with db.transaction():
        progress.add_mark(db, session, "c1", "compaction", 2, "auto", NOW)
        runs.claim(db, "d1", project, Trigger.MANUAL, "offline", NOW)
        runs.save_ranges(db, "d1", [SourceRange("claude-code", "s1", 0, 3, "x")])
    assert progress.project_progress(db, project, 0).marks == 1
    runs.finish(db, "d1", status, NOW)
    seen = progress.project_progress(db, project, 0)
    assert seen.turns == left
    assert seen.marks == (1 if left == 5 else 0)
    assert [(r.from_turn, r.to_turn) for r in progress.new_ranges(db, project)] == [(5 - left, 5)]


def test_a_range_known_before_its_session_decides_when_the_session_is_read(db: Database) -> None:
    """A rebuilt store knows the ranges from the commits first; turns read later are not new."""
    with db.transaction():
        project = progress.ensure_project(db, Project("/r/.git", "r", "/r"), NOW)
        runs.claim(db, "d1", project, Trigger.MANUAL, "offline", NOW)
        runs.save_ranges(db, "d1", [SourceRange("claude-code", "s1", 0, 3, "x")])
    runs.finish(db, "d1", "merged", NOW)
    add(db, 5)
    assert [(r.from_turn, r.to_turn) for r in progress.new_ranges(db, project)] == [(3, 5)]


def test_copied_history_belongs_to_the_session_that_had_it_first(db: Database) -> None:
    """Native ids claimed by one session are foreign to the next, and known the second time."""
    _, one = add(db, 1, "s1")
    _, two = add(db, 1, "s2")
    assert blocks.claim(db, "claude-code", one, ["a", "b"]).fresh == {"a", "b"}
    again = blocks.claim(db, "claude-code", two, ["a", "b", "c"])
    assert again.foreign == {"a", "b"}
    assert again.fresh == {"c"}
    assert blocks.is_inherited(db, "claude-code", "s2", "a")
    assert not blocks.is_inherited(db, "claude-code", "s1", "a")


# ---------------------------------------------------------------------- the lease
def test_one_dream_at_a_time(db: Database) -> None:
    """A second owner is told who holds the lease; the first may renew it and give it back."""
    runs.take_lease(db, "a", "dream a", now=100)
    with pytest.raises(BusyError, match="dream a"):
        runs.take_lease(db, "b", "dream b", now=101)
    assert runs.keep_lease(db, "a", now=150)
    assert not runs.keep_lease(db, "b", now=150)
    runs.give_lease_back(db, "b")
    assert runs.current_lease(db, 151)
    runs.give_lease_back(db, "a")
    runs.take_lease(db, "b", "dream b", now=152)


def test_a_lease_expires_without_a_heartbeat(db: Database) -> None:
    """After its expiry a lease stops nobody, even when its process still lives."""
    runs.take_lease(db, "a", "dream a", now=100)
    runs.take_lease(db, "b", "dream b", now=100 + runs.LEASE_SECONDS)


def test_the_lease_of_a_killed_process_is_free_at_once(tmp_path: Path) -> None:
    """A process that dies with the lease blocks the next dream not even until the expiry."""
    path = tmp_path / "slowwave.db"
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom slowwave.store import runs\n"
        "from slowwave.store.database import Database\n"
        "runs.take_lease(Database(Path(sys.argv[1])), 'a', 'dream a', 100.0)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    with Database(path) as db:
        assert db.value("SELECT owner FROM leases") == "a"
        runs.take_lease(db, "b", "dream b", now=101)


def test_failures_back_off_and_a_success_ends_it(db: Database) -> None:
    """Each failure in a row doubles the wait from a minute to six hours; a success clears it."""
    project, _ = add(db, 1)

    def fail(name: str, at: str, status: str = "failed") -> float:
        with db.transaction():
            runs.claim(db, name, project, Trigger.STEP_COUNT, "offline", at)
        runs.finish(db, name, status, at)
        return runs.back_off_until(db, project, lambda t: datetime.fromisoformat(t).timestamp())

    base = datetime.fromisoformat("2026-01-01T00:00:00+00:00").timestamp()
    assert fail("r1", "2026-01-01T00:00:00+00:00") == base + 60
    assert fail("r2", "2026-01-01T00:02:00+00:00") == base + 120 + 120
    for n in range(3, 15):
        last = fail(f"r{n:02}", f"2026-01-01T{n:02}:00:00+00:00")
    assert last == base + 14 * 3600 + 6 * 3600
    assert fail("r99", "2026-01-02T00:00:00+00:00", "no_changes") == 0


def test_a_dream_is_found_by_the_beginning_of_its_id(db: Database) -> None:
    """A prefix that names one dream finds it; one that names none or several is a usage error."""
    project, _ = add(db, 1)
    with db.transaction():
        runs.claim(db, "20260101-a", project, Trigger.MANUAL, "offline", NOW)
        runs.claim(db, "20260102-b", project, Trigger.MANUAL, "offline", NOW)
    assert runs.find(db, "20260102").id == "20260102-b"
    for prefix in ("2026", "x"):
        with pytest.raises(UsageError):
            runs.find(db, prefix)


def test_the_copy_of_a_store_is_independent(db: Database, tmp_path: Path) -> None:
    """A copy has everything, and what happens to it does not happen to the original."""
    add(db, 2)
    db.copy_to(tmp_path / "copy.db")
    with Database(tmp_path / "copy.db") as copy:
        assert copy.value("SELECT count(*) FROM turns") == 2
        copy.execute("DELETE FROM turns")
    assert db.value("SELECT count(*) FROM turns") == 2


def test_episodes_of_an_older_store_become_records(tmp_path: Path) -> None:
    """Opening a store from before records keeps every episode, with its times, project and files."""
    path = tmp_path / "old.db"
    with Database(path, MIGRATIONS[:1]) as db, db.transaction():
        db.execute("INSERT INTO projects VALUES (1, 'key', 'harbor', '/harbor', 'x')")
        db.execute(
            "INSERT INTO sessions (id, source, session_id, project, path, cwd) VALUES (1, 'codex', 's', 1, 'p', 'c')"
        )
        db.execute(
            "INSERT INTO turns (session, number, status, steps, text_rows, start, end)"
            " VALUES (1, 1, 'completed', 1, 1, 0, 1)"
        )
        db.execute(
            "INSERT INTO episodes VALUES (1, 1, 'fix it', 'fixed', 'completed', '[\"a.py\"]', '[]', NULL,"
            " '2026-05-01T10:00:00+00:00')"
        )
    with Database(path) as db:
        record = records.get(db, "e-codex-s-1")
    assert record is not None
    assert record.content == "Asked: fix it\nDone: fixed\nOutcome: completed"
    assert (record.scope, record.session, record.confidence) == ("harbor", "s", 0.7)
    assert record.metadata["files"] == ["a.py"]
    assert record.occurred_at == 1_777_629_600_000_000
