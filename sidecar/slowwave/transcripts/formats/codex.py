"""Codex CLI: `~/.codex/sessions/Y/M/D/rollout-<time>-<thread>.jsonl`, one event per row.

The same thing is told two or three times in a rollout, so one family is used for each: prompts come from
the events (`user_message`, or `item_completed/UserMessage` in paginated mode), the agent's words and calls
from the model-facing `response_item` rows. Two traps shape this module. A response is a run of rows and its
id comes after them, in `token_usage_record`. And the last reply before `compacted` is the summary, which
looks like any other reply, so a run is held back until the next row says which it was.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Session, SessionKind, TurnStatus, altered
from slowwave.transcripts.formats import codex_rows, injected, walk
from slowwave.transcripts.formats.codex_rows import CodexRow, compact, ending, output_text, shown
from slowwave.transcripts.formats.protocol import (
    OWN_MARK,
    Fidelity,
    Parser,
    Place,
    Shape,
    dict_of,
    image_mark,
    list_of,
    number_of,
    text_of,
)

NAME: str = "codex"
SHAPE: Shape = "lines"
FIDELITY: Fidelity = "full"
VERSIONS: tuple[str, ...] = ("0.98.0", "0.144.1", "0.171.0")
FIELDS: type = codex_rows.FIELDS


_FILE = re.compile(r"^rollout-.+\.jsonl(?:\.zst)?$")
_THREAD = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_INJECTED = re.compile(
    r"^\s*(?:<(?:environment_context|user_instructions|user_shell_command|turn_aborted|skill\b|slowwave-memory)"
    r"|# AGENTS\.md instructions)"
)
_CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
)
_KINDS = frozenset(
    {"session_meta", "response_item", "turn_context", "token_usage_record", "compacted", "event_msg"}
)
_EVENTS = frozenset(
    {"token_count", "item_completed", "user_message", "task_started", "task_complete", "turn_aborted"}
    | {"thread_rolled_back"}
)
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where it keeps its rollouts."""
    base = Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else home / ".codex"
    return base / "sessions", base / "archived_sessions"


def discover(root: Path) -> Iterator[Path]:
    """Rollouts below a folder, by name; a packed one only when the plain one is not there too."""
    for path in walk.files(root, lambda name: bool(_FILE.match(name))):
        if path.suffix != ".zst" or not path.with_suffix("").exists():
            yield path


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:  # noqa: ARG001  the shape
    """Rows with a payload, of the types only a rollout has."""
    types = {"session_meta", "response_item", "event_msg", "turn_context"}
    return any(text_of(r.get("type")) in types and isinstance(r.get("payload"), dict) for r in first_records)


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return CodexParser(path)


@dataclass
class _Run:
    """The rows of one model response, so far."""

    entries: list[Entry] = field(default_factory=list)
    name: str = ""
    response_id: str = ""
    recorded: Entry | None = None
    context: tuple[int, int] | None = None

    @property
    def speaks_only(self) -> bool:
        return not any(e.kind is EntryKind.TOOL_CALL for e in self.entries)

    @property
    def answers(self) -> bool:
        """A reply without a call: the agent is done."""
        return self.speaks_only and any(e.kind is EntryKind.TEXT for e in self.entries)

    def __bool__(self) -> bool:
        return bool(self.entries) or self.recorded is not None


class CodexParser:
    """One rollout."""

    def __init__(self, path: Path) -> None:
        stem = path.name.removesuffix(".zst").removesuffix(".jsonl")
        thread = _THREAD.search(stem)
        self.session = Session(NAME, thread.group() if thread else stem, path)
        self._run = _Run()
        self._last_step = ""
        self._unrecorded = False  # the last run was passed on before its usage record came
        self._task: str | None = None  # the running task's trigger, when the source writes task marks
        self._turn_id = ""  # of the running task; a copied history keeps it
        self._named = 0  # prompts and runs named after it
        self._active = False  # a prompt or a step since the last end
        self._family = ""  # which prompt event this file uses
        self._exits: OrderedDict[str, int] = OrderedDict()
        self._told: tuple[int, int] | None = None

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries this row completes."""
        kind = text_of(record.get("type"))
        if kind not in _KINDS:
            return
        row = CodexRow(record, place)
        if kind == "event_msg" and row.kind not in _EVENTS:
            return
        if kind == "session_meta":
            self._learn(row.payload)
        elif kind == "response_item":
            yield from self._item(row)
        elif kind == "turn_context":
            yield from self._flush()  # up to 0.98 it stands before every call of the model
        elif kind == "token_usage_record":
            yield from self._usage(row)
        elif kind == "compacted":
            yield from self._compacted(row)
        elif kind == "event_msg":
            yield from self._event(row)

    def held(self) -> tuple[Entry, ...]:
        """The run that waits, as it would be passed on."""
        return tuple(self._shape(self._run)) if self._run else ()

    def _learn(self, meta: Mapping[str, Any]) -> None:
        own = text_of(meta.get("id"))
        if self.session.version:
            # A fork by copy has the headers of what it was made from behind its own; the last began it all. A
            # resume writes its own again.
            if own and own != self.session.session_id and self.session.kind is SessionKind.MAIN:
                self.session = replace(self.session, parent_session_id=own)
            return
        source = dict_of(meta.get("source"))
        spawn = dict_of(dict_of(source.get("subagent")).get("thread_spawn"))
        parent = text_of(meta.get("parent_thread_id")) or text_of(spawn.get("parent_thread_id"))
        forked = text_of(meta.get("forked_from_id"))
        kind = SessionKind.SUBAGENT if parent or "subagent" in source else SessionKind.MAIN
        if text_of(meta.get("originator")).startswith(OWN_MARK):
            kind = SessionKind.OWN
        self.session = replace(
            self.session,
            session_id=own or self.session.session_id,
            kind=kind,
            cwd=text_of(meta.get("cwd")),
            parent_session_id=parent or forked,
            git_branch=text_of(dict_of(meta.get("git")).get("branch")),
            version=text_of(meta.get("cli_version")) or "unknown",
        )

    # ------------------------------------------------------------------ model-facing rows
    def _item(self, row: CodexRow) -> Iterator[Entry]:
        item = row.payload
        kind = row.kind
        if kind == "reasoning" or kind in _CALLS or (kind == "message" and item.get("role") == "assistant"):
            if self._run.response_id:
                yield from self._flush()
            if not self._run.entries:
                self._run.name = self._name(row)
            self._run.entries.append(self._model_entry(row))
        elif kind in _OUTPUTS:
            yield from self._flush()
            yield self._output(row)
        elif kind == "message" and item.get("role") == "user":
            yield from self._flush()
            text = shown(item.get("content"))
            if _INJECTED.match(text):
                yield row.entry(EntryKind.NOTICE, Author.HARNESS, text)

    def _model_entry(self, row: CodexRow) -> Entry:
        item, kind = row.payload, text_of(row.payload.get("type"))
        author = Author.SUBAGENT if self.session.kind is SessionKind.SUBAGENT else Author.AGENT
        if kind == "message":
            return row.entry(EntryKind.TEXT, author, shown(item.get("content")))
        if kind == "reasoning":
            return row.entry(EntryKind.REASONING, author, shown(item.get("summary")))
        call = text_of(item.get("call_id"))
        asked = item.get("arguments", item.get("input", item.get("action")))
        return row.entry(
            EntryKind.TOOL_CALL,
            author,
            compact(asked),
            native_id=call or row.native_id,
            tool=text_of(item.get("name")) or kind.removesuffix("_call"),
            call_id=call,
        )

    def _output(self, row: CodexRow) -> Entry:
        call = text_of(row.payload.get("call_id"))
        text, exit_code = output_text(row.payload.get("output"))
        exit_code = self._exits.pop(call, exit_code)
        return row.entry(
            EntryKind.TOOL_RESULT,
            Author.TOOL,
            text,
            native_id=f"{call}:result" if call else row.native_id,
            call_id=call,
            ok=None if exit_code is None else exit_code == 0,
        )

    def _usage(self, row: CodexRow) -> Iterator[Entry]:
        if not self._run and self._unrecorded:
            self._unrecorded = False
            return
        if self._run.response_id:
            yield from self._flush()
        self._run.response_id = text_of(row.payload.get("response_id")) or row.native_id
        self._run.recorded = row.entry(EntryKind.STEP, Author.AGENT, "")

    def _name(self, row: CodexRow) -> str:
        """An identity for what has none: its turn's, with a number. Codex copies turn ids into legacy forks."""
        if not self._turn_id:
            return row.native_id
        self._named += 1
        return f"{self._turn_id}:{self._named}"

    def _flush(self) -> Iterator[Entry]:
        """Pass the held run on."""
        run, self._run = self._run, _Run()
        if not run:
            return
        entries = self._shape(run)
        self._last_step = entries[0].step_id
        self._unrecorded = not run.response_id
        self._active = entries[-1].kind is not EntryKind.TURN_END
        yield from entries

    def _shape(self, run: _Run) -> list[Entry]:
        step = run.response_id or f"run:{run.name}"
        entries = [altered(e, step_id=step) for e in run.entries]
        if not entries and run.recorded:
            entries = [replace(run.recorded, step_id=step, native_id=step)]
        if run.context:
            entries[-1] = altered(entries[-1], context=run.context)
        if self._task is None and run.answers:
            # Before 0.118 nothing marks an end: a reply without a call is one.
            end = replace(entries[-1], kind=EntryKind.TURN_END, author=Author.HARNESS, text="", context=None)
            entries.append(replace(end, native_id=f"{step}:end", ends=TurnStatus.COMPLETED))
        return entries

    def _compacted(self, row: CodexRow) -> Iterator[Entry]:
        if self._run and self._run.speaks_only:
            self._run = _Run()  # the summary, and its usage record: no part of the conversation
        yield from self._flush()
        # `/compact` is a task of its own that no user turn triggered.
        trigger = "auto" if self._active or self._task else "manual"
        yield row.entry(EntryKind.COMPACTION, Author.HARNESS, trigger)

    # ------------------------------------------------------------------ events
    def _event(self, row: CodexRow) -> Iterator[Entry]:
        kind = row.kind
        item = dict_of(row.payload.get("item"))
        if kind == "token_count":
            yield from self._pressure(row)
        elif kind == "item_completed" and item.get("type") == "CommandExecution":
            if isinstance(item.get("exit_code"), int):
                self._exits[text_of(item.get("id"))] = item["exit_code"]
                if len(self._exits) > 256:  # a late one waits for no output
                    self._exits.popitem(last=False)
        elif kind == "user_message" or (kind == "item_completed" and item.get("type") == "UserMessage"):
            yield from self._prompt(row, kind, item)
        elif kind == "task_started":
            yield from self._flush()
            self._turn_id, self._named = text_of(row.payload.get("turn_id")), 0
            attribution = dict_of(row.payload.get("turn_attribution"))
            self._task = text_of(attribution.get("turn_trigger"))
            self._boundary()
            yield row.entry(EntryKind.TURN_START, Author.HARNESS, "", ":start")
        elif kind in {"task_complete", "turn_aborted"}:
            yield from self._flush()
            self._task = ""
            self._boundary()
            yield ending(row)
            self._turn_id = ""
        elif kind == "thread_rolled_back":
            yield from self._flush()
            turns = number_of(row.payload.get("num_turns"))
            notice = row.entry(
                EntryKind.NOTICE, Author.HARNESS, f"the last {turns} turns were taken back", ":back"
            )
            yield replace(notice, tool="rewind")

    def _boundary(self) -> None:
        """Forget the turn: a reader that starts here must see what one that came by sees."""
        self._active, self._unrecorded = False, False
        self._last_step, self._told = "", None

    def _prompt(self, row: CodexRow, family: str, item: Mapping[str, Any]) -> Iterator[Entry]:
        self._family = self._family or family
        if family != self._family:
            return
        yield from self._flush()
        if family == "user_message":
            images = [image_mark(i) for i in list_of(row.payload.get("images"))]
            text = "\n".join([*images, text_of(row.payload.get("message"))])
            row.native_id = self._name(row)
        else:
            text = shown(item.get("content"))
            row.native_id = text_of(item.get("id")) or row.native_id
        typed, around = injected.cut(text)
        for n, block in enumerate(around):
            yield row.entry(EntryKind.NOTICE, Author.HARNESS, block, f":notice{n}")
        if typed.strip():
            joins = self._task is not None and self._active
            author = Author.AGENT if self.session.kind is SessionKind.SUBAGENT else Author.HUMAN
            if not joins:
                self._boundary()
            self._active = True
            yield replace(row.entry(EntryKind.PROMPT, author, typed), joins=joins)

    def _pressure(self, row: CodexRow) -> Iterator[Entry]:
        info = dict_of(row.payload.get("info"))
        used = number_of(dict_of(info.get("last_token_usage")).get("total_tokens"))
        context = (used, number_of(info.get("model_context_window")))
        if not used:
            return
        if self._run:
            self._run.context = context
        elif self._told != context:  # the same count is written several times
            yield row.entry(EntryKind.STEP, Author.AGENT, "", step_id=self._last_step, context=context)
        self._told = context
