"""The verbs that ask: memory for what it holds, and the installation for how it stands."""

import contextlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave import lock, standing
from slowwave.dream import gate
from slowwave.errors import SlowwaveError
from slowwave.model import Hit
from slowwave.service.remembering import Remembering
from slowwave.store import progress, records, touches
from slowwave.verbs import Status

if TYPE_CHECKING:
    from slowwave.recall.answers import Answers
    from slowwave.recall.context import Context


class Asking(Remembering):
    """Ask memory, and ask how things stand."""

    @cached_property
    def answers(self) -> "Answers":
        """The corridor out."""
        from slowwave.recall.answers import Answers  # the stemmer: only where memory is asked

        return Answers(
            self.homes.memory,
            self.homes.recall_indexes,
            self._mask,
            store=self.db,
            semantic=self.settings.recall.semantic,
        )

    def _mask(self, text: str) -> str:
        return self.redactor.redact(text)

    def recall(
        self,
        query: str,
        *,
        project: str = "",
        limit: int = 8,
        type: str = "",  # noqa: A002
        path: str = "",
        everywhere: bool = False,
        hidden: bool = False,
    ) -> Sequence[Hit]:
        """Ranked hits from memory. What was shown is noted as used, beside the store."""
        from slowwave.recall.search import Question

        here = self.project(project)
        now = round(self.clock() * 1_000_000)
        slug = None if everywhere else self._slug(project)
        over = records.files_not_recallable(self.db, now) | records.rows_over(self.db, now)
        question = Question(query, limit, type, path, slug, hidden, over)
        hits = self.answers.ask(question, self.moment(), Path(here.root))
        shown = [*records.ids_of_files(self.db, (h.path for h in hits if h.path)), *(h.id for h in hits)]
        touches.note(self.homes.data, shown, now)
        return hits

    def context(self, *, project: str, token_budget: int) -> "Context":
        """What an agent should know at the start of its work."""
        from slowwave.recall import context

        return context.gather(self.homes.memory, self._slug(project), token_budget)

    def reindex(self, on_progress: Callable[[int, int], None] = lambda _done, _total: None) -> int:
        """Drop the recall indexes and build them anew, and bring the files' records in step; returns how many
        files were read.
        """
        from slowwave.lifecycle import remember

        with self.db.transaction():
            self.db.execute("DELETE FROM filed")
        remember.in_step(self.workbench(), dry_run=False)
        return self.answers.rebuild(on_progress)

    def warm_up(self) -> None:
        """Build what makes recall fast, so that nobody waits for it. A failure costs time, not answers."""
        with contextlib.suppress(SlowwaveError):
            self.answers.warm_up(stop=self.stop)

    def close(self) -> None:
        """Close what was opened."""
        if "answers" in self.__dict__:
            self.answers.close()
        super().close()

    def _slug(self, folder: str) -> str:
        found = progress.find_project(self.db, self.project(folder).key)
        return found[1].slug if found else ""

    def gate(self, number: int) -> gate.Fire | gate.Hold:
        """What the gate says of a project now."""
        return standing.gate_of(self.db, self.settings, number, self.clock())[1]

    def status(self, *, project: str) -> Status:
        """What is going on, and why nothing happens when nothing happens."""
        daemon = f"running (process {lock.holder(self.daemon_lock)})" if self.daemon_runs() else "not running"
        key = self.project(project).key if project else ""
        return standing.status(
            self.db, self.settings, self.homes, self.clock(), daemon=daemon, key=key,
            maintenance=self.reflection_standing(),
        )  # fmt: skip
