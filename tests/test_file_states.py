"""What becomes of a file while nobody looks: rotated, packed, archived, replaced, cut, gone. Counters stand."""

import json
import os
import shutil
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from slowwave import ingest as ingest_module
from slowwave.config import Settings
from slowwave.ingest import Ingest
from slowwave.service import Service
from slowwave.store import files, progress
from slowwave.store.database import Database
from slowwave.transcripts import reader as reader_module
from slowwave.transcripts import tail
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.reader import SessionReader
from slowwave.transcripts.redact import Redactor

from .installation import OTHER_WISH, WISH, Installation
from .sessions import ClaudeSession
from .transcripts.samples import CLAUDE_FILES, CODEX_FILES, REDACTOR

PAST = 1_000_000.0


@pytest.fixture
def db(tmp_path: Path) -> Database:
    """A fresh store."""
    return Database(tmp_path / "store" / "slowwave.db")


def fresh(db: Database, tmp_path: Path, now: float = PAST) -> Ingest:
    """An ingest as a new process would make it."""
    return Ingest(db, Redactor(b"k" * 32), Settings(), tmp_path / "own", lambda: now)


def counted(db: Database) -> tuple[int, int]:
    """Turns that no dream has read, and all turns."""
    return db.value("SELECT count(*) FROM turns WHERE state = 'new'"), db.value("SELECT count(*) FROM turns")


def test_the_cursor_holds_all_that_tells_a_file(tmp_path: Path) -> None:
    """Device, inode, generation, offset, head and tail hash, last native id and parser version, in plain JSON."""
    path = tmp_path / CLAUDE_FILES[0].name
    shutil.copy(CLAUDE_FILES[0], path)
    reading = SessionReader(path, FORMATS["claude-code"], REDACTOR).read()
    assert reading.mark
    known = json.loads(json.dumps(asdict(reading.mark)))
    status = path.stat()
    assert (known["dev"], known["inode"], known["offset"]) == (status.st_dev, status.st_ino, status.st_size)
    assert (known["generation"], known["parser"]) == (0, tail.PARSER)
    assert len(known["head_hash"]) == len(known["tail_hash"]) == 64
    assert known["last_id"] == reading.complete[-1].entries[-1].native_id
    again = SessionReader(path, FORMATS["claude-code"], REDACTOR, restart=reading.restart).read()
    assert again.mark
    assert again.mark.last_id == known["last_id"]


def test_a_rotated_file_starts_anew_and_counts_on(db: Database, tmp_path: Path) -> None:
    """The old file is renamed away, another stands under its name: its turns are new, the old ones stay."""
    session = ClaudeSession(tmp_path, "s1").turn("one", steps=2).turn("two", steps=2)
    file = SessionFile(session.path, "claude-code")
    work = fresh(db, tmp_path)
    work.scan([file])
    db.execute("UPDATE turns SET state = 'merged'")
    session.path.rename(session.path.with_suffix(".1"))
    session.path.touch()
    session.turns = 50
    session.turn("three", steps=3)
    work.scan([file])
    assert counted(db) == (1, 2)  # turn 1 is another turn now; turn 2 stays as it was read
    assert db.value("SELECT sum(steps) FROM turns WHERE state = 'new'") == 3


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize("place", ["packed", "archived"])
def test_a_packed_or_archived_file_is_the_same_file(
    db: Database, tmp_path: Path, place: str, *, unread: bool
) -> None:
    """Codex packs idle rollouts and moves archived ones: nothing is news, and a dream finds the file."""
    zstandard = pytest.importorskip("zstandard")
    source = CODEX_FILES[0]
    path = tmp_path / "sessions" / "2026" / source.name
    path.parent.mkdir(parents=True)
    shutil.copy(source, path)
    now = path.stat().st_mtime + 10 if unread else PAST
    fresh(db, tmp_path, now).scan([SessionFile(path, "codex")])
    before, first_offset = counted(db), db.value("SELECT restart_offset FROM files")
    assert (before == (0, 0)) is unread
    if place == "packed":
        target = path.with_name(f"{path.name}.zst")
        target.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
        path.unlink()
    else:
        target = tmp_path / "archived_sessions" / path.name
        target.parent.mkdir()
        path.rename(target)
    os.utime(target, (now + 1000, now + 1000))  # written after the first start
    fresh(db, tmp_path, now).scan([SessionFile(target, "codex")])
    assert counted(db) == before
    if not unread:
        assert db.value("SELECT path FROM sessions") == str(target)
        state = files.get(db, str(target))
        assert state
        assert state.restart_offset == first_offset
    gone = db.rows("SELECT path FROM files WHERE vanished_at IS NOT NULL")
    assert [r[0] for r in gone] == [str(path)]


def test_a_file_packed_badly_is_named_and_stops_nothing(db: Database, tmp_path: Path) -> None:
    """What cannot be unpacked is a problem with its path; the other files of the same scan are read."""
    pytest.importorskip("zstandard")
    path = tmp_path / CODEX_FILES[0].name
    shutil.copy(CODEX_FILES[0], path)
    fresh(db, tmp_path).scan([SessionFile(path, "codex")])
    before = counted(db)[1]
    packed = path.with_name(f"{path.name}.zst")
    path.rename(packed)
    session = ClaudeSession(tmp_path, "s1").turn("one")
    done = fresh(db, tmp_path).scan([SessionFile(packed, "codex"), SessionFile(session.path, "claude-code")])
    assert [str(packed) in problem for problem in done.problems] == [True]
    assert counted(db)[1] == before + 1


def test_a_file_packed_and_unpacked_again_goes_on(db: Database, tmp_path: Path) -> None:
    """Resuming a packed rollout makes a plain file of it again, with one more turn: that one is news."""
    zstandard = pytest.importorskip("zstandard")
    source = CODEX_FILES[0].read_bytes()
    rows = source.splitlines(keepends=True)
    starts = [n for n, r in enumerate(rows) if b'"task_started"' in r]
    path = tmp_path / CODEX_FILES[0].name
    packed = path.with_name(f"{path.name}.zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(b"".join(rows[: starts[1]])))
    fresh(db, tmp_path).scan([SessionFile(packed, "codex")])
    read = counted(db)
    packed.unlink()
    path.write_bytes(source)
    fresh(db, tmp_path).scan([SessionFile(path, "codex")])
    whole = SessionReader(path, FORMATS["codex"], REDACTOR).read()
    assert read == (1, 1)
    assert counted(db) == (len(whole.closed), len(whole.closed))


def test_another_parser_reads_again_and_nothing_is_news(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an upgrade the file is read from its beginning; turns keep their fate, damage is not counted twice."""
    session = ClaudeSession(tmp_path, "s1").turn("one", steps=2)
    with session.path.open("ab") as out:
        out.write(b'{"type":"user","mess\n')
    session.turn("two", steps=2)
    file = SessionFile(session.path, "claude-code")
    fresh(db, tmp_path).scan([file])
    db.execute("UPDATE turns SET state = 'merged'")
    for module in (ingest_module, reader_module):
        monkeypatch.setattr(module, "PARSER", tail.PARSER + 1)
    session.turn("three", steps=2)
    done = fresh(db, tmp_path).scan([file])
    assert done.turns == 3
    assert counted(db) == (1, 3)
    assert files.damaged(db)[0][1] == 1
    assert fresh(db, tmp_path).read(file).turns <= 1  # the last, which may still grow
    assert counted(db) == (1, 3)


def test_turns_of_a_deleted_transcript_do_not_hold_up_the_others(tmp_path: Path) -> None:
    """A dream leaves out what is gone, and learns the rest; when the file comes back its turns are read."""
    machine = Installation(tmp_path).begin()
    lost = machine.session("one").turn(WISH)
    machine.session("two").turn(OTHER_WISH)
    service = Service(machine.env, time.time)
    try:
        service.ingest.scan(service.session_files())
    finally:
        service.close()
    aside = lost.path.with_suffix(".aside")
    lost.path.rename(aside)
    assert machine.json("dream", "--all")["outcome"] == "merged"
    assert (machine.remembered(WISH), machine.remembered(OTHER_WISH)) == (0, 1)
    assert machine.json("dream", "--all")["outcome"] == "nothing_to_reflect"
    aside.rename(lost.path)
    assert machine.json("dream", "--all")["outcome"] == "merged"
    assert machine.remembered(WISH) == 1


@pytest.mark.parametrize("gone", [False, True])
def test_another_file_of_the_same_name_is_another_file(db: Database, tmp_path: Path, *, gone: bool) -> None:
    """In another place, the first still there or gone: its turns are read, and the first session keeps its path."""
    paths = {}
    for name in ("a", "b"):
        paths[name] = tmp_path / name / "log-1.jsonl"
        paths[name].parent.mkdir()
        rows = [
            {"role": "user", "text": f"go {name}", "session": name},
            {"role": "assistant", "text": "went"},
        ]
        rows.append({"role": "end"})
        paths[name].write_text("".join(json.dumps(r) + "\n" for r in rows))
    fresh(db, tmp_path).scan([SessionFile(paths["a"], "plain")])
    if gone:
        paths["a"].unlink()
    fresh(db, tmp_path).scan([SessionFile(p, "plain") for p in paths.values() if p.exists()])
    assert counted(db) == (2, 2)
    found = {r[0]: r[1] for r in db.rows("SELECT session_id, path FROM sessions")}
    assert found == {k: str(p) for k, p in paths.items()}


def test_names_that_every_session_has_are_told_apart_by_their_folder() -> None:
    """A rollout keeps its name in the archive; `events.jsonl` is its folder's; a bare name says nothing."""
    assert files.name_of("/a/2026/rollout-1.jsonl.zst") == files.name_of("/b/rollout-1.jsonl")
    assert files.name_of("/a/s1/events.jsonl") != files.name_of("/a/s2/events.jsonl")
    assert files.name_of("/a/x/.aider.chat.history.md") != files.name_of("/b/x/.aider.chat.history.md")


def test_every_kind_of_damage_is_told_with_its_place(db: Database, tmp_path: Path) -> None:
    """NULs, CRLF, BOM, U+2028, lone surrogates, invalid UTF-8, torn, joined and split rows: the turns are read,
    what was repaired is counted, and what is legal is not.
    """
    session = ClaudeSession(tmp_path, "s1")
    for n in range(12):
        session.turn(f"turn {n}", steps=1)
    rows = session.path.read_bytes().splitlines(keepends=True)
    rows[0] = b"\xef\xbb\xbf" + rows[0]
    rows[2] = rows[2].replace(b"turn 1", "turn\u2028 1\u0085".encode())
    rows[4] = rows[4].replace(b"turn 2", b"turn \\ud83d 2")
    rows[6] = rows[6].replace(b"\n", b"\r\n")
    damage = {8: b"\0\0\0" + rows[8], 10: rows[10].replace(b"turn 5", b"turn \xff 5"),
              12: rows[12].replace(b"turn 6", b"turn\n6"), 14: rows[14][:40] + rows[14]}  # fmt: skip
    joined = {16: rows[16].rstrip() + rows[17], 17: b""}
    places = {}
    data = b""
    for n, row in enumerate(rows):
        if n in damage or n == 16:
            places[n] = len(data)
        data += {**damage, **joined}.get(n, row)
    session.path.write_bytes(data)
    reading = SessionReader(session.path, FORMATS["claude-code"], REDACTOR).read()
    assert len(reading.complete) == 12
    assert {d.offset: d.reason for d in reading.damage} == {
        places[8]: "NUL bytes among the row",
        places[10]: "not valid UTF-8",
        places[12]: "a raw newline inside a string",
        places[14]: "a torn row before a whole one",
        places[16]: "two rows on one line",
    }
    prompts = [t.prompts[0].text for t in reading.complete]
    assert prompts[1:3] == ["turn\u2028 1\u0085", "turn \ufffd 2"]
    assert prompts[6] == "turn\n6"
    fresh(db, tmp_path).scan([SessionFile(session.path, "claude-code")])
    assert counted(db) == (12, 12)
    assert progress.projects(db)
