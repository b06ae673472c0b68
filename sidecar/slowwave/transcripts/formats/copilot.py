"""GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, one event per row.

Its own word "turn" is our step. Two traps: a compaction runs in the background, so its start and its completion
stand among ordinary steps and it may be cancelled; and the events `model.*` repeat whole conversations. The
tokens used are told in a row before the message they belong to.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Session, TurnStatus
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
from slowwave.transcripts.formats.rows import RowEntries, compact, shown

NAME: str = "copilot"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("1.0.102",)

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_FILE = re.compile(rf"^(?:events|{_UUID})\.jsonl$")
_EVENTS = ("session.", "assistant.", "tool.execution_", "user.message", "system.message")


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its sessions."""
    base = Path(env["COPILOT_HOME"]) if env.get("COPILOT_HOME") else home / ".copilot"
    return (base / "session-state",)


def discover(root: Path) -> Iterator[Path]:
    """Sessions below a folder, by name: a folder each, or a flat file of older versions."""
    return walk.files(root, lambda name: bool(_FILE.match(name)))


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Events with data, of the kinds only it has."""
    kinds = (text_of(r.get("type")) for r in first_records if isinstance(r.get("data"), dict))
    return any(kind.startswith(_EVENTS) for kind in kinds)


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return CopilotParser(path)


class CopilotParser:
    """One file of it."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.parent.name if path.stem == "events" else path.stem, path)
        self._active = False  # a prompt or a step since the last end
        self._answered = False  # the last message asked for no tool
        self._context: tuple[int, int] | None = None

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits."""
        return ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one event."""
        kind, data = text_of(record.get("type")), dict_of(record.get("data"))
        row = RowEntries(place, text_of(record.get("id")), time_of(record.get("timestamp")))
        if record.get("agentId"):
            yield from _subagent(kind, data, row)
        elif kind in {"session.start", "session.resume"}:
            self._learn(data)
        elif kind == "user.message":
            joins = self._active and not self._answered
            found = list(row.prompt(text_of(data.get("content")), joins=joins))
            self._active = self._active or any(e.kind is EntryKind.PROMPT for e in found)
            yield from found
        elif kind == "session.usage_record":
            self._context = _context(dict_of(data.get("usage")))
        elif kind == "assistant.message":
            yield from self._message(data, row)
        elif kind == "tool.execution_complete":
            yield _result(data, row)
        elif kind == "session.compaction_complete":
            if data.get("success") is True:
                yield row.compaction(text_of(data.get("trigger")))
                yield row.notice(text_of(data.get("summaryContent")))
        else:
            yield from self._end(kind, data, row)

    def _learn(self, data: Mapping[str, Any]) -> None:
        context, s = dict_of(data.get("context")), self.session
        self.session = replace(
            s,
            session_id=text_of(data.get("sessionId")) or s.session_id,
            cwd=s.cwd or text_of(context.get("cwd")),
            git_branch=s.git_branch or text_of(context.get("branch")),
            version=s.version or text_of(data.get("copilotVersion")),
        )

    def _message(self, data: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        step = text_of(data.get("messageId")) or row.native_id
        context, self._context = self._context, None
        row.native_id = step
        entries = []
        if reasoning := text_of(data.get("reasoningText")):
            entries.append(row.entry(EntryKind.REASONING, Author.AGENT, reasoning, "#reasoning"))
        if text := shown(data.get("content")):
            entries.append(row.entry(EntryKind.TEXT, Author.AGENT, text, "#text"))
        calls = list(map(dict_of, list_of(data.get("toolRequests"))))
        entries.extend(_call(call, row, n) for n, call in enumerate(calls))
        entries = entries or [row.entry(EntryKind.STEP, Author.AGENT, "", "#-")]
        self._active, self._answered = True, not calls
        yield from (replace(e, step_id=step, context=context) for e in entries)

    def _end(self, kind: str, data: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        if not self._active:
            return
        if kind in {"assistant.turn_end", "session.shutdown"} and self._answered:
            status = TurnStatus.COMPLETED
        elif kind in {"abort", "session.shutdown"}:
            status = TurnStatus.INTERRUPTED
        elif kind == "session.error":
            status = TurnStatus.FAILED
        else:
            return
        self._active = self._answered = False
        self._context = None
        yield row.end(status, text_of(data.get("message")))


def _subagent(kind: str, data: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
    """What a subagent does inside the session: seen, but no step of it."""
    if kind == "assistant.message" and (text := shown(data.get("content"))):
        yield row.entry(EntryKind.TEXT, Author.SUBAGENT, text)
    elif kind == "tool.execution_complete":
        yield _result(data, row)


def _call(call: Mapping[str, Any], row: RowEntries, n: int) -> Entry:
    return row.entry(
        EntryKind.TOOL_CALL,
        Author.AGENT,
        compact(call.get("arguments")),
        f"#call{n}",
        tool=text_of(call.get("name")),
        call_id=text_of(call.get("toolCallId")),
    )


def _result(data: Mapping[str, Any], row: RowEntries) -> Entry:
    said = data.get("result", data.get("error"))
    inner = dict_of(said)
    text = shown(inner.get("content")) or text_of(inner.get("message")) or shown(said)
    ok = data.get("success")
    return row.result(text, text_of(data.get("toolCallId")), ok=ok if isinstance(ok, bool) else None)


def _context(usage: Mapping[str, Any]) -> tuple[int, int] | None:
    used = number_of(usage.get("inputTokens")) + number_of(usage.get("outputTokens"))
    return (used, number_of(usage.get("maxPromptTokens"))) if used else None
