"""The hands of a dream: file tools with the shape of the usual text-editor and memory tools.

What makes an edit refuse to guess stands once, in `_Tools`: a file that exists is not overwritten, a text that
is not there exactly once is not replaced. Below it are two places to work in: the reflection worktree, behind
the descriptor guard, and a dict, for dry runs and tests. Engine 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path

from slowwave.errors import ScopeError, UsageError
from slowwave.memory.scope import Scope, ScopedFiles


def writable_roots(slug: str) -> tuple[str, ...]:
    """What a dream of one project may write: its own folder and the person's three."""
    return (f"projects/{slug}/", "system/", "reference/", "skills/")


def scope_of(worktree: Path, slug: str, readonly: tuple[Path, ...] = ()) -> Scope:
    """The scope of a dream of one project in its worktree."""
    return Scope(worktree, writable_roots(slug), readonly)


class _Tools(ABC):
    """The edits of a `Toolbox`, over a place that can list, read, write, delete and rename.

    ScopeError outside the scope; UsageError, and nothing changed, when an edit cannot be done as asked.
    """

    @abstractmethod
    def list(self) -> tuple[str, ...]:
        """Every path in scope, sorted."""

    @abstractmethod
    def view(self, path: str) -> str:
        """The text of a file."""

    @abstractmethod
    def delete(self, path: str) -> None:
        """Remove a file."""

    @abstractmethod
    def _write(self, path: str, text: str) -> None: ...

    @abstractmethod
    def _rename(self, old: str, new: str) -> None: ...

    @abstractmethod
    def _require_free(self, path: str) -> None: ...

    def create(self, path: str, text: str) -> None:
        """Write a new file; one that exists is never overwritten."""
        self._require_free(path)
        self._write(path, text)

    def str_replace(self, path: str, old: str, new: str) -> None:
        """Replace the only occurrence of `old`."""
        text = self.view(path)
        count = text.count(old) if old else 0
        if count != 1:
            raise UsageError(f"{path}: the text to replace occurs {count} times; it must occur once")
        self._write(path, text.replace(old, new))

    def insert(self, path: str, line: int, text: str) -> None:
        """Insert lines after line `line`, counted from 1; 0 is the top."""
        lines = self.view(path).split("\n")
        if not 0 <= line <= len(lines):
            raise UsageError(f"{path} has {len(lines)} lines, there is no line {line}")
        self._write(path, "\n".join([*lines[:line], *text.removesuffix("\n").split("\n"), *lines[line:]]))

    def rename(self, old: str, new: str) -> None:
        """Move a file to a path that is free."""
        self._require_free(new)
        self._rename(old, new)


class WorktreeToolbox(_Tools):
    """A toolbox over a reflection worktree."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._files = ScopedFiles(scope)

    def list(self) -> tuple[str, ...]:
        """Every path in scope that may be written, sorted."""
        return tuple(p for p in self._files.list() if self._scope.may_write(p))

    def view(self, path: str) -> str:
        """The text of a file."""
        return self._files.read(path)

    def delete(self, path: str) -> None:
        """Remove a file."""
        self._files.delete(path)

    def _write(self, path: str, text: str) -> None:
        self._files.write(path, text)

    def _rename(self, old: str, new: str) -> None:
        self._files.rename(old, new)

    def _require_free(self, path: str) -> None:
        if path in self._files.list():
            raise UsageError(f"{path} exists already")


class InMemoryToolbox(_Tools):
    """A toolbox over a dict. `roots` are the folders it may touch ("" = any)."""

    def __init__(self, files: Mapping[str, str] | None = None, roots: Iterable[str] = ("",)) -> None:
        self.files = dict(files or {})
        self._roots = tuple(roots)

    def list(self) -> tuple[str, ...]:
        """Every path in scope, sorted."""
        return tuple(sorted(path for path in self.files if self._inside(path)))

    def view(self, path: str) -> str:
        """The text of a file."""
        return self.files[self._existing(path)]

    def delete(self, path: str) -> None:
        """Remove a file."""
        del self.files[self._existing(path)]

    def _write(self, path: str, text: str) -> None:
        self.files[path] = text

    def _rename(self, old: str, new: str) -> None:
        self.files[new] = self.files.pop(self._existing(old))

    def _inside(self, path: str) -> bool:
        parts = path.split("/")
        plain = all(part not in {"", ".", ".."} for part in parts) and "\0" not in path and "\\" not in path
        return plain and any(not root or path.startswith(root.rstrip("/") + "/") for root in self._roots)

    def _checked(self, path: str) -> str:
        if not self._inside(path):
            raise ScopeError(f"{path!r} is outside what this dream may touch")
        return path

    def _existing(self, path: str) -> str:
        if self._checked(path) not in self.files:
            raise UsageError(f"there is no file {path}")
        return path

    def _require_free(self, path: str) -> None:
        if self._checked(path) in self.files:
            raise UsageError(f"{path} exists already")
        if any(p.startswith(path + "/") or path.startswith(p + "/") for p in self.files):
            raise UsageError(f"{path} would be a file and a folder at once")
