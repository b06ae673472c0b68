"""The verbs that dream: what is wanted, the claim of a run, the dream itself, and a dry run on a copy."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from slowwave.dream import series
from slowwave.dream.reflectors import REFLECTORS
from slowwave.errors import (
    BusyError,
    InterruptedDreamError,
    RefusedError,
    SlowwaveError,
    TranscriptError,
    UsageError,
)
from slowwave.model import Trigger
from slowwave.report import DreamReport, Failed, NothingToReflect
from slowwave.service.installation import Installation
from slowwave.store import progress, runs
from slowwave.verbs import DreamRequest, OnStep, when

_SINCE_FIRST_START = "since slowwave first started (`slowwave dream --backfill` reads what came before)"


class Dreaming(Installation):
    """Dream now, dream what the daemon claimed, and finish what a kill left."""

    def dream(self, request: DreamRequest, on_step: OnStep) -> Sequence[DreamReport]:
        """Turn what happened into memory now; one report per project."""
        if request.dry_run or request.explain:
            with self.scratch() as copy:
                return copy.dream_here(request, on_step)
        return self.dream_here(request, on_step)

    def dream_here(self, request: DreamRequest, on_step: OnStep) -> Sequence[DreamReport]:
        """Dream with this service's own store (`dream` gives a dry run a copy of it)."""
        name = request.reflector or self.settings.dream.reflector
        if name not in REFLECTORS:
            raise UsageError(f"there is no reflector {name!r}; there are: {', '.join(REFLECTORS)}")
        if request.explain and name != "offline":
            raise UsageError(
                f"the reflector {name!r} cannot explain itself",
                hint="add `--reflector offline` to ask the offline one",
            )
        since = when(request.since)
        on_step("scan")
        files = self.session_files(request.sources)
        history = bool(request.sources or request.backfill)
        begin = self.ingest.backfill if history else self.ingest.scan
        read = begin(files, tell=lambda n: on_step(f"scan {n} files"))
        self.ingest.close_abandoned()
        if self.stop():
            raise InterruptedDreamError("stopped while reading transcripts")
        paths = [str(f.path) for f in files] if request.sources else None
        numbers, why = self._wanted(request)
        if history:
            with self.db.transaction():
                for number in numbers:
                    progress.uncover(self.db, number, paths, since)
        reports = series.each(
            [n for n in numbers if progress.new_ranges(self.db, n, paths, since)],
            lambda number: self._dream_one(number, request, paths, since, on_step),
            lambda number: progress.project_by_id(self.db, number).slug,
        )
        if reports:  # what the scan met is told once; `dreams_as_json` sums it
            return [replace(reports[0], damage=read.damage), *reports[1:]]
        if read.problems:  # what could not be read is not nothing
            raise TranscriptError(*read.problems, hint="`slowwave doctor` names every damaged transcript")
        return [DreamReport("", NothingToReflect(why), Trigger.MANUAL, name, "")]

    def _wanted(self, request: DreamRequest) -> tuple[list[int], str]:
        """The projects a request is about, and what to say when they have nothing new."""
        if not request.project and (request.everything or request.sources):
            if not progress.projects(self.db):
                return [], f"nothing to reflect: no agent has worked {_SINCE_FIRST_START}"
            every = [number for number, _ in progress.projects(self.db)]
            return every, f"nothing to reflect: {_read_all(request)}"
        key = self.project(request.project).key
        found = progress.find_project(self.db, key)
        if found is None:
            return [], f"nothing to reflect: no agent has worked in {key} {_SINCE_FIRST_START}"
        return [found[0]], f"nothing to reflect in {found[1].slug}: {_read_all(request)}"

    def _dream_one(
        self, number: int, request: DreamRequest, paths: list[str] | None, since: str, on_step: OnStep
    ) -> DreamReport:
        from slowwave.dream import pipeline

        name = request.reflector or self.settings.dream.reflector
        shop = self.workshop()
        run = self.claim(number, Trigger.MANUAL, name, {
            "paths": paths, "since": since, "instruction": self.redactor.redact(request.instruction),
            "review": request.review, "explain": request.explain,
        })  # fmt: skip
        try:
            if request.dry_run or request.explain:
                return pipeline.plan(shop, run, REFLECTORS[name], on_step)
            return pipeline.dream(shop, run, REFLECTORS[name], on_step)
        except (BusyError, InterruptedDreamError):
            raise
        except SlowwaveError as error:
            slug = progress.project_by_id(self.db, number).slug
            said = "; ".join(error.problems) + (f" ({error.hint})" if error.hint else "")
            failed = Failed(said, error.exit_code)
            return DreamReport(run.id, failed, run.trigger, name, slug)

    def run_claimed(self, run_id: str, on_step: OnStep) -> DreamReport:
        """Dream a run that the daemon has claimed."""
        from slowwave.dream import pipeline

        run = runs.get(self.db, run_id)
        if run.status != "claimed":
            raise RefusedError(f"dream {run_id} is {run.status}; only a claimed one can be run")
        try:
            shop = self.workshop()
        except SlowwaveError as error:  # the ledger says why, or a person would have to look for the log
            runs.finish(self.db, run.id, "failed", self.now(), reason=str(error))
            raise
        return pipeline.dream(shop, run, REFLECTORS[run.reflector], on_step)

    def recover(self) -> None:
        """Finish what a killed process left behind. A running dream has done it already."""
        from slowwave.dream import recovery
        from slowwave.dream.workshop import lease
        from slowwave.lifecycle import maintenance

        shop = self.workshop(create=False)
        try:
            with lease(shop, f"recovery {os.getpid()}", "recovery"):
                recovery.recover(shop)
                maintenance.recover(self.workbench())
        except BusyError:
            return

    def claim(self, number: int, trigger: Trigger, reflector: str, request: Mapping[str, object]) -> runs.Run:
        """Enter a new dream in the ledger. Its id sorts by time."""
        stamp = datetime.fromtimestamp(self.clock(), UTC).strftime("%Y%m%d-%H%M%S")
        run_id = f"{stamp}-{os.urandom(3).hex()}"
        with self.db.transaction():
            runs.claim(self.db, run_id, number, trigger, reflector, self.now(), request)
        return runs.get(self.db, run_id)


def _read_all(request: DreamRequest) -> str:
    read = "every completed turn was read"
    return f"{read}, of those since {request.since}" if request.since else read
