"""Reflectors: what reads a batch of transcripts and edits memory, and the hands it does it with.

A reflector gets a frozen context and a toolbox, and nothing else: no paths, no network, no clock. Whether it is
a model or the offline extractor, it is never trusted; `validate` judges what it leaves behind.

Variants are listed in `reflectors`. `ScriptedReflector` plays given edits: it is the fake of the tests and
obeys whatever it is told, which is how the validator is proven. Engine 1; imports the ground only.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from slowwave.errors import UsageError
from slowwave.model import Author, Evidence, Learned, MemoryType, Project, Snapshot
from slowwave.report import Foreseen


@runtime_checkable
class Toolbox(Protocol):
    """The confined hands of a reflector: memory paths in, text in and out.

    Paths are relative to the memory root, with forward slashes. A path outside the scope raises `ScopeError`,
    a call that cannot be done as asked (no such file, text not found) raises `UsageError` and changes nothing.
    """

    def list(self) -> tuple[str, ...]:
        """Every path in scope, sorted."""
        ...

    def view(self, path: str) -> str:
        """The text of a file."""
        ...

    def create(self, path: str, text: str) -> None:
        """Write a new file; one that exists is never overwritten."""
        ...

    def str_replace(self, path: str, old: str, new: str) -> None:
        """Replace the only occurrence of `old`."""
        ...

    def insert(self, path: str, line: int, text: str) -> None:
        """Insert lines after line `line`, counted from 1; 0 is the top."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Move a file to a path that is free."""
        ...


@dataclass(frozen=True, slots=True)
class ReflectionContext:
    """What a reflector is told. `now` is given, so that the same context always gives the same edits."""

    project: Project
    batch: tuple[Snapshot, ...]
    now: datetime
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a reflector says it learned. What it cost stands in the ledger.

    asked  false when it saw at once that the batch holds nothing worth its cost
    """

    learned: tuple[Learned, ...] = ()
    asked: bool = True


class Reflector(Protocol):
    """One pass over one batch."""

    @property
    def name(self) -> str:
        """Its name in settings and in the ledger."""
        ...

    @property
    def costs_money(self) -> bool:
        """True when running it needs the person's consent and a budget."""
        ...

    @property
    def persuadable(self) -> bool:
        """True when what it reads can talk it into something, as it can a model; it is judged more strictly."""
        ...

    def reflect(self, context: ReflectionContext, toolbox: Toolbox) -> Reflection:
        """Read the batch, edit memory through the toolbox, report what was learned.

        Raises ModelError or BudgetError when it cannot go on; what it has edited by then is taken back.
        """
        ...


@runtime_checkable
class Aggregator(Protocol):
    """A reflector that can also join what its passes over several batches have written."""

    def aggregate(self, context: ReflectionContext, toolbox: Toolbox, base: Mapping[str, str]) -> None:
        """Edit what was added to `base` (memory before the first batch, by path) into one memory."""
        ...


@runtime_checkable
class Foreseeing(Protocol):
    """A reflector that costs money, and can say beforehand what it would ask."""

    def foresee(
        self, context: ReflectionContext, batches: Sequence[tuple[Snapshot, ...]], toolbox: Toolbox
    ) -> Foreseen:
        """What would be asked about these batches, and the most it can cost. Nothing is sent."""
        ...


# ------------------------------------------------------------------ the scripted one
@dataclass(frozen=True, slots=True)
class ScriptedReflector:
    """Plays the edits it was given, whatever they are, and claims the lines it was given.

    An edit names an operation and its arguments: `{"op": "create", "path": …, "text": …}`. Without a script of
    its own it plays the instruction, when that is a JSON object `{"edits": […], "learned": […]}`.
    """

    edits: tuple[Mapping[str, Any], ...] = ()
    learned: tuple[Learned, ...] = ()
    name: str = "scripted"
    costs_money: bool = False
    persuadable: bool = False

    @classmethod
    def from_json(cls, text: str) -> "ScriptedReflector":
        """A script from its JSON text. Raises UsageError when it is something else."""
        try:
            script = json.loads(text)
            return cls(
                tuple(script.get("edits", ())), tuple(learned_from(x) for x in script.get("learned", ()))
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"not a script of edits: {error}") from None

    def reflect(self, context: ReflectionContext, toolbox: Toolbox) -> Reflection:
        """Play the script."""
        script = self
        if not self.edits and not self.learned and context.instruction.lstrip().startswith("{"):
            script = self.from_json(context.instruction)
        for edit in script.edits:
            play(edit, toolbox)
        return Reflection(script.learned)


OPERATIONS = ("create", "str_replace", "insert", "delete", "rename")


def play(edit: Mapping[str, Any], toolbox: Toolbox) -> None:
    """Do one edit that is written down as data."""
    arguments = {key: value for key, value in edit.items() if key != "op"}
    if edit.get("op") not in OPERATIONS:
        raise UsageError(f"no such edit: {edit.get('op')!r}")
    try:
        getattr(toolbox, str(edit["op"]))(**arguments)
    except TypeError as error:
        raise UsageError(f"edit {edit['op']}: {error}") from None


def learned_from(record: Mapping[str, Any]) -> Learned:
    """A learned line from its JSON. Raises KeyError, TypeError or ValueError when it is something else."""
    evidence = tuple(
        Evidence(e["source"], e["session_id"], int(e["turn"]), Author(e["role"]), e["quote"])
        for e in record.get("evidence", ())
    )
    kind = MemoryType(record.get("type", "semantic"))
    return Learned(record["path"], record.get("action", "created"), kind, record["text"], evidence)
