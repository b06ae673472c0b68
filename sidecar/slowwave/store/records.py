"""Memory records: one row for each thing remembered, whatever kind it is.

Working and episodic records live here alone. Semantic, procedural and identity records are memory files; their
row is an index of the file plus what changes by use (importance, last access, status), and can be made anew.

Times are microseconds since 1970, UTC. Every change of a row bumps its revision, by which a pass knows that it
was overtaken; the database itself refuses a status change that is not among `ARROWS`.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final

from slowwave.errors import UsageError
from slowwave.model import MemoryType
from slowwave.store.database import Database, Row

ACTIVE, SUPERSEDED, EXPIRED, ARCHIVED = STATUSES = ("active", "superseded", "expired", "archived")
ARROWS: Final = frozenset({
    (ACTIVE, SUPERSEDED), (ACTIVE, EXPIRED), (ACTIVE, ARCHIVED),
    (SUPERSEDED, ARCHIVED), (EXPIRED, ARCHIVED), (ARCHIVED, ACTIVE),
})  # fmt: skip
DURABLE: Final = frozenset({MemoryType.SEMANTIC, MemoryType.PROCEDURAL, MemoryType.IDENTITY})
DEFAULT_IMPORTANCE, DEFAULT_CONFIDENCE = 0.5, 0.7  # ours: the middle, and a little better than not


@dataclass(frozen=True, slots=True)
class Record:
    """One memory. `occurred_from` is the start of the occurrence range, `occurred_at` its end."""

    id: str
    type: MemoryType
    content: str
    occurred_at: int
    created_at: int
    updated_at: int
    status_at: int
    status: str = ACTIVE
    owner: str = ""
    bucket: str = ""
    scope: str = ""
    team: str = ""
    session: str = ""
    path: str = ""
    file: str = ""
    importance: float = DEFAULT_IMPORTANCE
    confidence: float = DEFAULT_CONFIDENCE
    semantic_key: str = ""
    promotion_key: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    instance: str = ""
    occurred_from: int | None = None
    last_accessed_at: int | None = None
    anchor_at: int | None = None
    expires_at: int | None = None
    decayed_to: int | None = None
    superseded_by: str = ""
    pinned: bool = False
    revision: int = 1
    sources: tuple[str, ...] = ()

    @property
    def durable(self) -> bool:
        """Whether its content is a memory file."""
        return self.type in DURABLE

    @property
    def pattern(self) -> str:
        """What equal episodes have in common: where they belong and their key, else their words."""
        key = self.promotion_key or self.semantic_key
        word = f"key {key}" if key else f"text {normalised(self.content)}"
        parts = (self.owner, self.bucket, self.scope, self.team, self.path, word)
        return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def normalised(text: str) -> str:
    """Text as it counts for sameness: case, white space and closing punctuation do not."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold()).strip(" .!;,")


_COLUMNS: Final = tuple(f.name for f in fields(Record) if f.name != "sources")
_INSERT: Final = f"INSERT INTO records ({', '.join((*_COLUMNS, 'pattern'))}) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"
# A record as JSON, made by the database itself: a pass snapshots many.
SNAPSHOT: Final = "json_object(" + ", ".join(f"'{c}', r.{c}" for c in _COLUMNS) + ")"


def _values(record: Record) -> tuple[Any, ...]:
    plain = {c: getattr(record, c) for c in _COLUMNS}
    plain["type"], plain["pinned"] = str(record.type), int(record.pinned)
    plain["metadata"] = json.dumps(dict(record.metadata), ensure_ascii=False, sort_keys=True)
    return (*plain.values(), record.pattern)


def of_row(row: Row | Mapping[str, Any], sources: Iterable[str] = ()) -> Record:
    """A record of a row, or of a snapshot of one."""
    given = {c: row[c] for c in _COLUMNS}
    given["type"], given["pinned"] = MemoryType(given["type"]), bool(given["pinned"])
    given["metadata"] = json.loads(given["metadata"])
    return Record(**given, sources=tuple(sources))


def as_json(record: Record) -> dict[str, Any]:
    """A record as JSON-ready values, lossless: `from_json` reads it back."""
    return {**asdict(record), "type": str(record.type), "sources": list(record.sources)}


def from_json(value: Mapping[str, Any]) -> Record:
    """Read back what `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    given = {**value, "type": MemoryType(value["type"]), "sources": tuple(value["sources"])}
    if given.get("status", ACTIVE) not in STATUSES:
        raise ValueError(f"unknown status {given['status']!r}")
    return Record(**given)


# ---------------------------------------------------------------------- read
def get(db: Database, record_id: str) -> Record | None:
    """One record with its sources, or None."""
    row = db.row("SELECT * FROM records WHERE id = ?", (record_id,))
    return None if row is None else of_row(row, sources_of(db, record_id))


def find(db: Database, word: str) -> Record:
    """The record a person means: its id, the beginning of it, or its memory file. Raises UsageError."""
    if exact := get(db, word):
        return exact
    rows = db.rows(
        "SELECT * FROM records WHERE (file = ? AND file <> '' AND status <> 'archived')"
        " OR (id >= ? AND id < ? || char(1114111)) LIMIT 2",
        (word, word, word),
    )
    if len(rows) != 1 or not word:
        what = "no record" if not rows else "more than one record"
        raise UsageError(
            f"{what} is called {word!r}", hint="`slowwave recall` and `slowwave log --audit` name records"
        )
    return of_row(rows[0], sources_of(db, rows[0]["id"]))


def sources_of(db: Database, record_id: str) -> tuple[str, ...]:
    """The ids a record was made of, sorted."""
    rows = db.rows("SELECT source FROM lineage WHERE record = ? ORDER BY source", (record_id,))
    return tuple(r["source"] for r in rows)


def by_key(db: Database, like: Record, now: int, *, same_path: bool = False) -> Record | None:
    """The active durable record with the same semantic key in the same place, or None.

    Where several have it (one for each path), the one with the same path, else the oldest; with `same_path` no other.
    """
    row = db.row(
        "SELECT * FROM records WHERE semantic_key = ? AND semantic_key <> '' AND status = 'active'"
        " AND type IN ('semantic', 'procedural', 'identity') AND (expires_at IS NULL OR expires_at > ?)"
        " AND (owner, bucket, scope, team) = (?, ?, ?, ?) AND (path = ? OR NOT ?)"
        " ORDER BY path <> ?, created_at, id LIMIT 1",
        (
            like.semantic_key, now, like.owner, like.bucket, like.scope, like.team, like.path, same_path,
            like.path,
        ),
    )  # fmt: skip
    return None if row is None else of_row(row, sources_of(db, row["id"]))


def ids_of_files(db: Database, files: Iterable[str]) -> list[str]:
    """The records of memory files, in order; files without a row have none yet."""
    wanted = sorted(set(files))
    marks = ", ".join("?" * len(wanted))
    return [
        r["record"]
        for r in db.rows(f"SELECT record FROM filed WHERE file IN ({marks}) ORDER BY file", wanted)
    ]


@dataclass(frozen=True, slots=True)
class Recallable:
    """What recall needs of a record. `path` is the memory file where there is one."""

    id: str
    type: MemoryType
    path: str
    text: str
    importance: float
    confidence: float
    status: str
    updated_at: int
    last_accessed_at: int | None
    scope: str


def recallable(db: Database, *, now: int, scope: str | None = None) -> Iterator[Recallable]:
    """Every record that may be recalled: active and not past its expiry. `scope` also lets in what holds
    everywhere (""); None is every scope.
    """
    rows = db.each(
        "SELECT id, type, CASE file WHEN '' THEN path ELSE file END, content, importance, confidence, status,"
        " updated_at, last_accessed_at, scope FROM records WHERE status = 'active'"
        " AND (expires_at IS NULL OR expires_at > ?) AND (? IS NULL OR scope IN ('', ?)) ORDER BY id",
        (now, scope, scope),
    )
    return (Recallable(row[0], MemoryType(row[1]), *row[2:]) for row in rows)


def changed_after(db: Database, seq: int, limit: int) -> list[tuple[int, str, Record | None]]:
    """The rows without a file that changed after `seq`, as (seq, id, the record or None when it is gone)."""
    rows = db.rows(
        "SELECT c.seq, c.record, r.* FROM changed_records c LEFT JOIN records r ON r.id = c.record AND r.file = ''"
        " WHERE c.seq > ? ORDER BY c.seq LIMIT ?",
        (seq, limit),
    )
    return [(r["seq"], r["record"], of_row(r, ()) if r["id"] else None) for r in rows]


def rows_over(db: Database, now: int) -> frozenset[str]:
    """The rows without a file whose expiry has passed, though no pass has said so yet."""
    found = db.rows(
        "SELECT id FROM records WHERE file = '' AND status = 'active' AND expires_at <= ?", (now,)
    )
    return frozenset(r["id"] for r in found)


def files_not_recallable(db: Database, now: int) -> frozenset[str]:
    """The memory files that stand on disk but must not be recalled: expired, superseded or archived."""
    rows = db.rows(
        "SELECT file FROM records WHERE file <> '' AND (status <> 'active' OR expires_at <= ?)"
        " EXCEPT SELECT file FROM records WHERE file <> '' AND status = 'active'"
        " AND (expires_at IS NULL OR expires_at > ?)",
        (now, now),
    )
    return frozenset(r["file"] for r in rows)


# ---------------------------------------------------------------------- write
def insert(db: Database, record: Record) -> None:
    """Add a record with its lineage. Inside the caller's transaction."""
    db.execute(_INSERT, _values(record))
    _save_lineage(db, record)


def insert_many(db: Database, new: Iterable[Record]) -> None:
    """Add many records that have no lineage."""
    db.many(_INSERT, (_values(record) for record in new))


def save(db: Database, record: Record) -> Record:
    """Write a changed record, whose revision goes up by one. Inside the caller's transaction."""
    record = replace(record, revision=record.revision + 1)
    sets = ", ".join(f"{c} = ?" for c in (*_COLUMNS, "pattern"))
    db.execute(f"UPDATE records SET {sets} WHERE id = ?", (*_values(record), record.id))
    _save_lineage(db, record)
    return record


def _save_lineage(db: Database, record: Record) -> None:
    db.execute("DELETE FROM lineage WHERE record = ?", (record.id,))
    db.many("INSERT INTO lineage (record, source) VALUES (?, ?)", ((record.id, s) for s in record.sources))
