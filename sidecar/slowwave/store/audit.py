"""The audit record: who changed what, when and why.

Append-only; the database itself refuses anything else.
"""

import json
from collections.abc import Mapping
from typing import Any

from slowwave.store.database import Database


def record(
    db: Database, at: str, actor: str, action: str, subject: str, reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> int:  # fmt: skip
    """Append one record; returns its id. Call it inside the transaction of the change it tells of."""
    return db.insert(
        "INSERT INTO audit (at, actor, action, subject, reason, detail) VALUES (?, ?, ?, ?, ?, ?)",
        (at, actor, action, subject, reason, json.dumps(dict(detail or {}), ensure_ascii=False)),
    )


def latest(db: Database, limit: int = 50) -> list[dict[str, Any]]:
    """The newest records first."""
    rows = db.rows("SELECT * FROM audit ORDER BY id DESC LIMIT ?", (limit,))
    return [{**dict(r), "detail": json.loads(r["detail"])} for r in rows]
