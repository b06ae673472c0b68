"""Memory that answers: the recall index kept up to date, the fast index where it pays, and the hits.

Whoever answers more than one question (the daemon, an editor's server) keeps one of these open.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave.errors import StoreError
from slowwave.model import Hit
from slowwave.recall import index, search
from slowwave.recall.freshness import Freshness
from slowwave.recall.search import Question
from slowwave.store import documents
from slowwave.store.database import Database

if TYPE_CHECKING:
    from slowwave.recall.fast import FastIndex


def ignore_progress(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


class Answers:
    """Answers questions from the memory files below `memory`.

    `mask` takes secrets out of a text on its way out. Both indexes can be deleted at any time.
    """

    def __init__(self, memory: Path, index_file: Path, fast_folder: Path, mask: Callable[[str], str]) -> None:
        self._memory = memory
        self._index_file = index_file
        self._fast_folder = fast_folder
        self._mask = mask

    @cached_property
    def documents(self) -> Database:
        """The recall index, opened at first need."""
        self._index_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return documents.open_index(self._index_file)

    def ask(self, question: Question, now: datetime, root: Path | None = None) -> list[Hit]:
        """Ranked hits, best first. What they name is looked up in the repository at `root`, where one is given."""
        try:
            index.refresh(self.documents, self._memory)
            ranked = search.search(self.documents, self._fast, question, now)
        except StoreError:  # damaged since it was opened: it holds nothing that cannot be made again
            self.rebuild()
            ranked = search.search(self.documents, None, question, now)
        fresh = Freshness(root) if root and root.is_dir() else None
        return [
            search.hit(r, question, self._mask, fresh.stale(r.document.text) if fresh else None)
            for r in ranked
        ]

    def rebuild(self, on_progress: Callable[[int, int], None] = ignore_progress) -> int:
        """Throw both indexes away and make them anew; returns how many memory files were read."""
        from slowwave.recall import fast

        self.close()
        documents.discard_index(self._index_file)
        fast.discard(self._fast_folder)
        read = index.refresh(self.documents, self._memory)
        self.warm_up(on_progress)
        return read

    def warm_up(self, on_progress: Callable[[int, int], None] = ignore_progress) -> bool:
        """Build the fast index where it pays and is not there; returns whether it was built."""
        from slowwave.recall import fast  # tantivy: only where there is much to search

        if not fast.due(self.documents, self._fast_folder):
            return False
        fast.build(self.documents, self._fast_folder, on_progress)
        self.__dict__.pop("_fast", None)
        return True

    @cached_property
    def _fast(self) -> "FastIndex | None":
        if not self._fast_folder.is_dir():
            return None
        from slowwave.recall import fast

        found = fast.open_fast(self._fast_folder)
        return found if found and found.note.last <= documents.newest(self.documents) else None

    def close(self) -> None:
        """Close what was opened."""
        self.__dict__.pop("_fast", None)
        if opened := self.__dict__.pop("documents", None):
            opened.close()
