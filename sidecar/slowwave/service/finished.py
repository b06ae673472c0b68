"""The verbs over finished dreams: look at them, land, drop or take them back."""

from collections.abc import Sequence

from slowwave import standing
from slowwave.errors import UsageError
from slowwave.service.installation import Installation
from slowwave.store import runs
from slowwave.verbs import Change, LogLine


class Finished(Installation):
    """Look at a finished dream, land it, drop it, take it back."""

    def diff(self, dream_id: str) -> Change:
        """The change of one dream ("" = the last that changed something)."""
        from slowwave.dream import settle

        run = self._run(dream_id, ("merged", "pending", "undone"))
        return settle.change(self.repository(), run)

    def merge(self, dream_id: str, *, prefer: str, dry_run: bool) -> Change:
        """Land a pending dream without reflecting again."""
        from slowwave.dream import settle

        run = self._run(dream_id, ("pending",), only=True)
        return settle.merge(self.workshop(), run, prefer=prefer, dry_run=dry_run)

    def discard(self, dream_id: str, *, dry_run: bool) -> Change:
        """Drop a pending dream; its turns count as read."""
        from slowwave.dream import settle

        run = self._run(dream_id, ("pending",), only=True)
        return settle.discard(self.workshop(), run, dry_run=dry_run)

    def undo(self, dream_id: str, *, dry_run: bool) -> Change:
        """Take back a merged dream by one commit ("" = the last)."""
        from slowwave.dream import settle

        return settle.undo(self.workshop(), self._run(dream_id, ("merged",)), dry_run=dry_run)

    def _run(self, dream_id: str, statuses: tuple[str, ...], *, only: bool = False) -> runs.Run:
        """The run a person means: by id or its beginning, else the latest of these statuses."""
        if dream_id:
            run = runs.find(self.db, dream_id)
            if run.status not in statuses:
                raise UsageError(f"dream {run.id} is {run.status}, not {' or '.join(statuses)}")
            return run
        found = runs.latest(self.db, statuses=statuses, limit=2)
        if not found:
            raise UsageError(f"there is no {' or '.join(statuses)} dream", hint="`slowwave log` lists them")
        if only and len(found) > 1:
            raise UsageError("several dreams are pending: name one", hint="`slowwave status` lists them")
        return found[0]

    def log(self, *, limit: int) -> Sequence[LogLine]:
        """The dreams, newest first."""
        return [standing.log_line(self.db, r) for r in runs.latest(self.db, limit=limit)]
