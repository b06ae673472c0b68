"""The offline extractor's plan: snapshots and the memory as it is, in; the memory as it should be, out.

No model, no clock, no files. Signals are found by families (`wishes`: what the person said; `outcomes`: what results
showed), ordered by time and folded into memory one by one, so that one batch or many give the same memory. A line
that says what memory says already only adds its evidence; one that ends an older line takes its place and says so.
Lines a person wrote or edited are read and never changed.

Engine 1. `offline` acts the plan out through a toolbox.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count

from slowwave.dream import cues, lexicon
from slowwave.dream.candidate import TYPES, Candidate, Kind
from slowwave.dream.likeness import (
    alike,
    bare,
    names,
    noted,
    replaced,
    restated,
    same_event_other_day,
    same_subject_other_value,
    with_replaced,
)
from slowwave.dream.outcomes import outcomes
from slowwave.dream.provenance import hidden
from slowwave.dream.wishes import wishes
from slowwave.memory import layout
from slowwave.memory.layout import Item, MemoryFile
from slowwave.model import Evidence, Learned, Project, SessionKind, Snapshot

MOST_EVIDENCE = 3
"""Evidence kept per line: enough to believe it, and a line stays readable."""
FULL_FILE = 24 << 10
"""Bytes after which a file is full; evidence that joins its lines later still fits the validator's 64 KiB."""
LONGEST_ENTRY = 590
"""Characters of a line with its evidence, when it has more than one."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file as it was (None: it is new) and as it should be (None: it goes)."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the extractor would do, and the lines it would report."""

    changes: tuple[Change, ...]
    learned: tuple[Learned, ...]


def candidates(snapshots: Sequence[Snapshot]) -> tuple[Candidate, ...]:
    """Every line the sessions suggest, oldest first. Subagents' and our own sessions suggest nothing."""
    found: list[tuple[Candidate, tuple[object, ...]]] = []
    for snapshot in snapshots:
        if snapshot.session.kind is not SessionKind.MAIN:
            continue
        for one in _of_session(snapshot):
            first = one.evidence[0]
            found.append((one, (one.at, first.source, first.session_id, first.turn)))
    return tuple(one for one, _ in sorted(found, key=lambda pair: pair[1]))


def _of_session(snapshot: Snapshot) -> Iterator[Candidate]:
    for family in (outcomes, wishes):
        for one in family(snapshot):
            texts = (one.text, *(e.quote for e in one.evidence))
            if not any(cues.SECRET.search(text) or hidden(text) for text in texts):
                yield one


def plan(snapshots: Sequence[Snapshot], files: Mapping[str, str], project: Project) -> Plan:
    """Fold the candidates into memory."""
    memory = _Memory(dict(files), project)
    for one in candidates(snapshots):
        memory.take(one)
    changes = [
        Change(path, files.get(path), memory.files.get(path))
        for path in sorted({*files, *memory.files})
        if files.get(path) != memory.files.get(path)
    ]
    kept = set(memory.files)
    learned = tuple(x for x in memory.learned if x.action == "removed" or x.path in kept)
    return Plan(tuple(changes), learned)


# ------------------------------------------------------------------ routes
_TITLES = {
    "preferences": ("Preferences", "How the person wants work done"),
    "commands": ("Commands", "Commands that work here"),
    "user": ("The person", "Who the person is and how to talk to them"),
    "people": ("People", "Who does what"),
    "facts": ("Facts", "What is so in this project"),
    "decisions": ("Decisions", "What was decided, and why"),
    "fixes": ("Fixes", "Errors met before, and what mended them"),
    "deadlines": ("Deadlines", "What is due, and when"),
}
_ROUTES: dict[Kind, tuple[str, str]] = {
    Kind.PREFERENCE: ("system", "preferences"),
    Kind.CORRECTION: ("system", "preferences"),
    Kind.COMMAND: ("system", "commands"),
    Kind.FACT: ("reference", "facts"),
    Kind.DECISION: ("reference", "decisions"),
    Kind.FIX: ("reference", "fixes"),
    Kind.DEADLINE: ("reference", "deadlines"),
    Kind.PERSON: ("reference", "people"),
}


def _level(project: str) -> str:
    return layout.project_folder(project) + "/" if project else ""


# ------------------------------------------------------------------ folding
@dataclass(frozen=True, slots=True)
class _Line:
    path: str
    item: Item


class _Memory:
    """Memory while the candidates are folded in: the files' texts, and the report."""

    def __init__(self, files: dict[str, str], project: Project) -> None:
        self.files = files
        self.project = project
        self.learned: list[Learned] = []

    def take(self, one: Candidate) -> None:
        """Fold one candidate in: known already, ending an older line, or new."""
        lines = list(self._lines())
        if any(_cites(line.item, one) or self._was_replaced(line.item, one) for line in lines):
            return
        for line in lines:
            if alike(one.text, line.item.text) and _same_command(one, line.item):
                self._support(line, one)
                return
        ended = [line for line in lines if _ends(one, line)]
        text = one.text
        for line in ended:
            text = with_replaced(text, line.item.text)
        for line in sorted(ended, key=lambda each: each.item.start_line, reverse=True):
            self._remove(line)  # from below, as a removal moves what stands under it
        self._add(replace(one, text=text), superseding=bool(ended))

    @staticmethod
    def _was_replaced(item: Item, one: Candidate) -> bool:
        """True when a newer line stands where this one stood: it must not come back."""
        return noted(one.text) in replaced(item.text)

    def _lines(self) -> Iterator[_Line]:
        for path in sorted(self.files):
            where = layout.place(path)
            if where and where.project in {"", self.project.slug}:
                for item in layout.items(layout.parse(path, self.files[path]).body):
                    yield _Line(path, item)

    def _support(self, line: _Line, one: Candidate) -> None:
        """The same said again: its evidence joins the line's, if the machine wrote that line."""
        have = line.item.evidence
        fresh = [e for e in one.evidence[:1] if e not in have]
        added = [layout.evidence_line(e, one.at.date()) for e in fresh]
        room = LONGEST_ENTRY - len(line.item.raw)
        if not line.item.untouched or len(have) >= MOST_EVIDENCE or not fresh or len(added[0]) > room:
            return
        self._edit(line, "\n".join([line.item.raw, *added]))
        self._report(line.path, "updated", one, line.item.text)

    def _remove(self, line: _Line) -> None:
        self._edit(line, None)
        file = layout.parse(line.path, self.files[line.path])
        if not layout.items(file.body) and _machine_made(file):
            del self.files[line.path]

    def _edit(self, line: _Line, raw: str | None) -> None:
        file = layout.parse(line.path, self.files[line.path])
        lines = file.body.split("\n")
        lines[line.item.start_line : line.item.end_line] = [] if raw is None else raw.split("\n")
        self.files[line.path] = layout.render(replace(file, body="\n".join(lines)))

    def _add(self, one: Candidate, *, superseding: bool) -> None:
        on = one.at.date()
        dated = tuple((e, on if on.year > 1 else None) for e in one.evidence[:MOST_EVIDENCE])
        entry = layout.learned_item(one.text, dated)
        while len(entry) > LONGEST_ENTRY and len(dated) > 1:
            dated = dated[:-1]
            entry = layout.learned_item(one.text, dated)
        path, file = self._target(one, len(entry.encode()))
        body = file.body.rstrip("\n")
        self.files[path] = layout.render(replace(file, body=f"{body}\n{entry}\n"))
        self._report(path, "superseded" if superseding else "created", one, one.text)

    def _report(self, path: str, action: str, one: Candidate, text: str) -> None:
        self.learned.append(Learned(path, action, TYPES[one.kind], text, one.evidence))

    def _target(self, one: Candidate, size: int) -> tuple[str, MemoryFile]:
        """Where a line goes; a full `system/` sends it to `reference/` instead."""
        project = "" if one.everywhere else self.project.slug
        if one.kind is Kind.PROCEDURE:
            name = layout.slugify(one.trigger.removeprefix("To "))[:40].strip("-")
            path = layout.skill_path(name, project)
            meta = {"name": name, "description": f"Steps: {one.trigger}", "type": "procedural"}
            return path, self._file(path, meta, one.trigger)
        about_the_person = one.kind is Kind.PERSON and one.everywhere
        section, name = ("system", "user") if about_the_person else _ROUTES[one.kind]
        title, description = _TITLES[name]
        full = (
            layout.system_size(self.files, project) + size + 200 > layout.SYSTEM_BUDGET
        )  # 200: a new file's head
        if section == "system" and full:
            section = "reference"
        path = self._with_room(f"{_level(project)}{section}/{name}", size)
        return path, self._file(path, {"description": description, "type": str(TYPES[one.kind])}, title)

    def _with_room(self, stem: str, size: int) -> str:
        """The first of `facts.md`, `facts-2.md`, … that is not full: a file has to stay readable."""
        paths = (f"{stem}.md" if number == 1 else f"{stem}-{number}.md" for number in count(1))
        return next(p for p in paths if len(self.files.get(p, "").encode()) + size <= FULL_FILE)

    def _file(self, path: str, meta: Mapping[str, str], title: str) -> MemoryFile:
        if path in self.files:
            return layout.parse(path, self.files[path])
        return MemoryFile(path, meta, f"\n# {title}\n\n".rstrip("\n") + "\n")


def _machine_made(file: MemoryFile) -> bool:
    """True for a file that now holds a title and nothing a person wrote."""
    return all(not line.strip() or line.startswith("# ") for line in file.body.split("\n"))


def _cites(item: Item, one: Candidate) -> bool:
    """True when the line stands on the same span: the same transcript was read before."""
    return bool(one.evidence) and one.evidence[0] in item.evidence and _last(item) is not None


def _last(item: Item) -> Evidence | None:
    return item.evidence[-1] if item.evidence else None


def _same_command(one: Candidate, item: Item) -> bool:
    """Two commands are the same line only when they are the same command."""
    if one.kind is not Kind.COMMAND:
        return True
    return bare(one.text) == bare(item.text) or one.text.split("`")[1] in item.text


def _ends(one: Candidate, line: _Line) -> bool:
    """True when this candidate makes an older line of the machine untrue."""
    item = line.item
    if not item.untouched or _newer(item, one.at.date()) or any(_same_turn(e, one) for e in item.evidence):
        return False
    if any(_built_on(bare(item.text), gone) for gone in one.gone):
        return True
    if restated(one.text, item.text):
        return True
    if one.kind is Kind.DEADLINE and same_event_other_day(one.text, item.text):
        return True
    return lexicon.has(one.text, "changed") and same_subject_other_value(one.text, item.text)


def _built_on(text: str, gone: str) -> bool:
    """True when a line cannot stand without a thing that is gone; one step of many does not undo a procedure."""
    steps = text.split("\n")[1:] or [text]
    return 2 * sum(names(step, gone) for step in steps) >= len(steps)


def _newer(item: Item, day: date) -> bool:
    return any(on is not None and on > day for on in item.dates)


def _same_turn(evidence: Evidence, one: Candidate) -> bool:
    first = one.evidence[0]
    return (evidence.source, evidence.session_id, evidence.turn) == (
        first.source,
        first.session_id,
        first.turn,
    )
