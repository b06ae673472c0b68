"""An installation of slowwave, used as a person uses it: by processes of its own, in a home of its own.

Every process is real, and none may ever show a traceback. Folders have spaces and non-ASCII letters, since
those are ordinary.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

import pytest

from slowwave.store.database import Database

from .sessions import ClaudeSession

WISH = "From now on always run `make check` before you report done."
OTHER_WISH = "From now on always write commit messages in the imperative mood."
INSTANCE = "test-instance"
# Nobody waits for a conversation to become quiet, or a minute for the next look.
AT_ONCE = "[dream]\nquiet_seconds = 0\n[daemon]\nscan_seconds = 1\n"
_SECONDS = 60.0


def until(wanted: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Wait until something is so."""
    limit = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < limit, f"after {seconds:g} s still not so: {what}"
        time.sleep(0.02)


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: the bytes of files, None for folders."""
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))
    }


@dataclass(frozen=True)
class Installation:
    """One person's machine, as far as slowwave knows it."""

    root: Path
    extra: Mapping[str, str] = field(default_factory=dict)
    user: Path = field(init=False)
    own: Path = field(init=False)
    work: Path = field(init=False)

    def __post_init__(self) -> None:
        for name, folder in {"user": "user", "own": "slowwave home é", "work": "harbor"}.items():
            object.__setattr__(self, name, self.root / folder)
        self.user.mkdir(parents=True, exist_ok=True)
        self.work.mkdir(exist_ok=True)

    @property
    def memory(self) -> Path:
        """The memory repository."""
        return self.own / "memory"

    @property
    def env(self) -> dict[str, str]:
        """The environment of a process: nothing of the machine's own settings but where programs are."""
        kept = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "TMPDIR", "PYTHON_KEYRING_BACKEND")
            if name in os.environ
        }
        own = {"HOME": str(self.user), "SLOWWAVE_HOME": str(self.own), "SLOWWAVE_INSTANCE_ID": INSTANCE}
        return {**kept, **own, **self.extra}

    # ------------------------------------------------------------------ what a person does
    def run(
        self, *words: str, code: int = 0, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `slowwave WORDS` to its end; it must end with `code` and may never show a traceback."""
        done = subprocess.run(
            self.command(*words), cwd=cwd or self.work, env={**self.env, **(env or {})},
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False,
        )  # fmt: skip
        said = f"{' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stdout + done.stderr, said
        assert done.returncode == code, said
        return done

    def json(self, *words: str, code: int = 0) -> Any:
        """Run `slowwave WORDS --json` and read its answer."""
        return json.loads(self.run(*words, "--json", code=code).stdout)

    def command(self, *words: str) -> list[str]:
        """The argument list of a call."""
        return [sys.executable, "-m", "slowwave", *words]

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start `slowwave WORDS` and do not wait."""
        return subprocess.Popen(
            self.command(*words), cwd=self.work, env=self.env, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def begin(self) -> Self:
        """Start for the first time: what comes after it is news, what was before is history."""
        self.run("dream")
        return self

    def settings(self, text: str) -> None:
        """Write the settings file."""
        self.own.mkdir(exist_ok=True)
        (self.own / "config.toml").write_text(text, "utf-8")

    def session(self, name: str, cwd: Path | None = None) -> ClaudeSession:
        """A session of Claude Code in the project, or in another folder."""
        return ClaudeSession(self.user, name, cwd=str(cwd or self.work))

    def long_history(self, turns: int = 250) -> ClaudeSession:
        """A session whose dream takes a few seconds, in many batches; the wish stands in its first turn."""
        self.settings(AT_ONCE.replace("[daemon]", "batch_tokens = 1000\n[daemon]"))
        session = self.session("long").turn(WISH)
        for number in range(turns):
            session.turn(f"Please look at file {number} and tell me about it. {'word ' * 200}")
        return session

    def git(self, *words: str) -> str:
        """Ask the memory repository with git itself."""
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0"}
        person = {
            f"GIT_{who}_{what}": "p@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        done = subprocess.run(
            ["git", "-C", str(self.memory), *words],
            env={**self.env, **quiet, **person}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    # ------------------------------------------------------------------ what a test looks at
    def merges(self) -> list[str]:
        """The ids of the dreams on main, newest first."""
        found = self.git(
            "log", "--first-parent", "--format=%(trailers:key=Dream-Id,valueonly,separator=%x2C)", "main"
        )
        return [line for line in found.splitlines() if line]

    def remembered(self, words: str) -> int:
        """How many times memory says something, in its files as they are on main."""
        if not (self.memory / ".git").is_dir():
            return 0
        listed = self.git("ls-tree", "-r", "--name-only", "-z", "main").split("\0")
        texts = [self.git("show", f"main:{p}") for p in listed if p.endswith(".md")]
        return sum(line.startswith("- ") and words in line for text in texts for line in text.splitlines())

    def nothing_runs(self) -> bool:
        """Whether no process of this installation is left."""
        return not self.processes()

    def processes(self) -> list[int]:
        """The processes that carry this installation's home in their environment."""
        if not Path("/proc/self/environ").exists():
            pytest.skip("NOT TESTED HERE: no /proc, so a process left behind cannot be seen")
        mark = f"SLOWWAVE_HOME={self.own}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if folder.name.isdigit() and mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found

    @contextlib.contextmanager
    def store(self) -> Iterator[Database]:
        """The record store, as another process sees it."""
        with Database(self.own / "data" / "slowwave.db") as db:
            yield db

    def step(self) -> str:
        """The step the newest dream is at, "" before the first."""
        if not (self.own / "data" / "slowwave.db").exists():
            return ""
        with self.store() as db:
            return str(db.value("SELECT step FROM runs ORDER BY rowid DESC LIMIT 1") or "")

    @contextlib.contextmanager
    def daemon(self) -> Iterator["Watching"]:
        """A daemon that watches while the block runs; ended by force when the block has not ended it."""
        log = self.root / "daemon.txt"
        with log.open("a+", encoding="utf-8") as out:
            begun = log.stat().st_size
            process = subprocess.Popen(
                self.command("daemon", "run"), cwd=self.work, env=self.env, stdin=subprocess.DEVNULL,
                stdout=out, stderr=out,
            )  # fmt: skip
            watching = Watching(process, out, begun)
            try:
                watching.hears("watching ")
                yield watching
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
            assert "Traceback" not in watching.said(), watching.said()


@dataclass(frozen=True)
class Watching:
    """A daemon that was started, and what it says."""

    process: subprocess.Popen[bytes]
    log: IO[str]
    begun: int

    def said(self) -> str:
        """Everything it has said so far."""
        return Path(self.log.name).read_bytes()[self.begun :].decode("utf-8")

    def hears(self, words: str, seconds: float = 20) -> None:
        """Wait until it says something."""
        limit = time.monotonic() + seconds
        while words not in self.said():
            assert self.process.poll() is None, f"it ended with {self.process.returncode}: {self.said()}"
            assert time.monotonic() < limit, f"{words!r} was not said in {seconds:g} s: {self.said()}"
            time.sleep(0.02)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)
