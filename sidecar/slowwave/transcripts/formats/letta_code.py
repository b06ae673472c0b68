"""Letta Code: its reflection log `transcript.jsonl`, and the `messages.jsonl` of its local backend.

The log holds rows of a kind, appended after each turn; the backend holds the messages of Pi's library, with a
clock of its own that starts anew, so times there are left out. `state.json` beside the log is Letta's own
cursor and says nothing about ours. A log row has no end mark: a reply is the end when the next row is a prompt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Session, TurnStatus
from slowwave.transcripts.formats import walk
from slowwave.transcripts.formats.pi import message_entries
from slowwave.transcripts.formats.protocol import Fidelity, Parser, Place, Shape, dict_of, text_of, time_of
from slowwave.transcripts.formats.rows import RowEntries, shown

NAME: str = "letta"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("0.25.9",)

_KINDS = frozenset({"user", "assistant", "reasoning", "tool_call", "error"})


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Its reflection logs, and its local backend."""
    logs, backend = env.get("LETTA_TRANSCRIPT_ROOT"), env.get("LETTA_LOCAL_BACKEND_DIR")
    base = home / ".letta"
    return (
        Path(logs) if logs else base / "transcripts",
        (Path(backend) if backend else base / "lc-local-backend") / "conversations",
    )


def discover(root: Path) -> Iterator[Path]:
    """Logs and conversations below a folder, by name."""
    return walk.files(root, lambda name: name in {"transcript.jsonl", "messages.jsonl"})


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Rows of the log with the time they were captured, or messages that name their agent."""
    for row in first_records:
        if text_of(row.get("kind")) in _KINDS and "captured_at" in row:
            return True
        if "role" in row and {"agent_id", "conversation_id"} <= dict_of(row.get("metadata")).keys():
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return LettaParser(path)


class LettaParser:
    """One log or conversation."""

    def __init__(self, path: Path) -> None:
        self.session = Session(
            NAME, path.parent.name if path.stem in {"transcript", "messages"} else path.stem, path
        )
        self._end: Entry | None = None

    def held(self) -> tuple[Entry, ...]:
        """The end the last reply may be."""
        return (self._end,) if self._end else ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one row."""
        if text_of(record.get("kind")) in _KINDS:
            yield from self._logged(record, place)
        elif "role" in record:
            meta = dict_of(record.get("metadata"))
            conversation = text_of(meta.get("conversation_id"))
            if conversation:
                agent = text_of(meta.get("agent_id"))
                self.session = replace(self.session, session_id=conversation, parent_session_id=agent)
            own = text_of(record.get("id"))
            # Row ids count up anew in every store; with its agent one is an identity.
            native = f"{self.session.parent_session_id}/{self.session.session_id}/{own}" if own else ""
            yield from message_entries(record, RowEntries(place, native))
        elif record.get("type") == "compaction":
            row = RowEntries(place, text_of(record.get("id")))
            yield row.compaction(text_of(record.get("trigger")))
            yield row.notice(text_of(record.get("summary")) or shown(record.get("content")))

    def _logged(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        kind, text = record["kind"], text_of(record.get("text"))
        row = RowEntries(place, text_of(record.get("source_line_id")), time_of(record.get("captured_at")))
        step = text_of(record.get("source_message_id"))
        if kind == "user" and self._end:
            yield self._end
        self._end = None
        if kind == "user":
            yield from row.prompt(text)
        elif kind == "assistant":
            step = step or row.native_id
            yield row.entry(EntryKind.TEXT if text else EntryKind.STEP, Author.AGENT, text, step_id=step)
            self._end = row.end(TurnStatus.COMPLETED, step_id=step)
        elif kind == "reasoning":
            yield row.entry(EntryKind.REASONING, Author.AGENT, text, step_id=step)
        elif kind == "tool_call":
            yield from _tool(record, row)
        else:
            yield row.notice(text)


def _tool(record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
    """A call and its result: one row of the log, which has no model response of its own."""
    name, call = text_of(record.get("name")), row.native_id
    arguments = text_of(record.get("argsText"))
    yield row.entry(EntryKind.TOOL_CALL, Author.AGENT, arguments, tool=name, call_id=call)
    if isinstance(record.get("resultText"), str):
        ok = record.get("resultOk")
        good = ok if isinstance(ok, bool) else None
        yield row.result(text_of(record.get("resultText")), call, tool=name, ok=good)
