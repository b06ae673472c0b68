"""OpenHands: one JSON file per event in a conversation's `events` folder, or an exported list of them.

The folder is the session: its files are read in the order of their numbers. An action holds the call and the
thought before it; several actions of one response share its id. Older versions write events of another shape
(`action`, `observation`), which are read by what their fields say.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.errors import TranscriptError
from slowwave.model import Author, Damage, Entry, EntryKind, Session, TurnStatus
from slowwave.transcripts.decode import PlacedRow
from slowwave.transcripts.formats import documents, walk
from slowwave.transcripts.formats.protocol import (
    Extent,
    Fidelity,
    Loaded,
    Parser,
    Place,
    Shape,
    dict_of,
    text_of,
    time_of,
)
from slowwave.transcripts.formats.rows import RowEntries, compact, shown

NAME: str = "openhands"
SHAPE: Shape = "whole"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ()

_FILE = re.compile(r"^(?:event-)?(\d+)(?:-[0-9a-zA-Z-]+)?\.json$")
_KINDS = frozenset(
    {"MessageEvent", "ActionEvent", "ObservationEvent", "UserRejectObservation", "AgentErrorEvent"}
    | {"SystemPromptEvent", "Condensation", "PauseEvent", "ConversationStateUpdateEvent"}
)
_DONE = frozenset({"finish", "FinishTool", "FinishAction"})


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its conversations."""
    base = Path(env["OPENHANDS_HOME"]) if env.get("OPENHANDS_HOME") else home / ".openhands"
    return base / "conversations", base / "sessions"


def discover(root: Path) -> Iterator[Path]:
    """The `events` folders below a folder that hold events."""
    seen: set[Path] = set()
    for path in walk.files(root, lambda name: bool(_FILE.match(name))):
        if path.parent.name == "events" and path.parent not in seen:
            seen.add(path.parent)
            yield path.parent


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is an event of it."""
    old = isinstance(row.get("source"), str) and ("action" in row or "observation" in row)
    return text_of(row.get("kind")) in _KINDS or old


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Events of its kinds."""
    return any(text_of(row.get("kind")) in _KINDS for row in first_records)


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return OpenHandsParser(path)


def extent(path: Path) -> Extent:
    """The size of all its events together, and the newest time."""
    if path.is_file():
        return documents.extent(path)
    found = [f.stat() for f in _events(path)]
    return Extent(sum(s.st_size for s in found), max((s.st_mtime_ns for s in found), default=0))


def load(path: Path) -> Loaded:
    """Every event, one after the other as if they stood in one file."""
    if path.is_file():
        return documents.load(path, is_row)
    known, rows, damage, at = extent(path), list[PlacedRow](), list[Damage](), 0
    for file in _events(path):
        try:
            data = documents.read_all(file)
        except FileNotFoundError:
            continue  # taken away between the listing and the reading
        header, _, broken = documents.elements(data, lambda _: False, str(file))
        if header and not broken:
            rows.append(PlacedRow(header, at, len(data)))
        else:
            damage.append(Damage(str(file), 0, len(data), "the event is damaged"))
        at += len(data)
    return Loaded(tuple(rows), tuple(damage), known)


def _events(folder: Path) -> list[Path]:
    try:
        names = {
            f.name for f in folder.iterdir() if _FILE.match(f.name) and f.is_file() and not f.is_symlink()
        }
    except FileNotFoundError:
        raise
    except OSError as exc:
        raise TranscriptError(f"cannot list {folder}: {exc.strerror}") from exc
    numbered = ((int(m.group(1)), name) for name in names if (m := _FILE.match(name)))
    return [folder / name for _, name in sorted(numbered)]


class OpenHandsParser:
    """One conversation."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.parent.name if path.name == "events" else path.stem, path)
        self._tools: dict[str, tuple[str, str]] = {}  # action id → (call id, tool)

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits."""
        return ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one event."""
        own = record.get("id")
        native = f"{self.session.session_id}/{own}" if isinstance(own, int) else text_of(own)
        row = RowEntries(place, native, time_of(record.get("timestamp")))
        kind = text_of(record.get("kind")) or _old_kind(record)
        if kind == "MessageEvent":
            yield from _message(record, row)
        elif kind == "ActionEvent":
            yield from self._action(record, row)
        elif kind in {"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"}:
            yield self._observation(kind, record, row)
        elif kind == "Condensation":
            yield row.compaction("unknown")
            yield row.notice(text_of(record.get("summary")))
        elif kind == "PauseEvent":
            yield row.end(TurnStatus.INTERRUPTED)

    def _action(self, record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        step = text_of(record.get("llm_response_id")) or row.native_id
        action = dict_of(record.get("action"))
        name = (
            text_of(record.get("tool_name")) or text_of(action.get("kind")) or text_of(record.get("action"))
        )
        call = text_of(record.get("tool_call_id")) or row.native_id
        self._tools[text_of(record.get("id")) or str(record.get("id"))] = (call, name)
        reasoning = text_of(record.get("reasoning_content"))
        if reasoning:
            yield row.entry(EntryKind.REASONING, Author.AGENT, reasoning, "#reasoning", step_id=step)
        if thought := shown(record.get("thought")) or text_of(dict_of(record.get("args")).get("thought")):
            yield row.entry(EntryKind.TEXT, Author.AGENT, thought, "#thought", step_id=step)
        asked = dict_of(record.get("tool_call")).get("arguments", action or record.get("args"))
        made = row.entry(EntryKind.TOOL_CALL, Author.AGENT, compact(asked), "#call", step_id=step)
        yield replace(made, tool=name, call_id=call)
        if name in _DONE:
            yield row.end(TurnStatus.COMPLETED, step_id=step)

    def _observation(self, kind: str, record: Mapping[str, Any], row: RowEntries) -> Entry:
        about = record.get("action_id", record.get("cause"))
        call, tool = self._tools.get(text_of(about) or str(about), ("", ""))
        seen = dict_of(record.get("observation"))
        content = seen.get("content", record.get("content"))
        text = shown(content) or text_of(record.get("rejection_reason")) or text_of(record.get("error"))
        failed = seen.get("is_error")
        ok = not failed if isinstance(failed, bool) else None
        return row.result(text, call, tool=tool, ok=ok if kind == "ObservationEvent" else False)


def _message(record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
    message = dict_of(record.get("llm_message"))
    text = shown(message.get("content")) or text_of(dict_of(record.get("args")).get("content"))
    if record.get("source") == "user":
        yield from row.prompt(text)
    elif record.get("source") == "agent":
        step = text_of(record.get("llm_response_id")) or row.native_id
        yield row.entry(EntryKind.TEXT if text else EntryKind.STEP, Author.AGENT, text, step_id=step)
        yield row.end(TurnStatus.COMPLETED, step_id=step)
    elif text:
        yield row.notice(text)


def _old_kind(record: Mapping[str, Any]) -> str:
    """What an event of an older version would be called now."""
    action = record.get("action")
    if action == "message":
        return "MessageEvent"
    if isinstance(record.get("observation"), str) and text_of(record.get("source")) in {"agent", "user"}:
        return "ObservationEvent"
    if isinstance(action, str) and record.get("source") == "agent" and action not in {"system", "recall"}:
        return "ActionEvent"
    return ""
