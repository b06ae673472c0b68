"""A candidate: one line that a transcript suggests memory should hold, with the spans that say so.

The noun between the signal families (`wishes`, `outcomes`) and the plan (`extract`). Engine 1, ground only.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from slowwave.model import Author, Entry, Evidence, MemoryType, Snapshot, Turn

EARLIEST = datetime.min.replace(tzinfo=UTC)
LONGEST_QUOTE = 160


class Kind(StrEnum):
    """What a line is about; it decides where the line goes."""

    PREFERENCE = "preference"
    CORRECTION = "correction"
    FACT = "fact"
    COMMAND = "command"
    PROCEDURE = "procedure"
    FIX = "fix"
    DECISION = "decision"
    PERSON = "person"
    DEADLINE = "deadline"


TYPES: dict[Kind, MemoryType] = {
    Kind.PREFERENCE: MemoryType.PROCEDURAL,
    Kind.CORRECTION: MemoryType.PROCEDURAL,
    Kind.FACT: MemoryType.SEMANTIC,
    Kind.COMMAND: MemoryType.SEMANTIC,
    Kind.PROCEDURE: MemoryType.PROCEDURAL,
    Kind.FIX: MemoryType.SEMANTIC,
    Kind.DECISION: MemoryType.SEMANTIC,
    Kind.PERSON: MemoryType.IDENTITY,
    Kind.DEADLINE: MemoryType.SEMANTIC,
}


@dataclass(frozen=True, slots=True)
class Moment:
    """One turn of one session, in reach of its neighbours."""

    snapshot: Snapshot
    turn: Turn

    @property
    def at(self) -> datetime:
        """When it began; turns without a time stamp come first."""
        return self.turn.started_at or EARLIEST

    def cite(self, entry: Entry, span: str, role: Author | None = None) -> Evidence:
        """Evidence for a span that stands in this entry."""
        session = self.snapshot.session
        quote = span if len(span) <= LONGEST_QUOTE else span[:LONGEST_QUOTE].rsplit(" ", 1)[0]
        return Evidence(session.source, session.session_id, self.turn.number, role or entry.author, quote)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One line for memory.

    everywhere  it is about the person, not about this project
    trigger     a procedure's stated or observed condition of use: it names the skill
    gone        names that this line declares past: a line that recommends one of them is replaced
    signal      the signal that gave it its kind
    score       what the weights behind it add up to
    signals     the notions it shows, with their weights; empty for what results showed
    """

    kind: Kind
    text: str
    evidence: tuple[Evidence, ...]
    at: datetime
    everywhere: bool = False
    trigger: str = ""
    gone: tuple[str, ...] = ()
    signal: str = ""
    score: float = 0.0
    signals: tuple[tuple[str, float], ...] = ()
