"""Where a worker may work: the frozen scope, and the only file operations a model's tools get.

A dream's primary root is its reflection worktree; it writes below a few prefixes there, reads all of it and,
by absolute path, the read-only roots (the payload, the current memory). Everything else is neither readable
nor writable. The acts stand on the descriptor guard (`beneath`), the names on one policy (`names`).

Doorway 3: the toolbox of a dream calls it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from slowwave.errors import ScopeError
from slowwave.memory.beneath import HAS_DESCRIPTORS, Folder
from slowwave.memory.names import path_problem

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Scope:
    """The roots of one worker.

    primary   the folder it works in; relative paths are below it
    writable  prefixes below primary it may change, each ending with "/" (`("system/", "projects/foo/")`)
    readonly  folders it may read by absolute path
    """

    primary: Path
    writable: tuple[str, ...] = ()
    readonly: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        for prefix in self.writable:
            if not prefix.endswith("/") or path_problem(prefix.removesuffix("/")):
                raise ScopeError(f"{prefix!r}: a writable prefix is a relative folder ending with a slash")

    def may_write(self, path: str) -> bool:
        """True when this relative path lies below a writable prefix (compared exactly, letter by letter)."""
        return any(path.startswith(prefix) and path != prefix for prefix in self.writable)


class ScopedFiles:
    """Read, write, delete and rename inside a scope; ScopeError for everything else."""

    def __init__(self, scope: Scope, *, descriptors: bool = HAS_DESCRIPTORS) -> None:
        self.scope = scope
        self._primary = Folder(scope.primary, descriptors=descriptors)
        self._readonly = tuple((root, Folder(root, descriptors=descriptors)) for root in scope.readonly)

    def list(self, folder: str = "") -> tuple[str, ...]:
        """The plain files below a folder, sorted: relative paths in the primary root, absolute ones in the
        others.

        Without a folder: everything in the primary root. Links, special files and refused names are not
        shown.
        """
        if not folder:
            return tuple(_files(self._primary, ""))
        root, inside = self._locate(folder.removesuffix("/"), below_root=False)
        found = _absent_is_refused(lambda: tuple(_files(root, inside)), folder)
        if not folder.startswith("/"):
            return found
        prefix = folder.removesuffix("/").removesuffix(inside).removesuffix("/")
        return tuple(f"{prefix}/{path}" for path in found)

    def read(self, path: str) -> str:
        """The text of a file."""
        root, inside = self._locate(path)
        data = _absent_is_refused(lambda: root.read(inside), path)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ScopeError(f"{path}: not a UTF-8 text file") from error

    def write(self, path: str, text: str) -> None:
        """Put this text there, making folders on the way."""
        self._require_writable(path)
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ScopeError(f"{path}: the text has characters UTF-8 cannot hold") from error
        self._primary.write(path, data)

    def delete(self, path: str) -> None:
        """Remove a file, and the folders that became empty by it."""
        self._require_writable(path)
        _absent_is_refused(lambda: self._primary.delete(path, prune=True), path)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name inside the writable prefixes; an existing file is never replaced."""
        self._require_writable(old)
        self._require_writable(new)
        _absent_is_refused(lambda: self._primary.rename(old, new), old)

    def _require_writable(self, path: str) -> None:
        if problem := path_problem(path):
            raise ScopeError(f"{path!r}: {problem}")
        if not self.scope.may_write(path):
            allowed = ", ".join(self.scope.writable) or "nothing"
            raise ScopeError(f"{path}: not writable here", hint=f"Writable: {allowed}.")

    def _locate(self, path: str, *, below_root: bool = True) -> tuple[Folder, str]:
        if not Path(path).is_absolute():
            if problem := path_problem(path):
                raise ScopeError(f"{path!r}: {problem}")
            return self._primary, path
        for root, folder in self._readonly:
            prefix = f"{root.as_posix().rstrip('/')}/"
            if path == prefix.rstrip("/") and not below_root:
                return folder, ""
            if path.startswith(prefix):
                inside = path.removeprefix(prefix)
                if problem := path_problem(inside):
                    raise ScopeError(f"{path!r}: {problem}")
                return folder, inside
        raise ScopeError(f"{path!r}: outside the scope")


def _files(folder: Folder, path: str) -> list[str]:
    found: list[str] = []
    for item in folder.scan(path):
        inside = f"{path}/{item.name}" if path else item.name
        if path_problem(inside):
            continue
        if item.is_folder:
            found += _files(folder, inside)
        elif item.is_file:
            found.append(inside)
    return found


def _absent_is_refused(act: Callable[[], _T], path: str) -> _T:
    """A worker that names a missing file gets the same kind of answer as for any other refused path."""
    try:
        return act()
    except FileNotFoundError as error:
        raise ScopeError(f"{path}: no such file") from error
