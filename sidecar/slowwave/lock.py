"""A lock held for a process's life, that the system gives back when the process dies.

Used by the daemon, so that there is one. The file stays; only the lock on it matters, and asking whether it
is held never takes it away from a starting daemon for longer than an instant.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from slowwave.errors import BusyError

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _open(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)


@contextlib.contextmanager
def held(path: Path, who: str, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock for the length of a block, waiting for it at most `patience` seconds.

    Raises BusyError naming the holder when it is taken. A little patience is wise: asking whether the lock
    is held takes it for an instant.
    """
    descriptor = _open(path)
    deadline = time.monotonic() + patience
    try:
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise BusyError(f"{who} is already running (process {holder(path) or 'unknown'})")
            time.sleep(0.02)
        with contextlib.suppress(OSError):  # a full disk: the lock holds all the same
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
        yield
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def holder(path: Path) -> int | None:
    """The process number its holder wrote, or None. See `is_held` for whether it lives."""
    try:
        return int(path.read_text("ascii").strip() or 0) or None
    except (OSError, ValueError):
        return None


def is_held(path: Path) -> bool:
    """Whether some process holds the lock now."""
    if not path.exists():
        return False
    descriptor = _open(path)
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)
