"""Why a sentence was learned, and what nearly was: the weights behind each line.

A front asks for it (`dream --explain`); nothing here changes memory. Engine 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.dream import weights
from slowwave.dream.candidate import Kind
from slowwave.dream.extract import plan
from slowwave.dream.wishes import weighed
from slowwave.model import Project, SessionKind, Snapshot


@dataclass(frozen=True, slots=True)
class Explained:
    """One sentence of a person with its score and the classes of words that made it."""

    text: str
    kind: Kind
    score: float
    signals: tuple[tuple[str, float], ...]
    learned: bool


def explain(snapshots: Sequence[Snapshot], files: Mapping[str, str], project: Project) -> list[Explained]:
    """Every sentence that the plan learns, and the near misses, the highest score first."""
    quotes = {
        (e.session_id, e.turn, e.quote)
        for one in plan(snapshots, files, project).learned
        for e in one.evidence
    }
    found = []
    for snapshot in snapshots:
        if snapshot.session.kind is not SessionKind.MAIN:
            continue
        for one in weighed(snapshot):
            said = one.evidence
            learned = any(
                (session, turn) == (said.session_id, said.turn) and said.quote in quote
                for session, turn, quote in quotes
            )
            near = not one.barred and one.score >= weights.ENOUGH - weights.NEAR
            if learned or near:
                found.append(Explained(said.quote, one.kind, one.score, one.signals, learned))
    return sorted(found, key=lambda each: (-each.score, each.text))
