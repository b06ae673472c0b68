"""What records were before: a snapshot for every change, and one of each archived record.

Snapshots are made by the database of its own rows, inside the transaction of the change.
"""

import json
from dataclasses import dataclass

from slowwave.store.database import Database
from slowwave.store.records import SNAPSHOT, Record, of_row, sources_of


@dataclass(frozen=True)
class Version:
    """A record as it was before `action` changed it."""

    at: int
    action: str
    audit: int | None
    before: Record


def keep(db: Database, record: str, at: int, action: str, audit: int | None = None) -> None:
    """Keep a record as it is now, before it changes."""
    db.execute(
        f"INSERT INTO versions (record, at, action, audit, snapshot) SELECT r.id, ?, ?, ?, {SNAPSHOT}"
        " FROM records r WHERE r.id = ?",
        (at, action, audit, record),
    )


def of(db: Database, record: str) -> list[Version]:
    """The versions of a record, oldest first."""
    rows = db.rows("SELECT * FROM versions WHERE record = ? ORDER BY id", (record,))
    return [Version(r["at"], r["action"], r["audit"], of_row(json.loads(r["snapshot"]))) for r in rows]


def archive(db: Database, record: str, at: int, reason: str) -> None:
    """Keep the archive snapshot of a record that is about to be archived."""
    db.execute(
        f"INSERT OR REPLACE INTO archives (record, at, reason, snapshot) SELECT r.id, ?, ?, {SNAPSHOT}"
        " FROM records r WHERE r.id = ?",
        (at, reason, record),
    )


def archived(db: Database, record: str) -> Record | None:
    """The record as it was when it was archived, or None."""
    text = db.value("SELECT snapshot FROM archives WHERE record = ?", (record,))
    return None if text is None else of_row(json.loads(text), sources_of(db, record))


def blank(db: Database, record: str, instead: str, file: str) -> None:
    """Put other words in place of the content, and of the file name made of it, in everything kept of a record."""
    for table in ("versions", "archives"):
        db.execute(
            f"UPDATE {table} SET snapshot ="
            " json_set(snapshot, '$.content', ?, '$.metadata', '{}', '$.file', ?) WHERE record = ?",
            (instead, file, record),
        )
