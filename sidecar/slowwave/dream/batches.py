"""Batches: contiguous snapshots within a budget of tokens and sessions.

Reflection reads a batch at a time, so that a model's context holds it. A session larger than a batch is
split at turn boundaries, never inside a turn: a turn is the smallest thing that makes sense alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from slowwave.model import Snapshot, Turn, digest

Batch = tuple[Snapshot, ...]


def turn_tokens(turn: Turn) -> int:
    """The size of a turn in tokens, at four characters each."""
    return sum(len(e.text) for e in turn.entries) // 4 + 1


def split(snapshot: Snapshot, budget: int) -> Iterator[Snapshot]:
    """Cut a snapshot at turn boundaries into parts of at most `budget` tokens (one turn is never cut)."""
    part: list[Turn] = []
    size, start = 0, snapshot.range.from_turn
    for turn in snapshot.turns:
        cost = turn_tokens(turn)
        if part and size + cost > budget:
            yield _part(snapshot, part, start)
            start, part, size = part[-1].number, [], 0
        part.append(turn)
        size += cost
    if part:
        yield _part(snapshot, part, start)


def _part(snapshot: Snapshot, turns: list[Turn], start: int) -> Snapshot:
    if len(turns) == len(snapshot.turns):
        return snapshot
    own = tuple(turns)
    span = replace(snapshot.range, from_turn=start, to_turn=own[-1].number, digest=digest(own))
    return Snapshot(snapshot.session, own, span)


def make(snapshots: Iterable[Snapshot], *, tokens: int, sessions: int) -> tuple[Batch, ...]:
    """Put snapshots, in the order given, into batches of at most `tokens` and `sessions`.

    Every turn lands in exactly one batch, in order; a single turn above the budget makes a batch alone.
    """
    batches: list[Batch] = []
    batch: list[Snapshot] = []
    size = 0
    for snapshot in snapshots:
        for part in split(snapshot, tokens):
            if batch and (size + part.tokens > tokens or len(batch) >= sessions):
                batches.append(tuple(batch))
                batch, size = [], 0
            batch.append(part)
            size += part.tokens
    if batch:
        batches.append(tuple(batch))
    return tuple(batches)
