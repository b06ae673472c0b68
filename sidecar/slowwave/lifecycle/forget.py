"""Forget: softly (archived, and can be restored), by redaction (the record stays, its words go), or for good.

Audit records hold ids and never content, so that forgetting for good leaves nothing of the words behind. What it
cannot take back is said: git keeps the commits of a memory file until its history is rewritten.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from slowwave.lifecycle import filed, landing
from slowwave.lifecycle.places import file_of
from slowwave.lifecycle.remember import PERSON, Done, in_step
from slowwave.lifecycle.workbench import Workbench
from slowwave.memory.walk import memory_files
from slowwave.store import audit, documents, records, versions
from slowwave.store.records import Record

REDACTED: Final = "[redacted by a person]"


def soft(bench: Workbench, word: str, *, dry_run: bool = False) -> Done:
    """Archive a record: it is recalled no more, and `restore` brings it back."""
    in_step(bench, dry_run=dry_run)
    old = records.find(bench.db, word)
    if dry_run or old.status == records.ARCHIVED:
        return Done(old, "forget", dry_run=dry_run)
    text, commit = _take_file(bench, old)
    with bench.db.transaction():
        new = filed.change_status(
            bench.db, old, records.ARCHIVED, bench.micros(), "forgotten by a person", actor=PERSON
        )
        number = int(bench.db.value("SELECT max(id) FROM audit"))
        bench.db.execute("UPDATE archives SET text = ? WHERE record = ?", (text, old.id))
        bench.db.execute("DELETE FROM filed WHERE file = ? AND file <> ''", (old.file,))
    return Done(new, "forget", (number,), commit)


def redact(bench: Workbench, word: str, *, dry_run: bool = False) -> Done:
    """Take the words out of a record, of everything kept of it, and of its memory file; its lineage stays."""
    in_step(bench, dry_run=dry_run)
    old = records.find(bench.db, word)
    now = bench.micros()
    new = replace(old, content=REDACTED, metadata={"redacted": True}, updated_at=now)
    if dry_run:
        return Done(new, "redact", dry_run=True)
    commit = ""
    if old.file and (bench.memory / old.file).is_file():
        new = replace(new, file=file_of(new))  # its name was made of its words
        commit = _land(bench, {old.file: None, new.file: filed.render(new)}, f"Redact record {old.id}")
    with bench.db.transaction():
        number = audit.record(
            bench.db, filed.iso(now), PERSON, "redact", f"record {old.id}", "", {"commit": commit}
        )
        versions.blank(bench.db, old.id, REDACTED, new.file)
        bench.db.execute("UPDATE archives SET text = '' WHERE record = ?", (old.id,))
        new = records.save(bench.db, new)
        if commit:
            bench.db.execute("DELETE FROM filed WHERE file = ?", (old.file,))
            filed.note_seen(bench.db, bench.memory, new.file)
    bench.db.checkpoint()
    _drop_index(bench, old.file)
    return Done(new, "redact", (number,), commit)


@dataclass(frozen=True)
class Proof:
    """What is left of a record that was deleted for good: counts that must be 0, and what is beyond reach.

    same_words  other records and memory files that say the same
    history     commits of memory that still hold it
    """

    id: str
    rows: int
    index: int
    versions: int
    archive: int
    files: int
    store_bytes: int
    same_words: tuple[str, ...]
    history: tuple[str, ...]
    commit: str = ""
    audit_ids: tuple[int, ...] = ()
    dry_run: bool = False

    @property
    def holds(self) -> bool:
        """Whether nothing of it is left here."""
        left = (self.rows, self.index, self.versions, self.archive, self.files, self.store_bytes)
        return self.dry_run or not any(left)

    def as_json(self) -> dict[str, Any]:
        """The answer on the wire."""
        names = ("rows", "index", "versions", "archive", "files", "store_bytes")
        return {
            "id": self.id, "action": "delete", "dry_run": self.dry_run, "proved": self.holds,
            "left": {name: getattr(self, name) for name in names}, "same_words": list(self.same_words),
            "history": list(self.history), "commit": self.commit, "audit_ids": list(self.audit_ids),
        }  # fmt: skip


def hard(bench: Workbench, word: str, *, dry_run: bool = False) -> Proof:
    """Delete a record for good, and prove by looking again that nothing of it is left."""
    in_step(bench, dry_run=dry_run)
    old = records.find(bench.db, word)
    if dry_run:
        return _look(bench, old, "", (), dry_run=True)
    _, commit = _take_file(bench, old)
    with bench.db.transaction():
        number = audit.record(
            bench.db, filed.iso(bench.micros()), PERSON, "delete", f"record {old.id}", "deleted for good",
            {"commit": commit},
        )  # fmt: skip
        for table, column in (
            ("versions", "record"),
            ("archives", "record"),
            ("lineage", "record"),
            ("records", "id"),
        ):
            bench.db.execute(f"DELETE FROM {table} WHERE {column} = ?", (old.id,))
        bench.db.execute("DELETE FROM filed WHERE file = ? AND file <> ''", (old.file,))
        bench.db.execute("INSERT OR IGNORE INTO tombstones (id, at) VALUES (?, ?)", (old.id, bench.micros()))
    bench.db.checkpoint()
    _drop_index(bench, old.file)
    return _look(bench, old, commit, (number,), dry_run=False)


def _look(bench: Workbench, old: Record, commit: str, numbers: tuple[int, ...], *, dry_run: bool) -> Proof:
    """Look for a record in every place it could be."""
    db = bench.db
    like = db.rows("SELECT id FROM records WHERE content = ? AND id <> ?", (old.content, old.id))
    files = [path for path, _ in memory_files(bench.memory) if old.content in _text(bench, path)]
    same = [*(f"record {r['id']}" for r in like), *(f"file {path}" for path in files if path != old.file)]
    # The words may stand elsewhere by right; then the bytes of the store prove nothing either way.
    raw = 0 if same or dry_run else int(db.holds_bytes(old.content.encode("utf-8", "surrogatepass")))
    return Proof(
        old.id,
        rows=int(db.value("SELECT count(*) FROM records WHERE id = ?", (old.id,))),
        index=_left_in_index(bench, old),
        versions=int(db.value("SELECT count(*) FROM versions WHERE record = ?", (old.id,))),
        archive=int(db.value("SELECT count(*) FROM archives WHERE record = ?", (old.id,))),
        files=int(bool(old.file) and (bench.memory / old.file).exists()),
        store_bytes=raw, same_words=tuple(same), history=_history(bench, old.file), commit=commit,
        audit_ids=numbers, dry_run=dry_run,
    )  # fmt: skip


def _history(bench: Workbench, file: str) -> tuple[str, ...]:
    """The commits whose tree has the file."""
    if not file or not (bench.memory / ".git").exists():
        return ()
    repo = bench.open_memory(False)
    return tuple(c.sha for c in repo.commits_since(None) if file in repo.tree(c.sha))


def _take_file(bench: Workbench, record: Record) -> tuple[str, str]:
    """Remove a record's memory file by a commit; returns its text and the commit."""
    path = bench.memory / record.file
    if not record.file or not path.is_file():
        return "", ""
    return _text(bench, record.file), _land(bench, {record.file: None}, f"Forget {record.file}")


def _text(bench: Workbench, path: str) -> str:
    return (bench.memory / path).read_text("utf-8", "replace")


def _drop_index(bench: Workbench, file: str) -> None:
    """Take a memory file out of what recall made; the copies that cannot forget one line go as a whole."""
    if not file or not _index_file(bench).exists():
        return
    with documents.open_index(_index_file(bench)) as index:
        with index.transaction():
            documents.remove(index, documents.FILE, [file])
            documents.note_file(index, file, None)
            documents.compact(index)
        index.checkpoint()
    for name in ("fast", "vectors"):
        shutil.rmtree(bench.recall / name, ignore_errors=True)


def _left_in_index(bench: Workbench, old: Record) -> int:
    if not old.file or not _index_file(bench).exists():
        return 0
    with documents.open_index(_index_file(bench)) as index:
        return documents.held(index, old.file)


def _index_file(bench: Workbench) -> Path:
    return bench.recall / "recall.db"


def _land(bench: Workbench, files: dict[str, str | None], subject: str) -> str:
    act = bench.new_id("a")
    text = landing.message(subject, act, bench.instance_id)
    return landing.land(bench.open_memory(True), act, files, text)
