"""Turns a question into ranked hits, with the reasons of the ranking.

1. the candidates: full text over the stems, an OR of the words that carry meaning (measured: with stemming that
   finds more than any stricter query), by SQLite or by the fast index with SQLite for what is newer;
2. their neighbours in their file or session;
3. ranked, own project first; secrets masked, and what no longer holds in the repository marked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from slowwave.model import Hit, MemoryType
from slowwave.recall import ranking, weights, words
from slowwave.recall.ranking import Ranked
from slowwave.store import documents
from slowwave.store.database import Database
from slowwave.store.documents import Document, Filter

if TYPE_CHECKING:
    from slowwave.recall.fast import FastIndex
    from slowwave.recall.vectors import Vectors

CANDIDATES = 80
"""Documents that full text may propose: with 200 it finds 0.2 of 100 more among ten, and takes twice the time."""
NEAR = 80
"""Documents that meaning may propose, where there are vectors."""
NEIGHBOURED = 24
"""Candidates whose neighbours are looked at, too."""
ASKED_AT_MOST = 48
"""Words of a question that are searched: somebody may ask with a whole page."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `project` is a slug, "" when only the person's memory counts, None for everything.

    hidden  also what is quarantined or over
    over    memory files and records that are superseded, expired or archived
    """

    text: str
    limit: int = 8
    type: str = ""
    path: str = ""
    project: str | None = None
    hidden: bool = False
    over: frozenset[str] = frozenset()

    @property
    def where(self) -> Filter:
        """What may be found."""
        return Filter(self.project, self.type, self.path, self.hidden, self.over)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What is worth ranking: documents in the order of their ids, what full text gave to those that match, and how
    close each is in meaning (empty without vectors).
    """

    found: tuple[Document, ...] = ()
    bm25: Mapping[int, float] = field(default_factory=dict)
    close: Mapping[int, float] = field(default_factory=dict)


def search(
    index: Database,
    question: Question,
    now: datetime,
    *,
    fast: "FastIndex | None" = None,
    vectors: "Vectors | None" = None,
) -> list[Ranked]:
    """Ranked documents for a question, best first. Another project's memory is never among them."""
    if question.limit < 1:
        return []
    seen = gather(index, question, fast=fast, vectors=vectors)
    ranked = ranking.rank(question.text, seen, project=question.project or "", now=now)
    return ranked[: question.limit]


def gather(
    index: Database,
    question: Question,
    *,
    fast: "FastIndex | None" = None,
    vectors: "Vectors | None" = None,
) -> Gathered:
    """The candidates of a question with their neighbours."""
    asked = words.asked(question.text)[:ASKED_AT_MOST]
    if not asked:
        return Gathered()
    where = question.where
    proposed = dict(_candidates(index, fast, asked, question))
    sense = vectors.encode(question.text) if vectors else None
    near = vectors.nearest(sense, NEAR) if vectors and sense is not None else []
    found = {d.id: d for d in documents.fetch(index, dict.fromkeys([*proposed, *near]), where)}
    bm25 = {n: score for n, score in proposed.items() if n in found}
    first = sorted(bm25, key=lambda n: (-bm25[n], n))[:NEIGHBOURED]
    for d in documents.around(index, _places([found[n] for n in first]), where):
        found.setdefault(d.id, d)
    close = vectors.closeness(sense, list(found)) if vectors and sense is not None else {}
    return Gathered(tuple(found[n] for n in sorted(found)), bm25, close)


def _candidates(
    index: Database, fast: "FastIndex | None", asked: list[str], question: Question
) -> list[tuple[int, float]]:
    """What full text proposes. A filter that the fast index does not know goes to SQLite alone."""
    where = question.where
    if fast is None or question.type or question.path or question.hidden:
        return documents.match(index, asked, where, CANDIDATES)
    new = documents.match(index, asked, where, CANDIDATES, above=fast.note.last)
    return fast.match(asked, question.project, CANDIDATES) + new


def _places(found: list[Document]) -> list[tuple[str, int]]:
    reach = range(-weights.REACH, weights.REACH + 1)
    places = dict.fromkeys((d.session, d.position + step) for d in found if d.session for step in reach)
    return list(places)


def hit(ranked: Ranked, question: Question, mask: Callable[[str], str], stale: bool | None) -> Hit:
    """A ranked document as an answer: secrets masked, reasons named."""
    d = ranked.document
    held = [w for w in words.meant(question.text) if any(f" {s} " in d.words for s in words.stems(w))]
    own = bool(d.project) and d.project == question.project
    reasons = sorted((n for n in ranked.parts if n in _REASONS), key=lambda n: -ranked.parts[n])
    return Hit(
        id=d.ref if d.origin == documents.RECORD else f"{d.path}#{d.position}",
        path=d.path,
        type=MemoryType(d.type) if d.type in list(MemoryType) else MemoryType.SEMANTIC,
        text=mask(d.text),
        score=round(ranked.score, 3),
        why=(
            *(f"word {w}" for w in held),
            *(_REASONS[n] for n in reasons),
            *(("this project",) if own else ()),
        ),
        source=d.source,
        updated_at=d.updated_at,
        stale=stale,
        importance=d.importance,
        confidence=d.confidence,
        hidden=d.hidden,
        parts={n: round(v, 4) for n, v in sorted(ranked.parts.items(), key=lambda p: -p[1])},
    )


_REASONS = {
    "author": "its author is named",
    "phrase": "words side by side",
    "answers": "answers a question",
    "meaning": "close in meaning",
    "code": "close in meaning",
}
"""Features worth telling a person; the others are in `parts`."""
