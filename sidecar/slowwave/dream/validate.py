"""The checks nothing passes without: the reflector, whether a model or rules, is never trusted.

Filtering what goes into a model leaves most attacks alive; gating what may come out does not. So every rule here
looks only at the two trees, the snapshots and the claims, and knows nothing of how they came about. Each rule is
one small function in a table, and all reasons are given at once.

`Invalid` must not be kept at all; `Review` is kept on its branch until a person has looked; `Valid` may land.
Engine 1.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from slowwave.dream import provenance, report_check, support
from slowwave.dream.losses import WindowLoss, lost_entries
from slowwave.memory import layout
from slowwave.memory.layout import Item
from slowwave.memory.names import path_problem
from slowwave.model import Evidence, Learned, Project, Snapshot

__all__ = ["Invalid", "Limits", "Review", "Valid", "Verdict", "WindowLoss", "lost_entries", "validate"]

_INSTRUCTION_FILES = frozenset({"claude.md", "agents.md", "gemini.md", "claude.local.md", ".cursorrules"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one dream may hold and take away.

    loss_share, window_share  the part of the entries found that may go, in one dream and in the whole window
    loss_floor                so many entries may always go: a quarter of three is no disaster
    persuadable               the reflector can be talked into something (a model), and is judged by `support` too
    """

    file_bytes: int = 64 << 10
    files_changed: int = 200
    loss_share: float = 0.25
    window_share: float = 0.40
    loss_floor: int = 4
    persuadable: bool = False


@dataclass(frozen=True, slots=True)
class Valid:
    """It may land."""


@dataclass(frozen=True, slots=True)
class Review:
    """It is kept for a person, for these reasons."""

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Invalid:
    """It must not be kept, for these reasons."""

    reasons: tuple[str, ...]


Verdict = Valid | Review | Invalid


@dataclass(frozen=True)
class _Case:
    """Everything a rule may look at."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    project: Project
    snapshots: tuple[Snapshot, ...]
    learned: tuple[Learned, ...]
    redactor_findings: Callable[[str], Sequence[object]]
    window: WindowLoss
    limits: Limits

    @property
    def written(self) -> dict[str, bytes]:
        """Files that are new or hold something else than before."""
        return {path: data for path, data in sorted(self.after.items()) if self.before.get(path) != data}

    @property
    def removed(self) -> tuple[str, ...]:
        """Files that are gone."""
        return tuple(sorted(self.before.keys() - self.after.keys()))

    def text(self, path: str) -> str:
        """A written file as text; bytes that are none have a rule of their own."""
        return self.after[path].decode("utf-8", "replace")

    def old(self, path: str) -> str:
        """What stood there, "" when nothing did."""
        return self.before.get(path, b"").decode("utf-8", "replace")

    def new_lines(self) -> Iterator[tuple[str, str]]:
        """Every line that a written file did not hold before."""
        for path in self.written:
            known = set(self.old(path).split("\n"))
            yield from ((path, line) for line in self.text(path).split("\n") if line not in known)

    def new_items(self) -> Iterator[tuple[str, Item]]:
        """Every entry whose lines that file did not hold before."""
        for path in self.written:
            known = {item.raw for item in layout.items(layout.parse(path, self.old(path)).body)}
            for item in layout.items(layout.parse(path, self.text(path)).body):
                if item.raw not in known:
                    yield path, item

    @property
    def sources(self) -> support.Sources:
        """The words of all that was read, by who vouches for them."""
        return support.Sources.of(self.snapshots, {path: self.old(path) for path in self.before})

    def known_evidence(self) -> dict[Evidence, str]:
        """Evidence that memory held already, and where: it was checked when it came."""
        found: dict[Evidence, str] = {}
        for path in sorted(self.before):
            for item in layout.items(layout.parse(path, self.old(path)).body):
                found |= dict.fromkeys(item.evidence, path)
        return found


def validate(
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    project: Project,
    snapshots: Sequence[Snapshot],
    learned: Sequence[Learned],
    redactor_findings: Callable[[str], Sequence[object]],
    window: WindowLoss,
    limits: Limits,
) -> Verdict:
    """Judge a reflection by what it left behind: the tree before, the tree after, and what it says it learned."""
    case = _Case(before, after, project, tuple(snapshots), tuple(learned), redactor_findings, window, limits)
    if broken := tuple(dict.fromkeys(reason for rule in FORBIDDEN for reason in rule(case))):
        return Invalid(broken)
    if doubtful := tuple(dict.fromkeys(reason for rule in DOUBTFUL for reason in rule(case))):
        return Review(doubtful)
    return Valid()


# ------------------------------------------------------------------ what must not be kept
def _paths(case: _Case) -> Iterator[str]:
    """Only the project's folder and the person's three may change."""
    for path in (*case.written, *case.removed):
        where = layout.place(path)
        if problem := path_problem(path):
            yield f"{path}: {problem}"
        elif where is None or where.project not in {"", case.project.slug}:
            yield f"{path}: outside what a dream of {case.project.slug} may change"


def _encoding(case: _Case) -> Iterator[str]:
    """Memory is text."""
    for path, data in case.written.items():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            yield f"{path}: not valid UTF-8"


def _heads(case: _Case) -> Iterator[str]:
    """Every written memory file has a readable head with a description."""
    for path in case.written:
        if path.endswith(".md"):
            yield from layout.problems(layout.parse(path, case.text(path)))


def _sizes(case: _Case) -> Iterator[str]:
    """Files stay readable, and a dream stays reviewable."""
    for path, data in case.written.items():
        if len(data) > case.limits.file_bytes:
            yield f"{path}: {len(data)} bytes, at most {case.limits.file_bytes}"
    count = len(case.written) + len(case.removed)
    if count > case.limits.files_changed:
        yield f"{count} files changed, at most {case.limits.files_changed}"


def _budget(case: _Case) -> Iterator[str]:
    """`system/` is in the context of every turn, so it may not outgrow its budget."""
    for level in ("", case.project.slug):
        sizes = [
            layout.system_size({path: data.decode("utf-8", "replace") for path, data in tree.items()}, level)
            for tree in (case.before, case.after)
        ]
        if sizes[1] > layout.SYSTEM_BUDGET and sizes[1] > sizes[0]:
            name = f"projects/{level}/system/" if level else "system/"
            yield f"{name}: {sizes[1]} bytes, at most {layout.SYSTEM_BUDGET}"


def _secrets(case: _Case) -> Iterator[str]:
    """No written file may hold a secret, nor say one in its path."""
    for path in case.written:
        if case.redactor_findings(case.text(path)) or case.redactor_findings(path):
            yield f"{path}: holds what looks like a secret"


def _hidden(case: _Case) -> Iterator[str]:
    """What a person cannot see they cannot review."""
    for path in case.written:
        if provenance.hidden(case.text(path).removeprefix("\ufeff")):
            yield f"{path}: holds invisible or bidirectional control characters"


def _locked(case: _Case) -> Iterator[str]:
    """Pinned and read-only files are the person's."""
    for path in (*case.written, *case.removed):
        meta = layout.parse(path, case.old(path)).meta
        for mark in ("pinned", "read_only"):
            if meta.get(mark) is True:
                yield f"{path}: is {mark} and was changed"


def _claims(case: _Case) -> Iterator[str]:
    """Every claim stands on spans that exist."""
    for each in case.learned:
        for why in provenance.flaws(each.evidence, each.type, each.path, case.snapshots):
            yield f"{each.path}: {_short(each.text)} {why}"


def _lines(case: _Case) -> Iterator[str]:
    """Every evidence line a dream wrote stands on a span that exists, whatever the report claims."""
    known = case.known_evidence()
    for path, item in case.new_items():
        for why in provenance.flaws(
            item.evidence, provenance.type_of(path), path, case.snapshots, known.keys()
        ):
            yield f"{path}: {_short(item.text)} {why}"


def _quarantine(case: _Case) -> Iterator[str]:
    """What came from outside stays where it is marked as such, also in a later dream."""
    known = case.known_evidence()
    for path, item in case.new_items():
        homes = {known[e] for e in item.evidence if e in known}
        if any("/untrusted/" in f"/{home}" for home in homes) and "/untrusted/" not in f"/{path}":
            yield f"{path}: {_short(item.text)} was moved out of reference/untrusted/"


def _short(text: str) -> str:
    return repr(text.split("\n", 1)[0][:80])


# ------------------------------------------------------------------ what a person must look at
def _loss(case: _Case) -> Iterator[str]:
    """A dream that takes away much of what it found is looked at first."""
    now = lost_entries(case.before, case.after)
    if now.removed > max(case.limits.loss_floor, int(case.limits.loss_share * now.before)):
        yield f"it removes or shrinks {now.removed} of {now.before} entries"


def _window(case: _Case) -> Iterator[str]:
    """Small losses add up: the window counts them together."""
    now = lost_entries(case.before, case.after)
    removed, found = case.window.removed + now.removed, max(case.window.before, now.before)
    if now.removed and removed > max(case.limits.loss_floor, int(case.limits.window_share * found)):
        yield f"with it, the dreams of the window remove {removed} of {found} entries"


def _scripts(case: _Case) -> Iterator[str]:
    """A skill that brings code runs it one day."""
    for path in case.written:
        where = layout.place(path)
        script = PurePosixPath(path).suffix not in {".md", ".txt"} or "/scripts/" in path
        fenced = any("```" in line for file, line in case.new_lines() if file == path)
        if where and where.section == "skills" and (script or fenced):
            yield f"{path}: a skill with a script or code"


def _instruction_files(case: _Case) -> Iterator[str]:
    """Files that agents obey by their name do not belong in memory by a dream."""
    for path in case.written:
        name = PurePosixPath(path).name.lower()
        where = layout.place(path)
        if name in _INSTRUCTION_FILES:
            yield f"{path}: agents read this name as instructions"
        if name == "skill.md" and not (where and where.section == "skills"):
            yield f"{path}: a skill outside skills/"


def _uncited(case: _Case) -> Iterator[str]:
    """Text of a dream that is no entry with evidence is looked at."""
    for path, item in case.new_items():
        if path.endswith(".md") and not item.evidence:
            yield f"{path}: {_short(item.text)} cites no evidence"
    for path in case.written:
        fresh = set(provenance.prose(layout.parse(path, case.text(path)).body))
        fresh -= set(provenance.prose(layout.parse(path, case.old(path)).body))
        if fresh:
            yield f"{path}: text without evidence: {min(fresh)[:80]!r}"


def _untrusted_actions(case: _Case) -> Iterator[str]:
    """A URL or a shell command that only a tool's output ever said."""
    for path, item in case.new_items():
        for span in provenance.unvouched(item, case.snapshots):
            yield f"{path}: {span[:80]!r} comes from tool output only"


def _persons(case: _Case) -> Iterator[str]:
    """What a person wrote or changed stays, unless they agree."""
    for path in (*case.written, *case.removed):
        after = case.text(path) if path in case.after else ""
        for text in support.persons_lines_gone(case.old(path), after):
            yield f"{path}: {_short(text)} was written by a person and would go or change"


def _unsupported(case: _Case) -> Iterator[str]:
    """A line that says more than its evidence, or what only an untrusted text says."""
    if case.limits.persuadable:
        sources = case.sources
        for path, item in case.new_items():
            for why in support.flaws(item.text, item.evidence, path, sources):
                yield f"{path}: {_short(item.text)} {why}"


def _around(case: _Case) -> Iterator[str]:
    """What stands around the lines reaches an agent as well: heads, headings, comments and names."""
    if case.limits.persuadable:
        sources = case.sources
        for path in case.written:
            for text in report_check.surroundings(path, case.old(path), case.text(path)):
                for why in support.repeats(text, path, sources):
                    yield f"{path}: {_short(text)} {why}"
            yield from report_check.marks(path, case.old(path), case.text(path))


def _report(case: _Case) -> Iterator[str]:
    """What was reported is what was done, and the other way round."""
    before = {path: case.old(path) for path in case.before}
    after = {path: data.decode("utf-8", "replace") for path, data in case.after.items()}
    yield from report_check.unfounded(case.learned, after)
    if case.limits.persuadable:
        yield from report_check.unreported(case.learned, before, after)


Rule = Callable[[_Case], Iterator[str]]

FORBIDDEN: tuple[Rule, ...] = (
    _paths, _encoding, _heads, _sizes, _budget, _secrets, _hidden, _locked, _claims, _lines, _quarantine,
)  # fmt: skip
DOUBTFUL: tuple[Rule, ...] = (
    _loss, _window, _scripts, _instruction_files, _uncited, _untrusted_actions, _persons, _unsupported, _around,
    _report,
)  # fmt: skip
