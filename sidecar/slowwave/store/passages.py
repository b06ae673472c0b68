"""The index of memory files: one passage per item or paragraph, searchable as text.

It holds nothing that the files do not say, so it can be dropped and rebuilt at any time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.store.database import Database


@dataclass(frozen=True)
class Passage:
    """One item or paragraph of a memory file."""

    path: str
    heading: str
    type: str
    text: str
    source: str
    updated_at: str


@dataclass(frozen=True)
class Match:
    """A passage found, with its BM25 score (higher is better)."""

    id: int
    passage: Passage
    score: float


def indexed(db: Database) -> dict[str, tuple[int, int]]:
    """The files indexed, with the size and mtime_ns they had."""
    return {r["path"]: (r["size"], r["mtime_ns"]) for r in db.rows("SELECT * FROM indexed_files")}


def replace(
    db: Database, changed: Mapping[str, tuple[int, int, Sequence[Passage]]], gone: Sequence[str]
) -> None:
    """Index changed files anew and drop those that are gone. One transaction."""
    with db.transaction():
        for path in (*changed, *gone):
            db.execute(
                "DELETE FROM passages_text WHERE rowid IN (SELECT id FROM passages WHERE path = ?)", (path,)
            )
            db.execute("DELETE FROM passages WHERE path = ?", (path,))
            db.execute("DELETE FROM indexed_files WHERE path = ?", (path,))
        for path, (size, mtime_ns, found) in changed.items():
            db.execute("INSERT INTO indexed_files VALUES (?, ?, ?)", (path, size, mtime_ns))
            for p in found:
                row = db.insert(
                    "INSERT INTO passages (path, heading, type, text, source, updated_at)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (p.path, p.heading, p.type, p.text, p.source, p.updated_at),
                )
                words = f"{p.path.replace('/', ' ').replace('-', ' ')} {p.heading} {p.text}"
                db.execute("INSERT INTO passages_text (rowid, words) VALUES (?, ?)", (row, words))


def match(db: Database, query: str, limit: int) -> list[Match]:
    """The passages that match an FTS5 query, best first."""
    rows = db.rows(
        "SELECT p.*, -bm25(passages_text) AS score FROM passages_text JOIN passages p"
        " ON p.id = passages_text.rowid WHERE passages_text MATCH ? ORDER BY score DESC, p.id LIMIT ?",
        (query, limit),
    )
    return [
        Match(
            r["id"],
            Passage(r["path"], r["heading"], r["type"], r["text"], r["source"], r["updated_at"]),
            r["score"],
        )
        for r in rows
    ]
