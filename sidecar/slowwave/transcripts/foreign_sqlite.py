"""Other programs' databases, read only: the one place of this room that imports sqlite3.

An agent writes its database while we read it, so nothing here may disturb it: no write, no checkpoint, no file
created beside it. A database in WAL mode without its log is opened as immutable, one whose log has lost its
index is copied away and read there. An authorizer lets a query see the tables it was opened for and no other,
because the same files hold accounts and tokens.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from slowwave.errors import TranscriptError
from slowwave.transcripts.tail import open_read_only

_BUSY_SECONDS = 2.0
_WAL_FORMAT = 2
_MAGIC = b"SQLite format 3\0"
_SCHEMA = frozenset({"sqlite_master", "sqlite_schema"})


@dataclass(frozen=True, slots=True)
class Fetched:
    """The rows a query gave, and why there may be more: a page of the database is damaged."""

    rows: tuple[dict[str, Any], ...]
    problem: str = ""


class ForeignDatabase:
    """An open database of another program, its queries confined to some tables."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def fetch(self, sql: str, parameters: tuple[Any, ...] = ()) -> Fetched:
        """All rows of a query, or those before the damage."""
        rows: list[dict[str, Any]] = []
        try:
            cursor = self._connection.execute(sql, parameters)
            names = [d[0] for d in cursor.description or ()]
            rows.extend(dict(zip(names, row, strict=True)) for row in cursor)
        except sqlite3.Error as exc:
            code = getattr(exc, "sqlite_errorcode", None)  # none: the module's own complaint about a value
            if code is not None and code & 0xFF not in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
                raise TranscriptError(f"cannot read {self._path}: {exc}") from exc
            return Fetched(tuple(rows), f"the database is damaged: {exc}")
        except (MemoryError, OverflowError) as exc:
            return Fetched(tuple(rows), f"the database is damaged: {exc}")
        return Fetched(tuple(rows))

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none when there is no such table."""
        try:
            cursor = self._connection.execute(f"SELECT * FROM {table} LIMIT 0")
        except sqlite3.DatabaseError:
            return frozenset()
        return frozenset(d[0] for d in cursor.description or ())


@contextmanager
def opened(path: Path, tables: frozenset[str]) -> Iterator[ForeignDatabase]:
    """The database, for reading these tables. FileNotFoundError when it is gone."""
    with _readable(path) as uri:
        try:
            connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
        except sqlite3.Error as exc:
            raise TranscriptError(f"cannot read {path}: {exc}") from exc
        with closing(connection):
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            connection.set_authorizer(_confined_to(tables))
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.Error as exc:
                raise TranscriptError(f"cannot read {path}: {exc}") from exc
            yield ForeignDatabase(connection, path)


@contextmanager
def _readable(path: Path) -> Iterator[str]:
    """How to open it without leaving a trace."""
    with open_read_only(path) as file:
        head = file.read(100)
    if not head.startswith(_MAGIC):
        raise TranscriptError(f"cannot read {path}: it is no SQLite database")
    log, index = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))
    base = f"file:{quote(str(path))}?mode=ro"
    if head[18] != _WAL_FORMAT or (log.exists() and index.exists()):
        yield base
    elif not log.exists():
        yield f"{base}&immutable=1"
    else:
        with tempfile.TemporaryDirectory(prefix="slowwave-") as folder:
            copy = Path(folder) / path.name
            try:
                shutil.copyfile(path, copy, follow_symlinks=False)
                shutil.copyfile(log, copy.with_name(log.name), follow_symlinks=False)
            except OSError as exc:
                raise TranscriptError(f"cannot copy {path} for reading: {exc.strerror}") from exc
            yield f"file:{quote(str(copy))}?mode=ro"


def _confined_to(tables: frozenset[str]) -> Any:
    def allow(action: int, first: str | None, _second: str | None, _db: str | None, _by: str | None) -> int:
        if action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and first in tables | _SCHEMA:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return allow


def split(path: Path) -> tuple[Path, str]:
    """The database and the session a session's path names: `<database>/<session>`."""
    return (path, "") if path.is_file() else (path.parent, path.name)


def tables(path: Path) -> list[str]:
    """The names of a database's tables."""
    with opened(path, frozenset()) as db:
        return [
            str(row["name"]) for row in db.fetch("SELECT name FROM sqlite_master WHERE type = 'table'").rows
        ]
