"""What a dream by a model costs beyond the model's own time: ten tool calls, answered at once.

The scripted model takes no time, so the whole of `dream` is ours: reading, prompts, tools, ledger, validation, git. A
second row asks through the real SDK and a server on loopback, as a whole command, start-up and the SDK's import counted.
"""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.models.server import Act, ModelServer, text
from tests.models.server import tools as tools_of
from tests.sessions import ClaudeSession

from benchmarks.model_scenes import installation
from benchmarks.processes import SLOWWAVE, environment, run_watched
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.dream.sandbox.toolbox import confined
from slowwave.memory.scope import Scope
from slowwave.models.protocol import Answer, Request
from slowwave.models.scripted import calls, says
from slowwave.verbs import DreamRequest, ignore_step

CALLS = 10
ROUNDS = 5
LIMIT_SECONDS = 1.5
WISH = "From now on always run `make check` before you report work as done."
_QUOTE = "always run `make check` before you report work as done"


def measure(worlds: Worlds) -> Table:
    """Dream a few times in this process, and once as a command."""
    started, called, level = _confined(worlds.root / "confined")
    rows = (
        Row(f"confined worker ({level}), started and its walls tried", started, "ms"),
        Row(f"one call of a confined tool ({level})", called, "ms", limit=20.0),
        Row("dream, 10 tool calls, model answers at once", tuple(_dreams()), "s", limit=LIMIT_SECONDS),
        Row("the same as a command, through the SDK", (_command(worlds.root / "overhead"),), "s",
            beside="start-up and the SDK's import included"),
    )  # fmt: skip
    return Table("model_overhead: what a dream costs beyond the model's own time", rows)


def _confined(folder: Path) -> tuple[tuple[float, ...], tuple[float, ...], str]:
    """Milliseconds of starting a worker and of its calls, at the highest level that holds here."""
    (folder / "system").mkdir(parents=True)
    (folder / "system" / "a.md").write_text("hello")
    started, called = list[float](), list[float]()
    for _ in range(ROUNDS):
        begun = time.monotonic()
        with confined(Scope(folder, ("system/",))) as (tools, proof):
            started.append(1000 * (time.monotonic() - begun))
            for _ in range(20):
                begun = time.monotonic()
                tools.view("system/a.md")
                called.append(1000 * (time.monotonic() - begun))
    return tuple(started), tuple(called), str(proof.level)


def _call(number: int, session: ClaudeSession) -> tuple[str, dict[str, Any]]:
    """Looking around, and in the middle a line that is learned."""
    if number != CALLS // 2:
        return "list", {}
    cited = [{"session": session.session_id, "turn": session.turns, "role": "user", "quote": _QUOTE}]
    path = f"projects/harbor/reference/rules-{session.turns}.md"
    line = f"Always run `make check` before you report work as done, {session.turns}."
    return "learn", {"path": path, "text": line, "evidence": cited, "description": "Rules"}


def _dreams() -> list[float]:
    seconds: list[float] = []
    asked = 0

    def play(_: Request) -> Answer:
        nonlocal asked
        asked += 1
        return calls(_call(asked, session), first=asked) if asked <= CALLS else says("done")

    with installation(play, time.time) as service:
        session = ClaudeSession(Path(service.env["HOME"]), "s1")
        for _ in range(ROUNDS):
            asked = 0
            session.turn(WISH, steps=3)
            begun = time.monotonic()
            [report] = service.dream(DreamRequest(everything=True), ignore_step)
            seconds.append(time.monotonic() - begun)
            assert report.as_json()["outcome"] == "merged", report
            assert asked == CALLS + 1
    return seconds


def _command(folder: Path) -> float:
    own, home = folder / "slowwave", folder / "home"
    own.mkdir(parents=True)
    session = ClaudeSession(home, "s1").turn(WISH, steps=3)
    asked = 0

    def play(_: Mapping[str, Any]) -> Act:
        nonlocal asked
        asked += 1
        return tools_of(_call(asked, session)) if asked <= CALLS else text("done")

    with ModelServer(play).running() as server:
        (own / "config.toml").write_text(
            f'[dream]\nreflector = "anthropic"\n[model]\nname = "of-ours"\nbase_url = "{server.url}"\n',
            "utf-8",
        )
        ran = run_watched([*SLOWWAVE, "dream", "--from", "claude-code", "--json"], environment(home, own))
    assert json.loads(ran.out)["outcome"] == "merged", ran.out
    return ran.seconds
