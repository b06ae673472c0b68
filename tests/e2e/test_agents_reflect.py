"""The coding agents themselves as reflectors: their own tools off, a home of ours, one answer by a schema."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.models.server import Act, ModelServer, failing, text, tools
from tests.sessions import ClaudeSession

from .agents import VERSIONS, install
from .process import CallFailed, call, environment

WISH = "From now on always run `make check` before you report work as done."
LINE = "Always run `make check` before you report work as done."
PATH = "projects/harbor/system/preferences.md"
CODEX = """\
model_provider = "ours"
[model_providers.ours]
name = "ours"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
"""
_NO_WAY_OUT = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
}


class Sidecar:
    """A slowwave whose reflector is a real agent, and the server that agent talks to."""

    def __init__(self, folder: Path, agent: str, server: ModelServer) -> None:
        self.own, self.home = folder / "slowwave é", folder / "home é"
        self.own.mkdir()
        program = install(agent, VERSIONS[agent])
        model = {"claude": "claude-sonnet-5-5", "codex": "gpt-of-ours"}[agent]
        prices = "[model.prices]\ngpt-of-ours = { input = 1.0, output = 4.0 }\n"
        (self.own / "config.toml").write_text(
            f'[dream]\nreflector = "agent-cli"\n[agent]\nprogram = {json.dumps(str(program))}\nmodel = "{model}"\n'
            f'billing = "metered"\ntimeout_seconds = 60\n{prices}',
            "utf-8",
        )
        codex = self.own / "state" / "agent" / "codex"
        codex.mkdir(parents=True)
        (codex / "config.toml").write_text(CODEX.format(url=server.url), "utf-8")
        extra = {
            **_NO_WAY_OUT, "SLOWWAVE_HOME": str(self.own), "SLOWWAVE_INSTANCE_ID": "e2e", "SECRET_OF_MINE": "s",
            "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "dummy",
        }  # fmt: skip
        self.env = environment(self.home, extra)
        self.session = ClaudeSession(self.home, "s1").turn(WISH)

    def dream(self, code: int = 0) -> dict[str, Any]:
        """What `slowwave dream` answers."""
        argv = [sys.executable, "-m", "slowwave", "dream", "--from", "claude-code", "--json"]
        done = call(argv, env=self.env, cwd=self.own, seconds=120, check=False)
        if done.returncode != code:
            raise CallFailed(f"exit code {done.returncode}: {done.stdout[-1500:]} {done.stderr[-1500:]}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


def answering(body: Mapping[str, Any], session: ClaudeSession) -> Act:
    """The schema's answer, by whichever way the agent wants it."""
    quote = "always run `make check` before you report work as done"
    given = {
        "path": PATH, "text": LINE, "description": "How the person wants work done",
        "evidence": [{"session": session.session_id, "turn": 1, "role": "user", "quote": quote}],
    }  # fmt: skip
    answer = {"calls": [{"name": "learn", "input": json.dumps(given)}]}
    if any(t.get("name") == "StructuredOutput" for t in body.get("tools", [])):
        return tools(("StructuredOutput", answer))
    return text(json.dumps(answer))


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_agent_reflects_with_its_own_tools_off(agent: str, tmp_path: Path) -> None:
    """The line lands with its evidence, the cost is in the ledger, and the agent was offered nothing to act with."""
    server = ModelServer(lambda body: answering(body, sidecar.session))
    with server.running():
        sidecar = Sidecar(tmp_path, agent, server)
        report = sidecar.dream()
    assert report["outcome"] == "merged"
    assert [x["text"] for x in report["learned"]] == [LINE]
    assert report["tokens"] == {"input": 1000, "output": 50, "cache_read": 0}
    assert report["cost_usd"] == pytest.approx({"claude": 0.0025, "codex": 0.0012}[agent], rel=0.6)
    assert len(server.bodies) == 1
    offered = {t.get("name") or t.get("type") for t in server.asked[0].get("tools", [])}
    assert offered <= {"StructuredOutput", "request_user_input"}
    if agent == "claude":
        assert server.asked[0]["max_tokens"] == 16_000
    assert WISH in json.dumps(server.asked[0], ensure_ascii=False)
    assert not list((sidecar.own / "state" / "agent").rglob("*.jsonl"))  # it kept no transcript of it
    assert sidecar.dream()["outcome"] == "nothing_to_reflect"


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_agent_that_fails_loses_nothing(agent: str, tmp_path: Path) -> None:
    """An expired login and an overloaded server: the dream fails, and the next one reads the same."""
    server = ModelServer([failing(401, "authentication_error", "no such key")] * 3)
    with server.running():
        sidecar = Sidecar(tmp_path, agent, server)
        failed = sidecar.dream(code=1)
        assert failed["outcome"] == "failed"
        assert len(server.bodies) <= 2  # it does not try again by itself; each try of ours is in the ledger
        server.play = lambda body: answering(body, sidecar.session)
        assert sidecar.dream()["outcome"] == "merged"
