"""Reconciling: the branch is the truth about what landed, and the ledger of dreams follows it.

A person works in memory with git: they reset, rebase, amend, squash, merge a pending dream by hand. What their
branch says afterwards is so: a dream that stands on it is merged (in whatever commit), one that stands on it no
longer is removed. Usually only what came since the last time is read; after a rewrite, all of it. It needs no
lease: each step is one transaction that may come twice. Engine 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from slowwave.dream import settle
from slowwave.memory import publish
from slowwave.memory.objects import Commit
from slowwave.memory.records import Record, dreams_of, undone_by
from slowwave.memory.repo import MemoryRepository
from slowwave.model import Project, SourceRange, Trigger
from slowwave.store import progress, runs
from slowwave.store.database import Database

_RECONCILED = "reconciled_commit"


@dataclass(slots=True)
class _Told:
    """What commits tell of dreams: in which commit each stands, and which commit took it back."""

    landed: dict[str, tuple[Record, Commit]] = field(default_factory=dict)
    undone: dict[str, str] = field(default_factory=dict)


def reconcile(db: Database, repo: MemoryRepository, now: str) -> None:
    """Bring the store up to what the branch and the pending branches say. `now` is ISO text."""
    # 1. what was known before; asked first, or a dream that lands meanwhile would look removed
    stood = {run.id: run.commit for run in runs.with_status(db, "merged")}
    stood |= {run.id: run.reason.rpartition(" ")[2] for run in runs.with_status(db, "undone")}
    seen = db.value("SELECT value FROM meta WHERE name = ?", (_RECONCILED,))
    head = repo.head()
    known = seen if repo.history(head) >= {seen, *stood.values()} else None
    # 2. what the branch tells
    told = _tell(repo.commits_since(known, sides=True))
    for record, commit in told.landed.values():
        _settle_landed(db, repo, record, commit, told.undone, now)
    for run_id, sha in told.undone.items():
        if _status(db, run_id) == "merged":
            runs.finish(db, run_id, "undone", now, reason=settle.undone_by(sha), actor="person")
    # 3. what it tells no longer; a shallow clone does not have all of it
    if known is None and not (repo.git_dir / "shallow").exists():
        for run_id in sorted(stood.keys() - told.landed.keys()):
            reason = f"it is no longer on the branch {repo.branch}: a person took it away with git"
            runs.finish(db, run_id, "removed", now, reason=reason, actor="person")
    # 4. what waits
    for run_id, sha in publish.pending(repo).items():
        kept = repo.commit(sha)
        for record in dreams_of(kept) if kept else ():
            if kept and record.dream_id == run_id:
                _settle_pending(db, record, kept, now)
    # 5. what a person discarded
    for ref, sha in repo.refs(settle.DISCARDED).items():
        dropped = repo.commit(sha)
        for record in dreams_of(dropped) if dropped else ():
            if dropped and record.dream_id == ref.removeprefix(settle.DISCARDED):
                _settle_discarded(db, record, dropped, now)
    with db.transaction():
        db.execute(
            "INSERT INTO meta (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (_RECONCILED, head),
        )


def _tell(commits: tuple[Commit, ...]) -> _Told:
    """Oldest first: the last commit that names a dream is where it stands (a merge comes after what it merges)."""
    told = _Told()
    for commit in commits:
        for record in dreams_of(commit):
            told.landed[record.dream_id] = record, commit
            told.undone.pop(record.dream_id, None)
        told.undone.update(dict.fromkeys(undone_by(commit), commit.sha))
    return told


def _status(db: Database, run_id: str) -> str:
    return str(db.value("SELECT status FROM runs WHERE id = ?", (run_id,)) or "")


def _settle_landed(
    db: Database, repo: MemoryRepository, record: Record, commit: Commit, undone: Mapping[str, str], now: str
) -> None:
    ensure_run(db, record, commit, now)
    run = runs.get(db, record.dream_id)
    if run.status == "merged" or (run.status == "undone" and run.id in undone):
        if run.commit != commit.sha:
            runs.note_commit(db, run.id, commit.sha)
        return
    repo.delete_ref(publish.reflection_ref(run.id))
    publish.drop_pending(repo, run.id)
    runs.finish(db, run.id, "merged", now, commit=commit.sha, reason=record.first("Review"), actor="recovery")


def _settle_pending(db: Database, record: Record, kept: Commit, now: str) -> None:
    ensure_run(db, record, kept, now)
    if _status(db, record.dream_id) in {"pending", "merged", "undone", "removed", "discarded"}:
        return
    with db.transaction():
        db.execute("UPDATE runs SET reflection = ? WHERE id = ?", (kept.sha, record.dream_id))
    reason = record.first("Review") or "found waiting in the memory repository"
    runs.finish(db, record.dream_id, "pending", now, reason=reason, actor="recovery")


def _settle_discarded(db: Database, record: Record, dropped: Commit, now: str) -> None:
    ensure_run(db, record, dropped, now)
    if _status(db, record.dream_id) not in {"merged", "undone", "removed", "discarded"}:
        reason = "discarded by a person"
        runs.finish(db, record.dream_id, "discarded", now, reason=reason, actor="recovery")


def ensure_run(db: Database, record: Record, commit: Commit, now: str) -> None:
    """Rebuild the row of a dream from what its commit says, when the store has lost it."""
    if _status(db, record.dream_id):
        return
    slug, _, key = unquote(record.first("Project", "unknown")).partition(" ")
    name = record.first("Trigger")
    trigger = Trigger(name) if name in set(Trigger) else Trigger.MANUAL
    with db.transaction():
        number = progress.ensure_project(db, Project(key or slug, slug, key or slug), now)
        reflector = record.first("Reflector", "unknown")
        runs.claim(db, record.dream_id, number, trigger, reflector, commit.at.isoformat())
        runs.save_ranges(db, record.dream_id, _ranges(record))
        db.execute("UPDATE runs SET reflection = ? WHERE id = ?", (commit.sha, record.dream_id))


def _ranges(record: Record) -> tuple[SourceRange, ...]:
    """The cursor a dream's record carries; a line that a person has damaged is left out."""
    found = []
    for text in record.trailers.get("Sources", ()):
        try:
            found.append(SourceRange.parse(text))
        except ValueError:
            continue
    return tuple(found)
