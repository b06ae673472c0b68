"""Claude Code: `~/.claude/projects/<slug>/<session>.jsonl`, one row per content block.

What a row is, is told by its fields, so 1.0 files with inlined subagents and 2.x files with separate ones are
read by the same rules. Two traps shape this module: a prompt typed while the agent is busy exists only as an
attachment, and much of what stands in `user` rows was never typed by a user. The folder name is a lossy slug:
the working directory comes from the rows.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from slowwave.model import Author, Entry, EntryKind, Session, SessionKind, TurnStatus
from slowwave.transcripts.formats import claude_fields, injected, walk
from slowwave.transcripts.formats.protocol import (
    OWN_MARK,
    Fidelity,
    Parser,
    Place,
    Shape,
    as_json,
    dict_of,
    image_mark,
    list_of,
    number_of,
    text_of,
    time_of,
)

NAME: str = "claude-code"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("1.0.72", "2.1.197")
FIELDS: type = claude_fields.FIELDS


_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_FILE = re.compile(rf"^(?:{_UUID}|agent-[0-9A-Za-z_-]+)\.jsonl$")
_HARNESS = re.compile(
    r"^\s*(?:<(?:command-name|command-message|command-args|local-command-|bash-input|bash-stdout|bash-stderr"
    r"|task-notification|user-memory-input)|Caveat: The messages below)"
)
_INTERRUPTED = re.compile(r"^\s*\[Request interrupted")
# An allow-list: `tool_use`, `pause_turn` and null go on. `stop` and `length` are other vendors' words for it.
_ENDS = frozenset(
    {"end_turn", "stop_sequence", "max_tokens", "refusal", "stop", "length", "model_context_window_exceeded"}
)
_STATE_ROWS = frozenset(
    {"queue-operation", "last-prompt", "file-history-snapshot", "ai-title", "permission-mode"}
)
_RECENT = 4096  # rows are repeated near each other; remembering all of a 4 GB file would not be bounded


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its sessions."""
    config = env.get("CLAUDE_CONFIG_DIR")
    return ((Path(config) if config else home / ".claude") / "projects",)


def discover(root: Path) -> Iterator[Path]:
    """Sessions and subagents' files below a folder, by name."""
    return walk.files(root, lambda name: bool(_FILE.match(name)))


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Rows of a conversation with Anthropic-shaped messages, or its state rows."""
    for row in first_records:
        kind = text_of(row.get("type"))
        message = dict_of(row.get("message"))
        if kind in {"user", "assistant"} and message.get("role", kind) == kind and "content" in message:
            return True
        if kind == "summary" and "leafUuid" in row:
            return True
        if kind in _STATE_ROWS and "sessionId" in row:
            return True
        if kind == "file-history-snapshot" and "messageId" in row:
            return True
    return False


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return ClaudeCodeParser(path)


class ClaudeCodeParser:
    """One file of it."""

    def __init__(self, path: Path) -> None:
        beside = path.parent.name == "subagents" or "subagents" in path.parts[-4:-1]
        sub = path.stem.startswith("agent-") or beside
        kind = SessionKind.SUBAGENT if sub else SessionKind.MAIN
        self.session = Session(NAME, path.stem, path, kind)
        self._blocks: OrderedDict[str, int] = OrderedDict()  # message.id → blocks seen, for their identity
        self._seen: OrderedDict[str, int] = OrderedDict()  # row uuid → its place among the rows
        self._rows = 0
        self._spoken = 0  # the place of the agent's newest row

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one row."""
        kind = text_of(record.get("type"))
        if kind not in {"user", "assistant", "system", "attachment"}:
            return
        self._learn(record, kind)
        if self._repeated(text_of(record.get("uuid"))):
            return
        row = _Row(record, place, inline=bool(record.get("isSidechain")) and not self._is_subagent)
        if kind == "user":
            yield from self._user(row)
        elif kind == "assistant":
            yield from self._assistant(row)
            self._spoken = self._spoken if row.inline else self._rows
        elif kind == "system":
            yield from _system(row)
        else:
            yield from _attachment(row)

    def held(self) -> tuple[Entry, ...]:
        """Nothing waits: every row of it says what it is."""
        return ()

    @property
    def _is_subagent(self) -> bool:
        return self.session.kind is SessionKind.SUBAGENT

    def _learn(self, record: Mapping[str, Any], kind: str) -> None:
        s = self.session
        if s.version and s.cwd:
            return
        owner = text_of(record.get("sessionId"))
        # A sidechain's own file that lost its name: only it starts with a sidechain row that names its agent.
        if kind != "system" and not s.version and record.get("isSidechain") and record.get("agentId"):
            s = replace(s, kind=SessionKind.SUBAGENT)
        if s.kind is SessionKind.SUBAGENT:
            s = replace(s, parent_session_id=s.parent_session_id or owner)
        elif owner and not re.fullmatch(_UUID, s.session_id):
            s = replace(s, session_id=owner)
        if text_of(record.get("entrypoint")).startswith(OWN_MARK):
            s = replace(s, kind=SessionKind.OWN)
        self.session = replace(
            s,
            cwd=s.cwd or text_of(record.get("cwd")),
            git_branch=s.git_branch or text_of(record.get("gitBranch")),
            version=s.version or text_of(record.get("version")),
        )

    def _repeated(self, uuid: str) -> bool:
        if not uuid:
            return False
        if uuid in self._seen:
            return True
        self._rows += 1
        self._seen[uuid] = self._rows
        if len(self._seen) > _RECENT:
            self._seen.popitem(last=False)
        return False

    def _next_block(self, message_id: str) -> int:
        n = self._blocks.pop(message_id, 0)
        self._blocks[message_id] = n + 1
        if len(self._blocks) > 64:  # responses interleave with few others only
            self._blocks.popitem(last=False)
        return n

    # ------------------------------------------------------------------ rows
    def _user(self, row: "_Row") -> Iterator[Entry]:
        texts: list[str] = []
        for block in row.blocks:
            if block.get("type") == "tool_result":
                yield _tool_result(row, block)
            elif shown := _shown(block):
                texts.append(shown)
        text = "\n".join(texts)
        if not text.strip():
            return
        if row.inline:
            yield row.entry(EntryKind.NOTICE, Author.SUBAGENT, text)
        elif _INTERRUPTED.match(text):
            yield row.entry(EntryKind.NOTICE, Author.HARNESS, text)
            yield row.entry(EntryKind.TURN_END, Author.HARNESS, "", ":end", ends=TurnStatus.INTERRUPTED)
        elif row.is_harness or _HARNESS.match(text):
            yield row.entry(EntryKind.NOTICE, Author.HARNESS, text)
        else:
            author = Author.AGENT if self._is_subagent else Author.HUMAN
            yield from self._rewound(row)
            yield from _prompt(row, text, author, joins=False)

    def _rewound(self, row: "_Row") -> Iterator[Entry]:
        """A mark when a prompt continues before what the agent said last: that branch was abandoned.

        A reader that starts here after a restart has not seen the row it continues, and leaves the mark out.
        """
        parent = text_of(row.record.get("parentUuid"))
        if parent in self._seen and self._seen[parent] < self._spoken:
            text = "the conversation went back; what the agent said since was abandoned"
            notice = row.entry(EntryKind.NOTICE, Author.HARNESS, text, ":rewind")
            yield replace(notice, tool="rewind", call_id=parent)

    def _assistant(self, row: "_Row") -> Iterator[Entry]:
        message = row.message
        failed = bool(row.record.get("isApiErrorMessage"))
        if failed or message.get("model") == "<synthetic>":
            text = "\n".join(filter(None, map(_shown, row.blocks)))
            yield row.entry(EntryKind.NOTICE, Author.HARNESS, text)
            if failed:
                yield row.entry(EntryKind.TURN_END, Author.HARNESS, text, ":end", ends=TurnStatus.FAILED)
            return
        message_id = text_of(message.get("id")) or row.native_id
        author = Author.SUBAGENT if row.inline or self._is_subagent else Author.AGENT
        step, context = ("" if row.inline else message_id), _context(message)
        goes_on = False
        for block in row.blocks:
            native = f"{message_id}#{self._next_block(message_id)}"
            if str(block.get("type")).endswith("tool_result"):
                yield _tool_result(row, block)
                continue
            goes_on = goes_on or block.get("type") == "tool_use"
            yield _model_block(row, block, author, native_id=native, step_id=step, context=context)
        if not row.blocks:
            native = f"{message_id}#-"
            yield row.entry(EntryKind.STEP, author, "", native_id=native, step_id=step, context=context)
        if text_of(message.get("stop_reason")) in _ENDS and step and not goes_on:
            ends = TurnStatus.COMPLETED
            yield row.entry(EntryKind.TURN_END, Author.HARNESS, "", ":end", step_id=step, ends=ends)


class _Row:
    """A row and its place, with the fields every entry of it shares."""

    def __init__(self, record: Mapping[str, Any], place: Place, *, inline: bool) -> None:
        self.record = record
        self.place = place
        self.inline = inline
        self.message = dict_of(record.get("message"))
        self.blocks = blocks_of(self.message.get("content"))
        self.native_id = text_of(record.get("uuid")) or place.native_id
        self._at = time_of(record.get("timestamp"))

    @property
    def is_harness(self) -> bool:
        """Marked as not typed by anybody."""
        r = self.record
        origin = dict_of(r.get("origin")).get("kind", "human")
        meta = r.get("isMeta") or r.get("isCompactSummary") or r.get("isVisibleInTranscriptOnly")
        return bool(meta) or r.get("promptSource") == "system" or origin != "human"

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
        ends: TurnStatus | None = None,
        joins: bool = False,
        context: tuple[int, int] | None = None,
    ) -> Entry:
        p = self.place
        return Entry(
            kind,
            author,
            text,
            native_id or self.native_id + suffix,
            p.offset,
            p.length,
            step_id,
            self._at,
            tool,
            call_id,
            ok,
            ends,
            joins,
            context,
            damaged=p.damaged,
        )


def blocks_of(content: Any) -> list[Mapping[str, Any]]:
    """Content as blocks; a plain string is one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [b if isinstance(b, dict) else {"type": "text", "text": text_of(b)} for b in list_of(content)]


def _shown(block: Mapping[str, Any]) -> str:
    """A block as text: words as they are, an image as its hash."""
    if text_of(block.get("type")) in {"image", "document"}:
        source = dict_of(block.get("source"))
        return image_mark(source.get("data")) if source.get("data") else ""
    return text_of(block.get("text"))


def _prompt(row: _Row, text: str, author: Author, *, joins: bool) -> Iterator[Entry]:
    typed, around = injected.cut(text)
    for n, block in enumerate(around):
        yield row.entry(EntryKind.NOTICE, Author.HARNESS, block, f":notice{n}")
    if typed.strip():
        yield row.entry(EntryKind.PROMPT, author, typed, joins=joins)


def _tool_result(row: _Row, block: Mapping[str, Any]) -> Entry:
    call = text_of(block.get("tool_use_id"))
    text = "\n".join(filter(None, map(_shown, blocks_of(block.get("content")))))
    failed = block.get("is_error")
    return row.entry(
        EntryKind.TOOL_RESULT,
        Author.TOOL,
        text,
        native_id=f"{call}:result" if call else row.native_id,
        call_id=call,
        ok=not failed if isinstance(failed, bool) else None,
    )


class _Shared(TypedDict):
    """What every block of a response has."""

    native_id: str
    step_id: str
    context: tuple[int, int] | None


def _model_block(row: _Row, block: Mapping[str, Any], author: Author, **shared: Unpack[_Shared]) -> Entry:
    kind = text_of(block.get("type"))
    if kind == "thinking":
        return row.entry(EntryKind.REASONING, author, text_of(block.get("thinking")), **shared)
    if kind.endswith("tool_use"):  # also `server_tool_use`, `mcp_tool_use`
        arguments = as_json(block.get("input"))
        tool, call = text_of(block.get("name")), text_of(block.get("id"))
        return row.entry(EntryKind.TOOL_CALL, author, arguments, tool=tool, call_id=call, **shared)
    text = _shown(block)
    return row.entry(EntryKind.TEXT if text else EntryKind.STEP, author, text, **shared)


def _context(message: Mapping[str, Any]) -> tuple[int, int] | None:
    usage = dict_of(message.get("usage"))
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    used = sum(number_of(usage.get(n)) for n in names)
    # The rows never tell the window; only the long-context models name it.
    return (used, 1_000_000 if "[1m]" in text_of(message.get("model")) else 0) if used else None


def _system(row: _Row) -> Iterator[Entry]:
    subtype = text_of(row.record.get("subtype"))
    text = text_of(row.record.get("content"))
    if subtype == "compact_boundary":
        trigger = text_of(dict_of(row.record.get("compactMetadata")).get("trigger")) or "unknown"
        yield row.entry(EntryKind.COMPACTION, Author.HARNESS, trigger)
    elif subtype == "turn_duration":
        # Confirms an end whose stop reason this module does not know; absent when run without a terminal.
        yield row.entry(EntryKind.TURN_END, Author.HARNESS, "", ":end", ends=TurnStatus.COMPLETED)
    elif subtype in {"api_error", "local_command"} and text:
        yield row.entry(EntryKind.NOTICE, Author.HARNESS, text)


def _attachment(row: _Row) -> Iterator[Entry]:
    """A prompt typed while the agent was busy; every other attachment is context the harness adds."""
    attachment = dict_of(row.record.get("attachment"))
    if attachment.get("type") != "queued_command" or row.inline:
        return
    prompt = "\n".join(filter(None, map(_shown, blocks_of(attachment.get("prompt")))))
    if attachment.get("commandMode", "prompt") == "prompt" and not _HARNESS.match(prompt):
        yield from _prompt(row, prompt, Author.HUMAN, joins=True)
    elif prompt:
        yield row.entry(EntryKind.NOTICE, Author.HARNESS, prompt)
