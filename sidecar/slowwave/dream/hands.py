"""The tools a model is given, over the toolbox of a dream: what each is called, takes, does and answers.

The file tools have the shape of the usual text-editor and memory tools. `learn` is the one that matters: it writes a
line with its evidence and seal, and checks both before it writes, so that a model hears at once what would not pass
and can mend it while the answer is still being paid for. Whatever comes in or goes out is redacted. A call that
cannot be done is an answer to the model, never the end of the dream.

Engine 1. Nothing here is trusted: `validate` judges what is left behind.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Protocol, runtime_checkable

from slowwave.dream import provenance, report_check, support
from slowwave.dream.extract import Change
from slowwave.dream.offline import apply
from slowwave.dream.reflector import Toolbox
from slowwave.dream.validate import Invalid, Limits, WindowLoss, validate
from slowwave.errors import ScopeError, UsageError
from slowwave.memory import layout
from slowwave.memory.layout import Item
from slowwave.model import Author, Evidence, Learned, Project, Snapshot
from slowwave.models.protocol import Tool, ToolCall, ToolResult

_TEXT = {"type": "string"}
_PATH = {"type": "string", "description": "path below the memory root, e.g. projects/NAME/reference/facts.md"}
_ROLES = {layout.ROLE_WORDS[a]: a for a in (Author.HUMAN, Author.AGENT, Author.TOOL)}
_EVIDENCE = {
    "type": "array", "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "session": _TEXT, "turn": {"type": "integer"}, "role": {"enum": list(_ROLES)},
            "quote": {"type": "string", "description": "copied letter by letter from one entry of that turn"},
        },
        "required": ["session", "turn", "role", "quote"],
    },
}  # fmt: skip


def _tool(name: str, what: str, optional: Sequence[str] = (), /, **properties: Mapping[str, Any]) -> Tool:
    required = [key for key in properties if key not in optional]
    return Tool(
        name,
        what,
        {"type": "object", "properties": properties, "required": required, "additionalProperties": False},
    )


TOOLS: tuple[Tool, ...] = (
    _tool("list", "List the files of memory."),
    _tool("view", "Show a file of memory.", path=_PATH),
    _tool(
        "learn",
        "Write one line into a file of memory, with its evidence. The file is made when there is none.",
        ("description", "heading", "replaces"),
        path=_PATH, text=_TEXT, evidence=_EVIDENCE,
        description={"type": "string", "description": "what a new file is about, one sentence"},
        heading={"type": "string", "description": "the heading of the file to write below"},
        replaces={"type": "string", "description": "the text of the line in that file whose place it takes"},
    ),
    _tool("delete_line", "Remove a line of memory that a dream wrote.", path=_PATH, text=_TEXT),
    _tool("create", "Write a new file.", path=_PATH, text=_TEXT),
    _tool("str_replace", "Replace the only occurrence of a text in a file.", path=_PATH, old=_TEXT, new=_TEXT),
    _tool("insert", "Insert lines after a line, counted from 1; 0 is the top.", path=_PATH,
          line={"type": "integer"}, text=_TEXT),
    _tool("delete", "Remove a file.", path=_PATH),
    _tool("rename", "Move a file to a free path.", old=_PATH, new=_PATH),
)  # fmt: skip
_LOOKING = frozenset({"list", "view"})
_RAW = frozenset({"str_replace", "insert", "delete", "rename"})
SHELL = _tool(
    "bash",
    "Run a shell command, without network, in the folder of memory; other folders can be read where the person"
    " allows it.",
    command=_TEXT,
)
_BY_NAME = {tool.name: tool for tool in (*TOOLS, SHELL)}
_EVIDENCE_BYTES = 400  # what evidence and the head of a new file add to a line, more or less
_LONGEST_ANSWER = 60_000  # characters: the largest file validation lets through


@runtime_checkable
class HasShell(Protocol):
    """A toolbox that can also run commands."""

    def bash(self, command: str) -> str:
        """Run a command; what it said."""
        ...


class Hands:
    """The tools of one pass, over one batch."""

    def __init__(
        self, toolbox: Toolbox, snapshots: Sequence[Snapshot], project: Project, redact: Callable[[str], str]
    ) -> None:
        self.toolbox = toolbox
        self._snapshots = snapshots
        self._project = project
        self._redact = redact
        self._before = memory_of(toolbox)
        self._sources = support.Sources.of(snapshots, self._before)
        self._known = {e: i for text in self._before.values() for i in _items(text) for e in i.evidence}

    def _bash(self, command: str) -> str:
        """A shell is there only where the person wants one, and only inside walls that were proven."""
        if not isinstance(self.toolbox, HasShell):
            raise UsageError("there is no tool 'bash'")
        return self.toolbox.bash(command)

    @property
    def before(self) -> Mapping[str, str]:
        """Memory as it was when the pass began."""
        return self._before

    def act(self, call: ToolCall) -> ToolResult:
        """Do one call, or say why it cannot be done."""
        try:
            said = self._do(call.name, self._checked(call))
        except (UsageError, ScopeError) as error:
            said, failed = "; ".join(filter(None, (*error.problems, error.hint))), True
        else:
            failed = False
        return ToolResult(call.id, self._redact(said)[:_LONGEST_ANSWER], failed)

    def _do(self, name: str, given: Mapping[str, Any]) -> str:
        """Do it, unless a line of a person's would go by it, or the file is locked."""
        path = str(given.get("old" if name == "rename" else "path", ""))
        locked = layout.parse(path, self._before.get(path, "")).meta
        if name not in _LOOKING and any(locked.get(mark) is True for mark in ("pinned", "read_only")):
            raise UsageError(f"{path} is locked by the person, and stays as it is")
        old = self.toolbox.view(path) if name in _RAW and path in self.toolbox.list() else ""
        said: str = getattr(self, f"_{name}")(**given)
        new = self.toolbox.view(path) if old and path in self.toolbox.list() else ""
        if gone := next(support.persons_lines_gone(old, new), None):
            if name == "rename":
                self.toolbox.delete(str(given["new"]))
            apply(Change(path, new or None, old), self.toolbox)
            raise UsageError(f"{path}: {gone[:80]!r} was written by a person, and stays as it is")
        return said

    def _checked(self, call: ToolCall) -> dict[str, Any]:
        """The input as its schema wants it, with secrets out. Raises UsageError."""
        if call.problem:
            raise UsageError(call.problem)
        tool = _BY_NAME.get(call.name)
        if tool is None:
            raise UsageError(f"there is no tool {call.name!r}; there are: {', '.join(_BY_NAME)}")
        properties, required = tool.schema["properties"], tool.schema["required"]
        wrong = [f"{key} is missing" for key in required if key not in call.input]
        wrong += [f"{key} is unknown" for key in call.input if key not in properties]
        for key, value in call.input.items():
            kind = {"string": str, "integer": int, "array": list}.get(properties.get(key, {}).get("type", ""))
            if kind and (not isinstance(value, kind) or isinstance(value, bool)):
                wrong.append(f"{key} must be of type {properties[key]['type']}")
        if wrong:
            raise UsageError(f"{call.name}: {'; '.join(wrong)}")
        return {k: self._redact(v) if isinstance(v, str) else v for k, v in call.input.items()}

    def flaws(self, path: str, text: str) -> Iterator[str]:
        """What would not pass in a file as it stands now ("" when it is gone): what validation would refuse of it
        alone, and line by line what it would keep for a person although the model can mend it.
        """
        yield from self._refused(path, text)
        before = self._before.get(path, "")
        for line in support.persons_lines_gone(before, text):
            yield f"{line[:80]!r} was written by a person, and stays as it is"
        file = layout.parse(path, text)
        yield from report_check.marks(path, before, text)
        known = {item.raw for item in _items(before)}
        for item in layout.items(file.body):
            if item.raw not in known:
                wrong = support.flaws(item.text, item.evidence, path, self._sources)
                yield from (f"{item.text.splitlines()[0][:80]!r} {each}" for each in wrong)

    def _refused(self, path: str, text: str) -> tuple[str, ...]:
        before = {p: t.encode() for p, t in self._before.items()}
        after = {p: t for p, t in before.items() if p != path} | ({path: text.encode()} if text else {})
        verdict = validate(
            before, after, project=self._project, snapshots=self._snapshots, learned=(), window=WindowLoss(0, 0),
            redactor_findings=lambda said: (said,) if self._redact(said) != said else (), limits=Limits(),
        )  # fmt: skip
        return verdict.reasons if isinstance(verdict, Invalid) else ()

    # ------------------------------------------------------------------ files
    def _list(self) -> str:
        return "\n".join(self.toolbox.list()) or "(memory is empty)"

    def _view(self, path: str) -> str:
        return self.toolbox.view(path)

    def _create(self, path: str, text: str) -> str:
        self.toolbox.create(path, text)
        return f"{path} written"

    def _str_replace(self, path: str, old: str, new: str) -> str:
        self.toolbox.str_replace(path, old, new)
        return f"{path} changed"

    def _insert(self, path: str, line: int, text: str) -> str:
        self.toolbox.insert(path, line, text)
        return f"{path} changed"

    def _delete(self, path: str) -> str:
        self.toolbox.delete(path)
        return f"{path} removed"

    def _rename(self, old: str, new: str) -> str:
        self.toolbox.rename(old, new)
        return f"{old} is now {new}"

    # ------------------------------------------------------------------ lines
    def _learn(
        self,
        path: str,
        text: str,
        evidence: list[Any],
        description: str = "",
        heading: str = "",
        replaces: str = "",
    ) -> str:
        """Write one line with evidence and seal, after the checks it will meet again in validation."""
        cited = [self._evidence(each) for each in evidence]
        line = " ".join(text.split())
        wrong = [
            *provenance.flaws(cited, provenance.type_of(path), path, self._snapshots, self._known.keys()),
            *support.flaws(line, cited, path, self._sources),
        ]
        if not line or provenance.hidden(line):
            wrong.append("is empty, or holds invisible characters")
        if wrong:
            raise UsageError(*(f"the line {each}" for each in wrong))
        if not replaces and (there := self._where(line)):
            raise UsageError(f"{there} says so already")
        self._require_room(path, line)
        old = self.toolbox.view(path) if path in self.toolbox.list() else None
        new = self._with_line(
            path, old, layout.learned_item(line, self._dated(cited)), description, heading, replaces
        )
        apply(Change(path, old, new), self.toolbox)
        return f"learned in {path}"

    def _where(self, line: str) -> str:
        """The file that has this line, "" when none has."""
        files = memory_of(self.toolbox).items()
        return next(
            (p for p, text in files if any(" ".join(i.text.split()) == line for i in _items(text))), ""
        )

    def _require_room(self, path: str, line: str) -> None:
        """What is in every turn's context has a budget. Raises UsageError when it is spent."""
        where = layout.place(path)
        if where and where.section == "system":
            size = (
                layout.system_size(memory_of(self.toolbox), where.project)
                + len(line.encode())
                + _EVIDENCE_BYTES
            )
            if size > layout.SYSTEM_BUDGET:
                raise UsageError(
                    f"system/ holds at most {layout.SYSTEM_BUDGET} bytes and is full",
                    hint="write it below reference/, or take the place of a line there",
                )

    def _with_line(
        self, path: str, old: str | None, entry: str, description: str, heading: str, replaces: str
    ) -> str:
        if old is None:
            if not description.strip():
                raise UsageError(f"{path} is new and needs a description")
            return self._new_file(path, description, entry)
        file = layout.parse(path, old)
        lines = file.body.rstrip("\n").split("\n")
        if replaces:
            item = self._own_item(path, file.body, replaces)
            lines[item.start_line : item.end_line] = entry.split("\n")
        else:
            at = _end_of(lines, heading)
            lines[at:at] = entry.split("\n")
        return layout.render(replace(file, body="\n".join(lines) + "\n"))

    def _new_file(self, path: str, description: str, entry: str) -> str:
        meta: dict[str, Any] = {"description": " ".join(description.split())}
        name = path.rsplit("/", 2)[-2] if path.endswith(f"/{layout.SKILL_FILE}") else ""
        if name:
            meta = {"name": name, **meta, "type": "procedural"}
        title = name or path.rsplit("/", 1)[-1].removesuffix(".md")
        body = f"# {title.replace('-', ' ').capitalize()}\n\n{entry}\n"
        return layout.render(layout.MemoryFile(path, meta, body))

    def _delete_line(self, path: str, text: str) -> str:
        old = self.toolbox.view(path)
        file = layout.parse(path, old)
        item = self._own_item(path, file.body, text)
        lines = file.body.split("\n")
        del lines[item.start_line : item.end_line]
        apply(Change(path, old, layout.render(replace(file, body="\n".join(lines)))), self.toolbox)
        return f"removed from {path}"

    def _own_item(self, path: str, body: str, text: str) -> Item:
        """The line with this text, when a dream wrote it."""
        wanted = " ".join(text.split())
        found = [item for item in layout.items(body) if " ".join(item.text.split()) == wanted]
        if not found:
            raise UsageError(f"{path} has no line {wanted[:80]!r}")
        if not found[0].untouched:
            raise UsageError(f"{path}: a person wrote or changed {wanted[:80]!r}; it stays as it is")
        return found[0]

    def _evidence(self, given: Any) -> Evidence:
        try:
            session, turn, role, quote = (given[k] for k in ("session", "turn", "role", "quote"))
            source = next(
                (s.session.source for s in self._snapshots if s.session.session_id == session),
                next((e.source for e in self._known if e.session_id == session), "unknown"),
            )
            return Evidence(source, str(session), int(turn), _ROLES[role], self._redact(str(quote)))
        except (KeyError, TypeError, ValueError):
            raise UsageError(
                "each evidence needs session, turn, role (user, assistant or tool) and quote"
            ) from None

    def _dated(self, cited: Sequence[Evidence]) -> tuple[tuple[Evidence, date | None], ...]:
        return tuple((each, self._day(each)) for each in cited)

    def _day(self, evidence: Evidence) -> date | None:
        if (item := self._known.get(evidence)) is not None:
            return dict(zip(item.evidence, item.dates, strict=True))[evidence]
        for snapshot in self._snapshots:
            if snapshot.session.session_id == evidence.session_id:
                for turn in snapshot.turns:
                    if turn.number == evidence.turn and turn.started_at:
                        return turn.started_at.date()
        return None


# ---------------------------------------------------------------------- memory as text
def memory_of(toolbox: Toolbox) -> dict[str, str]:
    """Every file in scope."""
    return {path: toolbox.view(path) for path in toolbox.list()}


def bring_back(toolbox: Toolbox, files: Mapping[str, str]) -> None:
    """Make the files in scope what they were."""
    now = memory_of(toolbox)
    for path in sorted(now.keys() - files.keys()):
        toolbox.delete(path)
    for path, text in files.items():
        if path not in now:
            toolbox.create(path, text)
        elif now[path] != text:
            toolbox.delete(path)
            toolbox.create(path, text)


def learned_between(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Learned, ...]:
    """What a pass has learned, read from what it did: the lines with evidence that are new, and those that are gone.

    A line that took an older one's place in the same file is `superseded` by word of the ledger.
    """
    found: list[Learned] = []
    for path in sorted({*before, *after}):
        old, new = list(_items(before.get(path, ""))), list(_items(after.get(path, "")))
        gone = {i.text for i in old} - {i.text for i in new}
        fresh = [i for i in new if i.evidence and i.raw not in {o.raw for o in old}]
        kind = provenance.type_of(path)
        for item in fresh:
            known = item.text in {i.text for i in old}
            action = "updated" if known else "superseded" if gone else "created"
            found.append(Learned(path, action, kind, item.text, item.evidence))
        if not fresh:
            found += [Learned(path, "removed", kind, text) for text in sorted(gone)]
    return tuple(found)


def _items(text: str) -> Iterator[Item]:
    yield from layout.items(layout.parse("", text).body)


def _end_of(lines: Sequence[str], heading: str) -> int:
    """Where the part below a heading ends; the end of the file without one. Raises UsageError."""
    wanted = heading.strip().lstrip("#").strip()
    if not wanted:
        return len(lines)
    starts = [n for n, line in enumerate(lines) if line.startswith("#")]
    for number in starts:
        if lines[number].lstrip("#").strip().lower() == wanted.lower():
            end = next((n for n in starts if n > number), len(lines))
            while end > number + 1 and not lines[end - 1].strip():
                end -= 1
            return end
    raise UsageError(f"the file has no heading {wanted!r}")
