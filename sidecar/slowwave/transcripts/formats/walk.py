"""Files below a folder, by name, without opening any.

Tens of thousands of sessions are ordinary, so this is one `scandir` per folder. Symbolic links are not
followed: a link inside an agent's folder could lead anywhere. A folder that cannot be listed is an error
that names it, never an empty folder.
"""

import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from slowwave.errors import TranscriptError

# A daemon lists the same files every minute, and taking a path apart is most of the work.
_path = lru_cache(maxsize=1 << 16)(Path)


def files(root: Path, wanted: Callable[[str], bool]) -> Iterator[Path]:
    """The plain files below `root` whose name is wanted, sorted by folder. A missing root has none."""
    waiting = [os.fspath(root)]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda e: e.name)
        except FileNotFoundError:
            continue  # gone between two listings, or never there
        except NotADirectoryError:
            if folder == os.fspath(root) and wanted(root.name):
                yield root
            continue
        except OSError as exc:
            raise TranscriptError(f"cannot list {folder}: {exc.strerror}") from exc
        folders = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif wanted(entry.name) and entry.is_file(follow_symlinks=False):
                yield _path(entry.path)
        waiting.extend(reversed(folders))
