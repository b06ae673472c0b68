"""Records that are memory files: the text of one, the row of one, and keeping rows in step with files.

The file is the truth for what it says; the row adds what changes by use. So every row can be made anew from its
file: the head carries id, keys, lineage and times, and a file without them (a person's, a dream's) gets an id from
its path. A person's words in the head are kept, whatever they are.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from slowwave.memory import layout
from slowwave.memory.walk import memory_files
from slowwave.model import MemoryType
from slowwave.store import audit, records, versions
from slowwave.store.database import Database
from slowwave.store.records import Record

_TEXTS: Final = ("owner", "bucket", "team", "session", "path", "semantic_key", "promotion_key", "instance")
_DESCRIPTION: Final = 100  # characters
Seen = tuple[int, int]  # size and mtime_ns


# ---------------------------------------------------------------------- text
def render(record: Record, known: str = "") -> str:
    """The text of a record's memory file. `known` is its text now: keys of a person's own stay in it."""
    old = layout.parse(record.file, known)
    meta: dict[str, Any] = {"description": _description(record.content), **old.meta}
    if meta["description"] == _description(old.body):  # ours, of the words before
        meta["description"] = _description(record.content)
    if record.type is MemoryType.PROCEDURAL and record.file.endswith(layout.SKILL_FILE):
        meta["name"] = record.file.split("/")[-2]
    meta |= {"type": str(record.type), "id": record.id, "created": iso(record.created_at),
             "updated": iso(record.updated_at), "importance": record.importance,
             "confidence": record.confidence}  # fmt: skip
    optional: dict[str, Any] = {name: getattr(record, name) for name in _TEXTS}
    optional |= {
        "expires": iso(record.expires_at) if record.expires_at is not None else "",
        "occurred": [iso(record.occurred_from or record.occurred_at), iso(record.occurred_at)],
        "sources": list(record.sources), "metadata": dict(record.metadata), "pinned": record.pinned,
    }  # fmt: skip
    for name, value in optional.items():
        if value:
            meta[name] = value
        else:
            meta.pop(name, None)
    return layout.render(layout.MemoryFile(record.file, meta, _body(record.content), old.front))


def _body(content: str) -> str:
    return f"\n{content.strip()}\n"


def _description(content: str) -> str:
    line = " ".join(content.split())
    return line if len(line) <= _DESCRIPTION else line[: _DESCRIPTION - 1] + "…"


# ---------------------------------------------------------------------- row
def read(path: str, text: str, at: int) -> Record:
    """The record a memory file stands for. `at` is when the file was last written, in microseconds."""
    file = layout.parse(path, text)
    meta = file.meta
    place = layout.place(path)
    kind = str(meta.get("type") or "")
    skill = path.endswith(f"/{layout.SKILL_FILE}")
    default = MemoryType.PROCEDURAL if skill else MemoryType.SEMANTIC
    updated = micros_of(meta.get("updated")) or at
    occurred = meta.get("occurred")
    times = [t for t in map(micros_of, occurred) if t] if isinstance(occurred, list) else []
    sources = meta.get("sources") if meta.get("id") else None  # a dream's sources are no records
    return Record(
        id=str(meta.get("id") or id_of(path)),
        type=MemoryType(kind) if kind in set(records.DURABLE) else default,
        content=file.body.strip(), scope=place.project if place else "", file=path,
        created_at=micros_of(meta.get("created")) or updated, updated_at=updated, status_at=updated,
        occurred_from=times[0] if times else None, occurred_at=times[-1] if times else updated,
        importance=_share(meta.get("importance"), records.DEFAULT_IMPORTANCE),
        confidence=_share(meta.get("confidence"), records.DEFAULT_CONFIDENCE),
        expires_at=micros_of(meta.get("expires")), pinned=meta.get("pinned") is True,
        metadata=value if isinstance(value := meta.get("metadata"), dict) else {},
        sources=tuple(sorted(map(str, sources))) if isinstance(sources, list) else (),
        **{name: str(meta.get(name) or "") for name in _TEXTS},  # type: ignore[arg-type]  # all of them text
    )  # fmt: skip


def id_of(path: str) -> str:
    """The id of a memory file that does not name one."""
    return f"m-{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _share(value: object, default: float) -> float:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if fits else default  # type: ignore[arg-type]


def iso(at: int) -> str:
    """Microseconds as ISO text, UTC, exact."""
    seconds, rest = divmod(at, 1_000_000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest).isoformat()


def micros_of(value: object) -> int | None:
    """A time as a head may give it, in microseconds; None when it is none. A day is its beginning, UTC."""
    if isinstance(value, datetime):
        at = value
    elif isinstance(value, date):
        at = datetime(value.year, value.month, value.day, tzinfo=UTC)
    else:
        try:
            at = datetime.fromisoformat(str(value))
        except ValueError:
            return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return round((at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000)


# ---------------------------------------------------------------------- in step
@dataclass(frozen=True)
class Difference:
    """How the files differ from their rows."""

    changed: Mapping[str, Seen]
    gone: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


def difference(db: Database, memory: Path) -> Difference:
    """Which files were written, and which went, since their rows were brought up to date. Writes nothing."""
    known = {r["file"]: (r["size"], r["mtime_ns"]) for r in db.rows("SELECT * FROM filed")}
    present = {path: (s.st_size, s.st_mtime_ns) for path, s in memory_files(memory)}
    changed = {path: seen for path, seen in present.items() if known.get(path) != seen}
    return Difference(changed, tuple(sorted(known.keys() - present.keys())))


def sync(db: Database, memory: Path, found: Difference, at: int) -> None:
    """Bring the rows in step with the files. Inside the caller's transaction."""
    for path, seen in found.changed.items():
        try:
            text = (memory / path).read_text("utf-8", "replace")
        except FileNotFoundError:
            continue  # it went meanwhile; the next look finds it gone
        _bring_in(db, memory, read(path, text, seen[1] // 1000), at)
        note_seen(db, memory, path)
    for path in found.gone:
        row = db.row("SELECT record FROM filed WHERE file = ?", (path,))
        db.execute("DELETE FROM filed WHERE file = ?", (path,))
        record = records.get(db, row["record"]) if row else None
        if record and record.file == path and record.status != records.ARCHIVED:
            change_status(db, record, records.ARCHIVED, at, "its memory file is gone")


def _bring_in(db: Database, memory: Path, new: Record, at: int) -> None:
    old = records.get(db, new.id)
    if old and old.file not in {"", new.file} and (memory / old.file).is_file():
        new = replace(new, id=id_of(new.file))  # a copy of another record's file
        old = records.get(db, new.id)
    if db.row("SELECT 1 FROM tombstones WHERE id = ?", (new.id,)):
        new = replace(
            new, id=f"{new.id}-{new.updated_at}"
        )  # somebody has written it anew: it is another record
        old = records.get(db, new.id)
    if old is None:
        records.insert(db, new)
        return
    said = db.value("SELECT importance FROM filed WHERE file = ?", (new.file,))
    if said is None or said == new.importance:
        new = replace(
            new, importance=old.importance
        )  # what use has made of it stays until a person says otherwise
    same = replace(
        new, status=old.status, status_at=old.status_at, last_accessed_at=old.last_accessed_at,
        anchor_at=old.anchor_at, decayed_to=old.decayed_to, superseded_by=old.superseded_by, revision=old.revision,
        created_at=old.created_at, updated_at=old.updated_at, occurred_at=old.occurred_at,
        occurred_from=old.occurred_from,
    )  # fmt: skip
    if same != old:
        versions.keep(db, old.id, at, "edited")
        old = records.save(db, replace(same, updated_at=max(new.updated_at, old.updated_at)))
    if old.status == records.EXPIRED and (old.expires_at is None or old.expires_at > at):
        old = change_status(db, old, records.ARCHIVED, at, "its expiry was moved")
    if old.status == records.ARCHIVED:
        change_status(db, old, records.ACTIVE, at, "its memory file came back")


def note_seen(db: Database, memory: Path, path: str) -> None:
    """Note how a memory file looks now. Inside the caller's transaction."""
    text, stat = (memory / path).read_text("utf-8", "replace"), (memory / path).stat()
    said = layout.parse(path, text).meta.get("importance")
    record = db.value(
        "SELECT id FROM records WHERE file = ? AND file <> '' ORDER BY status <> 'active', n DESC", (path,)
    )
    db.execute(
        "INSERT OR REPLACE INTO filed (file, size, mtime_ns, importance, record) VALUES (?, ?, ?, ?, ?)",
        (
            path,
            stat.st_size,
            stat.st_mtime_ns,
            _share(said, records.DEFAULT_IMPORTANCE),
            record or id_of(path),
        ),
    )


def change_status(
    db: Database, record: Record, status: str, at: int, why: str, *, actor: str = "maintenance"
) -> Record:
    """Move a record along an arrow, with version, archive snapshot and audit. Inside the caller's transaction."""
    action = "restore" if status == records.ACTIVE else {"archived": "archive"}.get(status, status)
    detail = {"status": [record.status, status]}
    number = audit.record(db, iso(at), actor, action, f"record {record.id}", why, detail)
    versions.keep(db, record.id, at, action, number)
    if status == records.ARCHIVED:
        versions.archive(db, record.id, at, why)
    changed = replace(record, status=status, status_at=at)
    if status == records.ACTIVE:  # or the next pass would take it away again
        late = record.expires_at is not None and record.expires_at <= at
        changed = replace(
            changed, anchor_at=at, superseded_by="", expires_at=None if late else record.expires_at
        )
    return records.save(db, changed)
