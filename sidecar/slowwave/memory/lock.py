"""One file, one holder: the lock that lets a single process publish at a time.

The system releases it when the holder dies, however it dies; the file itself stays. Doorway 3, used by
`repo`.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from slowwave.errors import BusyError
from slowwave.memory.disk import disk_errors

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def exclusive(path: Path, timeout: float, complaint: str) -> Iterator[None]:
    """Hold the file's lock; BusyError with the complaint when it cannot be had in time."""
    with disk_errors(f"lock {path}"):
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + timeout
        while not _locked(fd):
            if time.monotonic() >= deadline:
                raise BusyError(complaint, hint="Wait until it is done, then try again.")
            time.sleep(0.02)
        yield
    finally:
        os.close(fd)


def _locked(fd: int) -> bool:
    try:
        _try_lock(fd)
    except OSError:
        return False
    return True


def stale_locks(git_dir: Path, older_than: float, now: float) -> tuple[Path, ...]:
    """Git's own lock files that a dead process left: old enough, and no living git can be their owner."""
    old = [path for path in sorted(git_dir.rglob("*.lock")) if now - _modified(path, now) > older_than]
    return tuple(path for path in old if not _may_be_held(path, git_dir, now))


def _modified(path: Path, now: float) -> float:
    try:
        return path.lstat().st_mtime
    except FileNotFoundError:
        return now


def _may_be_held(path: Path, git_dir: Path, now: float) -> bool:
    """True when some living process has the file open, or is a git at work in this checkout.

    The second question is needed because git closes its lock file and keeps the lock (`git commit` does while
    the editor is open). Without /proc nobody can be asked, so only an hour of silence counts as death.
    """
    processes = [entry for entry in Path("/proc").glob("[0-9]*") if entry.is_dir()]
    if not processes:
        return now - _modified(path, now) < 3600
    return any(_works_in(process, path, git_dir.parent) for process in processes)


def _works_in(process: Path, lock: Path, checkout: Path) -> bool:
    try:
        is_git = (process / "comm").read_text(encoding="utf-8", errors="replace").startswith("git")
    except OSError:  # it ended meanwhile
        return False
    try:
        folder = (process / "cwd").readlink()
        opened = {str(fd.readlink()) for fd in (process / "fd").iterdir()} if not is_git else set()
    except PermissionError:  # somebody else's: only a git could be in our way
        return is_git
    except OSError:
        return False
    return str(lock) in opened or (is_git and (folder == checkout or checkout in folder.parents))
