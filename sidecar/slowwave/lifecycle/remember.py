"""Remember, pin and restore: what a person does to have a record, and to keep it.

A durable record is a memory file and lands as a commit first; its row follows. A kill between the two loses
nothing: the row is made from the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from slowwave.errors import RefusedError, UsageError
from slowwave.lifecycle import filed, landing
from slowwave.lifecycle.places import SECTION_OF, file_of
from slowwave.lifecycle.workbench import Workbench
from slowwave.memory import layout
from slowwave.memory.names import path_problem
from slowwave.memory.walk import memory_files
from slowwave.model import MemoryType
from slowwave.store import audit, records, touches, versions
from slowwave.store.records import Record
from slowwave.verbs import RememberRequest

PERSON = "person"


@dataclass(frozen=True)
class Done:
    """What an act did (or would do) to one record. `commit` is "" for rows and for a dry run."""

    record: Record
    action: str
    audit_ids: tuple[int, ...] = ()
    commit: str = ""
    dry_run: bool = False

    def as_json(self) -> dict[str, Any]:
        """The answer on the wire."""
        body = {"id": self.record.id, "action": self.action, "dry_run": self.dry_run}
        return {**body, "record": records.as_json(self.record), "commit": self.commit,
                "audit_ids": list(self.audit_ids)}  # fmt: skip


def remember(bench: Workbench, request: RememberRequest) -> Done:
    """Remember something. A durable record with a semantic key that is known is updated, never doubled; episodes
    accumulate, since promotion counts them.
    """
    if not request.text.strip():
        raise UsageError("there is nothing to remember", hint="give the text as one argument")
    in_step(bench, dry_run=request.dry_run)
    now = bench.micros()
    new = _record(bench, request, now)
    old = records.by_key(bench.db, new, now) if new.durable else None
    if old is not None:
        new = replace(
            old, content=new.content, updated_at=now, occurred_at=now,
            importance=old.importance if request.importance is None else request.importance,
            confidence=old.confidence if request.confidence is None else request.confidence,
            expires_at=old.expires_at if request.expires_at is None else request.expires_at,
            metadata={**old.metadata, **request.metadata},
        )  # fmt: skip
    elif new.durable:
        new = replace(new, file=file_of(new))
    if new.durable:
        _require_place(bench, new)
    return keep(bench, old, new, "update" if old else "remember", dry_run=request.dry_run)


def _record(bench: Workbench, request: RememberRequest, now: int) -> Record:
    return Record(
        id=bench.new_id("r"), type=request.type, content=request.text.strip(), occurred_at=now, created_at=now,
        updated_at=now, status_at=now, owner=request.owner, bucket=request.bucket, scope=request.scope,
        team=request.team, session=request.session, path=request.path,
        importance=records.DEFAULT_IMPORTANCE if request.importance is None else request.importance,
        confidence=records.DEFAULT_CONFIDENCE if request.confidence is None else request.confidence,
        semantic_key=request.semantic_key, promotion_key=request.promotion_key,
        expires_at=request.expires_at, metadata=dict(request.metadata), instance=bench.instance_id,
    )  # fmt: skip


def _require_place(bench: Workbench, record: Record) -> None:
    """Raises UsageError for a file memory has no place for, RefusedError when `system/` would be too large."""
    place = layout.place(record.file)
    if place is None or path_problem(record.file):
        raise UsageError(
            f"memory has no place for {record.file!r}",
            hint=f"a file stands below {', '.join(layout.SECTIONS)}, or below projects/NAME/ and one of them",
        )
    if place.section == SECTION_OF[MemoryType.IDENTITY]:
        base = f"{layout.project_folder(place.project)}/system/" if place.project else "system/"
        taken = sum(s.st_size for path, s in memory_files(bench.memory) if path.startswith(base))
        if taken + len(filed.render(record).encode()) > layout.SYSTEM_BUDGET:
            raise RefusedError(
                f"{base} may take {layout.SYSTEM_BUDGET} bytes, since it is in the context of every turn",
                hint="remember it as semantic, or make room there",
            )


def pin(bench: Workbench, word: str, *, pinned: bool = True, dry_run: bool = False) -> Done:
    """Pin a record, so that no pass touches it, or let it go again."""
    in_step(bench, dry_run=dry_run)
    old = records.find(bench.db, word)
    now = bench.micros()
    new = replace(old, pinned=pinned, anchor_at=now)  # its idle time counts from here
    return keep(bench, old, new, "pin" if pinned else "unpin", dry_run=dry_run)


def restore(bench: Workbench, word: str, *, dry_run: bool = False) -> Done:
    """Bring an archived record back, with its memory file."""
    in_step(bench, dry_run=dry_run)
    old = records.find(bench.db, word)
    if old.status != records.ARCHIVED:
        raise UsageError(f"record {old.id} is {old.status}, not archived")
    if dry_run:
        return Done(replace(old, status=records.ACTIVE), "restore", dry_run=True)
    now, commit = bench.micros(), ""
    late = old.expires_at is not None and old.expires_at <= now
    if old.durable and not (bench.memory / old.file).exists():
        text = str(bench.db.value("SELECT text FROM archives WHERE record = ?", (old.id,)) or "")
        back = replace(old, expires_at=None) if late else old
        commit = _land(bench, {old.file: filed.render(back, text)}, f"Restore {old.file}")
    with bench.db.transaction():
        new = filed.change_status(bench.db, old, records.ACTIVE, now, "restored by a person", actor=PERSON)
        number = int(bench.db.value("SELECT max(id) FROM audit"))
        if old.durable:
            filed.note_seen(bench.db, bench.memory, old.file)
    return Done(new, "restore", (number,), commit)


# ---------------------------------------------------------------------- the common part
def in_step(bench: Workbench, *, dry_run: bool) -> None:
    """Bring rows in step with what use and memory files say. A dry run looks at the rows as they are."""
    if dry_run:
        return
    touches.fold(bench.db, bench.touches)
    if found := filed.difference(bench.db, bench.memory):
        with bench.db.transaction():
            filed.sync(bench.db, bench.memory, found, bench.micros())


def keep(bench: Workbench, old: Record | None, new: Record, action: str, *, dry_run: bool) -> Done:
    """Write a new or changed record: its memory file, then its row with version and audit."""
    if dry_run:
        return Done(new, action, dry_run=True)
    commit = ""
    if new.durable and new.status != records.ARCHIVED:
        path = bench.memory / new.file
        known = path.read_text("utf-8", "replace") if path.is_file() else ""
        if old is None and known:
            raise UsageError(f"{new.file} exists already", hint="give its semantic key, or another path")
        commit = _land(bench, {new.file: filed.render(new, known)}, f"{action.capitalize()} {new.file}")
    now = bench.micros()
    with bench.db.transaction():
        number = audit.record(
            bench.db, filed.iso(now), PERSON, action, f"record {new.id}", "", {"commit": commit}
        )
        if old is None:
            records.insert(bench.db, new)
        else:
            versions.keep(bench.db, old.id, now, action, number)
            new = records.save(bench.db, new)
        if new.file and (bench.memory / new.file).is_file():
            filed.note_seen(bench.db, bench.memory, new.file)
    return Done(new, action, (number,), commit)


def _land(bench: Workbench, files: Mapping[str, str | None], subject: str) -> str:
    act = bench.new_id("a")
    return landing.land(bench.open_memory(True), act, files, landing.message(subject, act, bench.instance_id))
