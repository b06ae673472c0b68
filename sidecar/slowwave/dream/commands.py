"""The commands an agent ran, and how they ended.

Sources write a shell call as plain text or as JSON with `command` or `cmd`; this is where that difference ends.
Engine 1, ground only.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from slowwave.dream import cues
from slowwave.dream.candidate import Moment
from slowwave.dream.edits import decoded, read_edit
from slowwave.model import Author, Entry, EntryKind

SUBAGENT_TOOLS = frozenset({"Agent", "Task", "spawn_agent", "wait_agent", "wait"})
_SHELLS = frozenset(
    {"bash", "shell", "exec_command", "local_shell", "run_shell_command", "execute", "terminal", "exec"}
)
_EXIT = re.compile(r"(?:exit(?:ed)?(?: with)? code:?|exit status)\s*(-?\d+)", re.IGNORECASE)
_HEAD = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Process exited|Original token count|Exit code|Total output lines)\b.*\n)+(?:Output:\n)?"
)
_FAILED = re.compile(
    r"^\s*(FAIL(ED|URE)?\b|error\b|fatal\b|traceback\b|panic\b)|\b[1-9]\d* failed\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Run:
    """One tool call with its result. `command` is "" for tools that are no shell; `target` names what they touched."""

    moment: Moment
    call: Entry
    result: Entry
    command: str
    target: str

    @property
    def result_id(self) -> str:
        """The identity of its result."""
        return self.result.native_id

    @property
    def output(self) -> str:
        """What it printed, without the head that a source puts before it."""
        return _HEAD.sub("", self.result.text, count=1)

    @property
    def refused(self) -> bool:
        """True when the person did not let it happen."""
        return self.result.ok is not True and bool(cues.REFUSED.search(self.result.text[:400]))

    @property
    def worked(self) -> bool:
        """True when the result shows success: the source says so, or it names exit code 0, and no failure stands first."""
        if self.refused or self.result.ok is False:
            return False
        code = _EXIT.search(self.result.text[:300])
        if code and code.group(1) != "0":
            return False
        return (self.result.ok is True or bool(code)) and not _FAILED.search(self.output[:300])

    @property
    def failed(self) -> bool:
        """True when it ran and the result shows that it did not work."""
        return not self.refused and not self.worked and bool(self.result.text.strip())


def runs(moment: Moment) -> Iterator[Run]:
    """The finished tool calls of one turn, in the order of their results; those of subagents are not ours."""
    calls: dict[str, Entry] = {}
    for entry in moment.turn.entries:
        if entry.kind is EntryKind.TOOL_CALL and entry.author is Author.AGENT:
            calls[entry.call_id] = entry
        elif entry.kind is EntryKind.TOOL_RESULT and entry.author is Author.TOOL:
            call = calls.get(entry.call_id)
            if call is not None and call.tool not in SUBAGENT_TOOLS:
                command, target = read_call(call)
                yield Run(moment, call, entry, command, target)


def read_call(call: Entry) -> tuple[str, str]:
    """The shell command of a call ("" when it is none), and what it touched."""
    shell = call.tool.lower().rsplit(".", 1)[-1] in _SHELLS
    arguments = decoded(call.text)
    if (edit := read_edit(arguments)) is not None:
        return "", edit.named
    if isinstance(arguments, str):
        return (call.text.strip(), "") if shell else ("", f"{call.tool} {call.text.strip()[:80]}".strip())
    if not isinstance(arguments, dict):
        return "", call.tool
    command = arguments.get("command", arguments.get("cmd", ""))
    if isinstance(command, list):
        command = str(command[-1]) if command else ""
    if isinstance(command, str) and command:
        return command.strip(), ""
    path = str(arguments.get("file_path", arguments.get("path", "")))
    return "", f"{call.tool} {path.rsplit('/', 1)[-1]}".strip()


def spoken(call: Entry, command: str) -> str:
    """The span of the call's text that is the command: as it is, or as JSON spells it."""
    escaped = json.dumps(command, ensure_ascii=False)[1:-1]
    for span in (command, escaped, json.dumps(command)[1:-1], command.split("\n", maxsplit=1)[0]):
        if span in call.text:
            return span
    return call.text
