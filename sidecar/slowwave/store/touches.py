"""Notes of use: recall says which records it showed, without writing to the store.

One line is appended to a small file; the daemon or the next writer folds the lines into the rows. Folding is
idempotent (the newest time wins), so a kill in the middle of it loses and doubles nothing.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from slowwave.store.database import Database


def note(folder: Path, record_ids: Iterable[str], at: int) -> None:
    """Note that these records were used at a time (microseconds). A note that cannot be written is no harm."""
    text = "".join(f"{at}\t{record_id}\n" for record_id in record_ids)
    with suppress(OSError):
        descriptor = os.open(_file(folder), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def read(folder: Path) -> dict[str, int]:
    """The newest use of each record noted and not yet folded in."""
    found: dict[str, int] = {}
    for path in (_taken(folder), _file(folder)):
        with suppress(FileNotFoundError):
            for line in path.read_text("utf-8", "replace").splitlines():
                at, _, record_id = line.partition("\t")
                if at.isdigit() and record_id:
                    found[record_id] = max(found.get(record_id, 0), int(at))
    return found


def apply(db: Database, touched: Mapping[str, int]) -> None:
    """Write uses into their rows. Inside the caller's transaction."""
    db.many(
        "UPDATE records SET last_accessed_at = max(coalesce(last_accessed_at, 0), ?) WHERE id = ?",
        ((at, record_id) for record_id, at in touched.items()),
    )


def fold(db: Database, folder: Path) -> int:
    """Fold all notes into the rows; returns how many records were used."""
    taken = _taken(folder)
    if not taken.exists():
        with suppress(FileNotFoundError):
            _file(folder).rename(taken)
    touched = read(folder)
    if touched:
        with db.transaction():
            apply(db, touched)
    taken.unlink(missing_ok=True)
    return len(touched)


def _file(folder: Path) -> Path:
    return folder / "touches.log"


def _taken(folder: Path) -> Path:
    """The notes being folded in: new ones go to a new file meanwhile."""
    return folder / "touches.folding"
