"""Cline and Roo Code: one JSON document per session, written whole at each save.

The command line keeps `~/.cline/data/sessions/<id>/<id>.messages.json` with its settings beside it; in VS Code
a task is `tasks/<id>/api_conversation_history.json`. Prompts are wrapped in a tag of their own and the editor's
state is appended to them. Older versions write results as text of the user, and no ids: there the place is the
identity. What was left out of the context is kept in another file and is no session.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Session, SessionKind, TurnStatus
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
from slowwave.transcripts.formats.rows import RowEntries, agent_or_sub, asker, compact, shown, shown_block

NAME: str = "cline"
SHAPE: Shape = "whole"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("3.0.65",)

_OLD = "api_conversation_history.json"
_TYPED = re.compile(r"<(user_input|task|feedback|user_message|answer)\b[^>]*>\s*(.*?)\s*</\1>", re.DOTALL)
_AROUND = re.compile(
    r"<(?:environment_details|SYSTEM_NOTICE|file_content|explicit_instructions)\b.*?"
    r"(?:</(?:environment_details|SYSTEM_NOTICE|file_content|explicit_instructions)>|\Z)",
    re.DOTALL,
)
_OLD_RESULT = re.compile(r"^\[[a-z_]+(?: for .*)?\] Result:|^\[ERROR\]|^\[TASK RESUMPTION\]")


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The command line's sessions, and the tasks of both extensions in VS Code."""
    base = Path(env["CLINE_DIR"]) if env.get("CLINE_DIR") else home / ".cline"
    code = Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"
    storage = code / "Code" / "User" / "globalStorage"
    names = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
    return base / "data" / "sessions", *(storage / name / "tasks" for name in names)


def discover(root: Path) -> Iterator[Path]:
    """Sessions and tasks below a folder, by name."""
    return walk.files(root, lambda name: name.endswith(".messages.json") or name == _OLD)


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a message of it."""
    return text_of(row.get("role")) in {"user", "assistant"} and "content" in row


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:
    """A document of messages with roles and blocks; a bare list of them only under its own name."""
    if path.name.endswith((".compaction.json", ".jsonl")):
        return False
    header = dict_of(first_records[0].get("header")) if first_records else {}
    spoken = any(is_row(row) for row in first_records[1:])
    return spoken and ("sessionId" in header or path.name == _OLD)


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return ClineParser(path)


def extent(path: Path) -> Extent:
    """Its size and time."""
    return documents.extent(path)


def load(path: Path) -> Loaded:
    """The document, and what the file beside it says of the session."""
    beside = path.with_name(path.name.removesuffix(".messages.json") + ".json")
    known = documents.read_object(beside) if beside != path else {}
    task = documents.read_object(path.with_name("history_item.json")) if path.name == _OLD else {}
    about = {
        "cwd": text_of(known.get("cwd")) or text_of(task.get("workspace")),
        "branch": text_of(dict_of(dict_of(known.get("metadata")).get("git")).get("branch")),
        "parent": text_of(known.get("parent_session_id")),
        "sub": bool(known.get("is_subagent")),
    }
    return documents.load(path, is_row, about)


class ClineParser:
    """One session or task."""

    def __init__(self, path: Path) -> None:
        name = path.parent.name if path.name == _OLD else path.name.removesuffix(".messages.json")
        self.session = Session(NAME, name, path)

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits."""
        return ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one message."""
        if "header" in record:
            self._learn(dict_of(record.get("header")))
            return
        if not is_row(record):
            return
        row = RowEntries(place, text_of(record.get("id")), time_of(record.get("ts")))
        meta = dict_of(record.get("metadata"))
        if record.get("isSummary") or text_of(meta.get("kind")).startswith("compaction"):
            yield row.compaction("manual" if "manual" in text_of(meta.get("reason")) else "unknown")
            yield row.notice(shown(record.get("content")))
        elif record["role"] == "user":
            yield from self._user(record, row)
        else:
            yield from self._assistant(record, row)

    def _learn(self, header: Mapping[str, Any]) -> None:
        origin = dict_of(header.get("origin"))
        self.session = replace(
            self.session,
            session_id=text_of(header.get("sessionId")) or self.session.session_id,
            cwd=text_of(header.get("cwd")),
            git_branch=text_of(header.get("branch")),
            version=text_of(origin.get("version")),
            parent_session_id=text_of(header.get("parent")),
            kind=SessionKind.SUBAGENT if header.get("sub") else SessionKind.MAIN,
        )

    @property
    def _sub(self) -> bool:
        return self.session.kind is SessionKind.SUBAGENT

    def _user(self, record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        texts = []
        for block in _blocks(record):
            if block.get("type") == "tool_result":
                yield _result(block, row)
            elif text := shown_block(block):
                texts.append(text)
        text = "\n".join(texts)
        for n, around in enumerate(m.group() for m in _AROUND.finditer(text)):
            yield row.notice(around, f":around{n}")
        text = _AROUND.sub("", text).strip()
        if not text:
            return
        typed = "\n".join(m.group(2) for m in _TYPED.finditer(text))
        if _OLD_RESULT.match(text):
            yield row.result(_TYPED.sub("", text), "")
        elif not typed:
            typed = text
        yield from row.prompt(typed, asker(subagent=self._sub))

    def _assistant(self, record: Mapping[str, Any], row: RowEntries) -> Iterator[Entry]:
        step, author, goes_on = row.native_id, agent_or_sub(subagent=self._sub), False
        context = _context(dict_of(record.get("metrics")))
        entries = []
        for n, block in enumerate(_blocks(record)):
            kind, suffix = block.get("type"), f"#{n}"
            if kind == "tool_use":
                goes_on = goes_on or block.get("name") != "attempt_completion"
                made = row.entry(EntryKind.TOOL_CALL, author, compact(block.get("input")), suffix)
                entries.append(
                    replace(made, tool=text_of(block.get("name")), call_id=text_of(block.get("id")))
                )
            elif kind == "thinking":
                text = text_of(block.get("thinking")) or text_of(block.get("text"))
                entries.append(row.entry(EntryKind.REASONING, author, text, suffix))
            elif text := shown_block(block):
                entries.append(row.entry(EntryKind.TEXT, author, text, suffix))
        entries = entries or [row.entry(EntryKind.STEP, author, "", "#-")]
        yield from (replace(e, step_id=step, context=context) for e in entries)
        if not goes_on:
            yield row.end(TurnStatus.COMPLETED, step_id=step)


def _blocks(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = record.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [dict_of(b) for b in list_of(content)]


def _result(block: Mapping[str, Any], row: RowEntries) -> Entry:
    failed, content = block.get("is_error"), block.get("content")
    ok = not failed if isinstance(failed, bool) else None
    parts = [dict_of(p) for p in list_of(content)]
    done = [p["success"] for p in parts if isinstance(p.get("success"), bool)]
    results = [text_of(p.get("result")) or text_of(p.get("error")) or shown_block(p) for p in parts]
    text = "\n".join(filter(None, results)) or shown(content)
    return replace(
        row.result(text, text_of(block.get("tool_use_id")), tool=text_of(block.get("name"))),
        ok=all(done) if done else ok,
        author=Author.TOOL,
    )


def _context(metrics: Mapping[str, Any]) -> tuple[int, int] | None:
    used = number_of(metrics.get("inputTokens")) + number_of(metrics.get("outputTokens"))
    return (used, 0) if used else None
