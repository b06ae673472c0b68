"""The verbs, in process: everything a front can ask for is answered here.

The service opens what a verb needs and nothing else, so that `status` never starts git and `recall` never
imports a parser. It is built once per process; the fronts pass in the environment, the library reads none.
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave import lock, standing
from slowwave.config import SOURCE_NAMES, Homes, Settings, load_settings
from slowwave.dream import gate
from slowwave.dream.reflectors import REFLECTORS
from slowwave.errors import (
    BusyError,
    InterruptedDreamError,
    RefusedError,
    SlowwaveError,
    TranscriptError,
    UsageError,
)
from slowwave.identity import identify, secret_key
from slowwave.model import Hit, Project, Trigger
from slowwave.projects import project_of
from slowwave.report import DreamReport, Failed, NothingToReflect
from slowwave.store import progress, runs
from slowwave.store.database import Database
from slowwave.verbs import Change, DreamRequest, LogLine, OnStep, Status, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slowwave.dream.workshop import Workshop
    from slowwave.ingest import Ingest
    from slowwave.memory.repo import MemoryRepository
    from slowwave.recall.answers import Answers
    from slowwave.recall.context import Context
    from slowwave.transcripts.discover import SessionFile
    from slowwave.transcripts.redact import Redactor


_SINCE_FIRST_START = "since slowwave first started (`slowwave dream --backfill` reads what came before)"


class Service:
    """The verbs of one installation. Implements `verbs.Verbs`."""

    def __init__(
        self,
        env: Mapping[str, str],
        clock: Callable[[], float],
        *,
        cwd: Path | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.env = env
        self.clock = clock
        self.cwd = cwd or _here()
        self.stop = stop
        self.homes = Homes.find(env)
        self.settings: Settings = load_settings(
            self.homes.config_file,
            known={"dream.reflector": tuple(REFLECTORS), "sources.enabled": SOURCE_NAMES},
        )
        if self.settings.memory.path:
            self.homes = replace(self.homes, memory=Path(self.settings.memory.path).expanduser())

    # ------------------------------------------------------------------ what verbs stand on
    @cached_property
    def db(self) -> Database:
        """The record store, opened at first need."""
        self.homes.make()
        return Database(self.homes.database)

    @cached_property
    def redactor(self) -> "Redactor":
        """The redaction policy, with this installation's key for the tags of secrets."""
        from slowwave.transcripts.redact import Redactor  # google-re2: only where text is read

        return Redactor(secret_key(self.homes.data / "redaction.key"))

    @cached_property
    def ingest(self) -> "Ingest":
        """The corridor in."""
        from slowwave.ingest import Ingest  # the parsers: only where transcripts are read

        return Ingest(self.db, self.redactor, self.settings, self.own_root, self.clock, self.stop)

    @property
    def own_root(self) -> Path:
        """The folder whose sessions are our own and never read."""
        return self.homes.state.resolve()

    @cached_property
    def answers(self) -> "Answers":
        """The corridor out."""
        from slowwave.recall.answers import Answers  # the stemmer: only where memory is asked

        return Answers(self.homes.memory, self.homes.recall_index, self.homes.fast_index, self._mask)

    def _mask(self, text: str) -> str:
        return self.redactor.redact(text)

    def moment(self) -> datetime:
        """The present, UTC."""
        return datetime.fromtimestamp(self.clock(), UTC)

    def now(self) -> str:
        """The present as ISO text, UTC."""
        return self.moment().isoformat(timespec="milliseconds")

    def close(self) -> None:
        """Close what was opened."""
        if "db" in self.__dict__:
            self.db.close()
        if "answers" in self.__dict__:
            self.answers.close()

    def repository(self, *, create: bool = False) -> "MemoryRepository":
        """The memory repository. Raises MemoryRepositoryError when it is missing or not one."""
        from slowwave.memory import shape  # git: short-lived processes only

        if not create:
            return shape.open_(self.homes.memory)
        with lock.held(self.homes.runtime / "create.lock", "another first start", patience=10):
            return shape.create(self.homes.memory)

    def workshop(self, *, create: bool = True) -> "Workshop":
        """What a dream works with."""
        from slowwave.dream.workshop import Workshop

        identity = identify(self.homes.data / "instance-id", self.env)
        return Workshop(
            self.db,
            self.repository(create=create),
            self.homes,
            self.settings,
            self.redactor,
            identity.instance_id,
            self.clock,
            self.stop,
        )

    # ------------------------------------------------------------------ transcripts
    def session_files(self, sources: Sequence[str] = ()) -> "tuple[SessionFile, ...]":
        """Every transcript file of the agents found, or of the `SOURCE[:PATH]` words given."""
        from slowwave.transcripts import discover

        user_home = Path(self.env.get("HOME") or Path.home())
        if sources:
            found = [f for word in sources for f in discover.from_argument(word, self.env, user_home)]
            return tuple(dict.fromkeys(found))
        return tuple(discover.find(self.env, user_home, self._enabled(), self._extra_roots()))

    def files_by_agent(self) -> "tuple[tuple[SessionFile, ...], tuple[str, ...]]":
        """The transcript files of every agent whose folders can be listed, and what is wrong with the others."""
        from slowwave.transcripts import discover

        user_home, extra = Path(self.env.get("HOME") or Path.home()), self._extra_roots()
        found: list[SessionFile] = []
        problems: list[str] = []
        for name in self._enabled():
            try:
                found.extend(discover.find(self.env, user_home, (name,), extra))
            except TranscriptError as error:
                problems.extend(error.problems)
        return tuple(found), tuple(problems)

    def _enabled(self) -> tuple[str, ...]:
        return self.settings.sources.enabled or SOURCE_NAMES

    def _extra_roots(self) -> dict[str, tuple[Path, ...]]:
        paths = self.settings.sources.paths
        return {name: tuple(Path(p).expanduser() for p in given) for name, given in paths.items()}

    # ------------------------------------------------------------------ dream
    def dream(self, request: DreamRequest, on_step: OnStep) -> Sequence[DreamReport]:
        """Turn what happened into memory now; one report per project."""
        if request.dry_run:
            with self._scratch() as copy:
                return copy.dream_here(request, on_step)
        return self.dream_here(request, on_step)

    def dream_here(self, request: DreamRequest, on_step: OnStep) -> Sequence[DreamReport]:
        """Dream with this service's own store (`dream` gives a dry run a copy of it)."""
        name = request.reflector or self.settings.dream.reflector
        if name not in REFLECTORS:
            raise UsageError(f"there is no reflector {name!r}; there are: {', '.join(REFLECTORS)}")
        since = when(request.since)
        on_step("scan")
        files = self.session_files(request.sources)
        every = bool(request.sources or request.backfill)
        begin = self.ingest.backfill if every else self.ingest.scan
        read = begin(files, tell=lambda n: on_step(f"scan {n} files"))
        self.ingest.close_abandoned()
        if self.stop():
            raise InterruptedDreamError("stopped while reading transcripts")
        paths = [str(f.path) for f in files] if request.sources else None
        numbers, why = self._wanted(request)
        reports = [
            self._dream_one(number, request, paths, since, on_step)
            for number in numbers
            if progress.new_ranges(self.db, number, paths, since)
        ]
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
            return progress.projects_with_news(self.db), "nothing to reflect: every completed turn was read"
        key = self.project(request.project).key
        found = progress.find_project(self.db, key)
        if found is None:
            return [], f"nothing to reflect: no agent has worked in {key} {_SINCE_FIRST_START}"
        return [found[0]], f"nothing to reflect in {found[1].slug}: every completed turn was read"

    def _dream_one(
        self, number: int, request: DreamRequest, paths: list[str] | None, since: str, on_step: OnStep
    ) -> DreamReport:
        from slowwave.dream import pipeline

        name = request.reflector or self.settings.dream.reflector
        shop = self.workshop()
        run = self.claim(number, Trigger.MANUAL, name, {
            "paths": paths, "since": since, "instruction": request.instruction, "review": request.review,
        })  # fmt: skip
        try:
            if request.dry_run:
                return pipeline.plan(shop, run, REFLECTORS[name](), on_step)
            return pipeline.dream(shop, run, REFLECTORS[name](), on_step)
        except BusyError:
            raise
        except SlowwaveError as error:
            slug = progress.project_by_id(self.db, number).slug
            failed = Failed("; ".join(error.problems), error.exit_code)
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
        return pipeline.dream(shop, run, REFLECTORS[run.reflector](), on_step)

    def recover(self) -> None:
        """Finish what a killed process left behind. A running dream has done it already."""
        from slowwave.dream import recovery
        from slowwave.dream.workshop import lease

        shop = self.workshop(create=False)
        try:
            with lease(shop, f"recovery {os.getpid()}", "recovery"):
                recovery.recover(shop)
        except BusyError:
            return

    def claim(self, number: int, trigger: Trigger, reflector: str, request: Mapping[str, object]) -> runs.Run:
        """Enter a new dream in the ledger. Its id sorts by time."""
        stamp = datetime.fromtimestamp(self.clock(), UTC).strftime("%Y%m%d-%H%M%S")
        run_id = f"{stamp}-{os.urandom(3).hex()}"
        with self.db.transaction():
            runs.claim(self.db, run_id, number, trigger, reflector, self.now(), request)
        return runs.get(self.db, run_id)

    @contextmanager
    def _scratch(self) -> "Iterator[Service]":
        """A copy of this service whose store is a copy too: a dry run leaves nothing behind."""
        with tempfile.TemporaryDirectory(prefix="slowwave-dry-run-") as folder:
            root = Path(folder)
            if self.homes.database.exists():
                self.db.copy_to(root / "slowwave.db")
            twin = Service(self.env, self.clock, cwd=self.cwd, stop=self.stop)
            memory = self.homes.memory if self.homes.memory.exists() else root / "memory"
            twin.homes = Homes(self.homes.config_file, root, root, root, memory)
            if (self.homes.data / "redaction.key").exists():
                twin.__dict__["redactor"] = self.redactor
            try:
                yield twin
            finally:
                twin.close()

    # ------------------------------------------------------------------ a finished dream
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

    # ------------------------------------------------------------------ recall
    def recall(self, query: str, *, project: str, limit: int, type: str, path: str) -> Sequence[Hit]:  # noqa: A002
        """Ranked hits from memory."""
        from slowwave.recall.search import Question

        asked_from = self.project(project)
        question = Question(query, limit, type, path, self._slug(project))
        return self.answers.ask(question, self.moment(), Path(asked_from.root))

    def context(self, *, project: str, token_budget: int) -> "Context":
        """What an agent should know at the start of its work."""
        from slowwave.recall import context

        return context.gather(self.homes.memory, self._slug(project), token_budget)

    def reindex(self) -> int:
        """Drop the recall index and build it anew; returns how many files were read."""
        return self.answers.rebuild()

    def project(self, folder: str = "") -> Project:
        """The project of a folder ("" = the current one)."""
        path = str((self.cwd / Path(folder).expanduser()).absolute())
        separate = self.settings.memory.worktrees == "separate"
        return project_of(path, separate_worktrees=separate)

    def _slug(self, folder: str) -> str:
        found = progress.find_project(self.db, self.project(folder).key)
        return found[1].slug if found else ""

    # ------------------------------------------------------------------ status
    def gate(self, number: int) -> gate.Fire | gate.Hold:
        """What the gate says of a project now."""
        return standing.gate_of(self.db, self.settings.dream, number, self.clock())[1]

    def status(self, *, project: str) -> Status:
        """What is going on, and why nothing happens when nothing happens."""
        daemon = f"running (process {lock.holder(self.daemon_lock)})" if self.daemon_runs() else "not running"
        key = self.project(project).key if project else ""
        return standing.status(self.db, self.settings, self.homes, self.clock(), daemon=daemon, key=key)

    @property
    def daemon_lock(self) -> Path:
        """The lock a daemon holds for life."""
        return self.homes.runtime / "daemon.lock"

    def daemon_runs(self) -> bool:
        """Whether a daemon is running now."""
        return lock.is_held(self.daemon_lock)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists", hint="go to one that does") from None
