"""Keeps the recall index up to date with the memory files and with the records that have none: they are the truth.

Only files whose size or time changed are read again, so a recall right after an edit sees the edit
(read-your-writes) and costs a stat per file otherwise.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from slowwave.errors import MemoryRepositoryError
from slowwave.memory import layout
from slowwave.memory.walk import memory_files
from slowwave.recall import words
from slowwave.store import documents, records
from slowwave.store.database import Database
from slowwave.store.documents import FILE, RECORD, Document
from slowwave.store.records import Record

_SEQ = "records_seq"
_BATCH = 2_000
_TURN = re.compile(r"-(\d{1,9})$")
ATTEMPTS = 5
"""How often files are looked at again when others index them at the same time."""


def refresh(index: Database, memory: Path) -> int:
    """Bring the index up to date with the files; returns how many files were read."""
    if memory.exists() and not memory.is_dir():
        raise MemoryRepositoryError(
            f"{memory} is no folder", hint="`slowwave config` says where memory lives"
        )
    for _ in range(ATTEMPTS):
        read, overtaken = _refresh(index, memory)
        if not overtaken:
            break
    return read


def _refresh(index: Database, memory: Path) -> tuple[int, bool]:
    """One attempt: the files read, and whether another process changed the index meanwhile.

    What another wrote after we looked may be newer than what we read, so it is never written over: look again.
    """
    known = documents.files(index)
    present: set[str] = set()
    changed: dict[str, tuple[tuple[int, int], list[Document]]] = {}
    for path, stat in memory_files(memory):
        present.add(path)
        seen = (stat.st_size, stat.st_mtime_ns)
        if known.get(path) != seen:
            changed[path] = (seen, cut(path, (memory / path).read_text("utf-8", "replace")))
    gone = [p for p in known if p not in present]
    if not changed and not gone:
        return 0, False
    with index.transaction():
        latest = documents.files(index)
        mine = [p for p in (*changed, *gone) if latest.get(p) == known.get(p)]
        documents.remove(index, FILE, mine)
        for path in mine:
            now = changed.get(path)
            documents.note_file(index, path, now[0] if now else None)
            documents.add(index, now[1] if now else ())
    return len(changed), len(mine) < len(changed) + len(gone)


def refresh_records(index: Database, store: Database) -> int:
    """Bring the index up to date with the records that live in the store alone; returns how many changed."""
    done = 0
    while changed := records.changed_after(store, int(documents.mark(index, _SEQ) or 0), _BATCH):
        with index.transaction():
            if int(documents.mark(index, _SEQ) or 0) < changed[-1][0]:
                documents.remove(index, RECORD, [number for _, number, _ in changed])
                documents.add(index, [_row(r) for _, _, r in changed if r])
                documents.set_mark(index, _SEQ, str(changed[-1][0]))
        done += len(changed)
    return done


def _row(record: Record) -> Document:
    """A record as a document. Episodes of a session stand in it by the number of their turn."""
    turn = _TURN.search(record.id) if record.session else None
    day = datetime.fromtimestamp(record.occurred_at / 1e6, UTC).isoformat(timespec="seconds")
    used = record.last_accessed_at
    return Document(
        origin=RECORD,
        ref=record.id,
        path=record.path,
        heading="",
        type=str(record.type),
        text=record.content,
        source=f"session {record.session}" if record.session else "",
        updated_at=day,
        project=record.scope,
        session=f"session {record.session}" if turn else "",
        position=int(turn[1]) if turn else 0,
        author="",
        importance=record.importance,
        confidence=record.confidence,
        used_at=datetime.fromtimestamp(used / 1e6, UTC).isoformat(timespec="seconds") if used else "",
        hidden="" if record.status == records.ACTIVE else record.status,
        words=words.indexed(record.path, words.dated(day), record.content),
    )


def cut(path: str, text: str) -> list[Document]:
    """Cut a memory file into documents: its description, then one per list item, then one per paragraph."""
    file = layout.parse(path, text)
    pieces: list[tuple[str, str, str]] = []
    items = layout.items(file.body)
    description = str(file.meta.get("description") or "")
    if description and all(item.text != description for item in items):
        pieces.append(("", description, ""))
    for item in items:
        source = "; ".join(f"{e.source} {e.session_id} turn {e.turn}" for e in item.evidence)
        pieces.append((item.heading, item.text, source))
    said = {text for _, text, _ in pieces}
    pieces.extend((h, paragraph, "") for h, paragraph in _paragraphs(file.body) if paragraph not in said)
    return [_document(file, n, *piece) for n, piece in enumerate(pieces)]


def _document(file: layout.MemoryFile, position: int, heading: str, text: str, source: str) -> Document:
    parts = file.path.split("/")
    project = parts[1] if parts[0] == layout.PROJECTS and len(parts) > 1 else ""
    updated = str(file.meta.get("updated") or "")
    named = " ".join(parts).removesuffix(".md")
    return Document(
        origin=FILE,
        ref=file.path,
        path=file.path,
        heading=heading,
        type=str(file.meta.get("type") or "semantic"),
        text=text,
        source=source,
        updated_at=updated,
        project=project,
        session=file.path,
        position=position,
        author="",
        importance=_share(file.meta.get("importance")),
        confidence=_share(file.meta.get("confidence")),
        used_at="",
        hidden="untrusted" if "untrusted" in parts else "",
        words=words.indexed(named, heading, words.dated(updated), text),
    )


def _share(value: object) -> float:
    """A number from 0 to 1; the middle when the file says nothing that can be read as one."""
    return min(1.0, max(0.0, float(value))) if isinstance(value, int | float) else 0.5


def _paragraphs(body: str) -> Iterator[tuple[str, str]]:
    """Paragraphs that are no list items, each with the heading above it."""
    heading, lines = "", list[str]()
    for line in [*body.splitlines(), ""]:
        bare = line.strip()
        if bare.startswith("#"):
            heading = bare.lstrip("# ")
        elif bare and not bare.startswith(("- ", "* ", "Evidence:")) and not line.startswith("  "):
            lines.append(bare)
            continue
        if lines:
            yield heading, " ".join(lines)
            lines = []
