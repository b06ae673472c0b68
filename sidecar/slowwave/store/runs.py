"""Runs and the lease: which dreams there were, how they ended, and who may dream now.

A lease is not a flag. It has an owner token, a process, a heartbeat and an expiry, so a killed dream never
locks the next one out; and it is kept apart from the record of the last success, so a stale lease never
looks like work done (public reports of both faults are why).
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slowwave.errors import BusyError, UsageError
from slowwave.model import SourceRange, Trigger
from slowwave.store import audit, progress
from slowwave.store.database import Database, Row

LEASE = "dream"
LEASE_SECONDS = 60.0
HEARTBEAT_SECONDS = 10.0
FINISHED = ("merged", "no_changes", "pending", "discarded", "undone", "removed", "failed", "interrupted")
_BACK_OFF_FIRST = 60.0
_BACK_OFF_MOST = 6 * 3600.0


@dataclass(frozen=True)
class Run:
    """One row of the ledger of dreams."""

    id: str
    project: int
    trigger: Trigger
    reflector: str
    status: str
    step: str
    base: str
    reflection: str
    commit: str
    reason: str
    request: Mapping[str, Any]
    report: Mapping[str, Any]
    created_at: str
    finished_at: str | None


def _run(row: Row) -> Run:
    return Run(
        row["id"], row["project"], Trigger(row["trigger"]), row["reflector"], row["status"], row["step"],
        row["base"], row["reflection"], row["commit"], row["reason"], json.loads(row["request"]),
        json.loads(row["report"]), row["created_at"], row["finished_at"],
    )  # fmt: skip


def claim(
    db: Database, run: str, project: int, trigger: Trigger, reflector: str, now: str,
    request: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Enter a new run in the ledger. `request` is what its process needs to know (which files, instruction)."""
    db.execute(
        "INSERT INTO runs (id, project, trigger, reflector, status, request, pid, boot, created_at)"
        " VALUES (?, ?, ?, ?, 'claimed', ?, ?, ?, ?)",
        (
            run,
            project,
            trigger,
            reflector,
            json.dumps(dict(request or {})),
            os.getpid(),
            boot_id(),
            now,
        ),
    )


def forget(db: Database, run: str) -> None:
    """Drop a run that has read nothing: the log is for dreams. One that has ranges stays."""
    with db.transaction():
        db.execute(
            "DELETE FROM runs WHERE id = ? AND NOT EXISTS (SELECT 1 FROM ranges WHERE run = id)", (run,)
        )


def known(db: Database, run: str) -> Run | None:
    """One run, or None when it has left nothing."""
    row = db.row("SELECT * FROM runs WHERE id = ?", (run,))
    return _run(row) if row else None


def get(db: Database, run: str) -> Run:
    """One run. Raises UsageError when there is none of this id."""
    row = db.row("SELECT * FROM runs WHERE id = ?", (run,))
    if row is None:
        raise UsageError(f"there is no dream {run!r}", hint="`slowwave log` lists them")
    return _run(row)


def find(db: Database, prefix: str) -> Run:
    """The run whose id begins so. Raises UsageError when none or several do."""
    rows = db.rows("SELECT * FROM runs WHERE substr(id, 1, ?) = ? LIMIT 3", (len(prefix), prefix))
    if len(rows) != 1:
        what = "no dream" if not rows else "more than one dream"
        raise UsageError(f"{what} begins with {prefix!r}", hint="`slowwave log` lists them")
    return _run(rows[0])


def latest(
    db: Database, *, project: int | None = None, statuses: Iterable[str] = (), limit: int = 20
) -> list[Run]:
    """The newest runs first."""
    wanted = list(statuses)
    where, args = ["1"], list[Any]()
    if project is not None:
        where.append("project = ?")
        args.append(project)
    if wanted:
        where.append(f"status IN ({', '.join('?' * len(wanted))})")
        args += wanted
    rows = db.rows(
        f"SELECT * FROM runs WHERE {' AND '.join(where)} ORDER BY created_at DESC, rowid DESC LIMIT ?",
        (*args, limit),
    )
    return [_run(r) for r in rows]


def last_ended(db: Database, statuses: Iterable[str], limit: int) -> list[Run]:
    """The runs that came to one of these statuses last, the last one first."""
    wanted = list(statuses)
    rows = db.rows(
        f"SELECT * FROM runs WHERE status IN ({', '.join('?' * len(wanted))})"
        " ORDER BY finished_at DESC, created_at DESC, rowid DESC LIMIT ?",
        (*wanted, limit),
    )
    return [_run(r) for r in rows]


def with_status(db: Database, status: str) -> list[Run]:
    """All runs of one status."""
    return [_run(r) for r in db.rows("SELECT * FROM runs WHERE status = ?", (status,))]


def unfinished(db: Database) -> list[Run]:
    """Runs that neither ended nor failed: alive, or killed."""
    return [_run(r) for r in db.rows("SELECT * FROM runs WHERE status IN ('claimed', 'running')")]


def claimant_lives(db: Database, run: str) -> bool:
    """Whether the process that claimed a run is still there to answer for it."""
    row = db.row("SELECT pid, boot FROM runs WHERE id = ?", (run,))
    return row is not None and row["boot"] == boot_id() and process_lives(row["pid"])


def note_step(db: Database, run: str, step: str, **columns: str) -> None:
    """Note the step a run is at, with the columns it has learned (base, reflection)."""
    sets = "".join(f", {name} = ?" for name in columns)
    with db.transaction():
        db.execute(
            f"UPDATE runs SET status = 'running', step = ?{sets} WHERE id = ?",
            (step, *columns.values(), run),
        )


def note_commit(db: Database, run: str, commit: str) -> None:
    """Note that a landed run now stands in another commit: a person has rewritten the branch."""
    with db.transaction():
        db.execute('UPDATE runs SET "commit" = ? WHERE id = ?', (commit, run))


def save_ranges(db: Database, run: str, ranges: Iterable[SourceRange]) -> None:
    """Note which turns a run reads."""
    for r in ranges:
        db.execute(
            "INSERT INTO ranges (run, source, session_id, from_turn, to_turn, digest, unfinished)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (run, r.source, r.session_id, r.from_turn, r.to_turn, r.digest, r.unfinished),
        )


def narrow_ranges(db: Database, run: str, ranges: Iterable[SourceRange]) -> None:
    """Note that a run has read only these of its turns; the others are as unread as before."""
    with db.transaction():
        db.execute("DELETE FROM ranges WHERE run = ?", (run,))
        save_ranges(db, run, ranges)


def ranges_of(db: Database, run: str) -> tuple[SourceRange, ...]:
    """The turns a run reads."""
    rows = db.rows("SELECT * FROM ranges WHERE run = ? ORDER BY source, session_id, from_turn", (run,))
    return tuple(
        SourceRange(r["source"], r["session_id"], r["from_turn"], r["to_turn"], r["digest"], r["unfinished"])
        for r in rows
    )


def finish(
    db: Database, run: str, status: str, now: str, *, commit: str = "", reason: str = "",
    report: Mapping[str, Any] | None = None, actor: str = "dream",
) -> None:  # fmt: skip
    """End a run: its status, its turns' fate, its marks and its audit record, in one transaction.

    Merged, no_changes, pending, discarded, undone and removed (from the branch, by a person's git) keep the turns from being read again (for a pending
    dream that is the reservation); failed and interrupted give them back.
    """
    state = "new" if status in {"failed", "interrupted"} else status
    with db.transaction():
        db.execute(
            'UPDATE runs SET status = ?, "commit" = CASE WHEN ? = \'\' THEN "commit" ELSE ? END,'
            " reason = ?, report = coalesce(?, report), finished_at = ? WHERE id = ?",
            (status, commit, commit, reason, json.dumps(report) if report is not None else None, now, run),
        )
        progress.settle(db, run, ranges_of(db, run), state)
        audit.record(db, now, actor, status, f"dream {run}", reason, {"commit": commit})


def back_off_until(db: Database, project: int, timestamp: Any) -> float:
    """When the next automatic dream may start after failures, POSIX seconds; 0 when at once.

    Doubles from one minute to six hours with each failure in a row; kept in the ledger itself, so a restart
    does not forget it. A dream that was interrupted neither counts nor ends the row. `timestamp` converts an
    ISO time to POSIX seconds.
    """
    failures, last = 0, 0.0
    telling = [s for s in FINISHED if s != "interrupted"]
    for run in latest(db, project=project, statuses=telling, limit=12):
        if run.status != "failed":
            break
        failures += 1
        last = max(last, timestamp(run.finished_at or run.created_at))
    return last + min(_BACK_OFF_FIRST * 2 ** (failures - 1), _BACK_OFF_MOST) if failures else 0.0


# ---------------------------------------------------------------------- the lease
@dataclass(frozen=True)
class Lease:
    """Who may dream now."""

    owner: str
    pid: int
    purpose: str
    acquired_at: float
    expires_at: float


def boot_id() -> str:
    """This boot of this machine, so that a process number from before a restart is not believed."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


def process_lives(pid: int) -> bool:
    """Whether a process of this number exists (a permission error means that it does)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def current_lease(db: Database, now: float) -> Lease | None:
    """The live lease, or None. One that is past its expiry, or whose process is gone, is not live; nor is one
    that ends later than any taken now could: the clock was set back since.
    """
    row = db.row("SELECT * FROM leases WHERE name = ?", (LEASE,))
    if row is None or not now < row["expires_at"] <= now + LEASE_SECONDS:
        return None
    if row["boot"] == boot_id() and not process_lives(row["pid"]):
        return None
    return Lease(row["owner"], row["pid"], row["purpose"], row["acquired_at"], row["expires_at"])


def take_lease(db: Database, owner: str, purpose: str, now: float) -> None:
    """Take the right to dream. Raises BusyError naming who holds it."""
    with db.transaction():
        held = current_lease(db, now)
        if held and held.owner != owner:
            raise BusyError(
                f"another dream is running: {held.purpose} (process {held.pid})",
                hint="wait for it, or see `slowwave status`",
            )
        db.execute(
            "INSERT OR REPLACE INTO leases (name, owner, pid, boot, purpose, acquired_at, heartbeat_at,"
            " expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (LEASE, owner, os.getpid(), boot_id(), purpose, now, now, now + LEASE_SECONDS),
        )


def keep_lease(db: Database, owner: str, now: float) -> bool:
    """Renew the lease; False when it is no longer ours."""
    with db.transaction():
        changed = db.execute(
            "UPDATE leases SET heartbeat_at = ?, expires_at = ? WHERE name = ? AND owner = ?",
            (now, now + LEASE_SECONDS, LEASE, owner),
        )
    return changed == 1


def give_lease_back(db: Database, owner: str) -> None:
    """Give the lease back, when it is still ours."""
    with db.transaction():
        db.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (LEASE, owner))
