"""The verbs that ask: memory for what it holds, and the installation for how it stands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slowwave import lock, standing
from slowwave.dream import gate
from slowwave.model import Hit
from slowwave.service.installation import Installation
from slowwave.store import passages, progress
from slowwave.verbs import Status

if TYPE_CHECKING:
    from slowwave.recall.context import Context


class Asking(Installation):
    """Ask memory, and ask how things stand."""

    def recall(self, query: str, *, project: str, limit: int, type: str, path: str) -> Sequence[Hit]:  # noqa: A002
        """Ranked hits from memory."""
        from slowwave.recall import search

        question = search.Question(query, limit, type, path, self._slug(project))
        return search.search(self.db, self.homes.memory, question)

    def context(self, *, project: str, token_budget: int) -> "Context":
        """What an agent should know at the start of its work."""
        from slowwave.recall import context

        return context.gather(self.homes.memory, self._slug(project), token_budget)

    def reindex(self) -> int:
        """Drop the index of memory files and build it anew; returns how many files were read."""
        from slowwave.recall import index

        passages.replace(self.db, {}, list(passages.indexed(self.db)))
        return index.refresh(self.db, self.homes.memory)

    def _slug(self, folder: str) -> str:
        found = progress.find_project(self.db, self.project(folder).key)
        return found[1].slug if found else ""

    def gate(self, number: int) -> gate.Fire | gate.Hold:
        """What the gate says of a project now."""
        return standing.gate_of(self.db, self.settings.dream, number, self.clock())[1]

    def status(self, *, project: str) -> Status:
        """What is going on, and why nothing happens when nothing happens."""
        daemon = f"running (process {lock.holder(self.daemon_lock)})" if self.daemon_runs() else "not running"
        key = self.project(project).key if project else ""
        return standing.status(self.db, self.settings, self.homes, self.clock(), daemon=daemon, key=key)
