"""What the disk says, in a person's words; and writes that survive a power cut. Doorway 3."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from slowwave.errors import MemoryRepositoryError

_HINTS: Final = (
    ("No space left", "The disk is full. Free some space and try again; nothing was lost."),
    ("Read-only file system", "The memory folder is on a read-only disk."),
    ("Permission denied", "Check who owns the memory folder and its files."),
    (
        ".lock': File exists",
        "Another git command is running in the memory folder; try again when it is done.",
    ),
)


@contextlib.contextmanager
def disk_errors(act: str) -> Iterator[None]:
    """Turn what the disk says during an act into an error a person understands."""
    try:
        yield
    except OSError as error:
        said = str(error)
        raise MemoryRepositoryError(f"cannot {act}: {said}", hint=hint_for(said)) from error


def hint_for(said: str) -> str:
    """What to do about an error text of git or the system."""
    return next((hint for sign, hint in _HINTS if sign in said), "")


def write_synced(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("wb") as file:
        file.write(data)
        if mode is not None:
            path.chmod(mode)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder; where folders cannot be synced, that is all there is."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
