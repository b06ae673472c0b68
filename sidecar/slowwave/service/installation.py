"""What the verbs stand on: the environment, settings, places, the store, memory and the agents' files.

Opens what a verb needs and nothing else, so that `status` never starts git and `recall` never imports a
parser. The fronts pass in the environment, the library reads none.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from slowwave import lock
from slowwave.config import SOURCE_NAMES, Homes, Settings, load_settings
from slowwave.dream.reflectors import REFLECTORS
from slowwave.errors import TranscriptError, UsageError
from slowwave.home import expanded, user_home
from slowwave.identity import identify, secret_key
from slowwave.model import Project
from slowwave.projects import project_of
from slowwave.store.database import Database
from slowwave.verbs import OnStep, ignore_step

if TYPE_CHECKING:
    from slowwave.dream.workshop import Workshop
    from slowwave.ingest import Ingest
    from slowwave.lifecycle.workbench import Workbench
    from slowwave.memory.repo import MemoryRepository
    from slowwave.transcripts.discover import SessionFile
    from slowwave.transcripts.redact import Redactor


class Installation:
    """One installation of slowwave, built once per process."""

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
        self.rehearses = False  # a dry run's copy: see `scratch`
        self.trial: Path | None = None  # where a dry run puts objects of git
        self.homes = Homes.find(env)
        self.settings: Settings = load_settings(
            self.homes.config_file,
            known={"dream.reflector": tuple(REFLECTORS), "sources.enabled": SOURCE_NAMES},
        )
        if self.settings.memory.path:
            self.homes = replace(self.homes, memory=self._from_settings(self.settings.memory.path))

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

        return Ingest(
            self.db, self.redactor, self.settings, self.own_root, self.clock, self.stop, self._owners
        )

    def _owners(self) -> Mapping[str, str]:
        from slowwave.memory.owners import owners  # git: only for a project the store does not know

        return owners(self.homes.memory)

    @property
    def own_root(self) -> Path:
        """The folder whose sessions are our own and never read."""
        return self.homes.state.resolve()

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

    def repository(self, *, create: bool = False) -> "MemoryRepository":
        """The memory repository. Raises MemoryRepositoryError when it is missing or not one."""
        from slowwave.memory import shape  # git: short-lived processes only

        if not create or self.trial:
            return shape.open_(self.homes.memory, trial=self.trial)
        with lock.held(self.homes.runtime / "create.lock", "another first start", patience=10):
            return shape.create(self.homes.memory)

    def workshop(self, *, create: bool = True) -> "Workshop":
        """What a dream works with."""
        from slowwave.dream.workshop import Workshop

        repo = self.repository(create=create)
        own = identify(self.homes.data / "instance-id", self.env, keep=not self.rehearses).instance_id
        return Workshop(
            self.db, repo, self.homes, self.settings, self.redactor, own, self.clock, self.stop, self.env
        )

    @contextmanager
    def scratch(self, *, makes_memory: bool = True) -> Iterator[Self]:
        """A copy of this service with a copy of the store and objects of git aside: a dry run leaves nothing."""
        with tempfile.TemporaryDirectory(prefix="slowwave-dry-run-") as folder:
            root = Path(folder)
            if self.homes.database.exists():
                self.db.copy_to(root / "slowwave.db")
            twin = type(self)(self.env, self.clock, cwd=self.cwd, stop=self.stop)
            anew = makes_memory and not self.homes.memory.exists()
            memory = root / "memory" if anew else self.homes.memory
            twin.homes = Homes(self.homes.config_file, root, root, root, memory)
            twin.rehearses = True
            twin.trial = None if anew else root / "git"
            if (self.homes.data / "instance-id").exists():
                shutil.copy(self.homes.data / "instance-id", root)
            if (self.homes.data / "redaction.key").exists():
                twin.__dict__["redactor"] = self.redactor
            try:
                yield twin
            finally:
                twin.close()

    def workbench(self, on_step: OnStep = ignore_step) -> "Workbench":
        """What the lifecycle works with."""
        from slowwave.lifecycle.policy import Policy
        from slowwave.lifecycle.workbench import Workbench

        return Workbench(
            self.db, self.homes.memory, lambda create: self.repository(create=create),
            Policy.of(self.settings.lifecycle), self.homes.data, self.homes.recall_indexes,
            identify(self.homes.data / "instance-id", self.env).instance_id, self.clock,
            self.settings.dream.reflector, on_step=on_step,
        )  # fmt: skip

    def project(self, folder: str = "") -> Project:
        """The project of a folder ("" = the current one)."""
        path = str((self.cwd / expanded(folder)).absolute())
        separate = self.settings.memory.worktrees == "separate"
        return project_of(path, separate_worktrees=separate)

    @property
    def daemon_lock(self) -> Path:
        """The lock a daemon holds for life."""
        return self.homes.runtime / "daemon.lock"

    def daemon_runs(self) -> bool:
        """Whether a daemon is running now."""
        return lock.is_held(self.daemon_lock)

    # ------------------------------------------------------------------ transcripts
    def session_files(self, sources: Sequence[str] = ()) -> "tuple[SessionFile, ...]":
        """Every transcript file of the agents found, or of the `SOURCE[:PATH]` words given."""
        from slowwave.transcripts import discover

        home = user_home(self.env)
        if sources:
            found = [f for word in sources for f in discover.from_argument(word, self.env, home)]
            return tuple(dict.fromkeys(found))
        return tuple(discover.find(self.env, home, self._enabled(), self.extra_roots()))

    def files_by_agent(self) -> "tuple[tuple[SessionFile, ...], tuple[str, ...]]":
        """The transcript files of every agent whose folders can be listed, and what is wrong with the others."""
        from slowwave.transcripts import discover

        home, extra = user_home(self.env), self.extra_roots()
        found: list[SessionFile] = []
        problems: list[str] = []
        for name in self._enabled():
            try:
                found.extend(discover.find(self.env, home, (name,), extra))
            except TranscriptError as error:
                problems.extend(error.problems)
        return tuple(found), tuple(problems)

    def _enabled(self) -> tuple[str, ...]:
        return self.settings.sources.enabled or SOURCE_NAMES

    def extra_roots(self) -> dict[str, tuple[Path, ...]]:
        """Where else the settings say that agents' transcripts lie."""
        paths = self.settings.sources.paths
        return {name: tuple(map(self._from_settings, given)) for name, given in paths.items()}

    def _from_settings(self, path: str) -> Path:
        """A path of the settings: a relative one starts where their file is, whoever asks from wherever."""
        return self.homes.config_file.parent / expanded(path)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists", hint="go to one that does") from None
