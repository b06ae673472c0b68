"""Batches: every turn once, in order, within the budget."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from slowwave.dream import batches
from slowwave.model import (
    Author,
    Entry,
    EntryKind,
    Session,
    Snapshot,
    SourceRange,
    Turn,
    TurnStatus,
    digest,
)  # fmt: skip


def snapshot(name: str, sizes: list[int]) -> Snapshot:
    """A session with turns of these sizes in tokens."""
    turns = tuple(
        Turn(n, TurnStatus.COMPLETED, (Entry(EntryKind.PROMPT, Author.HUMAN, "x" * size * 4, f"{n}", 0, 1),),
             1, 1, 0, 0, 1)
        for n, size in enumerate(sizes, 1)
    )  # fmt: skip
    span = SourceRange("codex", name, 0, len(sizes), digest(turns))
    return Snapshot(Session("codex", name, Path("x")), turns, span)


@given(st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=8), max_size=8), st.integers(10, 120),
       st.integers(1, 4))  # fmt: skip
def test_every_turn_lands_in_exactly_one_batch_in_order(
    sessions: list[list[int]], tokens: int, limit: int
) -> None:
    """Nothing is lost, doubled or reordered, whatever the sizes; no batch breaks its limits without need."""
    given_in = [snapshot(f"s{i}", sizes) for i, sizes in enumerate(sessions)]
    made = batches.make(given_in, tokens=tokens, sessions=limit)
    wanted = [(s.session.session_id, t.number) for s in given_in for t in s.turns]
    got = [(s.session.session_id, t.number) for b in made for s in b for t in s.turns]
    assert got == wanted
    for batch in made:
        assert len(batch) <= limit
        single = len(batch) == 1 and len(batch[0].turns) == 1
        assert single or sum(s.tokens for s in batch) <= tokens + len(batch)
        for part in batch:
            assert part.range.digest == digest(part.turns)
            assert (part.range.from_turn, part.range.to_turn) == (
                part.turns[0].number - 1,
                part.turns[-1].number,
            )


def test_a_session_larger_than_a_batch_is_cut_between_turns() -> None:
    """Parts of one session follow each other without a gap or an overlap."""
    made = batches.make([snapshot("big", [40, 40, 40])], tokens=60, sessions=10)
    spans = [(s.range.from_turn, s.range.to_turn) for b in made for s in b]
    assert spans == [(0, 1), (1, 2), (2, 3)]
