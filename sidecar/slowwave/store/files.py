"""The transcript files met so far, and how far each was read.

A file that shrinks, is replaced or vanishes never rolls back what was counted from it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from slowwave.model import SessionKind
from slowwave.store.database import Database, Row


@dataclass(frozen=True)
class FileState:
    """What the store knows of one transcript file. `mark` is the tail's own JSON, opaque here."""

    path: str
    source: str
    session: int | None
    kind: SessionKind
    size: int
    mtime_ns: int
    baseline: int
    read: bool
    restart_offset: int
    restart_turn: int
    mark: str
    damaged: int
    problem: str = ""


def sizes(db: Database) -> dict[str, tuple[int, int]]:
    """The size and mtime_ns every file had when it was last looked at, by path. Vanished files are left out."""
    rows = db.rows("SELECT path, size, mtime_ns FROM files WHERE vanished_at IS NULL")
    return {r[0]: (r[1], r[2]) for r in rows}


def size(db: Database, path: str) -> tuple[int, int] | None:
    """The same for one file; None when it is not known."""
    row = db.row("SELECT size, mtime_ns FROM files WHERE path = ? AND vanished_at IS NULL", (path,))
    return (row[0], row[1]) if row else None


def get(db: Database, path: str) -> FileState | None:
    """One file, or None."""
    row = db.row("SELECT * FROM files WHERE path = ?", (path,))
    return _file(row) if row else None


def _file(row: Row) -> FileState:
    return FileState(
        row["path"], row["source"], row["session"], SessionKind(row["kind"]), row["size"], row["mtime_ns"],
        row["baseline"], bool(row["read"]), row["restart_offset"], row["restart_turn"], row["mark"],
        row["damaged"], row["problem"],
    )  # fmt: skip


def names(db: Database) -> dict[tuple[str, str], str]:
    """The path last known of every file, vanished ones too, by source and `name_of`."""
    rows = db.rows("SELECT source, path FROM files ORDER BY vanished_at IS NULL, vanished_at")
    return {(r[0], name_of(r[1])): r[1] for r in rows}


def name_of(path: str) -> str:
    """What stays when a file is moved to an archive or packed: its name, with its folder's where the name holds no
    digit, as `events.jsonl` of every session does; the whole path where neither does and others have the same.
    """
    parts = re.split(r"[/\\]", path.removesuffix(".zst"))
    names = (parts[-1], "/".join(parts[-2:]), path)
    return next((n for n in names if any(c.isdigit() for c in n)), path)


def save(db: Database, state: FileState, first_damage: str = "") -> None:
    """Write what is known of a file. The first damage ever seen in it is kept."""
    db.execute(
        "INSERT INTO files (path, source, session, kind, size, mtime_ns, baseline, read, restart_offset,"
        " restart_turn, mark, damaged, first_damage, problem)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (path) DO UPDATE SET session = excluded.session, kind = excluded.kind,"
        " size = excluded.size, mtime_ns = excluded.mtime_ns, baseline = excluded.baseline,"
        " read = excluded.read, restart_offset = excluded.restart_offset,"
        " restart_turn = excluded.restart_turn, mark = excluded.mark, damaged = excluded.damaged,"
        " first_damage = CASE WHEN files.first_damage = '' THEN excluded.first_damage"
        " ELSE files.first_damage END, problem = excluded.problem, vanished_at = NULL",
        (
            state.path, state.source, state.session, state.kind, state.size, state.mtime_ns, state.baseline,
            int(state.read), state.restart_offset, state.restart_turn, state.mark, state.damaged,
            first_damage, state.problem,
        ),
    )  # fmt: skip


def mark_vanished(db: Database, paths: Iterable[str], now: str) -> None:
    """Note that files are gone; their sessions and counts stay."""
    for path in paths:
        db.execute("UPDATE files SET vanished_at = ? WHERE path = ? AND vanished_at IS NULL", (now, path))


def damaged(db: Database) -> list[tuple[str, int, str]]:
    """Files with damage or that could not be read: (path, damaged places, the first of them)."""
    rows = db.rows(
        "SELECT path, damaged, first_damage, problem FROM files"
        " WHERE damaged > 0 OR problem != '' ORDER BY path"
    )
    return [(r["path"], r["damaged"], r["problem"] or r["first_damage"]) for r in rows]
