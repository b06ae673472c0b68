"""Qwen Code: `~/.qwen/projects/<slug>/chats/<session>.jsonl`, one message per row.

Nothing marks the end of a turn: a reply without a function call is one. Telemetry rows stand in the middle of
the chain of parents and are passed over, so file order is the order.
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
from slowwave.transcripts.formats.rows import RowEntries, compact, shown_block

NAME: str = "qwen"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("0.15.10",)

_FILE = re.compile(r"^[0-9A-Za-z][0-9A-Za-z_-]*\.jsonl$")
_DONE = 1  # its compressionStatus for "the history was replaced"


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its sessions."""
    base = Path(env["QWEN_HOME"]) if env.get("QWEN_HOME") else home / ".qwen"
    return (base / "projects",)


def discover(root: Path) -> Iterator[Path]:
    """Sessions below a folder, by name."""
    return walk.files(root, lambda name: bool(_FILE.match(name)))


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Rows of a session whose messages have parts, or its telemetry."""
    for row in first_records:
        parts = dict_of(row.get("message")).get("parts")
        if text_of(row.get("type")) in {"user", "assistant", "tool_result"} and isinstance(parts, list):
            return True
        if row.get("type") == "system" and "sessionId" in row and "systemPayload" in row:
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return QwenParser(path)


class QwenParser:
    """One file of it."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.stem, path)
        self._active = False  # a prompt or a step since the last end

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits."""
        return ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one row."""
        kind = text_of(record.get("type"))
        if kind not in {"user", "assistant", "tool_result", "system"}:
            return
        self._learn(record)
        row = RowEntries(place, text_of(record.get("uuid")), time_of(record.get("timestamp")))
        parts = [dict_of(p) for p in list_of(dict_of(record.get("message")).get("parts"))]
        if kind == "assistant":
            yield from self._assistant(record, parts, row)
        elif kind == "system":
            yield from self._system(record, row)
        else:
            yield from responses(parts, row, _ok(dict_of(record.get("toolCallResult"))))
            text = "\n".join(filter(None, map(shown_block, parts)))
            if kind == "user" and text.strip():
                self._active = True
                yield from row.prompt(text)

    def _learn(self, record: Mapping[str, Any]) -> None:
        s = self.session
        if s.version and s.cwd:
            return
        self.session = replace(
            s,
            session_id=text_of(record.get("sessionId")) or s.session_id,
            cwd=s.cwd or text_of(record.get("cwd")),
            git_branch=s.git_branch or text_of(record.get("gitBranch")),
            version=s.version or text_of(record.get("version")),
        )

    def _assistant(
        self, record: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], row: RowEntries
    ) -> Iterator[Entry]:
        step, calls = row.native_id, False
        used = number_of(dict_of(record.get("usageMetadata")).get("totalTokenCount"))
        context = (used, 0) if used else None
        for n, part in enumerate(parts):
            calls = calls or "functionCall" in part
            yield replace(part_entry(part, row, n), step_id=step, context=context)
        if not parts:
            yield row.entry(EntryKind.STEP, Author.AGENT, "", "#-", step_id=step, context=context)
        self._active = calls
        if not calls:
            yield row.end(TurnStatus.COMPLETED, step_id=step)

    def _system(self, record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        payload = dict_of(record.get("systemPayload"))
        done = dict_of(payload.get("info")).get("compressionStatus") == _DONE
        if record.get("subtype") != "chat_compression" or not done:
            return
        # It does not say who asked; between two turns it was a person.
        yield row.compaction("auto" if self._active else "manual")
        kept = list_of(payload.get("compressedHistory"))
        first = list_of(dict_of(kept[0]).get("parts")) if kept else ()
        yield row.notice("\n".join(filter(None, (shown_block(dict_of(p)) for p in first))))


def part_entry(part: Mapping[str, Any], row: RowEntries, n: int) -> Entry:
    """One part of a reply, in the shape Gemini's library gives it."""
    if "functionCall" in part:
        call = dict_of(part.get("functionCall"))
        return row.entry(
            EntryKind.TOOL_CALL,
            Author.AGENT,
            compact(call.get("args")),
            f"#{n}",
            tool=text_of(call.get("name")),
            call_id=text_of(call.get("id")),
        )
    text = shown_block(part)
    kind = EntryKind.REASONING if part.get("thought") is True else EntryKind.TEXT
    return row.entry(kind if text else EntryKind.STEP, Author.AGENT, text, f"#{n}")


def responses(parts: Sequence[Mapping[str, Any]], row: RowEntries, ok: bool | None) -> Iterator[Entry]:
    """The results of tools among these parts."""
    for part in parts:
        if "functionResponse" not in part:
            continue
        answer = dict_of(part.get("functionResponse"))
        said = dict_of(answer.get("response"))
        text = text_of(said.get("output")) or text_of(said.get("error")) or (compact(said) if said else "")
        good = False if "error" in said and ok is None else ok
        yield row.result(text, text_of(answer.get("id")), tool=text_of(answer.get("name")), ok=good)


def _ok(result: Mapping[str, Any]) -> bool | None:
    status = text_of(result.get("status"))
    return status == "success" if status else None
