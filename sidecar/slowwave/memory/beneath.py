"""The descriptor guard: nothing done through a `Folder` happens outside its root, whoever swaps links
meanwhile.

Resolving a path and then opening it lost the race against a process swapping symlinks 318 times of 9,385;
walking from the root's descriptor with O_NOFOLLOW lost none. So every act walks anew from the root, one part
at a time, and ends in a file that must be regular and have one name only (a hardlink is a door to outside
that no path shows).

Where the platform cannot open relative to a descriptor (`os.supports_dir_fd`, i.e. Windows) the fallback
resolves the parent and compares: it stops every link that is there before the call, not one swapped in during
it.

Doorway 3: the scope, the importer and the publisher stand on it.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowwave.errors import ScopeError

HAS_DESCRIPTORS: Final = hasattr(os, "O_NOFOLLOW") and {
    os.open,
    os.stat,
    os.mkdir,
    os.unlink,
    os.rename,
    os.rmdir,
} <= set(os.supports_dir_fd)

_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NONBLOCK: Final = getattr(os, "O_NONBLOCK", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW
_NOT_A_FILE: Final = {errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENXIO, errno.EISDIR}


@dataclass(frozen=True, slots=True)
class Item:
    """One name in a folder, as it stands there (links are not followed)."""

    name: str
    mode: int

    @property
    def is_folder(self) -> bool:
        """A real folder."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        """A real file."""
        return stat.S_ISREG(self.mode)


@dataclass(frozen=True, slots=True)
class _Place:
    """A name and the descriptor it is relative to; without descriptors the name is a whole path."""

    name: str
    folder: int | None


class Folder:
    """The files below one root. Absence is FileNotFoundError; everything that is no plain file is
    ScopeError.
    """

    def __init__(self, root: Path, *, descriptors: bool = HAS_DESCRIPTORS) -> None:
        self.root = Path(os.path.realpath(root))
        self._descriptors = descriptors

    # ------------------------------------------------------------------ acts
    def read(self, path: str, limit: int | None = None) -> bytes:
        """The bytes of a plain file; with a limit, one byte more than it at most."""
        with self._place(path) as place:
            fd = self._open_plain(place, path)
            with os.fdopen(fd, "rb") as file:
                return file.read() if limit is None else file.read(limit + 1)

    def mode(self, path: str) -> int | None:
        """The permission bits of a plain file, or None when there is nothing."""
        try:
            with self._place(path) as place:
                return stat.S_IMODE(self._plain_status(place, path).st_mode)
        except FileNotFoundError:
            return None

    def write(self, path: str, data: bytes) -> None:
        """Put bytes there: a temporary file beside it, then a rename. Missing folders are made."""
        with self._place(path, make=True) as place:
            mode = 0o644
            with contextlib.suppress(FileNotFoundError):
                mode = stat.S_IMODE(self._plain_status(place, path).st_mode)
            beside = _Place(_sibling(place, f".slowwave-{secrets.token_hex(8)}"), place.folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
            fd = os.open(beside.name, flags, mode, dir_fd=beside.folder)
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(data)
                os.replace(beside.name, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(beside.name, dir_fd=beside.folder)
                raise

    def move_in(self, staged: Path, path: str) -> None:
        """Rename a file of ours from outside onto the path. Missing folders are made."""
        with self._place(path, make=True) as place:
            os.replace(staged, place.name, dst_dir_fd=place.folder)

    def delete(self, path: str, *, prune: bool = False) -> None:
        """Remove a plain file, and the folders that became empty by it when asked."""
        with self._place(path) as place:
            self._plain_status(place, path)
            os.unlink(place.name, dir_fd=place.folder)
        while prune and "/" in path:
            path = path.rpartition("/")[0]
            try:
                with self._place(path) as place:
                    os.rmdir(place.name, dir_fd=place.folder)
            except (OSError, ScopeError):  # not empty: the usual end
                return

    def rename(self, old: str, new: str) -> None:
        """Give a plain file another name below the same root; never over an existing one."""
        with self._place(old) as source:
            self._plain_status(source, old)
            with self._place(new, make=True) as target:
                if self._exists(target):
                    raise ScopeError(f"{new}: exists already")
                os.rename(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)

    def scan(self, path: str = "") -> tuple[Item, ...]:
        """What one folder holds, sorted by name."""
        with self._place(f"{path}/." if path else ".") as place:
            where = Path(place.name) if place.folder is None else place.folder
            names = sorted(os.listdir(where))  # noqa: PTH208 - pathlib cannot list a descriptor
            found = []
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    there = _Place(str(where / name) if isinstance(where, Path) else name, place.folder)
                    found.append(Item(name, _status(there).st_mode))
            return tuple(found)

    # ------------------------------------------------------------------ the walk
    @contextlib.contextmanager
    def _place(self, path: str, *, make: bool = False) -> Iterator[_Place]:
        *parents, name = _parts(path)
        with _as_scope_error(path):
            if self._descriptors:
                with self._walk(parents, make=make) as fd:
                    yield _Place(name, fd)
            else:
                yield _Place(str(self._resolve(parents, make=make) / name), None)

    @contextlib.contextmanager
    def _walk(self, parents: list[str], *, make: bool) -> Iterator[int]:
        fd = os.open(self.root, _FOLDER)
        try:
            for part in parents:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=fd)
                deeper = os.open(part, _FOLDER, dir_fd=fd)
                os.close(fd)
                fd = deeper
            yield fd
        finally:
            os.close(fd)

    def _resolve(self, parents: list[str], *, make: bool) -> Path:
        folder = self.root
        for part in parents:
            folder = folder / part
            if make and not os.path.lexists(folder):
                folder.mkdir()
            if Path(os.path.realpath(folder)) != folder:
                raise ScopeError(f"{'/'.join(parents)}: goes through a link")
        return folder

    # ------------------------------------------------------------------ plain files only
    def _plain_status(self, place: _Place, path: str) -> os.stat_result:
        found = _status(place)
        _require_plain(found, path)
        return found

    def _open_plain(self, place: _Place, path: str) -> int:
        self._plain_status(place, path)  # before the open: opening a device can already do something
        fd = os.open(place.name, os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _BINARY, dir_fd=place.folder)
        try:
            _require_plain(os.fstat(fd), path)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _exists(self, place: _Place) -> bool:
        try:
            _status(place)
        except FileNotFoundError:
            return False
        return True


def _status(place: _Place) -> os.stat_result:
    return os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)


def _require_plain(found: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ScopeError(f"{path}: not a regular file ({stat.filemode(found.st_mode)})")
    if found.st_nlink != 1:
        raise ScopeError(f"{path}: has {found.st_nlink} names (hardlinks)")


def _sibling(place: _Place, name: str) -> str:
    return name if place.folder is not None else str(Path(place.name).parent / name)


def _parts(path: str) -> list[str]:
    """The parts of a relative path. Walking up, absolute paths and git's own folder end here, before any
    call.
    """
    parts = path.split("/")
    if path.startswith("/") or "\0" in path or ".." in parts or "" in parts or "." in parts[:-1]:
        raise ScopeError(f"{path!r}: not a relative path below the root")
    if any(part.casefold() == ".git" for part in parts):
        raise ScopeError(f"{path!r}: git's own folder")
    return parts


@contextlib.contextmanager
def _as_scope_error(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NOT_A_FILE:
            raise ScopeError(f"{path}: goes through a link, or is no plain file") from error
        raise
