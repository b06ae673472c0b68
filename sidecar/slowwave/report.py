"""How a dream can end, and what is reported of it.

Expected outcomes are values of one closed union, matched exhaustively; exceptions are for broken promises.
Ground floor: imports only nouns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slowwave.model import Learned, SourceRange, Trigger, plain


@dataclass(frozen=True, slots=True)
class Merged:
    """The dream landed on memory's branch."""

    commit: str


@dataclass(frozen=True, slots=True)
class NoChanges:
    """The reflection ran and found nothing worth keeping; its range counts as read."""


@dataclass(frozen=True, slots=True)
class NothingToReflect:
    """There was nothing new to read. `why` is what a person is told."""

    why: str


@dataclass(frozen=True, slots=True)
class Pending:
    """The dream is finished and kept on its branch; a person must look."""

    reason: str
    commit: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The dream failed; nothing landed and its range will be read again."""

    error: str
    exit_code: int = 1


@dataclass(frozen=True, slots=True)
class Planned:
    """A dry run: what would land, and why a person would have to look first ("" when nobody would)."""

    diff: str
    review: str = ""


@dataclass(frozen=True, slots=True)
class BatchForeseen:
    """One batch before a model has seen it: the most its first question can take. `worth` is false when none is asked."""

    sessions: int
    turns: int
    tokens: int
    usd: float
    worth: bool


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A dry run of a reflector that costs money: what would be asked, of whom, and the most it can cost.

    tokens, usd  the first question of every batch; a pass asks on, until the budget of the run is used up
    """

    model: str
    endpoint: str
    batches: tuple[BatchForeseen, ...]
    run_usd: float
    run_tokens: int

    @property
    def tokens(self) -> int:
        """The most the first questions can take."""
        return sum(b.tokens for b in self.batches if b.worth)

    @property
    def usd(self) -> float:
        """The most they can cost, in US dollars."""
        return sum(b.usd for b in self.batches if b.worth)

    def as_json(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "model": self.model,
            "endpoint": self.endpoint,
            "batches": [plain(b) for b in self.batches],
            "tokens": self.tokens,
            "usd": self.usd,
            "run_usd": self.run_usd,
            "run_tokens": self.run_tokens,
        }


Outcome = Merged | NoChanges | NothingToReflect | Pending | Failed | Planned | Foreseen


def outcome_name(outcome: Outcome) -> str:
    """The word for an outcome in JSON and in the ledger."""
    match outcome:
        case Merged():
            return "merged"
        case NoChanges():
            return "no_changes"
        case NothingToReflect():
            return "nothing_to_reflect"
        case Pending():
            return "pending"
        case Failed():
            return "failed"
        case Planned() | Foreseen():
            return "planned"


def exit_code(outcome: Outcome) -> int:
    """The exit code of a command that ended with this outcome (ARCHITECTURE.md, exit codes)."""
    match outcome:
        case Merged() | NoChanges() | NothingToReflect() | Planned() | Foreseen():
            return 0
        case Pending():
            return 3
        case Failed(exit_code=code):
            return code


@dataclass(frozen=True)
class Explained:
    """Why the offline reflector learned a line, or nearly did.

    text     the line, or the sentence that was not learned
    signal   what made it a line of its kind
    score    the sum of the weights; a sentence needs `weights.ENOUGH`
    signals  the notions it shows, each with its weight, the heaviest first
    """

    text: str
    kind: str
    signal: str
    score: float
    signals: tuple[tuple[str, float], ...]
    learned: bool


@dataclass(frozen=True)
class DreamReport:
    """What one dream did: the answer of the verb `dream`, and the run's record in the ledger.

    problems  a line for every session of which it could not read all
    writable  the folders of memory its reflector might write; `readable` those it might read besides
    note  what a person should know of a dream that ended well ("" = nothing)
    """

    dream_id: str
    outcome: Outcome
    trigger: Trigger
    reflector: str
    project: str
    sandbox_level: str = "L0"
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    sources: tuple[SourceRange, ...] = ()
    batches: int = 0
    steps: int = 0
    learned: tuple[Learned, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=lambda: {"input": 0, "output": 0, "cache_read": 0})
    cost_usd: float = 0.0
    seconds: float = 0.0
    damage: int = 0
    problems: tuple[str, ...] = ()
    note: str = ""
    explained: tuple[Explained, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The documented JSON shape."""
        o = self.outcome
        return {
            "dream_id": self.dream_id,
            "outcome": outcome_name(o),
            "trigger": str(self.trigger),
            "reflector": self.reflector,
            "project": self.project,
            "sandbox_level": self.sandbox_level,
            "scope": {"writable": list(self.writable), "read": list(self.readable)},
            "sources": [
                {
                    "source": s.source,
                    "session_id": s.session_id,
                    "from": s.from_turn,
                    "to": s.to_turn,
                    "digest": s.digest,
                }
                for s in self.sources
            ],
            "batches": self.batches,
            "steps": self.steps,
            "learned": [plain(x) for x in self.learned],
            **({"explained": [plain(x) for x in self.explained]} if self.explained else {}),
            "commit": o.commit if isinstance(o, Merged | Pending) else None,
            "pending_reason": o.reason
            if isinstance(o, Pending)
            else o.review or None
            if isinstance(o, Planned)
            else None,
            "why": o.why if isinstance(o, NothingToReflect) else None,
            "error": o.error if isinstance(o, Failed) else None,
            "diff": o.diff if isinstance(o, Planned) else None,
            "foreseen": o.as_json() if isinstance(o, Foreseen) else None,
            "tokens": dict(self.tokens),
            "cost_usd": self.cost_usd,
            "seconds": round(self.seconds, 3),
            "damage": self.damage,
            "problems": list(self.problems),
            "note": self.note or None,
        }


def dreams_as_json(reports: Sequence[DreamReport]) -> dict[str, Any]:
    """One dream as its documented object; several as one object of sums, with each under `dreams`."""
    parts = [r.as_json() for r in reports]
    if len(parts) == 1:
        return parts[0]
    worst = max(range(len(reports)), key=lambda i: exit_code(reports[i].outcome))
    total = dict(parts[worst])
    for name in ("sources", "learned", "problems"):
        total[name] = [x for p in parts for x in p[name]]
    for name in ("batches", "steps", "cost_usd", "seconds", "damage"):
        total[name] = sum(p[name] for p in parts)
    total["tokens"] = {k: sum(p["tokens"][k] for p in parts) for k in total["tokens"]}
    return total | {"dreams": parts}


def worst_exit_code(reports: Sequence[DreamReport]) -> int:
    """A failure counts before a pending dream, and that before success."""
    codes = [exit_code(r.outcome) for r in reports]
    failures = [c for c in codes if c not in {0, 3}]
    return failures[0] if failures else max(codes)
