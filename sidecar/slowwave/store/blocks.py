"""Blocks: which session had a prompt or a step first, so that copied history counts once."""

from collections.abc import Iterable
from dataclasses import dataclass

from slowwave.store.database import Database


@dataclass(frozen=True)
class Claimed:
    """Of some native ids: those another session had first (copied history), and those never seen before."""

    foreign: frozenset[str]
    fresh: frozenset[str]


def claim(db: Database, source: str, session: int, native_ids: Iterable[str]) -> Claimed:
    """Record native ids as this session's, where they are not another's already."""
    foreign, fresh = set[str](), set[str]()
    for native_id in native_ids:
        added = db.execute(
            "INSERT INTO blocks (source, native_id, session) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (source, native_id, session),
        )
        if added == 1:
            fresh.add(native_id)
            continue
        owner = db.value("SELECT session FROM blocks WHERE source = ? AND native_id = ?", (source, native_id))
        if owner != session:
            foreign.add(native_id)
    return Claimed(frozenset(foreign), frozenset(fresh))


def is_inherited(db: Database, source: str, session_id: str, native_id: str) -> bool:
    """Whether another session had this block first."""
    row = db.row(
        "SELECT s.session_id AS owner FROM blocks b JOIN sessions s ON s.id = b.session"
        " WHERE b.source = ? AND b.native_id = ?",
        (source, native_id),
    )
    return row is not None and row["owner"] != session_id
