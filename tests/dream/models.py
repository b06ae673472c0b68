"""A slowwave whose reflector is a model behind a server of ours, and a person with something to say."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from slowwave.report import DreamReport
from slowwave.service import Service
from slowwave.verbs import DreamRequest, ignore_step
from tests.models.server import ModelServer
from tests.sessions import ClaudeSession

WISH = "From now on always run `make check` before you report work as done."
LINE = "Always run `make check` before you report work as done."
PREFERENCES = "projects/harbor/system/preferences.md"
NOW = 1_800_000_000.0
KEY = "sk-ant-" + "k3y" * 12


def configure(home: Path, url: str, *more: str, model: str = "claude-sonnet-5-5") -> None:
    """The settings of a person who chose a model."""
    text = f'[dream]\nreflector = "anthropic"\n[model]\nname = "{model}"\nbase_url = "{url}"\ntimeout_seconds = 2\n'
    (home / "config.toml").write_text("\n".join([text, *more]), "utf-8")


def service(
    home: Path,
    user: Path,
    *,
    now: Callable[[], float] = lambda: NOW,
    stop: Callable[[], bool] = lambda: False,
) -> Service:
    """A process over this home, started long before any transcript was written."""
    env = {
        "SLOWWAVE_HOME": str(home), "HOME": str(user), "SLOWWAVE_INSTANCE_ID": "test", "SLOWWAVE_MODEL_KEY": KEY,
        "PATH": "/usr/bin:/bin",
    }  # fmt: skip
    own = Service(env, now, cwd=Path("/home/dev/harbor"), stop=stop)
    with own.db.transaction():
        own.db.execute("INSERT INTO meta VALUES ('first_start', '1000') ON CONFLICT DO NOTHING")
    return own


def dream(own: Service, **request: Any) -> DreamReport:
    """Dream over everything; exactly one project has something new."""
    [report] = own.dream(DreamRequest(everything=True, **request), ignore_step)
    return report


def learn(session: ClaudeSession, turn: int, text: str = LINE, path: str = PREFERENCES, **more: Any) -> Any:
    """A call that learns a line from what the person said in a turn."""
    quote = more.pop("quote", "always run `make check` before you report work as done")
    evidence = [
        {"session": session.session_id, "turn": turn, "role": more.pop("role", "user"), "quote": quote}
    ]
    given = {
        "path": path,
        "text": text,
        "evidence": evidence,
        "description": "How the person wants work done",
    }
    return "learn", {**given, **more}


def memory(own: Service) -> dict[str, str]:
    """Every memory file by path."""
    root = own.homes.memory
    return {
        p.relative_to(root).as_posix(): p.read_text("utf-8")
        for p in sorted(root.rglob("*.md"))
        if ".git" not in p.parts
    }


def results(body: Mapping[str, Any]) -> list[str]:
    """What the newest message of a question says of the calls before it."""
    return [str(b.get("content", "")) for b in body["messages"][-1]["content"] if b["type"] == "tool_result"]


def sent(server: ModelServer) -> str:
    """Everything that was sent, as text."""
    return "\n".join(json.dumps(json.loads(b), ensure_ascii=False) for b in server.bodies)
