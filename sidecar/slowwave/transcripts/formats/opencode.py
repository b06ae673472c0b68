"""OpenCode: `~/.local/share/opencode/opencode.db`, or an exported JSON document of one session.

One database holds every session, so a session's path is `<database>/<session id>`; its offsets count the bytes
of its messages and parts. A fork copies messages under new ids but keeps their times, so identities are made of
those. Of the tables only three are ever read: others hold accounts and credentials.
"""

import hashlib
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
from slowwave.transcripts.formats.rows import RowEntries, agent_or_sub, asker, compact

NAME: str = "opencode"
SHAPE: Shape = "database"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("1.18.33",)

_FILE = re.compile(r"^opencode(?:-[0-9A-Za-z_-]+)?\.db$")
_TABLES = frozenset({"session", "message", "part"})
_ABORTED = frozenset({"MessageAbortedError", "AbortError"})
_MESSAGES = (
    "SELECT id, data, length(CAST(data AS BLOB)) AS size FROM message WHERE session_id = ? "
    "ORDER BY time_created, rowid"
)
_PARTS = (
    "SELECT p.message_id, p.data, length(CAST(p.data AS BLOB)) AS size FROM part p "
    "JOIN message m ON m.id = p.message_id WHERE m.session_id = ? ORDER BY p.rowid"
)


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its database."""
    data = Path(env["XDG_DATA_HOME"]) if env.get("XDG_DATA_HOME") else home / ".local" / "share"
    return (data / "opencode",)


def discover(root: Path) -> Iterator[Path]:
    """The sessions of the databases below a folder. One that cannot be read stands for itself."""
    for path in walk.files(
        root, lambda name: bool(_FILE.match(name)) or (name == root.name and root.is_file())
    ):
        try:
            with foreign_sqlite.opened(path, _TABLES) as db:
                found = db.fetch("SELECT id FROM session ORDER BY rowid")
        except (TranscriptError, FileNotFoundError):
            yield path  # reading it tells what is wrong
            continue
        for row in found.rows:
            name = text_of(row["id"])
            if name and name not in {".", ".."} and "/" not in name and "\0" not in name:
                yield path / name


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a message with its parts."""
    return isinstance(row.get("info"), dict) and isinstance(row.get("parts"), list)


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Its three tables, or an exported session."""
    for row in first_records:
        header = dict_of(row.get("header"))
        if set(_TABLES) <= set(map(text_of, list_of(header.get("tables")))):
            return True
        if is_row(row) and text_of(dict_of(row.get("info")).get("role")) in {"user", "assistant"}:
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return OpenCodeParser(path)


def extent(path: Path) -> Extent:
    """The bytes of the session's messages and parts, and the time of its last change."""
    database, session = foreign_sqlite.split(path)
    if not session:
        return documents.extent(path)
    with foreign_sqlite.opened(database, _TABLES) as db:
        return _extent(db, session, database)


def load(path: Path) -> Loaded:
    """One session of the database, or the exported document."""
    database, session = foreign_sqlite.split(path)
    if not session and path.suffix == ".json":
        return documents.load(path, is_row)
    with foreign_sqlite.opened(database, _TABLES) as db:
        if not session:
            raise TranscriptError(f"cannot read {path}: it holds many sessions, and none is named")
        known = _extent(db, session, database)
        about = db.fetch("SELECT * FROM session WHERE id = ?", (session,)).rows[0]
        messages, parts = db.fetch(_MESSAGES, (session,)), db.fetch(_PARTS, (session,))
    damage = [Damage(str(path), 0, 0, f.problem) for f in (messages, parts) if f.problem]
    of_message: dict[str, list[tuple[Mapping[str, Any], int]]] = {}
    for part in parts.rows:
        of_message.setdefault(text_of(part["message_id"]), []).append(
            (_json(part["data"]), number_of(part["size"]))
        )
    rows, at = [PlacedRow({"header": {"info": about}}, 0, 0)], 0
    for message in messages.rows:
        own = of_message.get(text_of(message["id"]), [])
        length = number_of(message["size"]) + sum(size for _, size in own)
        info = {**_json(message["data"]), "id": message["id"]}
        if "role" not in info:
            damage.append(Damage(str(path), at, length, "the message is not valid JSON"))
        rows.append(PlacedRow({"info": info, "parts": [p for p, _ in own]}, at, length))
        at += length
    return Loaded(tuple(rows), tuple(damage), known)


def _extent(db: ForeignDatabase, session: str, database: Path) -> Extent:
    if not db.fetch("SELECT id FROM session WHERE id = ?", (session,)).rows:
        raise FileNotFoundError(session)
    size = sum(
        number_of(row["size"]) for sql in (_MESSAGES, _PARTS) for row in db.fetch(sql, (session,)).rows
    )
    newest = 0
    if {"session_id", "time_updated"} <= db.columns("part"):
        for table in ("message", "part"):
            found = db.fetch(f"SELECT max(time_updated) AS at FROM {table} WHERE session_id = ?", (session,))
            newest = max([newest, *(number_of(row["at"]) for row in found.rows)])
    return Extent(size, newest * 1_000_000 if newest else database.stat().st_mtime_ns)


def _json(data: Any) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class OpenCodeParser:
    """One session."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.name if not path.suffix else path.stem, path)
        self._names: dict[str, str] = {}  # a message's id → the identity it shares with its copies

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits."""
        return ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one message and its parts."""
        if "header" in record:
            self._learn(dict_of(dict_of(record.get("header")).get("info")))
            return
        info = dict_of(record.get("info"))
        parts = [dict_of(p) for p in list_of(record.get("parts"))]
        created = dict_of(info.get("time")).get("created")
        row = RowEntries(place, self._name(info, parts, created), time_of(created))
        if info.get("role") == "user":
            yield from self._user(parts, row)
        elif info.get("role") == "assistant" and info.get("summary") is True:
            yield row.notice(_text(parts))
        elif info.get("role") == "assistant":
            yield from self._assistant(info, parts, row)

    def _learn(self, info: Mapping[str, Any]) -> None:
        parent = text_of(info.get("parent_id")) or text_of(info.get("parentID"))
        self.session = replace(
            self.session,
            session_id=text_of(info.get("id")) or self.session.session_id,
            cwd=text_of(info.get("directory")),
            parent_session_id=parent,
            kind=SessionKind.SUBAGENT if parent else SessionKind.MAIN,
            version=text_of(info.get("version")),
            created_at=time_of(info.get("time_created") or dict_of(info.get("time")).get("created")),
        )

    def _name(self, info: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], created: Any) -> str:
        """An identity that survives a fork: times and the prompt, never the ids."""
        own, parent = text_of(info.get("id")), text_of(info.get("parentID"))
        if info.get("role") == "assistant":
            name = f"{self._names.get(parent, parent)}>{created}"
        else:
            told = hashlib.sha256(f"{_text(parts)}".encode("utf-8", "replace")).hexdigest()[:12]
            name = f"{created}-{told}"
        self._names[own] = name
        return name if created else own

    @property
    def _sub(self) -> bool:
        return self.session.kind is SessionKind.SUBAGENT

    def _user(self, parts: Sequence[Mapping[str, Any]], row: RowEntries) -> Iterator[Entry]:
        compacted = next((p for p in parts if p.get("type") == "compaction"), None)
        if compacted is not None:
            yield row.compaction("auto" if compacted.get("auto") is True else "manual")
            return
        typed = [p for p in parts if not p.get("synthetic") and not p.get("ignored")]
        if added := _text([p for p in parts if p not in typed]):
            yield row.notice(added)
        yield from row.prompt(_text(typed), asker(subagent=self._sub))

    def _assistant(
        self, info: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], row: RowEntries
    ) -> Iterator[Entry]:
        step, author = row.native_id, agent_or_sub(subagent=self._sub)
        used = number_of(dict_of(info.get("tokens")).get("total"))
        context = (used, 0) if used else None
        spoken = False
        for n, part in enumerate(parts):
            for entry in _part(part, row, n, author):
                own = entry.kind is not EntryKind.TOOL_RESULT
                spoken = spoken or own
                yield replace(entry, step_id=step, context=context) if own else entry
        finish, error = text_of(info.get("finish")), dict_of(info.get("error"))
        if not spoken and (finish or error):
            yield row.entry(EntryKind.STEP, author, "", "#-", step_id=step, context=context)
        if error:
            status = TurnStatus.INTERRUPTED if text_of(error.get("name")) in _ABORTED else TurnStatus.FAILED
            yield row.end(status, text_of(dict_of(error.get("data")).get("message")), step_id=step)
        elif finish and finish not in {"tool-calls", "unknown"}:
            yield row.end(TurnStatus.COMPLETED, step_id=step)
        elif not finish and spoken and all(p.get("type") == "text" for p in parts):
            yield row.end(
                TurnStatus.COMPLETED, step_id=step
            )  # versions that write neither steps nor a finish


def _part(part: Mapping[str, Any], row: RowEntries, n: int, author: Author) -> Iterator[Entry]:
    kind, suffix = text_of(part.get("type")), f"#{n}"
    if kind in {"text", "reasoning"}:
        text = text_of(part.get("text"))
        said = EntryKind.TEXT if kind == "text" else EntryKind.REASONING
        yield row.entry(said if text else EntryKind.STEP, author, text, suffix)
    elif kind == "tool":
        state, call, tool = dict_of(part.get("state")), text_of(part.get("callID")), text_of(part.get("tool"))
        made = row.entry(EntryKind.TOOL_CALL, author, compact(state.get("input")), suffix)
        yield replace(made, tool=tool, call_id=call)
        status, code = text_of(state.get("status")), dict_of(state.get("metadata")).get("exit")
        if status in {"completed", "error"}:
            text = text_of(state.get("output")) or text_of(state.get("error"))
            ok = status == "completed" and (not isinstance(code, int) or code == 0)
            yield row.result(text, call, tool=tool, ok=ok)


def _text(parts: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(filter(None, (text_of(p.get("text")) for p in parts if p.get("type") == "text")))
