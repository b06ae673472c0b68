"""Git's own lock files, and which of them a dead process left behind.

Doorway 3, used by `landing` when it recovers.
"""

from pathlib import Path


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
