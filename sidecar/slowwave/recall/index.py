"""Keeps the index of memory passages up to date with the files, which are the truth.

Only files whose size or time changed are read again, so a recall right after an edit sees the edit
(read-your-writes) and costs a stat per file otherwise.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from slowwave.errors import MemoryRepositoryError
from slowwave.memory import layout
from slowwave.store import passages
from slowwave.store.database import Database
from slowwave.store.passages import Passage


def memory_files(memory: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every markdown file of memory, with its path relative to the memory folder. Links are not followed."""

    def complain(error: OSError) -> None:
        raise MemoryRepositoryError(f"{error.filename}: cannot be read: {error.strerror}") from error

    if not memory.exists():  # nothing was dreamed yet, or it was taken away
        return
    for folder, names, files in os.walk(memory, onerror=complain):
        names[:] = sorted(n for n in names if not n.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith(".md") and not path.is_symlink():
                yield path.relative_to(memory).as_posix(), path.stat()


def refresh(db: Database, memory: Path) -> int:
    """Bring the index up to date with the files; returns how many files were read."""
    if memory.exists() and not memory.is_dir():
        raise MemoryRepositoryError(
            f"{memory} is no folder", hint="`slowwave config` says where memory lives"
        )
    known = passages.indexed(db)
    present: set[str] = set()
    changed: dict[str, tuple[int, int, list[Passage]]] = {}
    for path, stat in memory_files(memory):
        present.add(path)
        if known.get(path) != (stat.st_size, stat.st_mtime_ns):
            text = (memory / path).read_text("utf-8", "replace")
            changed[path] = (stat.st_size, stat.st_mtime_ns, cut(path, text))
    gone = [p for p in known if p not in present]
    if changed or gone:
        passages.replace(db, changed, gone)
    return len(changed)


def cut(path: str, text: str) -> list[Passage]:
    """Cut a memory file into passages: one per list item, one per paragraph, one for its description."""
    file = layout.parse(path, text)
    kind = str(file.meta.get("type") or "semantic")
    updated = str(file.meta.get("updated") or "")
    found: list[Passage] = []
    if description := str(file.meta.get("description") or ""):
        found.append(Passage(path, "", kind, description, "", updated))
    for item in layout.items(file.body):
        source = "; ".join(f"{e.source} {e.session_id} turn {e.turn}" for e in item.evidence)
        found.append(Passage(path, item.heading, kind, item.text, source, updated))
    found.extend(Passage(path, h, kind, p, "", updated) for h, p in _paragraphs(file.body))
    return found


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
