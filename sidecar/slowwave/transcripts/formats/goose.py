"""Goose: `~/.local/share/goose/sessions/sessions.db`, or one `.jsonl` per session before 1.10.

One database holds every session, so a session's path is `<database>/<session id>`; its offsets count the bytes
of its messages. Nothing marks the end of a turn: a reply without a tool request is one. Compacting hides old
messages from the model and adds a summary that the person does not see.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.errors import TranscriptError
from slowwave.model import Author, Damage, Entry, EntryKind, Session, SessionKind, TurnStatus
from slowwave.transcripts import foreign_sqlite
from slowwave.transcripts.decode import PlacedRow
from slowwave.transcripts.foreign_sqlite import ForeignDatabase
from slowwave.transcripts.formats import documents, walk
from slowwave.transcripts.formats.protocol import (
    Extent,
    Fidelity,
    Loaded,
    Parser,
    Place,
    Shape,
    dict_of,
    list_of,
    number_of,
    text_of,
    time_of,
)
from slowwave.transcripts.formats.rows import RowEntries, agent_or_sub, asker, compact, shown, shown_block

NAME: str = "goose"
SHAPE: Shape = "database"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ()

_DATABASE = "sessions.db"
_OLD = re.compile(r"^\d{8}_\d+\.jsonl$")
_TABLES = frozenset({"sessions", "messages"})
_MESSAGES = (
    "SELECT *, length(CAST(content_json AS BLOB)) AS size FROM messages WHERE session_id = ? "
    "ORDER BY created_timestamp, id"
)


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its sessions."""
    if env.get("GOOSE_PATH_ROOT"):
        return (Path(env["GOOSE_PATH_ROOT"]) / "data" / "sessions",)
    data = Path(env["XDG_DATA_HOME"]) if env.get("XDG_DATA_HOME") else home / ".local" / "share"
    return (data / "goose" / "sessions",)


def discover(root: Path) -> Iterator[Path]:
    """The sessions of databases below a folder, and the files of older versions."""
    wanted = {_DATABASE, root.name} if root.is_file() else {_DATABASE}
    for path in walk.files(root, lambda name: name in wanted or bool(_OLD.match(name))):
        if path.suffix == ".jsonl":
            yield path
            continue
        try:
            with foreign_sqlite.opened(path, _TABLES) as db:
                found = db.fetch("SELECT id FROM sessions ORDER BY rowid")
        except (TranscriptError, FileNotFoundError):
            yield path  # reading it tells what is wrong
            continue
        names = (text_of(row["id"]) or str(row["id"]) for row in found.rows)
        yield from (path / n for n in names if n not in {".", ".."} and "/" not in n and "\0" not in n)


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Its two tables, or the first line of an older file."""
    for row in first_records:
        if set(_TABLES) <= set(map(text_of, list_of(dict_of(row.get("header")).get("tables")))):
            return True
        if {"working_dir", "message_count"} <= row.keys():
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return GooseParser(path)


def extent(path: Path) -> Extent:
    """The bytes of the session's messages, and the time of its last change."""
    database, session = foreign_sqlite.split(path)
    if not session:
        return documents.extent(path)
    with foreign_sqlite.opened(database, _TABLES) as db:
        return _extent(db, session, database)


def load(path: Path) -> Loaded:
    """One session of the database, or the file of an older version."""
    database, session = foreign_sqlite.split(path)
    if not session and path.suffix == ".jsonl":
        return documents.load_lines(path)
    with foreign_sqlite.opened(database, _TABLES) as db:
        if not session:
            raise TranscriptError(f"cannot read {path}: it holds many sessions, and none is named")
        known = _extent(db, session, database)
        about = db.fetch("SELECT * FROM sessions WHERE id = ?", (session,)).rows[0]
        found = db.fetch(_MESSAGES, (session,))
    damage = [Damage(str(path), 0, 0, found.problem)] if found.problem else []
    rows, at = [PlacedRow({"header": about}, 0, 0)], 0
    for message in found.rows:
        size = number_of(message["size"])
        content = _json(message["content_json"])
        if content is None:
            damage.append(Damage(str(path), at, size, "the message is not valid JSON"))
        row = {
            "id": text_of(message.get("message_id")) or f"{session}/{message['id']}",
            "role": message["role"],
            "created": message["created_timestamp"],
            "content": content,
            "metadata": _json(message.get("metadata_json")),
        }
        rows.append(PlacedRow(row, at, size))
        at += size
    return Loaded(tuple(rows), tuple(damage), known)


def _extent(db: ForeignDatabase, session: str, database: Path) -> Extent:
    if not db.fetch("SELECT id FROM sessions WHERE id = ?", (session,)).rows:
        raise FileNotFoundError(session)
    sql = (
        "SELECT coalesce(sum(length(CAST(content_json AS BLOB))), 0) AS size, count(*) AS n, max(id) AS last "
        "FROM messages WHERE session_id = ?"
    )
    rows = db.fetch(sql, (session,)).rows
    if not rows:
        return Extent(0, database.stat().st_mtime_ns)
    # The rows carry no time of change; together with the size these two change whenever a message does.
    return Extent(
        number_of(rows[0]["size"]), number_of(rows[0]["last"]) * 1_000_000 + number_of(rows[0]["n"])
    )


def _json(data: Any) -> Any:
    try:
        return json.loads(data) if data else None
    except (ValueError, TypeError, RecursionError):
        return None


class GooseParser:
    """One session."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.stem if path.suffix == ".jsonl" else path.name, path)

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits."""
        return ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one message."""
        if "header" in record or "working_dir" in record:
            self._learn(dict_of(record.get("header")) or record)
            return
        content, meta = record.get("content"), dict_of(record.get("metadata"))
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
        parts = [dict_of(b) for b in blocks]
        row = RowEntries(place, text_of(record.get("id")), time_of(record.get("created")))
        if text_of(record.get("role")) not in {"user", "assistant"}:
            return
        if meta.get("userVisible") is False and meta.get("agentVisible") is not False:
            yield row.compaction("unknown") if record["role"] == "user" else row.notice(shown(parts))
            if record["role"] == "user":
                yield row.notice(shown(parts))
        elif record["role"] == "user":
            yield from self._user(parts, row)
        else:
            yield from self._assistant(parts, row)

    def _learn(self, about: Mapping[str, Any]) -> None:
        parent = text_of(about.get("parent_session_id"))
        sub = text_of(about.get("session_type")) in {"sub_agent", "subagent"}
        if not about:
            return
        self.session = replace(
            self.session,
            session_id=text_of(about.get("id")) or self.session.session_id,
            cwd=text_of(about.get("working_dir")),
            parent_session_id=parent,
            kind=SessionKind.SUBAGENT if sub else SessionKind.MAIN,
        )

    @property
    def _sub(self) -> bool:
        return self.session.kind is SessionKind.SUBAGENT

    def _user(self, parts: Sequence[Mapping[str, Any]], row: RowEntries) -> Iterator[Entry]:
        for part in parts:
            if part.get("type") == "toolResponse":
                yield _response(part, row)
        yield from row.prompt(
            shown([p for p in parts if p.get("type") != "toolResponse"]), asker(subagent=self._sub)
        )

    def _assistant(self, parts: Sequence[Mapping[str, Any]], row: RowEntries) -> Iterator[Entry]:
        step, author, called = row.native_id, agent_or_sub(subagent=self._sub), False
        entries = []
        for n, part in enumerate(parts):
            kind, suffix = text_of(part.get("type")), f"#{n}"
            if kind.endswith("oolRequest"):
                called = True
                call = dict_of(dict_of(part.get("toolCall")).get("value"))
                made = row.entry(EntryKind.TOOL_CALL, author, compact(call.get("arguments")), suffix)
                entries.append(replace(made, tool=text_of(call.get("name")), call_id=text_of(part.get("id"))))
            elif kind == "thinking":
                entries.append(row.entry(EntryKind.REASONING, author, text_of(part.get("thinking")), suffix))
            elif text := shown_block(part):
                entries.append(row.entry(EntryKind.TEXT, author, text, suffix))
        entries = entries or [row.entry(EntryKind.STEP, author, "", "#-")]
        yield from (replace(e, step_id=step) for e in entries)
        if not called:
            yield row.end(TurnStatus.COMPLETED, step_id=step)


def _response(part: Mapping[str, Any], row: RowEntries) -> Entry:
    result = dict_of(part.get("toolResult"))
    value, status = result.get("value"), text_of(result.get("status"))
    text = shown(dict_of(value).get("content", value)) or text_of(result.get("error"))
    made = row.result(text, text_of(part.get("id")), ok=status == "success" if status else None)
    return replace(made, author=Author.TOOL)
