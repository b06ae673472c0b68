"""The verbs over records: remember, forget, pin, restore, explain, reflect, and the audit log."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slowwave import lock
from slowwave.service.installation import Installation
from slowwave.store import audit, passes, progress
from slowwave.verbs import OnStep, ReflectRequest, RememberRequest, ignore_step

if TYPE_CHECKING:
    from slowwave.lifecycle.maintenance import ReflectReport
    from slowwave.lifecycle.schedule import Overdue


class Remembering(Installation):
    """What a person does with records, and the pass over them."""

    def _alone(self, *, dry_run: bool) -> AbstractContextManager[object]:
        """One change of records at a time, so that a key known twice is found; a dry run writes not even a lock."""
        if dry_run:
            return nullcontext()
        self.homes.make()
        return lock.held(self.homes.runtime / "records.lock", "another change of records", patience=30)

    def remember(self, request: RememberRequest) -> dict[str, Any]:
        """Remember something; secrets are taken out first."""
        from slowwave.lifecycle import remember

        clean = replace(
            request, text=self.redactor.redact(request.text),
            metadata={k: self.redactor.redact(str(v)) for k, v in request.metadata.items()},
        )  # fmt: skip
        with self._alone(dry_run=request.dry_run):
            return remember.remember(self.workbench(), clean).as_json()

    def scope_here(self) -> str:
        """The scope of the current folder: its project's folder name, "" where no agent has worked."""
        found = progress.find_project(self.db, self.project().key)
        return found[1].slug if found else ""

    def forget(self, record: str, *, how: str, dry_run: bool) -> dict[str, Any]:
        """Forget a record: `how` is soft, hard or redact."""
        from slowwave.lifecycle import forget

        bench = self.workbench()
        with self._alone(dry_run=dry_run):
            if how == "hard":
                return forget.hard(bench, record, dry_run=dry_run).as_json()
            act = forget.redact if how == "redact" else forget.soft
            return act(bench, record, dry_run=dry_run).as_json()

    def pin(self, record: str, *, pinned: bool, dry_run: bool) -> dict[str, Any]:
        """Pin a record, or let it go again."""
        from slowwave.lifecycle import remember

        with self._alone(dry_run=dry_run):
            return remember.pin(self.workbench(), record, pinned=pinned, dry_run=dry_run).as_json()

    def restore(self, record: str, *, dry_run: bool) -> dict[str, Any]:
        """Bring an archived record back."""
        from slowwave.lifecycle import remember

        with self._alone(dry_run=dry_run):
            return remember.restore(self.workbench(), record, dry_run=dry_run).as_json()

    def explain(self, record: str) -> dict[str, Any]:
        """Why a record is there, what happened to it, and what will."""
        from slowwave.lifecycle import explain, remember

        bench = self.workbench()
        remember.in_step(bench, dry_run=False)
        return explain.explain(bench, record)

    def export(self, folder: Path) -> dict[str, Any]:
        """Write all records, their audit and memory into a new folder."""
        from slowwave.lifecycle import carry

        return carry.export(self.workbench(), self.cwd / folder).as_json()

    def import_(self, folder: Path, *, dry_run: bool) -> dict[str, Any]:
        """Take in what `export` wrote; what is here already stays."""
        from slowwave.lifecycle import carry

        with self._alone(dry_run=dry_run):
            return carry.import_(self.workbench(), self.cwd / folder, dry_run=dry_run).as_json()

    def reflect(self, request: ReflectRequest, on_step: OnStep = ignore_step) -> "ReflectReport":
        """Run a maintenance pass, or show what one would do."""
        from slowwave.lifecycle import maintenance

        return maintenance.reflect(self.workbench(on_step), request)

    def audit_log(self, *, limit: int) -> Sequence[dict[str, Any]]:
        """Who changed what, when and why; the newest first."""
        return audit.latest(self.db, limit)

    # ------------------------------------------------------------------ the schedule
    def reflection_overdue(self) -> "Overdue | None":
        """The scheduled pass that is to run now, or None."""
        from slowwave.lifecycle import schedule

        return schedule.overdue(self.db, self.settings.lifecycle.schedule, self._present(), self._zone())

    def reflection_standing(self) -> str:
        """The schedule of passes in words: the preset, the last and the next."""
        from slowwave.lifecycle import schedule

        preset = self.settings.lifecycle.schedule
        coming = schedule.next_due(preset, self._present(), self._zone())
        through = passes.scheduled_through(self.db)
        last = (
            f", last answered for {datetime.fromtimestamp(through // 1_000_000, UTC).isoformat()}"
            if through is not None
            else ""
        )
        return f"{preset}{last}, next {coming.isoformat()}" if coming else f"{preset}: only when you ask"

    def _present(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)

    def _zone(self) -> tzinfo | None:
        from zoneinfo import ZoneInfo  # only where a time zone is set

        name = self.settings.lifecycle.timezone
        return ZoneInfo(name) if name else None
