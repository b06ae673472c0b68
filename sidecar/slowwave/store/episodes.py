"""Episodes: what one turn was about, as an episodic record.

Written by `ingest` in the transaction of the turn, from text that is redacted already.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from slowwave.model import MemoryType, TurnStatus
from slowwave.store import records, versions
from slowwave.store.database import Database
from slowwave.store.records import Record

_COMPLETED_CONFIDENCE, _BROKEN_CONFIDENCE = 0.7, 0.5  # ours: a turn that was cut short proves less


def add(db: Database, session: int, turn: int, episode: Mapping[str, Any], now: str) -> None:
    """Record what a closed turn was about, once; other work under a known number is kept as a new version."""
    where = db.row(
        "SELECT s.source, s.session_id, p.slug FROM sessions s JOIN projects p ON p.id = s.project"
        " WHERE s.id = ?",
        (session,),
    )
    if where is None:
        raise KeyError(session)
    at = micros(now)
    occurred = micros(episode["occurred_at"]) if episode["occurred_at"] else at
    completed = episode["outcome"] == TurnStatus.COMPLETED
    new = Record(
        id=f"e-{where['source']}-{where['session_id']}-{turn}", type=MemoryType.EPISODIC,
        content=words(episode), occurred_at=occurred, created_at=at, updated_at=at, status_at=at,
        scope=where["slug"], session=where["session_id"],
        confidence=_COMPLETED_CONFIDENCE if completed else _BROKEN_CONFIDENCE,
        metadata={
            "source": where["source"], "turn": turn,
            **{k: episode[k] for k in ("outcome", "files", "commands")},
        },
    )  # fmt: skip
    known = records.get(db, new.id)
    if known is None:
        if db.row("SELECT 1 FROM tombstones WHERE id = ?", (new.id,)) is None:
            records.insert(db, new)
    elif known.status == records.ACTIVE and known.content != new.content and "redacted" not in known.metadata:
        versions.keep(db, known.id, at, "reread")
        changed = replace(
            known, content=new.content, metadata=new.metadata, occurred_at=occurred,
            confidence=new.confidence, updated_at=at,
        )  # fmt: skip
        records.save(db, changed)


def words(episode: Mapping[str, Any]) -> str:
    """An episode as a person reads it."""
    lines = [f"Asked: {episode['asked']}", f"Done: {episode['done']}", f"Outcome: {episode['outcome']}"]
    lines += [
        f"{name.capitalize()}: {', '.join(episode[name])}" for name in ("files", "commands") if episode[name]
    ]
    return "\n".join(line for line in lines if not line.endswith(": "))


def micros(text: str) -> int:
    """ISO text as microseconds since 1970, UTC."""
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)
