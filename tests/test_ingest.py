"""The corridor in: turns are counted once, whatever happens to files and processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from slowwave.config import Settings
from slowwave.ingest import Ingest
from slowwave.model import Project
from slowwave.store import files, progress
from slowwave.store.database import Database
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.redact import Redactor
from tests.sessions import ClaudeSession

PAST = 1_000_000.0  # slowwave's first start: long before any file of a test is written


@pytest.fixture
def db(tmp_path: Path) -> Database:
    """A fresh store."""
    return Database(tmp_path / "store" / "slowwave.db")


def ingest_into(db: Database, tmp_path: Path, now: float = PAST) -> Ingest:
    """An ingest as a fresh process would make it."""
    return Ingest(db, Redactor(b"k" * 32), Settings(), tmp_path / "own", lambda: now)


def seen(db: Database, key: str = "/home/dev/harbor") -> progress.ProjectProgress:
    """The progress of the test's project."""
    found = progress.find_project(db, key)
    assert found
    return progress.project_progress(db, found[0], 0)


def file_of(session: ClaudeSession) -> SessionFile:
    """A session's file as discovery gives it."""
    return SessionFile(session.path, "claude-code")


def test_turns_are_counted_once_however_often_the_file_is_read(db: Database, tmp_path: Path) -> None:
    """Reading again, in the same process or a new one, adds nothing; new turns add themselves."""
    session = ClaudeSession(tmp_path, "s1").turn("one", steps=3).turn("two", steps=2)
    first = ingest_into(db, tmp_path)
    assert first.scan([file_of(session)]).turns == 2
    assert first.scan([file_of(session)]).files == 0
    ingest_into(db, tmp_path).read(file_of(session))
    assert (seen(db).turns, seen(db).steps) == (2, 5)
    session.turn("three", steps=4)
    first.read(file_of(session))
    ingest_into(db, tmp_path).read(file_of(session))
    assert (seen(db).turns, seen(db).steps) == (3, 9)
    assert db.value("SELECT count(*) FROM records WHERE type = 'episodic'") == 3


def test_an_open_turn_is_not_new_until_it_ends(db: Database, tmp_path: Path) -> None:
    """Steps of a running turn are shown but not counted; a new process still sees the turn whole."""
    session = ClaudeSession(tmp_path, "s1").turn("go", steps=4, ends=False)
    ingest_into(db, tmp_path).scan([file_of(session)])
    assert seen(db).turns == 0
    assert db.value("SELECT open_steps FROM sessions") == 3
    session.append([session._assistant("e", "msg-e", {"type": "text", "text": "ok"}, "end_turn")])
    ingest_into(db, tmp_path).read(file_of(session))
    assert (seen(db).turns, seen(db).steps) == (1, 4)


def test_old_files_are_history_until_a_backfill_asks(db: Database, tmp_path: Path) -> None:
    """What was there at the first start is not opened; what comes after is read; a backfill reads all."""
    session = ClaudeSession(tmp_path, "s1").turn("old", steps=2)
    os.utime(session.path, (PAST - 10, PAST - 10))
    work = ingest_into(db, tmp_path)
    work.scan([file_of(session)])
    assert db.value("SELECT count(*) FROM turns") == 0
    session.turn("new", steps=3)
    work.scan([file_of(session)])
    assert (seen(db).turns, seen(db).steps) == (1, 3)
    work.backfill([file_of(session)])
    assert (seen(db).turns, seen(db).steps) == (1, 3)
    progress.uncover(db, 1)
    assert (seen(db).turns, seen(db).steps) == (2, 5)


def test_a_compaction_leaves_a_mark_that_survives(db: Database, tmp_path: Path) -> None:
    """The mark is in the store with the turns, once, and a new process finds it there."""
    session = ClaudeSession(tmp_path, "s1").turn("one").compaction()
    ingest_into(db, tmp_path).scan([file_of(session)])
    ingest_into(db, tmp_path).read(file_of(session))
    assert seen(db).marks == 1
    assert db.rows("SELECT kind, turn FROM marks")[0]["turn"] == 1


def test_a_vanished_file_takes_nothing_with_it(db: Database, tmp_path: Path) -> None:
    """When an agent deletes its transcript, what was counted stays counted."""
    session = ClaudeSession(tmp_path, "s1").turn("one", steps=5)
    work = ingest_into(db, tmp_path)
    work.scan([file_of(session)])
    session.path.unlink()
    work.scan([])
    assert seen(db).steps == 5
    assert db.value("SELECT vanished_at FROM files") is not None


def test_a_file_that_comes_back_goes_on_where_it_was(db: Database, tmp_path: Path) -> None:
    """Moved away and back (an archive, a swap), even with an old time stamp, it is neither new nor history."""
    session = ClaudeSession(tmp_path, "s1").turn("one", steps=5)
    work = ingest_into(db, tmp_path)
    work.scan([file_of(session)])
    away = session.path.with_suffix(".away")
    session.path.rename(away)
    work.scan([])
    away.rename(session.path)
    os.utime(session.path, (PAST - 10, PAST - 10))
    work.scan([file_of(session)])
    session.turn("two", steps=2)
    ingest_into(db, tmp_path).scan([file_of(session)])
    assert (seen(db).turns, seen(db).steps) == (2, 7)


def test_a_forked_session_does_not_count_its_inherited_turns(db: Database, tmp_path: Path) -> None:
    """History copied into another session with the same ids is inherited, not new."""
    one = ClaudeSession(tmp_path, "s1").turn("one", steps=3)
    ingest_into(db, tmp_path).scan([file_of(one)])
    two = ClaudeSession(tmp_path, "s2")
    two.path.write_text(one.path.read_text().replace(one.session_id, two.session_id))
    two.turn("more", steps=2)
    ingest_into(db, tmp_path).scan([file_of(one), file_of(two)])
    assert (seen(db).turns, seen(db).steps) == (2, 5)


def test_a_file_that_is_cut_and_goes_on_rolls_nothing_back(db: Database, tmp_path: Path) -> None:
    """After a revert in place the old turns stay read, and other turns under old numbers are new."""
    session = ClaudeSession(tmp_path, "s1").turn("one", steps=2).turn("two", steps=2)
    work = ingest_into(db, tmp_path)
    work.scan([file_of(session)])
    first = session.path.read_text().splitlines(keepends=True)[:4]
    number = progress.find_project(db, "/home/dev/harbor")
    assert number
    db.execute("UPDATE turns SET state = 'merged', run = NULL")
    session.path.write_text("".join(first))
    session.turns = 7
    session.turn("another second", steps=4)
    work.read(file_of(session))
    assert (seen(db).turns, seen(db).steps) == (1, 4)


def test_broken_lines_are_counted_with_their_place(db: Database, tmp_path: Path) -> None:
    """A broken line is skipped, the turns around it are read, and its offset is kept for `doctor`."""
    session = ClaudeSession(tmp_path, "s1").turn("one")
    size = session.path.stat().st_size
    with session.path.open("ab") as file:
        file.write(b'{"type":"user","mess\n')
    session.turn("two")
    done = ingest_into(db, tmp_path).scan([file_of(session)])
    assert (done.turns, done.damage) == (2, 1)
    [(path, count, first)] = files.damaged(db)
    assert (path, count) == (str(session.path), 1)
    assert f"offset {size}" in first


def test_a_file_that_cannot_be_read_is_named_and_tried_again(db: Database, tmp_path: Path) -> None:
    """A read that fails is a problem with the path, not an empty file; when it heals it is read."""
    session = ClaudeSession(tmp_path, "s1").turn("one")
    real = session.path.with_suffix(".real")
    session.path.rename(real)
    session.path.symlink_to(real)  # links are not followed
    work = ingest_into(db, tmp_path)
    assert any(str(session.path) in p for p in work.scan([file_of(session)]).problems)
    assert files.damaged(db)
    session.path.unlink()
    real.rename(session.path)
    assert work.read(file_of(session)).turns == 1
    assert not files.damaged(db)


def test_secrets_never_reach_the_store(db: Database, tmp_path: Path) -> None:
    """A key in a prompt is gone before the episode is written."""
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    session = ClaudeSession(tmp_path, "s1").turn(f"use {key} please")
    ingest_into(db, tmp_path).scan([file_of(session)])
    db.close()
    for file in db.path.parent.iterdir():
        assert key.encode() not in file.read_bytes()


def test_a_kill_in_the_middle_of_ingest_loses_nothing(tmp_path: Path) -> None:
    """SIGKILL before any commit, then a restart: every turn is there, once."""
    session = ClaudeSession(tmp_path, "s1")
    for n in range(40):
        session.turn(f"turn {n}", steps=2)
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom slowwave import ingest\n"
        "from slowwave.config import Settings\nfrom slowwave.store import progress\n"
        "from slowwave.store.database import Database\nfrom slowwave.transcripts.discover import SessionFile\n"
        "from slowwave.transcripts.redact import Redactor\n"
        "ingest.CHUNK_BYTES = 4096\nleft = int(sys.argv[3])\nreal = progress.add_turns\n"
        "def add(*args):\n    global left\n    real(*args)\n    left -= 1\n"
        "    if left < 0:\n        os.kill(os.getpid(), signal.SIGKILL)\n"
        "progress.add_turns = add\n"
        "db = Database(Path(sys.argv[1]))\n"
        "own = ingest.Ingest(db, Redactor(b'k' * 32), Settings(), Path('/nowhere'), lambda: 1e6)\n"
        "own.scan([SessionFile(Path(sys.argv[2]), 'claude-code')])\n"
    )
    path = tmp_path / "store" / "slowwave.db"
    for left in (0, 1, 3):
        done = subprocess.run(
            [sys.executable, "-c", code, str(path), str(session.path), str(left)], check=False
        )
        assert done.returncode == -9
    with Database(path) as db:
        ingest_into(db, tmp_path).read(file_of(session))
        assert (seen(db).turns, seen(db).steps) == (40, 80)


def test_worktrees_of_one_repository_are_one_project(db: Database, tmp_path: Path) -> None:
    """Sessions in two folders of one repository make progress together."""
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    one = ClaudeSession(tmp_path, "s1", cwd=str(repo)).turn("a", steps=2)
    two = ClaudeSession(tmp_path, "s2", cwd=str(repo / "src")).turn("b", steps=3)
    ingest_into(db, tmp_path).scan([file_of(one), file_of(two)])
    assert [p for _, p in progress.projects(db)] == [Project(str(repo / ".git"), "repo", str(repo))]
    assert seen(db, str(repo / ".git")).steps == 5
