"""Maintenance passes: what one planned, staged and applied so that it is whole or not at all.

All rows of a pass change in one transaction, by a few statements over the staged changes. A pass that also
changes memory files is staged first (its own transaction), then published, then applied: after a kill the branch
says whether it landed, and the staged changes are applied or dropped.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from slowwave.store import audit, records, versions
from slowwave.store.database import Database
from slowwave.store.records import SNAPSHOT, Record

ACTOR = "maintenance"
SCHEDULED = "lifecycle.scheduled_through"
MADE = ("summarize", "promote")
ACTIONS = ("promote", "expire", "decay", "archive")  # the order in which rows change


@dataclass(frozen=True, slots=True)
class Change:
    """One row as it will be. `was_*` and `file` tell of the row as it was planned on."""

    action: str
    record: str
    revision: int
    status: str
    importance: float
    reason: str
    was_status: str
    was_importance: float
    decayed_to: int | None = None
    superseded_by: str = ""
    file: str = ""


@dataclass(frozen=True)
class Made:
    """A record that a pass makes (`known` false) or brings up to date."""

    action: str
    record: Record
    known: bool = False


@dataclass(frozen=True)
class Applied:
    """What a pass has written: audit ids by action, and the records it was overtaken on and left alone."""

    audit_ids: tuple[int, ...]
    overtaken: int = 0


@dataclass(frozen=True)
class Staged:
    """What a pass will write. `texts` are the memory files it takes away, as they were."""

    id: str
    at: int
    now: str
    made: tuple[Made, ...] = ()
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


# ---------------------------------------------------------------------- stage
def begin(db: Database, pass_id: str, at: int) -> None:
    """Enter a pass, before it writes anything else."""
    with db.transaction():
        db.execute("INSERT INTO passes (id, at, status) VALUES (?, ?, 'begun')", (pass_id, at))


def stage(db: Database, staged: Staged, base: str = "") -> None:
    """Keep what a pass is about to write. Inside the caller's transaction."""
    made = {
        "now": staged.now,
        "records": [{"action": m.action, "known": m.known, "record": records.as_json(m.record)} for m in staged.made],
        "texts": dict(staged.texts),
    }  # fmt: skip
    db.execute(
        "UPDATE passes SET base = ?, made = ? WHERE id = ?",
        (base, json.dumps(made, ensure_ascii=False), staged.id),
    )
    db.many(
        "INSERT INTO pass_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (staged.id, c.action, n, c.record, c.revision, c.status, c.importance, c.decayed_to, c.superseded_by, c.reason)
            for n, c in enumerate(staged.changes)
        ),
    )  # fmt: skip


def unfinished(db: Database) -> list[tuple[str, str, int]]:
    """The passes that were begun and neither done nor abandoned: their id, memory's commit before, their time."""
    rows = db.rows("SELECT id, base, at FROM passes WHERE status = 'begun' ORDER BY id")
    return [(r["id"], r["base"], r["at"]) for r in rows]


# ---------------------------------------------------------------------- apply
def apply(db: Database, pass_id: str) -> Applied:
    """Write everything a pass has staged, with versions and audit records. Inside the caller's transaction."""
    row = db.row("SELECT at, made FROM passes WHERE id = ?", (pass_id,))
    if row is None:
        raise KeyError(pass_id)
    made, at = json.loads(row["made"]), int(row["at"])
    # A row that changed since the plan is somebody's newer word, or was brought in step with its file already.
    overtaken = db.execute(
        "DELETE FROM pass_changes WHERE pass = ? AND record IN (SELECT c.record FROM pass_changes c"
        " JOIN records r ON r.id = c.record WHERE c.pass = ? AND r.revision <> c.revision)",
        (pass_id, pass_id),
    )
    ids = [_make(db, pass_id, at, made["now"], entry) for entry in made["records"]]
    for action in ACTIONS:
        ids += _change_rows(db, pass_id, action, at, made["now"])
    for record, text in made["texts"].items():
        db.execute("UPDATE archives SET text = ? WHERE record = ?", (text, record))
    db.execute("DELETE FROM pass_changes WHERE pass = ?", (pass_id,))
    db.execute("UPDATE passes SET status = 'done', made = '{}', finished_at = ? WHERE id = ?", (at, pass_id))
    return Applied(tuple(ids), overtaken)


def abandon(db: Database, pass_id: str, at: int) -> None:
    """Drop a pass of which nothing was written. Inside the caller's transaction."""
    db.execute("DELETE FROM pass_changes WHERE pass = ?", (pass_id,))
    db.execute(
        "UPDATE passes SET status = 'abandoned', made = '{}', finished_at = ? WHERE id = ?", (at, pass_id)
    )


def _make(db: Database, pass_id: str, at: int, now: str, entry: Mapping[str, Any]) -> int:
    record = records.from_json(entry["record"])
    known = records.get(db, record.id)
    detail = {"pass": pass_id, "sources": len(record.sources), "updated": known is not None}
    number = audit.record(db, now, ACTOR, entry["action"], f"record {record.id}", "", detail)
    if known is None:
        records.insert(db, record)
    else:
        versions.keep(db, record.id, at, entry["action"], number)
        records.save(db, record)
    return number


def _change_rows(db: Database, pass_id: str, action: str, at: int, now: str) -> Iterable[int]:
    """Change the rows of one action; returns the ids of its audit records, in the order of the plan."""
    before = int(db.value("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'audit'") or 0)
    staged = "FROM pass_changes c JOIN records r ON r.id = c.record WHERE c.pass = ? AND c.action = ?"
    count = db.execute(
        "INSERT INTO audit (at, actor, action, subject, reason, detail)"
        " SELECT ?, ?, c.action, 'record ' || c.record, c.reason, json_object('pass', c.pass,"
        " 'status', json_array(r.status, c.status), 'importance', json_array(r.importance, c.importance),"
        f" 'superseded_by', c.superseded_by) {staged} ORDER BY c.ordinal",
        (now, ACTOR, pass_id, action),
    )
    db.execute(
        "INSERT INTO versions (record, at, action, audit, snapshot)"
        f" SELECT r.id, ?, c.action, ? + row_number() OVER (ORDER BY c.ordinal), {SNAPSHOT} {staged}",
        (at, before, pass_id, action),
    )
    if action == "archive":
        db.execute(
            "INSERT OR REPLACE INTO archives (record, at, reason, snapshot)"
            f" SELECT r.id, ?, c.reason, {SNAPSHOT} {staged}",
            (at, pass_id, action),
        )
    db.execute(
        "UPDATE records SET status = c.status, importance = c.importance,"
        " status_at = CASE WHEN records.status = c.status THEN records.status_at ELSE ? END,"
        " decayed_to = coalesce(c.decayed_to, records.decayed_to), revision = records.revision + 1,"
        " superseded_by = CASE c.superseded_by WHEN '' THEN records.superseded_by ELSE c.superseded_by END"
        " FROM pass_changes c WHERE c.record = records.id AND c.pass = ? AND c.action = ?",
        (at, pass_id, action),
    )
    return range(before + 1, before + 1 + count)


# ---------------------------------------------------------------------- the schedule's memory
def scheduled_through(db: Database) -> int | None:
    """The last due moment that was answered for, in microseconds."""
    value = db.value("SELECT value FROM meta WHERE name = ?", (SCHEDULED,))
    return None if value is None else int(value)


def note_scheduled(db: Database, due: int) -> None:
    """Note that a due moment was answered for. Inside the caller's transaction."""
    db.execute(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (SCHEDULED, str(due)),
    )
