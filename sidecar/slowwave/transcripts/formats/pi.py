"""Pi, Oh My Pi and OpenClaw: `~/.pi/agent/sessions/--<cwd>--/<time>_<uuid>.jsonl`, a tree of rows in one file.

A response is one row and says how it stopped, so nothing has to wait. Two traps: the same rows are written by
three programs into three homes, and a file of an older version is rewritten when it is loaded, with new row
ids; the time stamps inside the messages survive that, so they are part of every identity.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Session, SessionKind, TurnStatus
from slowwave.transcripts.formats import walk
from slowwave.transcripts.formats.protocol import (
    Fidelity,
    Parser,
    Place,
    Shape,
    dict_of,
    list_of,
    number_of,
    text_of,
    time_of,
)
from slowwave.transcripts.formats.rows import RowEntries, compact, shown, shown_block

NAME: str = "pi"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("3",)  # its files tell the version of their shape, not the client's (0.73.1)

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_FILE = re.compile(rf"^(?:\d{{4}}-\d\d-\d\dT[0-9A-Za-z.-]+_[^/]+|{_UUID})\.jsonl$")
_ENDS = {
    "stop": TurnStatus.COMPLETED,
    "length": TurnStatus.COMPLETED,
    "error": TurnStatus.FAILED,
    "aborted": TurnStatus.INTERRUPTED,
}
_NOTICES = frozenset({"custom", "branchSummary", "compactionSummary"})


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its sessions, and its two relatives theirs."""
    base = Path(env["PI_CODING_AGENT_DIR"]) if env.get("PI_CODING_AGENT_DIR") else home / ".pi" / "agent"
    return base / "sessions", home / ".omp" / "agent" / "sessions", home / ".openclaw" / "agents"


def discover(root: Path) -> Iterator[Path]:
    """Sessions below a folder, by name."""
    return walk.files(root, lambda name: bool(_FILE.match(name)))


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """A session header with a working directory, or message rows of its tree."""
    for row in first_records:
        kind, message = row.get("type"), dict_of(row.get("message"))
        if kind == "session" and "version" in row and "cwd" in row:
            return True
        roles = {"user", "assistant", "toolResult", "bashExecution"}
        if kind == "message" and "parentId" in row and text_of(message.get("role")) in roles:
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return PiParser(path)


class PiParser:
    """One file of it."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.stem.rpartition("_")[2], path)

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits: every row of it says what it is."""
        return ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one row."""
        kind = text_of(record.get("type"))
        message = dict_of(record.get("message"))
        stamp = message.get("timestamp") or record.get("timestamp")
        own = text_of(record.get("id"))
        row = RowEntries(place, f"{own}@{stamp}" if own or stamp else "", time_of(record.get("timestamp")))
        if kind == "session":
            self._learn(record)
        elif kind == "message":
            yield from message_entries(message, row)
        elif kind == "compaction":
            # Whether a person asked for it or the window was full is not written down.
            yield row.compaction("unknown")
            yield row.notice(text_of(record.get("summary")))
        elif kind in {"branch_summary", "custom_message"}:
            yield row.notice(text_of(record.get("summary")) or shown(record.get("content")))

    def _learn(self, header: Mapping[str, Any]) -> None:
        parent = text_of(header.get("parentSession")) or text_of(header.get("branchedFrom"))
        self.session = replace(
            self.session,
            session_id=text_of(header.get("id")) or self.session.session_id,
            cwd=text_of(header.get("cwd")),
            parent_session_id=Path(parent).stem.rpartition("_")[2] if parent else "",
            version=str(header.get("version") or ""),
            kind=SessionKind.MAIN,
        )


def message_entries(message: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
    """The entries of one message as Pi's library writes it; other programs use that library."""
    role = text_of(message.get("role"))
    if role == "user":
        yield from row.prompt(shown(message.get("content")))
    elif role == "assistant":
        yield from _assistant(message, row)
    elif role == "toolResult":
        failed = message.get("isError")
        yield row.result(
            shown(message.get("content")),
            text_of(message.get("toolCallId")),
            tool=text_of(message.get("toolName")),
            ok=not failed if isinstance(failed, bool) else None,
        )
    elif role == "bashExecution":
        yield row.notice(f"$ {text_of(message.get('command'))}\n{text_of(message.get('output'))}")
    elif role in _NOTICES:
        yield row.notice(shown(message.get("content")) or text_of(message.get("summary")))


def _assistant(message: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
    if message.get("model") == "delivery-mirror":
        # OpenClaw copies what it delivered elsewhere; no model said it here.
        yield row.notice(shown(message.get("content")))
        return
    step = text_of(message.get("responseId")) or row.native_id
    context = _context(message)
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    called = False
    for n, block in enumerate(map(dict_of, blocks)):
        kind = text_of(block.get("type"))
        suffix = f"#{n}"
        if kind == "toolCall":
            called = True
            yield replace(
                row.entry(EntryKind.TOOL_CALL, Author.AGENT, compact(block.get("arguments")), suffix),
                step_id=step,
                tool=text_of(block.get("name")),
                call_id=text_of(block.get("id")),
                context=context,
            )
        elif kind == "thinking":
            text = text_of(block.get("thinking"))
            yield row.entry(EntryKind.REASONING, Author.AGENT, text, suffix, step_id=step, context=context)
        elif text := shown_block(block):
            yield row.entry(EntryKind.TEXT, Author.AGENT, text, suffix, step_id=step, context=context)
    if not blocks:
        yield row.entry(EntryKind.STEP, Author.AGENT, "", "#-", step_id=step, context=context)
    stopped = text_of(message.get("stopReason")) or ("toolUse" if called else "stop")
    if stopped in _ENDS:
        yield row.end(_ENDS[stopped], text_of(message.get("errorMessage")), step_id=step)


def _context(message: Mapping[str, Any]) -> tuple[int, int] | None:
    used = number_of(dict_of(message.get("usage")).get("totalTokens"))
    return (used, 0) if used else None
