"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<minute>-<id8>.jsonl`, a patch log.

A message is written when it is said and again, under the same id, when its tool calls are done; `$set` replaces
the whole history, at the start, at a resume and when the context is compressed; the program deletes files of
other sessions. So the log is read whole, a message counts once, and the last writing of it wins. A snapshot
brings news only for ids never seen outside one, and is a compaction only when it holds a state snapshot: then
the messages it keeps have new ids and are old all the same. Before 0.58 a session was one JSON document.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.model import Entry, EntryKind, Session, SessionKind, TurnStatus
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
from slowwave.transcripts.formats.qwen import part_entry, responses
from slowwave.transcripts.formats.rows import RowEntries, agent_or_sub, asker, compact, shown

NAME: str = "gemini"
SHAPE: Shape = "whole"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("0.61.0",)

_FILE = re.compile(r"^session-.+\.jsonl?$")
_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_CONTEXT = "<session_context>"
_SNAPSHOT = "<state_snapshot>"


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its sessions."""
    return ((Path(env["GEMINI_CLI_HOME"]) if env.get("GEMINI_CLI_HOME") else home) / ".gemini" / "tmp",)


def discover(root: Path) -> Iterator[Path]:
    """Sessions below a folder, by name."""
    return walk.files(root, lambda name: bool(_FILE.match(name)))


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a message of it."""
    return text_of(row.get("type")) in _TYPES and "content" in row


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """A header with a session and its start, a patch, or a reply of its type with an id."""
    for row in first_records:
        about = {**dict_of(row.get("header")), **row}
        if "sessionId" in about and "startTime" in about:
            return True
        if set(row) == {"$set"} or set(row) == {"$rewindTo"}:
            return True
        if row.get("type") == "gemini" and is_row(row) and "id" in row:
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return GeminiParser(path)


def extent(path: Path) -> Extent:
    """Its size and time."""
    return documents.extent(path)


def load(path: Path) -> Loaded:
    """The whole log, or the whole document of older versions; the project's folder stands beside it."""
    about = {}
    for folder in path.parents[:4]:
        marker = folder / ".project_root"
        if marker.is_file() and not marker.is_symlink():
            about["cwd"] = documents.read_all(marker).decode("utf-8", "replace").strip()
            break
    if path.suffix == ".json":
        return documents.load(path, is_row, about)
    return documents.load_lines(path, about)


class GeminiParser:
    """One session."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.stem, path)
        self._reply: tuple[Mapping[str, Any], RowEntries] | None = (
            None  # the newest, which may be written again
        )
        self._compacted: RowEntries | None = None
        self._summary = ""
        self._seen: set[str] = set()
        self._results: set[str] = set()

    def held(self) -> tuple[Entry, ...]:
        """The newest reply, as it stands."""
        return (*self._compaction("unknown"), *(self._replied(*self._reply) if self._reply else ()))

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one row."""
        if "header" in record or "startTime" in record:
            self._learn(dict_of(record.get("header")) or record)
        elif "$set" in record:
            yield from self._snapshot(list_of(dict_of(record.get("$set")).get("messages")), place)
        elif "$rewindTo" in record:
            yield from self._flush()
            back = text_of(record.get("$rewindTo"))
            row = RowEntries(place)
            yield row.notice(
                "the conversation went back; what came after was abandoned", tool="rewind", call_id=back
            )
        elif is_row(record):
            yield from self._message(record, place)

    def _learn(self, header: Mapping[str, Any]) -> None:
        s = self.session
        sub = header.get("kind") == "subagent"
        self.session = replace(
            s,
            session_id=text_of(header.get("sessionId")) or s.session_id,
            cwd=s.cwd or text_of(header.get("cwd")),
            kind=SessionKind.SUBAGENT if sub else s.kind,
            parent_session_id=s.path.parent.name if sub else "",
        )

    @property
    def _sub(self) -> bool:
        return self.session.kind is SessionKind.SUBAGENT

    def _snapshot(self, messages: Sequence[Any], place: Place) -> Iterator[Entry]:
        known = [m for m in map(dict_of, messages) if is_row(m)]
        summary = next(
            (t for m in known if (t := shown(m.get("content"))).lstrip().startswith(_SNAPSHOT)), ""
        )
        if summary:
            yield from self._flush()
            self._compacted, self._summary = RowEntries(place, text_of(known[-1].get("id"))), summary
            self._seen |= {text_of(m.get("id")) for m in known}
            return
        for message in known:
            if text_of(message.get("id")) not in self._seen:
                yield from self._message(message, place)

    def _message(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        kind, own = record["type"], text_of(record.get("id"))
        if self._reply and own and self._reply[1].native_id == own:
            # Written again: its tools are done. What it says now stands here.
            self._reply = (record, RowEntries(place, own, time_of(record.get("timestamp"))))
            return
        if self._compacted and kind == "info":
            told = shown(record.get("content"))
            yield from self._compaction("auto" if told.startswith("Context compressed") else "manual")
            self._compacted = None
            return
        yield from self._flush()
        if own in self._seen:
            return
        if own:
            self._seen.add(own)
        row = RowEntries(place, own, time_of(record.get("timestamp")))
        if kind == "gemini":
            self._reply = (record, row)
        elif kind == "user":
            yield from self._user(record, row)
        else:
            yield row.notice(shown(record.get("content")))
            if kind == "error":
                yield row.end(TurnStatus.FAILED, shown(record.get("content")))

    def _flush(self) -> Iterator[Entry]:
        """Pass on what waited."""
        reply, self._reply = self._reply, None
        if reply:
            yield from self._replied(*reply)
            calls = map(dict_of, list_of(reply[0].get("toolCalls")))
            self._results |= {text_of(c.get("id")) for c in calls if list_of(c.get("result"))}
        yield from self._compaction("unknown")
        self._compacted = None

    def _compaction(self, trigger: str) -> Iterator[Entry]:
        if self._compacted:
            yield self._compacted.compaction(trigger)
            yield self._compacted.notice(self._summary)

    def _user(self, record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        parts = [dict_of(p) for p in list_of(record.get("content"))]
        new = [p for p in parts if text_of(dict_of(p.get("functionResponse")).get("id")) not in self._results]
        yield from responses(new, row, None)
        text = shown(record.get("content"))
        if text.lstrip().startswith((_CONTEXT, _SNAPSHOT)):
            yield row.notice(text)
        elif text.strip():
            typed = shown(record.get("displayContent")) or text
            if typed != text:
                yield row.notice(text, ":whole")
            yield from row.prompt(typed, asker(subagent=self._sub))

    def _replied(self, record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        """Every entry of a reply; the results of its tools stand in its last writing."""
        step, author = row.native_id, agent_or_sub(subagent=self._sub)
        used = number_of(dict_of(record.get("tokens")).get("total"))
        context = (used, 0) if used else None
        entries = []
        for n, thought in enumerate(map(dict_of, list_of(record.get("thoughts")))):
            text = ": ".join(filter(None, map(text_of, (thought.get("subject"), thought.get("description")))))
            entries.append(row.entry(EntryKind.REASONING, author, text, f"#thought{n}"))
        content = record.get("content")
        parts = [{"text": content}] if isinstance(content, str) else [dict_of(p) for p in list_of(content)]
        spoken = [part_entry(part, row, n) for n, part in enumerate(parts)]
        entries.extend(replace(e, author=author) for e in spoken if e.text)
        calls = [dict_of(c) for c in list_of(record.get("toolCalls"))]
        for n, call in enumerate(calls):
            made = row.entry(EntryKind.TOOL_CALL, author, compact(call.get("args")), f"#call{n}")
            entries.append(replace(made, tool=text_of(call.get("name")), call_id=text_of(call.get("id"))))
        entries = entries or [row.entry(EntryKind.STEP, author, "", "#-")]
        yield from (replace(e, step_id=step, context=context) for e in entries)
        for call in calls:
            status = text_of(call.get("status"))
            yield from responses(
                [dict_of(p) for p in list_of(call.get("result"))],
                row,
                status == "success" if status else None,
            )
        if not any(e.kind is EntryKind.TOOL_CALL for e in entries):
            yield row.end(TurnStatus.COMPLETED, step_id=step)
