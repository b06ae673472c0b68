"""The one door to SQLite: connection, transactions, migrations.

Every write happens inside `transaction()`, which begins IMMEDIATE: two processes (the daemon and a dream it
launched) queue for the write lock instead of failing half-way with a stale read. The file is never opened
outside SQLite, since closing any descriptor of it would drop the process's locks.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from slowwave.errors import StoreError
from slowwave.store.migrations import MIGRATIONS, Steps

BUSY_SECONDS = 120.0  # a maintenance pass over a million records holds the write lock for about a minute
_CHUNK = 8 << 20  # bytes read at once
# File systems on which WAL's shared memory does not work (SQLite documentation, "Write-Ahead Logging").
_NO_WAL = {"nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse.sshfs", "drvfs", "vboxsf", "fuse.grpcfuse"}

Row = sqlite3.Row
Parameters = Sequence[Any] | Mapping[str, Any]


def _file_system(path: Path) -> str:
    """Name the file system a path lies on; "" where the platform does not say."""
    try:
        lines = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        _, mount, fs, *_ = [*line.split(), "", "", ""]
        if len(mount) > len(best) and path.is_relative_to(mount.replace("\\040", " ")):
            best, kind = mount, fs
    return kind


class Database:
    """The open store. Close it, or use it as a context manager.

    `steps` give the file its shape. Raises StoreError when the file cannot be opened, is no database, or is
    newer than this program.
    """

    def __init__(self, path: Path, steps: Steps = MIGRATIONS) -> None:
        self.path = path
        self._steps = steps
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not path.exists():
                path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA foreign_keys = ON")
            # What a person has deleted for good must not lie about in free pages.
            self._connection.execute("PRAGMA secure_delete = ON")
            wal = "DELETE" if _file_system(path) in _NO_WAL else "WAL"
            self._connection.execute(f"PRAGMA journal_mode = {wal}")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._migrate()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{path}: {error}", hint="is the disk full, or the file damaged?") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._connection.close()

    def copy_to(self, path: Path) -> None:
        """Copy the whole store to a new file, as it is at this moment."""
        try:
            with contextlib.closing(sqlite3.connect(path)) as target:
                self._connection.backup(target)
        except sqlite3.Error as error:
            raise StoreError(f"{path}: {error}") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside lands together or not at all. Not reentrant: one screen, one transaction."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._run("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Every query inside sees the store as it was at the first of them; writers are not held up."""
        self._run("BEGIN DEFERRED")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Everything inside is taken back at the end, whatever happens: the store of a dry run."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def execute(self, sql: str, parameters: Parameters = ()) -> int:
        """Run one statement; returns the number of rows it changed."""
        return self._run(sql, parameters).rowcount

    def insert(self, sql: str, parameters: Parameters = ()) -> int:
        """Run one INSERT; returns the new row's id."""
        return self._run(sql, parameters).lastrowid or 0

    def many(self, sql: str, each: Iterable[Parameters]) -> None:
        """Run one statement once for each set of values."""
        try:
            self._connection.executemany(sql, each)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def each(self, sql: str, parameters: Parameters = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one by one, as plain tuples: for queries that would fill the memory."""
        cursor = self._connection.cursor()
        cursor.row_factory = None
        try:
            yield from cursor.execute(sql, parameters)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def checkpoint(self) -> None:
        """Write the log back into the file and empty it, so that the file's bytes are the whole store."""
        self._run("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def holds_bytes(self, wanted: bytes) -> bool:
        """Whether these bytes stand anywhere in the store's files, free pages and log included."""
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            if not path.exists():
                continue
            with path.open("rb") as file:
                last = b""
                while chunk := file.read(_CHUNK):
                    if wanted in last + chunk:
                        return True
                    last = chunk[-len(wanted) :]
        return False

    def rows(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self._run(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        found: sqlite3.Row | None = self._run(sql, parameters).fetchone()
        return found

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, parameters)
        return None if row is None else row[0]

    def _run(self, sql: str, parameters: Parameters = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, parameters)
        except sqlite3.Error as error:
            if self._connection.in_transaction and sql == "COMMIT":
                self._connection.execute("ROLLBACK")
            raise self._failed(error) from error

    def _failed(self, error: sqlite3.Error) -> StoreError:
        return StoreError(f"{self.path}: {error}", hint="is the disk full, or the file damaged?")

    def _migrate(self) -> None:
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (name TEXT PRIMARY KEY, applied_at TEXT DEFAULT CURRENT_TIMESTAMP)"
        )
        done = {r[0] for r in self._connection.execute("SELECT name FROM migrations")}
        if unknown := done - {name for name, _ in self._steps}:
            raise StoreError(
                f"{self.path}: written by a newer slowwave ({', '.join(sorted(unknown))})",
                hint="upgrade slowwave",
            )
        for name, statements in self._steps:
            if name in done:
                continue
            self._connection.execute("BEGIN IMMEDIATE")
            if not self._connection.execute("SELECT 1 FROM migrations WHERE name = ?", (name,)).fetchone():
                for statement in statements:
                    self._connection.execute(statement)
                self._connection.execute("INSERT INTO migrations (name) VALUES (?)", (name,))
            self._connection.execute("COMMIT")
