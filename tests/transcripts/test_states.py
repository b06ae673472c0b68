"""Sessions that are states: told once, told again when they change, never counted twice."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from slowwave.errors import TranscriptError
from slowwave.model import EntryKind, TurnStatus
from slowwave.transcripts import foreign_sqlite
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.reader import SessionReader

from .samples import REDACTOR, count, every_turn, read


def cline(path: Path, *messages: dict[str, Any]) -> Path:
    """A Cline session of these messages."""
    path.write_text(json.dumps({"version": 1, "sessionId": "s", "messages": messages}))
    return path


def said(role: str, text: str, own: str) -> dict[str, Any]:
    """One message."""
    return {"id": own, "role": role, "content": [{"type": "text", "text": text}], "ts": 1767225600000}


ONE = (said("user", "first", "u1"), said("assistant", "done", "a1"))
TWO = (said("user", "second", "u2"), said("assistant", "done too", "a2"))


def test_a_file_written_anew_tells_each_turn_once(tmp_path: Path) -> None:
    """Each save rewrites the whole file; only the new turn is news."""
    path = cline(tmp_path / "s.messages.json", *ONE)
    reader = SessionReader(path, FORMATS["cline"], REDACTOR)
    first = reader.read()
    cline(path, *ONE, *TWO)
    second, third = reader.read(), reader.read()
    assert [t.number for t in first.closed] == [1]
    assert [t.number for t in second.closed] == [2]
    assert not second.rewritten
    assert third.closed == ()
    later = SessionReader(path, FORMATS["cline"], REDACTOR, restart=first.restart).read()
    assert [t.number for t in later.closed if t.number > 1] == [2]


def test_a_state_with_another_past_is_a_rewrite(tmp_path: Path) -> None:
    """A told turn that is gone or another one: everything is told anew, under the next generation."""
    path = cline(tmp_path / "s.messages.json", *ONE, *TWO)
    reader = SessionReader(path, FORMATS["cline"], REDACTOR)
    known = reader.read()
    cline(path, *TWO, *ONE)
    again = reader.read()
    assert again.rewritten
    assert again.mark is not None
    assert again.mark.generation == 1
    assert [t.prompts[0].text for t in again.closed] == ["second", "first"]
    other = SessionReader(path, FORMATS["cline"], REDACTOR, restart=known.restart).read()
    assert other.rewritten


def test_half_a_file_is_no_revert(tmp_path: Path) -> None:
    """A save that is met half done is damage; what was known stands, and the whole file is no news."""
    path = cline(tmp_path / "s.messages.json", *ONE, *TWO)
    whole = path.read_bytes()
    reader = SessionReader(path, FORMATS["cline"], REDACTOR)
    reader.read()
    path.write_bytes(whole[: len(whole) // 2])
    half = reader.read()
    assert (half.closed, half.rewritten) == ((), False)
    assert half.damage
    path.write_bytes(whole)
    after = reader.read()
    assert (after.closed, after.rewritten, after.damage) == ((), False, ())


def test_a_vanished_state_is_a_state(tmp_path: Path) -> None:
    """Gemini deletes files of old sessions: that is no error, and loses nothing already told."""
    path = cline(tmp_path / "s.messages.json", *ONE)
    reader = SessionReader(path, FORMATS["cline"], REDACTOR)
    reader.read()
    path.unlink()
    gone = reader.read()
    assert gone.vanished
    assert gone.restart.mark is not None


def test_gemini_messages_written_again_are_one_step(tmp_path: Path) -> None:
    """The second writing brings the tool call; the turn ends with the reply that has none."""
    path = tmp_path / "session-x.jsonl"
    call = {"id": "c1", "name": "read", "args": {"p": 1}, "status": "success"}
    rows: list[dict[str, Any]] = [
        {"sessionId": "s", "startTime": "2026-01-01T00:00:00Z", "kind": "main"},
        {"id": "u1", "type": "user", "content": [{"text": "go"}]},
        {"id": "g1", "type": "gemini", "content": "I read."},
        {"id": "g1", "type": "gemini", "content": "I read.", "toolCalls": [call]},
        {"id": "g2", "type": "gemini", "content": "Done."},
    ]
    reader = SessionReader(path, FORMATS["gemini"], REDACTOR)
    seen = []
    for n in range(1, len(rows) + 1):
        path.write_text("".join(json.dumps(r) + "\n" for r in rows[:n]))
        reading = reader.read()
        assert not reading.rewritten
        seen.append([(t.steps, t.status) for t in every_turn(reading)])
    assert seen[2] == [(1, TurnStatus.COMPLETED)]  # looks finished, until it is written again
    assert seen[3] == [(1, TurnStatus.OPEN)]
    assert seen[4] == [(2, TurnStatus.COMPLETED)]


@pytest.fixture
def opencode(tmp_path: Path, shared: Path) -> Iterator[Path]:
    """A copy of a real database."""
    source = shared / "data" / "transcripts" / "generated" / "opencode" / "1.18.33" / "opencode.db"
    path = tmp_path / "opencode.db"
    shutil.copyfile(source, path)
    yield path
    assert {p.name.removesuffix("-wal").removesuffix("-shm") for p in tmp_path.iterdir()} == {"opencode.db"}


def test_a_growing_database_tells_each_turn_once(opencode: Path) -> None:
    """New messages of one session are news for it alone."""
    path = opencode / "ses_dd18d95c0ffeik6fdHvLoldUz4"
    other = SessionFile(opencode / "ses_dd18c27c6ffe7tkDpWS39RPn3A", "opencode")
    reader = SessionReader(path, FORMATS["opencode"], REDACTOR)
    first, before = reader.read(), other.extent()
    with closing(sqlite3.connect(opencode)) as db:
        data = {"role": "user", "time": {"created": 1796076000000}}
        db.execute(
            "INSERT INTO message VALUES ('m9', ?, 1796076000000, 1796076000000, ?)",
            (path.name, json.dumps(data)),
        )
        part = json.dumps({"type": "text", "text": "one more"})
        db.execute(
            "INSERT INTO part VALUES ('p9', 'm9', ?, 1796076000000, 1796076000000, ?)", (path.name, part)
        )
        db.commit()
    second = reader.read()
    assert [t.number for t in first.closed] == [1, 2]
    assert (second.closed, second.rewritten) == ((), False)
    assert second.open is not None
    assert second.open.prompts[0].text == "one more"
    assert second.open.start >= first.closed[-1].end
    assert other.extent() == before


def test_a_deleted_session_has_vanished(opencode: Path) -> None:
    """A session taken out of the database is gone, and the database still stands."""
    path = opencode / "ses_dd18d95c0ffeik6fdHvLoldUz4"
    reader = SessionReader(path, FORMATS["opencode"], REDACTOR)
    reader.read()
    with closing(sqlite3.connect(opencode)) as db:
        db.execute("DELETE FROM session WHERE id = ?", (path.name,))
        db.commit()
    assert reader.read().vanished


def test_tables_that_were_not_named_cannot_be_read(opencode: Path) -> None:
    """Accounts and credentials stay closed, whatever the query says; and nothing can be written."""
    with foreign_sqlite.opened(opencode, frozenset({"session"})) as db:
        assert db.fetch("SELECT id FROM session").rows
        for sql in (
            "SELECT * FROM credential",
            "SELECT access_token FROM account",
            "SELECT s.id FROM session s, control_account c",
            "DELETE FROM session",
            "PRAGMA wal_checkpoint",
            "ATTACH 'x' AS y",
        ):
            with pytest.raises(TranscriptError):
                db.fetch(sql)


def test_a_database_with_its_log_is_read_and_left_alone(tmp_path: Path) -> None:
    """Rows still in the log are seen; without its index the log is copied away, and no file appears."""
    path, copy = tmp_path / "w.db", tmp_path / "copy"
    copy.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE session (id TEXT)")
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("INSERT INTO session VALUES ('in the log')")
        db.commit()
        with foreign_sqlite.opened(path, frozenset({"session"})) as foreign:
            assert foreign.fetch("SELECT id FROM session").rows == ({"id": "in the log"},)
        for name in ("w.db", "w.db-wal"):
            shutil.copyfile(tmp_path / name, copy / name)
    with foreign_sqlite.opened(copy / "w.db", frozenset({"session"})) as foreign:
        assert foreign.fetch("SELECT id FROM session").rows == ({"id": "in the log"},)
    assert {p.name for p in copy.iterdir()} == {"w.db", "w.db-wal"}
    (copy / "w.db-wal").unlink()
    with foreign_sqlite.opened(copy / "w.db", frozenset({"session"})) as foreign:
        assert foreign.fetch("SELECT id FROM session").rows == ()
    assert {p.name for p in copy.iterdir()} == {"w.db"}


def test_a_folder_of_events_is_one_session(tmp_path: Path, shared: Path) -> None:
    """OpenHands writes a file per event: they are read in order, and a broken one costs only itself."""
    sample = next(
        (shared / "data" / "transcripts" / "samples" / "openhands").glob("**/tool-calls/input.json")
    )
    folder = tmp_path / "conversations" / "c1" / "events"
    folder.mkdir(parents=True)
    for n, event in enumerate(json.loads(sample.read_text())):
        (folder / f"event-{n:05}-x.json").write_text(json.dumps(event))
    assert list(FORMATS["openhands"].discover(tmp_path)) == [folder]
    (turn,) = read(folder, "openhands").closed
    (listed,) = read(sample, "openhands").closed
    assert [e.text for e in turn.entries] == [e.text for e in listed.entries]
    assert [e.ok for e in turn.entries if e.kind is EntryKind.TOOL_RESULT] == [True, False]
    assert (turn.steps, len(turn.prompts)) == (3, 1)
    (folder / "event-00001-x.json").write_text('{"kind": "Act')
    reading = read(folder, "openhands")
    assert len(reading.damage) == 1
    assert count(reading.closed)["steps"] == 2
