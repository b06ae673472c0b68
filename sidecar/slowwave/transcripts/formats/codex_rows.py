"""One row of a Codex rollout: the fields that mean something to `codex`, its entries, and text out of them."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypedDict

from slowwave.model import Author, Entry, EntryKind, TurnStatus
from slowwave.transcripts.formats.protocol import (
    Place,
    as_json,
    dict_of,
    image_mark,
    list_of,
    text_of,
    time_of,
)

_EXIT = re.compile(r"(?:Process exited with code|Exit code:) (-?\d+)")


class _Item(TypedDict, total=False):
    type: Any
    id: Any
    exit_code: Any
    content: Any


class _Payload(TypedDict, total=False):
    type: Any
    id: Any
    turn_id: Any
    role: Any
    content: Any
    summary: Any
    call_id: Any
    name: Any
    arguments: Any
    input: Any
    action: Any
    output: Any
    response_id: Any
    message: Any
    images: Any
    info: Any
    error: Any
    num_turns: Any
    turn_attribution: Any
    source: Any
    parent_thread_id: Any
    forked_from_id: Any
    originator: Any
    cwd: Any
    git: Any
    cli_version: Any
    item: _Item


class FIELDS(TypedDict, total=False):
    """What is looked at in a row. Left out: copies of outputs in events, instructions, encrypted reasoning."""

    timestamp: Any
    type: Any
    payload: _Payload


class CodexRow:
    """A row and its place, with the fields every entry of it shares."""

    def __init__(self, record: Mapping[str, Any], place: Place) -> None:
        self.payload = dict_of(record.get("payload"))
        self.kind = text_of(self.payload.get("type"))
        named = text_of(self.payload.get("id")) or text_of(self.payload.get("turn_id"))
        self.native_id = named or place.native_id
        self._stamp = record.get("timestamp")
        self._place = place

    def entry(
        self,
        kind: EntryKind,
        author: Author,
        text: str,
        suffix: str = "",
        *,
        native_id: str = "",
        step_id: str = "",
        tool: str = "",
        call_id: str = "",
        ok: bool | None = None,
        context: tuple[int, int] | None = None,
    ) -> Entry:
        """An entry at this row's place."""
        p = self._place
        return Entry(
            kind,
            author,
            text,
            native_id or self.native_id + suffix,
            p.offset,
            p.length,
            step_id,
            time_of(self._stamp),
            tool,
            call_id,
            ok,
            context=context,
            damaged=p.damaged,
        )


def ending(row: CodexRow) -> Entry:
    """The turn's end a row marks, with the error as its text."""
    error = row.payload.get("error")
    if row.payload.get("type") == "turn_aborted":
        status = TurnStatus.INTERRUPTED
    else:
        status = TurnStatus.FAILED if error else TurnStatus.COMPLETED
    text = text_of(dict_of(error).get("message")) or text_of(error)
    return replace(row.entry(EntryKind.TURN_END, Author.HARNESS, text, ":end"), ends=status)


def shown(content: Any) -> str:
    """Content blocks as text; an image is its hash, a local one its path."""
    if isinstance(content, str):
        return content
    shown = []
    for block in map(dict_of, list_of(content)):
        url = dict_of(block.get("image_url")).get("url", block.get("image_url"))
        if isinstance(url, str):
            shown.append(image_mark(url.partition(",")[2]) if url.startswith("data:") else f"[image {url}]")
        elif block.get("type") == "local_image":
            shown.append(f"[image {text_of(block.get('path'))}]")
        else:
            shown.append(text_of(block.get("text")))
    return "\n".join(filter(None, shown))


def compact(value: Any) -> str:
    """Arguments as compact JSON text; what is no JSON stays as it is."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    return as_json(value)


def output_text(output: Any) -> tuple[str, int | None]:
    """A result as text, and the exit code when it tells one."""
    if isinstance(output, str) and output.startswith('{"'):
        try:
            output = json.loads(output)  # up to 0.98 the shell's output is JSON inside a string
        except (ValueError, RecursionError):
            pass
        else:
            output = output if "output" in dict_of(output) else json.dumps(output, ensure_ascii=False)
    if isinstance(output, dict):
        code = dict_of(output.get("metadata")).get("exit_code")
        inner = output.get("output", output.get("content"))
        return shown(inner), code if isinstance(code, int) else None
    text = shown(output)
    found = _EXIT.search(text[:400])
    return text, int(found.group(1)) if found else None
