"""Ranks documents for a question: what the words say, then the structure they stand in. Pure.

A turn without a word of the question may hold the answer when the turn before asked; a turn of the session in
which everything else fits is likelier than one that stands alone. Scores are added up feature by feature (never
ranks: fusing ranks with equal weight loses what plain full text finds), each with its weight in one table.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slowwave.recall import weights, words
from slowwave.store.documents import FILE, Document

CLOSE = 0.2
"""The cosine from which on a note without a word of the question may be a hit: nine of ten wrong ones are below."""
_MARKS = re.compile(r"[(){}\[\]=;]")
_OPENS_CODE = re.compile(
    r"\s*(?:@\w|(?:async )?def \w|class \w|func(?:tion)? |fn \w|public |private |static |import |from \w+ import"
    r"|#include|const |let |var |struct |interface |SELECT |CREATE )"
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document with its score (0 to 1) and what each feature gave to it, in the same unit."""

    document: Document
    score: float
    parts: Mapping[str, float]


class Seen(Protocol):
    """What is ranked: documents, what full text gave to those that match, and how close each is in meaning."""

    @property
    def found(self) -> Sequence[Document]:
        """The matches and their neighbours."""
        ...

    @property
    def bm25(self) -> Mapping[int, float]:
        """By id of document."""
        ...

    @property
    def close(self) -> Mapping[int, float]:
        """By id of document; empty where meaning is not asked."""
        ...


def rank(
    question: str,
    seen: Seen,
    *,
    project: str,
    now: datetime,
    table: Mapping[str, float] = weights.WEIGHTS,
) -> list[Ranked]:
    """Rank documents, best first."""
    ranked = []
    for document, features in measure(question, seen, project=project, now=now):
        parts = {name: value * table[name] / weights.BEST for name, value in features.items() if value}
        ranked.append(Ranked(document, sum(parts.values()), parts))
    ranked.sort(key=lambda r: (-r.score, r.document.path, r.document.id))
    return ranked


def measure(
    question: str, seen: Seen, *, project: str, now: datetime
) -> Iterator[tuple[Document, dict[str, float]]]:
    """Every document that may be a hit, with its features by the names of the table of weights."""
    found = seen.found
    asked = _Asked(question, found)
    best = max(seen.bm25.values(), default=0.0) or 1.0
    text = {d.id: seen.bm25.get(d.id, 0.0) / best for d in found}
    closest = max(seen.close.values(), default=0.0) or 1.0
    places = {(d.session, d.position): d for d in found if d.session}
    held = {d.id: frozenset(w for w in asked.words if f" {w} " in d.words) for d in found}
    sessions: dict[str, float] = {}
    for d in found:
        sessions[d.session] = max(sessions.get(d.session, 0.0), text[d.id])
    recency = _Freshness(now, weights.RECENCY_DAYS)
    use = _Freshness(now, weights.USE_DAYS)
    for d in found:
        near = seen.close.get(d.id, 0.0)
        if not text[d.id] and d.origin == FILE and near < CLOSE:
            continue  # the next line of a note is no answer; the next turn of a conversation may be
        before = places.get((d.session, d.position - 1))
        yield (
            d,
            {
                "words": text[d.id],
                "author": float(bool(asked.author) and d.author == asked.author),
                "session": sessions[d.session] if d.session else text[d.id],
                "question": float(_asks(d)),
                "phrase": min(asked.phrases(d), weights.FULL_PHRASES) / weights.FULL_PHRASES,
                "around": _around(d, places, held) / (len(asked.words) or 1),
                "length": _length(d),
                "answers": text[before.id] if before and _asks(before) else 0.0,
                "meaning": 0.0 if is_code(d) else near / closest,
                "code": near / closest if is_code(d) else 0.0,
                "project": 1.0 if d.project and d.project == project else 0.0 if d.project else 0.5,
                "durable": float(d.origin == FILE),
                "importance": d.importance - 0.5,
                "confidence": d.confidence - 0.5,
                "recency": recency.of(d.updated_at),
                "use": use.of(d.used_at),
            },
        )


class _Asked:
    """A question, read with the documents in view: whose name it calls, and which words are left."""

    def __init__(self, question: str, found: Sequence[Document]) -> None:
        meant = words.asked(question)
        named = {a: names for a in {d.author for d in found if d.author} if (names := set(words.stems(a)))}
        called = [a for a, names in named.items() if names <= set(meant)]
        self.author = called[0] if len(called) == 1 else ""
        names = {n for a in called for n in named[a]}
        self.words = [w for w in meant if w not in names] or meant
        order = words.stems(question)
        self._pairs = [f" {a} {b} " for a, b in itertools.pairwise(order)]

    def phrases(self, document: Document) -> int:
        """How many pairs of neighbouring words of the question stand side by side in a document."""
        return sum(pair in document.words for pair in self._pairs)


def is_code(document: Document) -> bool:
    """Whether a document is code: nobody said it, it begins as code does, and it is full of brackets."""
    start = document.text[:600]
    return (
        not document.author
        and bool(_OPENS_CODE.match(start))
        and len(_MARKS.findall(start)) * 60 > len(start)
    )


def _length(document: Document) -> float:
    """How much a turn says; a note or a function is not better for being long."""
    if not document.author:
        return 0.0
    return min(document.words.count(" ") - 1, weights.FULL_LENGTH) / weights.FULL_LENGTH


def _asks(document: Document) -> bool:
    return document.text.rstrip().endswith(("?", "？"))


def _around(
    d: Document, places: Mapping[tuple[str, int], Document], held: Mapping[int, frozenset[str]]
) -> int:
    """How many words of the question a document holds together with its neighbours."""
    near = held[d.id]
    if d.session:
        for step in range(-weights.REACH, weights.REACH + 1):
            if step and (other := places.get((d.session, d.position + step))):
                near = near | held[other.id]
    return len(near)


class _Freshness:
    """1 for this moment, a half after the half-life; 0 for what has no moment. Each moment is read once."""

    def __init__(self, now: datetime, half_life_days: float) -> None:
        self._now, self._half_life = now, half_life_days
        self._known: dict[str, float] = {"": 0.0}

    def of(self, moment: str) -> float:
        """How fresh a moment is."""
        if moment not in self._known:
            self._known[moment] = self._measure(moment)
        return self._known[moment]

    def _measure(self, moment: str) -> float:
        try:
            then = datetime.fromisoformat(moment)
        except ValueError:
            return 0.0
        then = then if then.tzinfo else then.replace(tzinfo=self._now.tzinfo)
        days = max(0.0, (self._now - then).total_seconds() / 86_400)
        return math.pow(0.5, days / self._half_life)
