"""The fast index: tantivy over the same stems, for stores in which full text in SQLite takes its time.

It is a copy of a part of the recall index: all documents up to an id. What came later is found by SQLite,
what went is noticed when it is fetched; so it may lag behind, and a write is visible at once. It is built in
the background by whoever has the time (`build`), in a folder that can be deleted at any moment.
Corridor out; the one importer of tantivy.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from slowwave.store import documents
from slowwave.store.database import Database

VERSION = 1
"""Raised when the shape of the index changes: an older one is built anew."""
WORTHWHILE = 5_000
"""Documents from which on it pays: below, SQLite answers in about three milliseconds."""
LAG = 0.1
"""It is built anew when more than this share of the documents are not in it, or are gone from it."""
_BATCH = 5_000
_HEAP = 64_000_000
_NOTE = "slowwave.json"


@dataclass(frozen=True, slots=True)
class Note:
    """What a built index says of itself: all documents up to `last`, `held` of them."""

    last: int
    held: int


class FastIndex:
    """An open fast index."""

    def __init__(self, folder: Path, note: Note) -> None:
        self.note = note
        self._index = tantivy.Index.open(str(folder))
        self._schema = self._index.schema
        self._searcher = self._index.searcher()

    def match(self, words: Sequence[str], project: str | None, limit: int) -> list[tuple[int, float]]:
        """The documents that hold any of the words, as (id, BM25; higher is better), best first."""
        query = self._any("words", words)
        if project is not None:
            mine = tantivy.Query.const_score_query(self._any("project", ["-", f"-{project}"]), 0.0)
            must = tantivy.Occur.Must
            query = tantivy.Query.boolean_query([(must, query), (must, mine)])
        hits = self._searcher.search(query, limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in hits])
        return [(int(id or 0), float(score)) for id, (score, _) in zip(ids, hits, strict=True)]  # noqa: A001

    def _any(self, field: str, terms: Sequence[str]) -> Any:
        queries = [tantivy.Query.term_query(self._schema, field, t) for t in dict.fromkeys(terms)]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, q) for q in queries])


def open_fast(folder: Path) -> FastIndex | None:
    """Open the fast index; None when there is none, or it cannot be used."""
    note = _note(folder)
    if note is None:
        return None
    try:
        return FastIndex(folder, note)
    except (ValueError, OSError):
        return None


def due(index: Database, folder: Path) -> bool:
    """Whether it pays to build the fast index now."""
    total = documents.count(index)
    if total < WORTHWHILE:
        return False
    built = open_fast(folder)
    if built is None or built.note.last > documents.newest(index):
        return True
    note = built.note
    kept = int(index.value("SELECT count(*) FROM documents WHERE id <= ?", (note.last,)))
    return (total - kept) + (note.held - kept) > LAG * total


def build(index: Database, folder: Path, on_progress: Callable[[int, int], None]) -> int:
    """Build the fast index in a folder beside, then put it in place; returns how many documents it holds.

    `on_progress` gets the documents done and the documents there are.
    """
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        note = _fill(index, fresh, on_progress)
        (fresh / _NOTE).write_text(json.dumps({"version": VERSION, "last": note.last, "held": note.held}))
        shutil.rmtree(folder, ignore_errors=True)
        fresh.replace(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return note.held


def discard(folder: Path) -> None:
    """Take the fast index away."""
    shutil.rmtree(folder, ignore_errors=True)


def _fill(index: Database, folder: Path, on_progress: Callable[[int, int], None]) -> Note:
    shape = tantivy.SchemaBuilder()
    shape.add_integer_field("id", fast=True)
    shape.add_text_field("words", tokenizer_name="whitespace", index_option="freq")
    shape.add_text_field("project", tokenizer_name="raw", index_option="basic")
    writer = tantivy.Index(shape.build(), path=str(folder)).writer(heap_size=_HEAP, num_threads=1)
    total, last, held = documents.count(index), 0, 0
    for id, words, project in _all(index):  # noqa: A001
        writer.add_document(tantivy.Document(id=id, words=words, project=f"-{project}"))
        last, held = id, held + 1
        if held % _BATCH == 0:
            on_progress(held, total)
    writer.commit()
    writer.wait_merging_threads()
    on_progress(held, total)
    return Note(last, held)


def _all(index: Database) -> Iterator[tuple[int, str, str]]:
    last = 0
    while batch := documents.after(index, last, _BATCH):
        yield from batch
        last = batch[-1][0]


def _note(folder: Path) -> Note | None:
    try:
        said = json.loads((folder / _NOTE).read_text())
        return Note(said["last"], said["held"]) if said["version"] == VERSION else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
