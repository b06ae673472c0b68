"""The hands of a dream: a toolbox over the reflection worktree, behind the descriptor guard.

The operations have the shape of the usual text-editor and memory tools, so that a model knows them. Every
one of them goes through `ScopedFiles`; this module adds only what makes an edit refuse to guess: a file that
exists is not overwritten, a text that is not there once is not replaced.
"""

from pathlib import Path

from slowwave.errors import UsageError
from slowwave.memory.scope import Scope, ScopedFiles


def writable_roots(slug: str) -> tuple[str, ...]:
    """What a dream of one project may write: its own folder and the person's three."""
    return (f"projects/{slug}/", "system/", "reference/", "skills/")


def scope_of(worktree: Path, slug: str, readonly: tuple[Path, ...] = ()) -> Scope:
    """The scope of a dream of one project in its worktree."""
    return Scope(worktree, writable_roots(slug), readonly)


class WorktreeToolbox:
    """A `Toolbox` over a scope. ScopeError outside it; UsageError when an edit cannot be done as asked."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._files = ScopedFiles(scope)

    def list(self) -> tuple[str, ...]:
        """Every path in scope that may be written, sorted."""
        return tuple(p for p in self._files.list() if self._scope.may_write(p))

    def view(self, path: str) -> str:
        """The text of a file."""
        return self._files.read(path)

    def create(self, path: str, text: str) -> None:
        """Write a new file; one that exists is never overwritten."""
        self._require_free(path)
        self._files.write(path, text)

    def str_replace(self, path: str, old: str, new: str) -> None:
        """Replace the only occurrence of `old`."""
        text = self.view(path)
        count = text.count(old) if old else 0
        if count != 1:
            raise UsageError(f"{path}: the text to replace occurs {count} times; it must occur once")
        self._files.write(path, text.replace(old, new))

    def insert(self, path: str, line: int, text: str) -> None:
        """Insert lines after line `line`, counted from 1; 0 is the top."""
        lines = self.view(path).split("\n")
        if not 0 <= line <= len(lines):
            raise UsageError(f"{path} has {len(lines)} lines, there is no line {line}")
        self._files.write(
            path, "\n".join([*lines[:line], *text.removesuffix("\n").split("\n"), *lines[line:]])
        )

    def delete(self, path: str) -> None:
        """Remove a file."""
        self._files.delete(path)

    def rename(self, old: str, new: str) -> None:
        """Move a file to a path that is free."""
        self._require_free(new)
        self._files.rename(old, new)

    def _require_free(self, path: str) -> None:
        if path in self._files.list():
            raise UsageError(f"{path} exists already")
