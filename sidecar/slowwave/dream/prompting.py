"""What a model is told: the prompts of `prompts/`, by name and version, and the sessions as quoted data.

What comes from transcripts or from memory stands between two lines with a random marker that none of it can know, and
every entry says who produced it. That does not stop a model from being talked into something; `support` and `validate`
do. It only makes it less likely. Engine 1; pure but for reading the prompt files of the house.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from slowwave.memory import layout
from slowwave.model import Author, Entry, EntryKind, Project, Snapshot, Turn

_HEAD = re.compile(r"\A---\nname: (?P<name>\S+)\nversion: (?P<version>\d+)\n---\n")
_SHOWN = {
    EntryKind.PROMPT: "says", EntryKind.TEXT: "says", EntryKind.TOOL_CALL: "calls", EntryKind.TOOL_RESULT: "result",
}  # fmt: skip
_AUTHORS = frozenset({Author.HUMAN, Author.AGENT, Author.TOOL})
LONGEST_ENTRY = 6_000
"""Characters of one entry that are shown; of a longer one, its beginning and its end."""

_MEMORY_SHOWN = 60_000  # characters of memory shown at once, a quarter of a usual batch


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file."""

    name: str
    version: int
    text: str

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


@cache
def prompt(name: str) -> Prompt:
    """The prompt of this name. Raises ValueError when its head is not what a prompt has."""
    text = (files("slowwave.dream") / "prompts" / f"{name}.md").read_text("utf-8")
    head = _HEAD.match(text)
    if not head or head["name"] != name:
        raise ValueError(f"prompts/{name}.md has no head with its name and version")
    return Prompt(name, int(head["version"]), text[head.end() :])


def quoted(text: str, what: str, marker: Callable[[], str]) -> str:
    """Text as data, between two lines with a marker that does not occur in it."""
    mark = marker()
    while mark in text:
        mark = marker()
    return f"<<<{what} {mark}>>>\n{text}\n<<<end of {what} {mark}>>>"


def sessions_text(batch: Sequence[Snapshot], longest: int = LONGEST_ENTRY) -> str:
    """A batch as text: every session, turn and entry with its label."""
    return "\n\n".join(_session(s, longest) for s in batch)


def _session(snapshot: Snapshot, longest: int) -> str:
    session = snapshot.session
    lines = [f"# session {session.session_id} of {session.source}"]
    for turn in snapshot.turns:
        lines += list(_turn(turn, longest))
    return "\n".join(lines)


def _turn(turn: Turn, longest: int) -> Iterator[str]:
    on = f", {turn.started_at.date().isoformat()}" if turn.started_at else ""
    yield f"## turn {turn.number}{on}"
    for entry in turn.entries:
        if entry.kind in _SHOWN and entry.author in _AUTHORS and entry.text.strip():
            yield _entry(entry, longest)


def _entry(entry: Entry, longest: int) -> str:
    tool = f" {entry.tool}" if entry.tool else ""
    bad = " failed" if entry.ok is False else ""
    return f"[{layout.ROLE_WORDS[entry.author]} {_SHOWN[entry.kind]}{tool}{bad}]\n{_cut(entry.text, longest)}"


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    left = len(text) - longest
    return f"{text[: longest // 2]}\n[… {left} characters left out …]\n{text[-(longest // 2) :]}"


def first_message(
    batch: Sequence[Snapshot], memory: Mapping[str, str], project: Project, instruction: str,
    marker: Callable[[], str], longest: int = LONGEST_ENTRY, *, whole_memory: bool = False,
) -> str:  # fmt: skip
    """The first message of a pass over one batch. `whole_memory` shows the files themselves, not only their names,
    to a model that cannot ask for them.
    """
    parts = [
        f"The project is called {project.slug}; its own memory lies below projects/{project.slug}/.",
        quoted(_memory_text(memory, project, whole=whole_memory) or "(empty)", "memory files", marker),
        quoted(sessions_text(batch, longest), "sessions", marker),
    ]
    if instruction:
        parts.append(f"The person who started this asks you to look for this in particular:\n{instruction}")
    return "\n\n".join(parts)


def _memory_text(memory: Mapping[str, str], project: Project, *, whole: bool) -> str:
    """The files by name and size, and with `whole` their texts too, the project's own first, as far as they fit."""
    own = layout.project_folder(project.slug) + "/"
    parts, room = [], _MEMORY_SHOWN if whole else 0
    for path, text in sorted(memory.items(), key=lambda pair: (not pair[0].startswith(own), pair[0])):
        room -= len(text)
        parts.append(f"{path} ({len(text.encode())} bytes)" + (f"\n{text}" if room >= 0 and whole else ""))
    return "\n".join(parts)


def aggregate_message(added: Mapping[str, Sequence[str]], project: Project, marker: Callable[[], str]) -> str:
    """The first message of an aggregation: the new lines, file by file, as they stand there."""
    text = "\n\n".join(f"# {path}\n" + "\n".join(lines) for path, lines in added.items())
    return f"The project is called {project.slug}.\n\n{quoted(text, 'new lines', marker)}"
