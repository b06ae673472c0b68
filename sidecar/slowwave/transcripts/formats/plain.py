"""Plain: rows anyone can write, so that an agent without a module of its own can be fed.

One JSON object per line, appended as things happen, in UTF-8:

    {"role": "user", "text": "use tabs", "ts": "2026-01-02T03:04:05Z", "session": "s1", "cwd": "/home/dev/x"}
    {"role": "assistant", "text": "I look at the file.", "tool": "read", "id": "m1"}
    {"role": "tool", "text": "…the result…", "tool": "read", "ok": true}
    {"role": "assistant", "text": "Done."}

    role     required: "user" a person typed it · "assistant" one response of the model · "tool" a result ·
             "system" text of the harness · "reasoning" thinking before the next response · "compaction" the
             agent shortened its context (text: what set it off) · "end" the turn is over (ok: false = failed)
    text     what was said; may be absent
    ts       ISO 8601, or seconds or milliseconds since 1970
    tool     the tool's name; on an "assistant" row it says that the response called it and goes on
    ok       "tool" rows: whether it succeeded
    id       an identity that survives copies of the history; else the place in the file is the identity
    session  the session's id (else the file's name); one file holds one session, the first one wins
    cwd      where it worked (the first one counts)

Without "end" rows a response that calls no tool ends the turn when the next row is a prompt or nothing follows.
It has no home of its own: name a folder in the settings, or a file as `plain:/some/file.jsonl`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Session, TurnStatus
from slowwave.transcripts.formats import walk
from slowwave.transcripts.formats.protocol import Fidelity, Parser, Place, Shape, text_of, time_of
from slowwave.transcripts.formats.rows import RowEntries

NAME: str = "plain"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("1",)

ROLES = frozenset({"user", "assistant", "tool", "system", "reasoning", "compaction", "end"})


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:  # noqa: ARG001  the shape
    """No home of its own."""
    return ()


def discover(root: Path) -> Iterator[Path]:
    """Every `.jsonl` file below a folder that was named for it."""
    return walk.files(root, lambda name: name.endswith(".jsonl"))


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Rows with a role of its own and text or a tool, and nothing nested that another format would have."""
    known = [
        r for r in first_records if text_of(r.get("role")) in ROLES and not isinstance(r.get("message"), dict)
    ]
    flat = [
        r for r in known if "content" not in r and ({"text", "tool"} & r.keys() or r.get("role") == "end")
    ]
    return bool(flat) and len(flat) == len(first_records)


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return PlainParser(path)


class PlainParser:
    """One file of it."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.stem, path)
        self._named = False
        self._end: Entry | None = None  # the end of the turn, if nothing but a prompt follows

    def held(self) -> tuple[Entry, ...]:
        """The end the last response may be."""
        return (self._end,) if self._end else ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one row."""
        role = text_of(record.get("role"))
        if role not in ROLES:
            return
        self._learn(record)
        row = RowEntries(place, text_of(record.get("id")), time_of(record.get("ts")))
        text, tool = text_of(record.get("text")), text_of(record.get("tool"))
        ok = record.get("ok") if isinstance(record.get("ok"), bool) else None
        if role == "user" and self._end:
            yield self._end
        self._end = None
        if role == "user":
            yield from row.prompt(text)
        elif role == "assistant":
            yield from self._assistant(row, text, tool)
        elif role == "tool":
            yield row.entry(EntryKind.TOOL_RESULT, Author.TOOL, text, tool=tool, ok=ok)
        elif role == "reasoning":
            yield row.entry(EntryKind.REASONING, Author.AGENT, text)
        elif role == "system":
            yield row.notice(text)
        elif role == "compaction":
            yield row.compaction(text)
        else:
            yield row.end(TurnStatus.FAILED if ok is False else TurnStatus.COMPLETED, text)

    def _assistant(self, row: RowEntries, text: str, tool: str) -> Iterator[Entry]:
        step = row.native_id
        if text or not tool:
            yield row.entry(EntryKind.TEXT if text else EntryKind.STEP, Author.AGENT, text, step_id=step)
        if tool:
            yield row.entry(EntryKind.TOOL_CALL, Author.AGENT, "", ":call", step_id=step, tool=tool)
        else:
            self._end = row.end(TurnStatus.COMPLETED, step_id=step)

    def _learn(self, record: Mapping[str, Any]) -> None:
        s = self.session
        if not self._named and text_of(record.get("session")):
            self._named = True
            s = replace(s, session_id=text_of(record.get("session")))
        self.session = replace(s, cwd=s.cwd or text_of(record.get("cwd")))
