"""Entries out of one row: the fields they share, and text out of the many shapes of content.

What most formats of this folder need in the same way. A format says what a row means; this says how an entry
of it is built.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from slowwave.model import Author, Entry, EntryKind, TurnStatus
from slowwave.transcripts.formats import injected
from slowwave.transcripts.formats.protocol import Place, as_json, dict_of, image_mark, list_of, text_of


class RowEntries:
    """Builds the entries of one row."""

    def __init__(self, place: Place, native_id: str = "", at: datetime | None = None) -> None:
        self.native_id = native_id or place.native_id
        self._place = place
        self._at = at

    def entry(
        self,
        kind: EntryKind,
        author: Author,
        text: str,
        suffix: str = "",
        *,
        step_id: str = "",
        tool: str = "",
        call_id: str = "",
        ok: bool | None = None,
        ends: TurnStatus | None = None,
        joins: bool = False,
        context: tuple[int, int] | None = None,
    ) -> Entry:
        """An entry at this row's place."""
        p = self._place
        return Entry(
            kind=kind,
            author=author,
            text=text,
            native_id=self.native_id + suffix,
            offset=p.offset,
            length=p.length,
            step_id=step_id,
            at=self._at,
            tool=tool,
            call_id=call_id,
            ok=ok,
            ends=ends,
            joins=joins,
            context=context,
            damaged=p.damaged,
        )

    def prompt(self, text: str, author: Author = Author.HUMAN, *, joins: bool = False) -> Iterator[Entry]:
        """What was typed, after notices for the blocks that stood around it."""
        typed, around = injected.cut(text)
        for n, block in enumerate(around):
            yield self.notice(block, f":notice{n}")
        if typed.strip():
            yield self.entry(EntryKind.PROMPT, author, typed, joins=joins)

    def notice(self, text: str, suffix: str = ":notice", *, tool: str = "", call_id: str = "") -> Entry:
        """Harness text."""
        return self.entry(EntryKind.NOTICE, Author.HARNESS, text, suffix, tool=tool, call_id=call_id)

    def end(self, status: TurnStatus, text: str = "", *, step_id: str = "") -> Entry:
        """A turn's end."""
        return self.entry(EntryKind.TURN_END, Author.HARNESS, text, ":end", ends=status, step_id=step_id)

    def compaction(self, trigger: str) -> Entry:
        """A compaction, with what set it off as its text."""
        return self.entry(EntryKind.COMPACTION, Author.HARNESS, trigger or "unknown")

    def result(self, text: str, call_id: str, *, tool: str = "", ok: bool | None = None) -> Entry:
        """A tool's result, known by its call."""
        suffix = ":result"
        built = self.entry(
            EntryKind.TOOL_RESULT, Author.TOOL, text, suffix, tool=tool, call_id=call_id, ok=ok
        )
        return replace(built, native_id=f"{call_id}{suffix}") if call_id else built


def shown(content: Any) -> str:
    """Content as text: strings and text blocks as they are, an image as its hash."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return shown_block(content)
    blocks = (b if isinstance(b, dict) else {"text": text_of(b)} for b in list_of(content))
    return "\n".join(filter(None, map(shown_block, blocks)))


def shown_block(block: Mapping[str, Any]) -> str:
    """One block as text."""
    inline = dict_of(block.get("inlineData") or block.get("source"))
    data = inline.get("data") or (block.get("data") if block.get("type") == "image" else None)
    if isinstance(data, str):
        return image_mark(data)
    return text_of(block.get("text"))


def compact(value: Any) -> str:
    """Arguments as compact JSON text; text that is JSON already is made compact, other text stays."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    return as_json(value)


def agent_or_sub(*, subagent: bool) -> Author:
    """Who speaks in a session of this kind."""
    return Author.SUBAGENT if subagent else Author.AGENT


def asker(*, subagent: bool) -> Author:
    """Who asks in a session of this kind: a subagent is asked by an agent, never by a person."""
    return Author.AGENT if subagent else Author.HUMAN
