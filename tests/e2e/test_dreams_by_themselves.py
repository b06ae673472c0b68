"""The whole way, with nobody asking: real agents work, the daemon watches, and memory has a new merge commit."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from .agents import Agent, echoes, script
from .process import call, end_group, environment

WISH = "From now on always run `make check` before you report done."
INSTANCE = "e2e-instance"
TRAILERS = ("Dream-Id", "Trigger", "Reflector", "Sources", "Sandbox-Level", "Instance-Id")
NAMES = {"ClaudeCode": "claude-code", "Codex": "codex"}


class Sidecar:
    """A slowwave beside the agents: their home is its HOME, and its own folder is elsewhere."""

    def __init__(self, agents_home: Path, own: Path) -> None:
        self.own = own
        self.log = own / "daemon.txt"
        own.mkdir()
        (own / "config.toml").write_text("[dream]\nquiet_seconds = 1\n[daemon]\nscan_seconds = 1\n", "utf-8")
        extra = {"SLOWWAVE_HOME": str(own), "SLOWWAVE_INSTANCE_ID": INSTANCE}
        self.env = environment(agents_home, extra)

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "slowwave", "daemon", "run"],
                env=self.env, cwd=self.own, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        self.hears("watching ")
        return self

    def __exit__(self, *_: object) -> None:
        end_group(self.process)
        assert self.process.returncode == 0, self.log.read_text("utf-8")

    def hears(self, words: str, seconds: float = 30) -> None:
        """Wait until the daemon says something."""
        limit = time.monotonic() + seconds
        while words not in self.log.read_text("utf-8"):
            assert self.process.poll() is None, self.log.read_text("utf-8")
            assert time.monotonic() < limit, f"{words!r} was not said: {self.log.read_text('utf-8')}"
            time.sleep(0.05)

    def ask(self, *words: str) -> str:
        """What `slowwave WORDS` answers."""
        argv = [sys.executable, "-m", "slowwave", *words]
        return call(argv, env=self.env, cwd=self.own, seconds=30).stdout

    def git(self, *words: str) -> str:
        """What git says in the memory repository."""
        return call(["git", *words], env=self.env, cwd=self.own / "memory", seconds=30).stdout.strip()


@pytest.fixture(params=["claude_code", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Each agent in turn."""
    found: Agent = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def sidecar(agents_home: Path, tmp_path: Path) -> Iterator[Sidecar]:
    """A daemon that watches the agents' home from before their first session."""
    with Sidecar(agents_home, tmp_path / "slowwave home é") as running:
        yield running


def landed(sidecar: Sidecar, trigger: str, agent: Agent, session: str) -> None:
    """One dream has landed on main by itself, with everything its commit must tell, and memory holds the wish."""
    sidecar.hears(": merged")
    form = "--format=%(trailers:unfold,only)"
    assert sidecar.git("rev-list", "--count", "--merges", "main") == "1"
    said = dict(line.split(": ", 1) for line in sidecar.git("log", "-1", form, "main").splitlines())
    assert all(said.get(name) for name in TRAILERS), said
    assert (said["Trigger"], said["Reflector"], said["Instance-Id"]) == (trigger, "offline", INSTANCE)
    assert said["Sources"].startswith(f"{NAMES[type(agent).__name__]} {session} 0..")
    assert said["Dream-Id"] == json.loads(sidecar.ask("log", "--json"))["dreams"][0]["dream_id"]
    lines = sidecar.git("grep", "-h", "-F", "-A1", "-e", f"- {WISH}", "main").splitlines()
    assert len(lines) == 2, lines  # the wish, once, and where it comes from
    assert session in lines[1]
    assert f'"{WISH}' in lines[1]
    assert sidecar.git("status", "--porcelain") == ""


def test_25_steps_make_a_dream(agent: Agent, sidecar: Sidecar, project: Path) -> None:
    """24 steps of a real session are only counted; the next turn brings a dream, whose memory holds the wish."""
    first = agent.run(script(WISH, *echoes(23)), project)
    limit = time.monotonic() + 20
    while not (gates := json.loads(sidecar.ask("status", "--json"))["gates"]) or gates[0]["steps"] < 24:
        assert time.monotonic() < limit, gates
    assert (gates[0]["decision"], gates[0]["reason"]) == ("hold", "24 of 25 steps, no compaction")
    assert "started" not in sidecar.log.read_text("utf-8")
    agent.run(script("Please look around.", *echoes(1)), project, first.session)
    landed(sidecar, "step_count", agent, first.session)
    assert agent.steps(first.session) == 26


def test_a_compaction_makes_a_dream(agent: Agent, sidecar: Sidecar, project: Path) -> None:
    """A compaction is enough, with few steps; the summary it leaves is not taken for the person's words."""
    first = agent.run(script(WISH, *echoes(2)), project)
    agent.compact(first.session, project)
    agent.run(script("Please look around.", *echoes(1)), project, first.session)
    landed(sidecar, "compaction_event", agent, first.session)
    assert agent.steps(first.session) < 25


def test_what_one_agent_was_told_the_other_can_recall(agent: Agent, sidecar: Sidecar, project: Path) -> None:
    """Memory answers in the project's folder, whoever learned it."""
    agent.run(script(WISH, *echoes(24)), project)
    sidecar.hears(": merged")
    hit, *_ = json.loads(sidecar.ask("recall", "make check", "--project", str(project), "--json"))["hits"]
    assert WISH in hit["text"]
    assert WISH in sidecar.ask("context", "--project", str(project))
