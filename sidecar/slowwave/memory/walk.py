"""The memory files on disk, as they stand: every markdown file below the memory folder. Doorway 3."""

import os
from collections.abc import Iterator
from pathlib import Path

from slowwave.errors import MemoryRepositoryError


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
