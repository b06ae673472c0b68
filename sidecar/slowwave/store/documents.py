"""The recall index: one row per thing that can be recalled, searchable as text, in a file of its own.

It holds nothing that the memory files and the records do not say, so the file can be deleted at any time and
is built anew. Ids are never used twice: whoever remembers an id (the fast index does) can tell by its absence
that the document changed.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from slowwave.errors import StoreError
from slowwave.store.database import Database, Row
from slowwave.store.migrations import Steps

FILE, RECORD = "file", "record"

STEPS: Steps = (
    (
        "0001_documents",
        (
            # `ref` is what a document is replaced by: the path of a memory file, the id of a record.
            """CREATE TABLE documents (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                origin TEXT NOT NULL,
                ref TEXT NOT NULL,
                path TEXT NOT NULL,
                heading TEXT NOT NULL,
                type TEXT NOT NULL,
                text TEXT NOT NULL,
                source TEXT NOT NULL,
                updated_at TEXT NOT NULL,
                project TEXT NOT NULL,
                session TEXT NOT NULL,
                position INTEGER NOT NULL,
                author TEXT NOT NULL,
                importance REAL NOT NULL,
                confidence REAL NOT NULL,
                used_at TEXT NOT NULL,
                hidden TEXT NOT NULL,
                words TEXT NOT NULL
            )""",
            "CREATE INDEX documents_by_ref ON documents(origin, ref)",
            "CREATE INDEX documents_by_session ON documents(session, position)",
            """CREATE VIRTUAL TABLE documents_words USING fts5(
                words, content = 'documents', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
            )""",
            """CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
                INSERT INTO documents_words (rowid, words) VALUES (new.id, new.words); END""",
            """CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
                INSERT INTO documents_words (documents_words, rowid, words)
                VALUES ('delete', old.id, old.words); END""",
            """CREATE TABLE indexed_files (
                path TEXT PRIMARY KEY,
                size INTEGER NOT NULL,
                mtime_ns INTEGER NOT NULL
            ) WITHOUT ROWID""",
            "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Document:
    """One thing that can be recalled.

    origin      where the truth is: a memory file or a record
    ref         the file's path, or the record's id
    project     the slug of the project it belongs to; "" is the person's
    session     what it stands in (a file, a session), with its position there
    hidden      why it is not recalled unless asked for: superseded, expired, archived, untrusted; "" = recalled
    words       what is searched: stems, in order, each with a space before and after
    """

    origin: str
    ref: str
    path: str
    heading: str
    type: str
    text: str
    source: str
    updated_at: str
    project: str
    session: str
    position: int
    author: str
    importance: float
    confidence: float
    used_at: str
    hidden: str
    words: str
    id: int = 0


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents a question is about. `project` is a slug; None is every project; `over` are files and records left out."""

    project: str | None = None
    type: str = ""
    path: str = ""
    hidden: bool = False
    over: frozenset[str] = frozenset()

    @property
    def sql(self) -> tuple[str, dict[str, str]]:
        """As SQL over `documents d`, with its parameters."""
        clauses = [] if self.hidden else ["d.hidden = ''"]
        if self.over and not self.hidden:
            clauses.append("d.ref NOT IN (SELECT value FROM json_each(:over))")
        if self.project is not None:
            clauses.append("d.project IN ('', :project)")
        if self.type:
            clauses.append("d.type = :type")
        if self.path:
            clauses.append("d.path GLOB :path")
        return " AND ".join(clauses or ["1"]), {
            "project": self.project or "",
            "type": self.type,
            "over": json.dumps(sorted(self.over)),
            "path": self.path.replace("[!", "[^")
            .encode("utf-8", "backslashreplace")
            .decode(),  # as the shell negates
        }


def open_index(path: Path) -> Database:
    """Open the index file; one that is damaged or of another version is thrown away and made anew."""
    try:
        return Database(path, STEPS)
    except StoreError:
        discard_index(path)
        return Database(path, STEPS)


def discard_index(path: Path) -> None:
    """Take the index file away, with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def match(
    index: Database, words: Sequence[str], where: Filter, limit: int, above: int = 0
) -> list[tuple[int, float]]:
    """The documents that hold any of the words, as (id, BM25; higher is better), best first.

    `above` leaves out every document up to that id.
    """
    clause, parameters = where.sql
    rows = index.rows(
        "SELECT d.id, -bm25(documents_words) AS score FROM documents_words f JOIN documents d ON d.id = f.rowid"
        f" WHERE documents_words MATCH :query AND f.rowid > :above AND {clause}"
        " ORDER BY score DESC, d.id LIMIT :limit",
        {"query": " OR ".join(f'"{w}"' for w in words), "above": above, "limit": limit, **parameters},
    )
    return [(r["id"], r["score"]) for r in rows]


def fetch(index: Database, ids: Iterable[int], where: Filter) -> list[Document]:
    """The documents of these ids that are still there and pass the filter."""
    clause, parameters = where.sql
    rows = index.rows(
        f"SELECT d.* FROM json_each(:ids) j JOIN documents d ON d.id = j.value WHERE {clause}",
        {"ids": json.dumps(list(ids)), **parameters},
    )
    return [_document(r) for r in rows]


def around(index: Database, places: Iterable[tuple[str, int]], where: Filter) -> list[Document]:
    """The documents at these places of their sessions that pass the filter."""
    clause, parameters = where.sql
    rows = index.rows(
        "SELECT d.* FROM json_each(:places) j JOIN documents d"
        " ON d.session = j.value ->> 0 AND d.position = j.value ->> 1"
        f" WHERE {clause}",
        {"places": json.dumps(list(places)), **parameters},
    )
    return [_document(r) for r in rows]


def add(index: Database, found: Iterable[Document]) -> None:
    """Add documents. Call inside a transaction."""
    for d in found:
        index.insert(
            "INSERT INTO documents (origin, ref, path, heading, type, text, source, updated_at, project, session,"
            " position, author, importance, confidence, used_at, hidden, words)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(d.origin, d.ref, d.path, d.heading, d.type, d.text, d.source, d.updated_at, d.project),
                *(d.session, d.position, d.author, d.importance, d.confidence, d.used_at, d.hidden, d.words),
            ),
        )


def remove(index: Database, origin: str, refs: Iterable[str]) -> None:
    """Remove the documents of these files or records. Call inside a transaction."""
    for ref in refs:
        index.execute("DELETE FROM documents WHERE origin = ? AND ref = ?", (origin, ref))


def compact(index: Database) -> None:
    """Merge the parts of full text, so that no word of a removed document stays. Call inside a transaction."""
    index.execute("INSERT INTO documents_words (documents_words) VALUES ('optimize')")


def held(index: Database, path: str) -> int:
    """How many documents a memory file has."""
    return int(index.value("SELECT count(*) FROM documents WHERE path = ?", (path,)))


def newest(index: Database) -> int:
    """The highest id there is; 0 when there is none."""
    return int(index.value("SELECT max(id) FROM documents") or 0)


def count(index: Database) -> int:
    """How many documents there are."""
    return int(index.value("SELECT count(*) FROM documents"))


def after(index: Database, id: int, limit: int) -> list[tuple[int, str, str]]:  # noqa: A002
    """The next documents after an id, as (id, words, project), in the order of their ids."""
    rows = index.rows(
        "SELECT id, words, project FROM documents WHERE id > ? ORDER BY id LIMIT ?", (id, limit)
    )
    return [(r["id"], r["words"], r["project"]) for r in rows]


def texts_after(index: Database, id: int, limit: int) -> list[tuple[int, str]]:  # noqa: A002
    """The next documents after an id, as (id, what a person would read of it), in the order of their ids."""
    rows = index.rows(
        "SELECT id, author, heading, text FROM documents WHERE id > ? ORDER BY id LIMIT ?", (id, limit)
    )
    return [(r["id"], ": ".join(p for p in (r["author"], r["heading"], r["text"]) if p)) for r in rows]


def files(index: Database) -> dict[str, tuple[int, int]]:
    """The memory files indexed, with the size and mtime_ns they had."""
    return {r["path"]: (r["size"], r["mtime_ns"]) for r in index.rows("SELECT * FROM indexed_files")}


def note_file(index: Database, path: str, stat: tuple[int, int] | None) -> None:
    """Note a file as indexed with this size and mtime_ns, or as gone (None). Call inside a transaction."""
    index.execute("DELETE FROM indexed_files WHERE path = ?", (path,))
    if stat:
        index.execute("INSERT INTO indexed_files VALUES (?, ?, ?)", (path, *stat))


def mark(index: Database, name: str) -> str:
    """A remembered value; "" when there is none."""
    return str(index.value("SELECT value FROM meta WHERE name = ?", (name,)) or "")


def set_mark(index: Database, name: str, value: str) -> None:
    """Remember a value. Call inside a transaction."""
    index.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (name, value)
    )


def _document(r: Row) -> Document:
    return Document(
        *(r["origin"], r["ref"], r["path"], r["heading"], r["type"], r["text"], r["source"], r["updated_at"]),
        *(r["project"], r["session"], r["position"], r["author"], r["importance"], r["confidence"]),
        *(r["used_at"], r["hidden"], r["words"], r["id"]),
    )
