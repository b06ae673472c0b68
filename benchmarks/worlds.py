"""The invented person whose machine is measured: 5,000 session files of 100 projects, and slowwave beside them.

Two installations of slowwave look at the same files. The `fresh` ones have just been made, so that every file is
history to them and none is opened. The `settled` one has read every file, has dreamed all but one turn of each
project, and has a memory of 300 files: what a long-time user has. Written once for a whole run, in a temporary
folder that goes with it.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.sessions import ClaudeSession

from benchmarks.processes import SLOWWAVE, daemon, environment, run
from slowwave.service import Service

FILES = 5_000
PROJECTS = 100
MEMORY_FILES = 300

_ASKED = (
    "the import of large files is slow, find out why",
    "add a test for the empty case, then tidy the names in the parser",
    "why does the build fail on the second machine? look at the log",
    "rename the option and say so in the changelog",
)
_ANSWER = (
    "The time goes into reading the same file twice; I cached the parsed rows and the import takes 0.4 s now. "
    "The tests pass, and I left a comment where the order of the two calls matters. "
) * 3


def write_session(home: Path, name: str, cwd: str, *, turns: int = 3) -> ClaudeSession:
    """A small session: `turns` turns of two to four steps."""
    session = ClaudeSession(home, name, cwd)
    for n in range(turns):
        session.turn(_ASKED[(len(name) + n) % len(_ASKED)], steps=2 + n % 3, answer=_ANSWER)
    return session


@dataclass
class Worlds:
    """The files, and the installations made so far; `quick` asks for sizes of every day."""

    root: Path
    quick: bool = False
    backlog_seconds: float = 0.0
    _fresh: int = 0

    def environment(self, name: str) -> dict[str, str]:
        """The environment of an installation with this name."""
        own = self.root / f"slowwave-{name}"
        own.mkdir(exist_ok=True)
        return environment(self.home, own)

    @cached_property
    def home(self) -> Path:
        """The person's home, with every session file in it."""
        home = self.root / "home"
        for n in range(FILES):
            write_session(home, f"session-{n}", f"/home/dev/project-{n % PROJECTS}")
        return home

    def fresh(self) -> dict[str, str]:
        """The environment of an installation that has never run."""
        self._fresh += 1
        return self.environment(f"fresh-{self._fresh}")

    @cached_property
    def settled(self) -> dict[str, str]:
        """The environment of an installation that has read everything and dreamed nearly all of it."""
        env = self.environment("settled")
        own = Path(env["SLOWWAVE_HOME"])
        _pretend_first_start(env)
        # no dream by itself while the backlog is read
        config = own / "config.toml"
        config.write_text('[dream]\ntriggers = ["off"]\n', "utf-8")
        with daemon(env) as process:
            self.backlog_seconds = process.ready_seconds
        config.unlink()
        _count_as_dreamed(own / "data" / "slowwave.db")
        self._give_memory(env)
        return env

    def _give_memory(self, env: dict[str, str]) -> None:
        taught = self.root / "taught"
        for n in range(10):
            wish = f"From now on always run `make check-{n}` before you report work as done."
            ClaudeSession(taught, f"taught-{n}", "/home/dev/taught").turn(wish, steps=2)
        run([*SLOWWAVE, "dream", "--from", f"claude-code:{taught}", "--json"], env)
        folder = Path(env["SLOWWAVE_HOME"]) / "memory" / "reference"
        folder.mkdir(parents=True, exist_ok=True)
        for n in range(MEMORY_FILES):
            facts = "".join(
                f"- Service {n}-{k} listens on port {4000 + n * 10 + k} and logs to journal {k}.\n"
                for k in range(12)
            )
            text = f"---\ndescription: Facts about service {n}\n---\n# Service {n}\n\n{facts}"
            (folder / f"service-{n}.md").write_text(text, "utf-8")


@contextmanager
def worlds(*, quick: bool = False) -> Iterator[Worlds]:
    """The worlds of one run; their folder goes with the block."""
    root = Path(tempfile.mkdtemp(prefix="slowwave-bench-"))
    try:
        yield Worlds(root, quick)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _pretend_first_start(env: dict[str, str]) -> None:
    """Make an installation that started before any session was written, so that it reads them all."""
    service = Service(env, time.time)
    try:
        with service.db.transaction():
            service.db.execute("INSERT INTO meta (name, value) VALUES ('first_start', '1000')")
    finally:
        service.close()


def _count_as_dreamed(database: Path) -> None:
    """Leave one turn of each project unread, as if dreams had found nothing in all the others."""
    with closing(sqlite3.connect(database)) as db, db:
        db.execute(
            "UPDATE turns SET state = 'no_changes' WHERE number < (SELECT max(number) FROM turns t"
            " WHERE t.session = turns.session) OR session NOT IN"
            " (SELECT max(id) FROM sessions GROUP BY project)"
        )
