"""The verbs over finished dreams: look at them, land, drop or take them back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Self

from slowwave import standing
from slowwave.errors import MemoryRepositoryError
from slowwave.service.installation import Installation
from slowwave.store import runs
from slowwave.verbs import Change, LogLine


class Finished(Installation):
    """Look at a finished dream, land it, drop it, take it back."""

    def diff(self, dream_id: str) -> Change:
        """The change of one dream ("" = the last that changed something)."""
        from slowwave.dream import settle

        named = ("removed",) if dream_id else ()
        with self._meant(dream_id, ("merged", "pending", "undone", *named)) as (own, run):
            return settle.change(own.repository(), run)

    def merge(self, dream_id: str, *, prefer: str, dry_run: bool) -> Change:
        """Land a pending dream without reflecting again."""
        from slowwave.dream import settle

        with self._meant(dream_id, ("pending",), only=True, dry_run=dry_run) as (own, run):
            return settle.merge(own.workshop(create=False), run, prefer=prefer, dry_run=dry_run)

    def discard(self, dream_id: str, *, dry_run: bool) -> Change:
        """Drop a pending dream; its turns count as read."""
        from slowwave.dream import settle

        with self._meant(dream_id, ("pending",), only=True, dry_run=dry_run) as (own, run):
            return settle.discard(own.workshop(create=False), run, dry_run=dry_run)

    def undo(self, dream_id: str, *, dry_run: bool) -> Change:
        """Take back a merged dream by one commit ("" = the last)."""
        from slowwave.dream import settle

        with self._meant(dream_id, ("merged",), dry_run=dry_run) as (own, run):
            return settle.undo(own.workshop(create=False), run, dry_run=dry_run)

    @contextmanager
    def _meant(
        self, dream_id: str, statuses: tuple[str, ...], *, only: bool = False, dry_run: bool = False
    ) -> Iterator[tuple[Self, runs.Run]]:
        """The run a person means, and the service to act with: over copies when nothing may be written."""
        with self.scratch(makes_memory=False) if dry_run else nullcontext(self) as own:
            own.catch_up()
            yield own, standing.meant(own.db, dream_id, statuses, only=only)

    def catch_up(self) -> None:
        """Bring the ledger up to what a person has done in the memory repository, when there is one."""
        from slowwave.dream.reconcile import reconcile

        if (self.homes.memory / ".git").exists():
            reconcile(self.db, self.repository(), self.now())

    def log(self, *, limit: int) -> Sequence[LogLine]:
        """The dreams, newest first."""
        with suppress(MemoryRepositoryError):  # `doctor` tells what is wrong; the ledger can still be read
            self.catch_up()
        return [standing.log_line(self.db, r) for r in runs.latest(self.db, limit=limit)]
