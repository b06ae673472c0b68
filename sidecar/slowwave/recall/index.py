"""Keeps the recall index up to date with the memory files, which are the truth.

Only files whose size or time changed are read again, so a recall right after an edit sees the edit
(read-your-writes) and costs a stat per file otherwise.
"""

from collections.abc import Iterator
from pathlib import Path

from slowwave.errors import MemoryRepositoryError
from slowwave.memory import layout
from slowwave.memory.walk import memory_files
from slowwave.recall import words
from slowwave.store import documents
from slowwave.store.database import Database
from slowwave.store.documents import FILE, Document

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


def cut(path: str, text: str) -> list[Document]:
    """Cut a memory file into documents: its description, then one per list item, then one per paragraph."""
    file = layout.parse(path, text)
    pieces: list[tuple[str, str, str]] = []
    if description := str(file.meta.get("description") or ""):
        pieces.append(("", description, ""))
    for item in layout.items(file.body):
        source = "; ".join(f"{e.source} {e.session_id} turn {e.turn}" for e in item.evidence)
        pieces.append((item.heading, item.text, source))
    pieces.extend((heading, paragraph, "") for heading, paragraph in _paragraphs(file.body))
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
