"""A person, their agents and their memory repository, worked in with plain git between dreams."""

import os
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from slowwave.report import DreamReport, Merged, Pending
from slowwave.service import Service
from slowwave.store import runs
from slowwave.verbs import Change, DreamRequest, ignore_step
from tests.sessions import ClaudeSession

CHECKS = "From now on always run `make check` before you report work as done."
COMMITS = "From now on always write commits in the imperative mood."
REVIEWS = "Never commit straight to main, always open a pull request."
NOW = 1_800_000_000.0


@dataclass
class Household:
    """One home with one project. Each verb is a process of its own, a minute after the last."""

    root: Path
    now: float = NOW
    said: int = field(default=0)

    @property
    def memory(self) -> Path:
        """The memory checkout."""
        return self.root / "home" / "memory"

    def service(self) -> Service:
        """A new process. It started long before any transcript was written."""
        self.now += 60
        env = {
            "SLOWWAVE_HOME": str(self.root / "home"),
            "HOME": str(self.root / "user"),
            "SLOWWAVE_INSTANCE_ID": "test-instance",
        }
        return Service(env, lambda: self.now, cwd=Path("/home/dev/harbor"))

    def say(self, *prompts: str) -> None:
        """A session of an agent in which a person says these things."""
        self.said += 1
        session = ClaudeSession(self.root / "user", f"s{self.said}")
        for prompt in prompts:
            session.turn(prompt)

    def dream(
        self, *prompts: str, review: bool = False, on_step: Callable[[str], None] = ignore_step
    ) -> DreamReport:
        """Say something, and dream of it."""
        self.say(*prompts)
        with closing(self.service()) as service:
            with service.db.transaction():
                service.db.execute("INSERT INTO meta VALUES ('first_start', '1000') ON CONFLICT DO NOTHING")
            [report] = service.dream(DreamRequest(everything=True, review=review), on_step)
        return report

    def landed(self, *prompts: str) -> DreamReport:
        """The same, for a dream that must land."""
        report = self.dream(*prompts)
        assert isinstance(report.outcome, Merged), report.outcome
        return report

    def waiting(self, *prompts: str) -> DreamReport:
        """The same, for a dream that is kept for review."""
        report = self.dream(*prompts, review=True)
        assert isinstance(report.outcome, Pending), report.outcome
        return report

    def ask(self, verb: Callable[[Service], Change]) -> Change:
        """Ask for one verb."""
        with closing(self.service()) as service:
            return verb(service)

    def undo(self, dream_id: str = "", *, dry_run: bool = False) -> Change:
        """Take a dream back."""
        return self.ask(lambda s: s.undo(dream_id, dry_run=dry_run))

    def merge(self, dream_id: str = "", *, prefer: str = "", dry_run: bool = False) -> Change:
        """Land a pending dream."""
        return self.ask(lambda s: s.merge(dream_id, prefer=prefer, dry_run=dry_run))

    def discard(self, dream_id: str = "", *, dry_run: bool = False) -> Change:
        """Drop a pending dream."""
        return self.ask(lambda s: s.discard(dream_id, dry_run=dry_run))

    def diff(self, dream_id: str = "") -> Change:
        """What a dream changed."""
        return self.ask(lambda s: s.diff(dream_id))

    def log(self) -> dict[str, str]:
        """Each dream's status, as the log says it."""
        with closing(self.service()) as service:
            return {line.dream_id: line.status for line in service.log(limit=99)}

    def run(self, dream_id: str) -> runs.Run:
        """A dream's row in the ledger, as it stands."""
        with closing(self.service()) as service:
            return runs.get(service.db, dream_id)

    def lose_the_store(self) -> None:
        """Delete the record store."""
        for file in (self.root / "home" / "data").glob("slowwave.db*"):
            file.unlink()

    def git(self, *words: str) -> str:
        """The person's git in the memory checkout."""
        env = {
            "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "P", "GIT_AUTHOR_EMAIL": "p@example.org", "GIT_EDITOR": "true",
            "GIT_COMMITTER_NAME": "P", "GIT_COMMITTER_EMAIL": "p@example.org", "LC_ALL": "C",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *words], cwd=self.memory, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout.strip()

    def commit(self, path: str, text: str) -> None:
        """The person writes a file and commits it."""
        file = self.memory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", f"Mine: {path}")

    def text(self) -> str:
        """Everything memory says now, as committed; the checkout says the same."""
        assert self.git("status", "--porcelain") == ""
        return "\n".join(p.read_text("utf-8") for p in sorted(self.memory.rglob("*.md")))
