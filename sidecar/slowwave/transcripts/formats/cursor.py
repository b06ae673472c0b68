"""Cursor's agent: `~/.cursor/projects/<slug>/agent-transcripts/<id>/<id>.jsonl`, degraded by its source.

The rows have no times, mostly no ids, and no results of tools; a row's identity is its place. Newer versions
write when a turn ended; in older files a reply is the end when the next row is a prompt.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.model import Entry, EntryKind, Session, SessionKind, TurnStatus
from slowwave.transcripts.formats import walk
from slowwave.transcripts.formats.protocol import Fidelity, Parser, Place, Shape, dict_of, list_of, text_of
from slowwave.transcripts.formats.rows import RowEntries, agent_or_sub, asker, compact, shown, shown_block

NAME: str = "cursor"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "degraded"
VERSIONS: tuple[str, ...] = ()

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_STATUS = {"success": TurnStatus.COMPLETED, "completed": TurnStatus.COMPLETED, "error": TurnStatus.FAILED}


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:  # noqa: ARG001  the shape
    """Where it keeps its transcripts."""
    return (home / ".cursor" / "projects",)


def discover(root: Path) -> Iterator[Path]:
    """Transcripts below a folder: files in a folder of their name's kind."""
    for path in walk.files(root, lambda name: name.endswith(".jsonl")):
        if "agent-transcripts" in path.parts:
            yield path


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Rows of a role and a message, without a type, a session or a time."""
    for row in first_records:
        spoken = text_of(row.get("role")) in {"user", "assistant"} and "content" in dict_of(
            row.get("message")
        )
        if spoken and not {"type", "uuid", "sessionId", "timestamp"} & row.keys():
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return CursorParser(path)


class CursorParser:
    """One file of it."""

    def __init__(self, path: Path) -> None:
        sub = "subagents" in path.parts[-3:]
        parent = path.parent.parent.name if sub else ""
        self.session = Session(
            NAME, path.stem, path, SessionKind.SUBAGENT if sub else SessionKind.MAIN, parent_session_id=parent
        )
        self._sub = sub
        self._end: Entry | None = None

    def held(self) -> tuple[Entry, ...]:
        """The end the last reply may be."""
        return (self._end,) if self._end else ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one row."""
        row = RowEntries(place, text_of(record.get("id")))
        blocks = _blocks(record)
        if record.get("type") == "turn_ended":
            self._end = None
            yield row.end(_STATUS.get(text_of(record.get("status")), TurnStatus.INTERRUPTED))
        elif record.get("role") == "user":
            yield from self._user(blocks, row)
        elif record.get("role") == "assistant":
            yield from self._assistant(blocks, row)

    def _user(self, blocks: Sequence[Mapping[str, Any]], row: RowEntries) -> Iterator[Entry]:
        for block in blocks:
            if block.get("type") == "tool_result":
                failed = block.get("is_error")
                ok = not failed if isinstance(failed, bool) else None
                yield row.result(shown(block.get("content")), text_of(block.get("tool_use_id")), ok=ok)
        text = "\n".join(
            filter(None, map(shown_block, (b for b in blocks if b.get("type") != "tool_result")))
        )
        if not text.strip():
            self._end = None
            return
        if self._end:
            yield self._end
        self._end = None
        typed = "\n".join(_QUERY.findall(text))
        if typed and (rest := _QUERY.sub("", text).strip()):
            yield row.notice(rest)
        yield from row.prompt(typed or text, asker(subagent=self._sub))

    def _assistant(self, blocks: Sequence[Mapping[str, Any]], row: RowEntries) -> Iterator[Entry]:
        author, step, called = agent_or_sub(subagent=self._sub), row.native_id, False
        entries = []
        for n, block in enumerate(blocks):
            if block.get("type") == "tool_use":
                called = True
                made = row.entry(EntryKind.TOOL_CALL, author, compact(block.get("input")), f"#{n}")
                entries.append(
                    replace(made, tool=text_of(block.get("name")), call_id=text_of(block.get("id")))
                )
            elif thinking := text_of(block.get("thinking")):
                entries.append(row.entry(EntryKind.REASONING, author, thinking, f"#{n}"))
            elif text := shown_block(block):
                entries.append(row.entry(EntryKind.TEXT, author, text, f"#{n}"))
        entries = entries or [row.entry(EntryKind.STEP, author, "", "#-")]
        yield from (replace(e, step_id=step) for e in entries)
        self._end = None if called else row.end(TurnStatus.COMPLETED, step_id=step)


def _blocks(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = dict_of(record.get("message")).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [dict_of(b) for b in list_of(content)]
