"""A reflection worktree: a plain folder with the memory as it was, for a worker to change as it likes.

It has no `.git` in it at all: nothing a worker does there can reach hooks, config or objects, and nothing git
would do with it needs to be trusted. The bytes come straight from the object store (no filters, no line-end
conversion); the importer reads the result back. Doorway 3.
"""

import contextlib
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from slowwave.errors import MemoryRepositoryError
from slowwave.memory.disk import disk_errors
from slowwave.memory.importer import Limits, presentable
from slowwave.memory.repo import MemoryRepository


@contextlib.contextmanager
def reflection_worktree(
    repo: MemoryRepository,
    base: str,
    folder: Path,
    *,
    keep: bool = False,
    limits: Limits | None = None,
) -> Iterator[Path]:
    """The folder, filled with the files of `base` a worker may see; removed at the end unless kept."""
    if repo.path in folder.resolve().parents or folder.resolve() == repo.path:
        raise MemoryRepositoryError(
            f"{folder} is inside the memory checkout; a reflection works outside of it"
        )
    files = presentable(repo, base, limits)
    with disk_errors("make the reflection worktree"):
        folder.mkdir(mode=0o700, parents=True)
    try:
        with disk_errors("fill the reflection worktree"):
            _fill(folder, files)
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def sweep(parent: Path, alive: Collection[str]) -> tuple[str, ...]:
    """Remove the worktrees of runs that are no longer alive; answers their names."""
    if not parent.is_dir():
        return ()
    dead = sorted(entry.name for entry in parent.iterdir() if entry.name not in alive)
    for name in dead:
        leftover = parent / name
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)
    return tuple(dead)


def _fill(folder: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        target = folder / path
        missing = [p for p in target.parents if p != folder and folder in p.parents and not p.exists()]
        for parent in reversed(missing):
            parent.mkdir(mode=0o700)
        target.write_bytes(data)
        target.chmod(0o644)
