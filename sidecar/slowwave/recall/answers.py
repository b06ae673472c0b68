"""Memory that answers: the recall index kept up to date, what makes it fast or lets it find by meaning, the hits.

Whoever answers more than one question (the daemon, an editor's server) keeps one of these open.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave import lock
from slowwave.errors import BusyError, StoreError
from slowwave.model import Hit
from slowwave.recall import index, search
from slowwave.recall.freshness import Freshness
from slowwave.recall.search import Question
from slowwave.store import documents
from slowwave.store.database import Database

if TYPE_CHECKING:
    from slowwave.recall.fast import FastIndex
    from slowwave.recall.vectors import Vectors


def ignore_progress(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


def never() -> bool:
    """Nobody wants to stop it."""
    return False


class Answers:
    """Answers questions from the memory files below `memory` and from records.

    `store` has the records without a file; `folder` is for what is made from both, and can be deleted at any time; `mask` takes secrets out of a text on
    its way out; `semantic` also finds by meaning (ConfigError when the extra is not installed).
    """

    def __init__(
        self,
        memory: Path,
        folder: Path,
        mask: Callable[[str], str],
        *,
        store: Database | None = None,
        semantic: bool = False,
    ) -> None:
        self._store = store
        self._memory = memory
        self._folder = folder
        self._mask = mask
        self._semantic = semantic

    @cached_property
    def documents(self) -> Database:
        """The recall index, opened at first need."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return documents.open_index(self._folder / "recall.db")

    def ask(self, question: Question, now: datetime, root: Path | None = None) -> list[Hit]:
        """Ranked hits, best first. What they name is looked up in the repository at `root`, where one is given."""
        try:
            self._refresh()
            ranked = search.search(self.documents, question, now, fast=self._fast, vectors=self._vectors)
        except StoreError:  # damaged since it was opened: it holds nothing that cannot be made again
            self.rebuild()
            ranked = search.search(self.documents, question, now, fast=self._fast, vectors=self._vectors)
        fresh = Freshness(root) if root and root.is_dir() else None
        return [
            search.hit(r, question, self._mask, fresh.stale(r.document.text) if fresh else None)
            for r in ranked
        ]

    def rebuild(self, on_progress: Callable[[int, int], None] = ignore_progress) -> int:
        """Throw everything away and make it anew; returns how many memory files were read."""
        from slowwave.recall import fast

        self.close()
        documents.discard_index(self._folder / "recall.db")
        fast.discard(self._folder / "fast")
        fast.discard(self._folder / "vectors")
        read = self._refresh()
        self.warm_up(on_progress)
        return read

    def _refresh(self) -> int:
        if self._store:
            index.refresh_records(self.documents, self._store)
        return index.refresh(self.documents, self._memory)

    def warm_up(
        self, on_progress: Callable[[int, int], None] = ignore_progress, stop: Callable[[], bool] = never
    ) -> bool:
        """Build what is missing of the fast index and the vectors; returns whether anything was built.

        One process at a time: when another does it, this does nothing.
        """
        try:
            with lock.held(self._folder / "warm.lock", "another warming up"):
                return self._warm_up(on_progress, stop)
        except BusyError:
            return False

    def _warm_up(self, on_progress: Callable[[int, int], None], stop: Callable[[], bool]) -> bool:
        from slowwave.recall import fast  # tantivy: only where there is much to search

        self._refresh()
        built = fast.due(self.documents, self._folder / "fast")
        if built:
            fast.build(self.documents, self._folder / "fast", on_progress)
            self.__dict__.pop("_fast", None)
        filled = self._vectors.fill(self.documents, on_progress, stop) if self._vectors else 0
        return built or filled > 0

    @cached_property
    def _fast(self) -> "FastIndex | None":
        if not (self._folder / "fast").is_dir():
            return None
        from slowwave.recall import fast

        found = fast.open_fast(self._folder / "fast")
        return found if found and found.note.last <= documents.newest(self.documents) else None

    @cached_property
    def _vectors(self) -> "Vectors | None":
        if not self._semantic:
            return None
        from slowwave.recall import encoder  # NumPy and the model: only where the person wants them

        made = encoder.Encoder()
        from slowwave.recall import vectors

        return vectors.Vectors(self._folder / "vectors", made)

    def close(self) -> None:
        """Close what was opened."""
        self.__dict__.pop("_fast", None)
        self.__dict__.pop("_vectors", None)
        if opened := self.__dict__.pop("documents", None):
            opened.close()
