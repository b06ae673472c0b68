"""Explain: why a record is there, what happened to it, and what will: nothing about it is a riddle."""

import json
from typing import Any

from slowwave.lifecycle import filed, promote
from slowwave.lifecycle.policy import DAY, Policy
from slowwave.lifecycle.workbench import Workbench
from slowwave.model import MemoryType
from slowwave.store import records, versions
from slowwave.store.database import Database
from slowwave.store.records import ACTIVE, Record


def explain(bench: Workbench, word: str) -> dict[str, Any]:
    """Everything known about one record, JSON-ready. Times are ISO text. Raises UsageError."""
    record = records.find(bench.db, word)
    subject = f"record {record.id}"
    events = bench.db.rows("SELECT * FROM audit WHERE subject = ? ORDER BY id", (subject,))
    made = bench.db.rows("SELECT record FROM lineage WHERE source = ? ORDER BY record", (record.id,))
    return {
        "record": records.as_json(record),
        "provenance": {
            "sources": [{"id": s, "state": _state(bench.db, s)} for s in record.sources],
            "occurred": [filed.iso(record.occurred_from or record.occurred_at), filed.iso(record.occurred_at)],
            "instance": record.instance, "session": record.session, "file": record.file,
        },
        "became": [r["record"] for r in made],
        "events": [{**dict(e), "detail": json.loads(e["detail"])} for e in events],
        "versions": [
            {"at": filed.iso(v.at), "action": v.action, "importance": v.before.importance, "status": v.before.status}
            for v in versions.of(bench.db, record.id)
        ],
        "promotion": _promotion(bench.db, record, bench.policy),
        "ageing": _ageing(record, bench.policy),
    }  # fmt: skip


def _state(db: Database, record_id: str) -> str:
    status = db.value("SELECT status FROM records WHERE id = ?", (record_id,))
    gone = db.value("SELECT 1 FROM tombstones WHERE id = ?", (record_id,))
    return str(status) if status else "deleted for good" if gone else "unknown"


def _promotion(db: Database, record: Record, policy: Policy) -> dict[str, Any]:
    if record.type is not MemoryType.EPISODIC:
        return {"why": "only episodes are promoted"}
    if record.superseded_by:
        return {"promoted_to": record.superseded_by, "why": "repeated and credible"}
    if record.status != ACTIVE or record.pinned:
        return {"why": "pinned" if record.pinned else f"it is {record.status}"}
    rows = db.rows(
        "SELECT * FROM records WHERE pattern = ? AND type = 'episodic' AND status = 'active' AND NOT pinned",
        (record.pattern,),
    )
    lacking = promote.shortfalls([records.of_row(r) for r in rows], policy)
    return {"key": promote.key_of(record), "occurrences": len(rows),
            "why": "; ".join(lacking) or "the next pass promotes it"}  # fmt: skip


def _ageing(record: Record, policy: Policy) -> dict[str, Any]:
    """When what happens by itself, were the record never used again."""
    if record.pinned:
        return {"why": "pinned: no pass touches it"}
    seen = (record.last_accessed_at, record.anchor_at, record.updated_at, record.created_at)
    activity = max(at for at in seen if at is not None)
    found: dict[str, Any] = {"last_activity": filed.iso(activity)}
    if record.status != ACTIVE:
        return found
    if record.expires_at is not None:
        found["expires"] = filed.iso(record.expires_at)
    if rule := policy.decay.get(record.type):
        since = max(activity, record.decayed_to or 0)
        found["decays"] = {"at": filed.iso(since + rule.period), "by": rule.step, "down_to": rule.floor,
                           "rule": policy.origin.get(f"decay.{record.type}", "")}  # fmt: skip
    if record.type in policy.archive_days:
        found["archived"] = {"at": filed.iso(activity + round(policy.archive_days[record.type] * DAY)),
                             "rule": policy.origin.get(f"archive_days.{record.type}", "")}  # fmt: skip
    return found
