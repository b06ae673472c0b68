"""Real coding agents, run headless against the scripted model server, each in a throw-away home.

A prompt carries its own script (`script()`), so that a test decides every step the agent takes.
"""

import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from .process import CACHE, ROOT, CallFailed, call, end_group, environment, locked, network

VERSIONS = {"claude": "2.1.197", "codex": "0.171.0"}
FULL_CONTEXT = 98_000  # tokens a step reports to make either agent compact (see `script`)
_PACKAGES = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
_FAKE_LLM = ROOT.parent / "shared" / "tools" / "fake_llm.py"
_INSTALL_SECONDS, _RUN_SECONDS = 240.0, 60.0
# Telemetry is off by the agents' own switches; a proxy on the discard port stops whatever ignores them.
_NO_WAY_OUT = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}


def install(tool: str, version: str) -> Path:
    """The program of one npm package, installed once per checkout; the test is skipped, loudly, without npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not on PATH, so {tool} {version} cannot be installed")
    folder = CACHE / f"{tool}-{version}"
    program = folder / "node_modules" / ".bin" / tool
    with locked(CACHE / f"{tool}-{version}.lock"):
        if not program.exists():
            try:
                _install_into(folder, npm, f"{_PACKAGES[tool]}@{version}", tool, version)
            except CallFailed as error:
                pytest.skip(f"npm could not install {tool} {version}: {error}")
    return program


def _install_into(folder: Path, npm: str, package: str, tool: str, version: str) -> None:
    """Install beside the final place and move there last, so that a broken install never looks done."""
    partial = CACHE / f"{folder.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    env = environment(partial / "home", network())
    argv: list[str | Path] = [npm, "install", "--prefix", partial, "--no-audit", "--no-fund", package]
    call(argv, env=env, cwd=partial, seconds=_INSTALL_SECONDS)
    said = call(
        [partial / "node_modules" / ".bin" / tool, "--version"], env=env, cwd=partial, seconds=30
    ).stdout
    if version not in said:
        raise CallFailed(f"it says it is {said!r}")
    shutil.rmtree(partial / "home")  # npm's own cache, as large as the program
    partial.rename(folder)


def script(wish: str, *steps: str, say: str = "done", fill: bool = False) -> str:
    """A prompt: a wish in plain words, then the steps the model server plays (`bash:echo hi`, `read:PATH`, …).

    With `fill` the last step reports a full context, and the agent compacts inside the turn, before the next
    model call. Claude Code then needs two tool steps at least. The script is lost with the history: the
    turn ends with the server's own words, not with `say`.
    """
    played = list(steps)
    if fill:
        played[-1] += f" @{FULL_CONTEXT}"
    return f"{wish} SCRIPT: {' | '.join([*played, f'text:{say}'])} END"


def echoes(count: int, word: str = "step") -> list[str]:
    """`count` harmless shell steps for `script`."""
    return [f"bash:echo {word} {number}" for number in range(1, count + 1)]


def rows(path: Path) -> list[dict[str, Any]]:
    """The JSON lines of a transcript that are whole."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1] if line.strip()]


class FakeModel:
    """The scripted model server on a free loopback port; `folder` receives its log and every request."""

    def __init__(self, folder: Path) -> None:
        if not _FAKE_LLM.is_file():
            pytest.skip(f"the scripted model server is not at {_FAKE_LLM}")
        self._folder = folder
        self._log = folder / "log.txt"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Its address, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    def requests(self) -> list[dict[str, Any]]:
        """The bodies of all requests so far, in order: what the agents showed the model."""
        return [json.loads(p.read_bytes() or b"{}") for p in sorted((self._folder / "requests").iterdir())]

    def __enter__(self) -> Self:
        (self._folder / "requests").mkdir(parents=True, exist_ok=True)
        for _ in range(5):  # another process may take the free port first
            self._start()
            if self._answers():
                return self
            self._end()
        raise CallFailed(f"the model server did not start: {self._log}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _start(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._log.write_bytes(b"")
        env = {"FAKE_LOG": str(self._log), "FAKE_DUMP": str(self._folder / "requests")}
        with (self._folder / "stderr.txt").open("ab") as err:
            self._process = subprocess.Popen(
                [sys.executable, str(_FAKE_LLM), str(self.port)],
                env=environment(self._folder / "home", env),
                stdin=subprocess.DEVNULL,
                stdout=err,
                stderr=err,
                start_new_session=True,
            )

    def _answers(self) -> bool:
        """It logs `up PORT` only after it owns the port, so an answer cannot come from a neighbour."""
        limit = time.monotonic() + 10
        while time.monotonic() < limit and self._process is not None and self._process.poll() is None:
            if f"up {self.port}" in self._log.read_text("utf-8"):
                socket.create_connection(("127.0.0.1", self.port), timeout=2).close()
                return True
            time.sleep(0.02)
        return False

    def _end(self) -> None:
        if self._process is not None:
            end_group(self._process)
            self._process = None


@dataclass(frozen=True, slots=True)
class Run:
    """One finished headless call of an agent."""

    session: str
    answer: str
    completed: subprocess.CompletedProcess[str]


class Agent(ABC):
    """A coding agent with a home of its own; `env` and `options` are added to every call of it."""

    def __init__(
        self,
        home: Path,
        model: FakeModel,
        *,
        env: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self.home = home
        self.options = list(options)
        self.env = environment(home, {**_NO_WAY_OUT, **self._variables(model), **(env or {})})

    @abstractmethod
    def run(self, prompt: str, cwd: Path, resume: str | None = None, *, seconds: float = _RUN_SECONDS) -> Run:
        """Give it one prompt, in a new session or in `resume`, and wait until it is idle again."""

    @abstractmethod
    def compact(self, session: str, cwd: Path, *, seconds: float = _RUN_SECONDS) -> None:
        """Let it shorten the context of a session now, as a person would with `/compact`."""

    @abstractmethod
    def transcript(self, session: str) -> Path:
        """The file of a session."""

    @abstractmethod
    def steps(self, session: str) -> int:
        """Model responses of the main agent in a session, compaction calls excluded."""

    @abstractmethod
    def compactions(self, session: str) -> list[str]:
        """What started each compaction of a session, as far as the file tells."""

    @abstractmethod
    def prompts(self, session: str) -> list[str]:
        """What the person said in a session."""

    @abstractmethod
    def _variables(self, model: FakeModel) -> dict[str, str]: ...


class ClaudeCode(Agent):
    """Claude Code; its transcripts are in `<home>/.claude/projects`."""

    def run(self, prompt: str, cwd: Path, resume: str | None = None, *, seconds: float = _RUN_SECONDS) -> Run:
        """Its shell, reading and subagent tools need no permission; nothing else of its safety is switched off."""
        argv: list[str | Path] = [install("claude", VERSIONS["claude"]), "-p", prompt]
        argv += ["--output-format", "json", *self.options]
        argv += ["--resume", resume] if resume else []
        argv += ["--allowedTools", "Bash,Read,Agent"]  # takes many values, so it stands last
        done = call(argv, env=self.env, cwd=cwd, seconds=seconds)
        result = json.loads(done.stdout)
        if result["is_error"]:
            raise CallFailed(done.stdout[-2000:])
        return Run(result["session_id"], result["result"], done)

    def compact(self, session: str, cwd: Path, *, seconds: float = _RUN_SECONDS) -> None:
        """It accepts the command as a prompt; the transcript's boundary says `manual`."""
        self.run("/compact", cwd, session, seconds=seconds)

    def transcript(self, session: str) -> Path:
        """Named by the session, in a folder named after the working directory."""
        return _only((self.home / ".claude" / "projects").glob(f"*/{session}.jsonl"))

    def steps(self, session: str) -> int:
        """One response is several rows that share `message.id`."""
        said = [r for r in self._main(session) if r["type"] == "assistant" and not r.get("isApiErrorMessage")]
        return len({r["message"]["id"] for r in said if r["message"]["model"] != "<synthetic>"})

    def compactions(self, session: str) -> list[str]:
        """`manual` or `auto`, one for each `compact_boundary`."""
        marks = [r for r in self._main(session) if r.get("subtype") == "compact_boundary"]
        return [r["compactMetadata"]["trigger"] for r in marks]

    def prompts(self, session: str) -> list[str]:
        """Headless prompts are marked `promptSource: sdk`; a compaction at the start of the turn repeats the row."""
        said = {
            r["uuid"]: r["message"]["content"] for r in self._main(session) if r.get("promptSource") == "sdk"
        }
        return list(said.values())

    def _main(self, session: str) -> list[dict[str, Any]]:
        return [r for r in rows(self.transcript(session)) if not r.get("isSidechain")]

    def _variables(self, model: FakeModel) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "IS_SANDBOX": "1",
        }


_CODEX_CONFIG = """\
model = "fake-model"
model_provider = "fake"
model_context_window = 120000
model_auto_compact_token_limit = 90000
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"  # the model's every command comes from the test

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"""


class Codex(Agent):
    """Codex; its transcripts are in `<home>/.codex/sessions`. A test may append to `config`."""

    @property
    def config(self) -> Path:
        """Its settings file, written anew when the agent is made."""
        return self.home / ".codex" / "config.toml"

    def run(self, prompt: str, cwd: Path, resume: str | None = None, *, seconds: float = _RUN_SECONDS) -> Run:
        """It names the session in its first event and answers in its last message."""
        argv: list[str | Path] = [
            install("codex", VERSIONS["codex"]),
            "exec",
            *(["resume"] if resume else []),
        ]
        argv += ["--skip-git-repo-check", "--json", *self.options, *([resume] if resume else []), prompt]
        done = call(argv, env=self.env, cwd=cwd, seconds=seconds)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        session = next(e["thread_id"] for e in events if e["type"] == "thread.started")
        items = [e["item"] for e in events if e["type"] == "item.completed"]
        said = [item["text"] for item in items if item["type"] == "agent_message"]
        return Run(session, said[-1] if said else "", done)

    def compact(self, session: str, cwd: Path, *, seconds: float = _RUN_SECONDS) -> None:
        """`codex exec` knows no `/compact`; the app server, which editors use, has the same thing as a call."""
        with subprocess.Popen(
            [str(install("codex", VERSIONS["codex"])), "app-server"],
            env=self.env,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as server:
            clock = threading.Timer(seconds, end_group, [server])
            clock.start()
            try:
                _ask(server, 1, "initialize", clientInfo={"name": "slowwave-tests", "version": "0"})
                _ask(server, 2, "thread/resume", threadId=session)
                _ask(server, 3, "thread/compact/start", threadId=session)
                _await(server, lambda event: event.get("method") == "turn/completed")
            finally:
                clock.cancel()
                end_group(server)

    def transcript(self, session: str) -> Path:
        """In a folder named after the day, and named by the time and the session."""
        return _only((self.home / ".codex" / "sessions").glob(f"*/*/*/rollout-*-{session}.jsonl"))

    def steps(self, session: str) -> int:
        """One usage record for each response; every compaction has one too."""
        found = rows(self.transcript(session))
        used = {r["payload"]["response_id"] for r in found if r["type"] == "token_usage_record"}
        return len(used) - len([r for r in found if r["type"] == "compacted"])

    def compactions(self, session: str) -> list[str]:
        """`manual` when the turn of the `compacted` row gave no answer, which is how `/compact` looks."""
        kinds: list[str] = []
        turn = 0  # how many there were when the running turn began
        for row in rows(self.transcript(session)):
            event = row["payload"].get("type")
            if row["type"] == "compacted":
                kinds.append("auto")
            elif event == "task_started":
                turn = len(kinds)
            elif event == "task_complete" and row["payload"]["last_agent_message"] is None:
                kinds[turn:] = ["manual"] * len(kinds[turn:])
        return kinds

    def prompts(self, session: str) -> list[str]:
        """The completed `UserMessage` items; a response item of the role `user` may be the harness."""
        payloads = [r["payload"] for r in rows(self.transcript(session))]
        items = [p["item"] for p in payloads if p.get("type") == "item_completed"]
        said = [item["content"] for item in items if item["type"] == "UserMessage"]
        return ["".join(part.get("text", "") for part in content) for content in said]

    def _variables(self, model: FakeModel) -> dict[str, str]:
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(_CODEX_CONFIG.format(url=model.url), "utf-8")
        return {"CODEX_HOME": str(self.config.parent), "FAKE_KEY": "dummy"}


def _ask(server: subprocess.Popen[bytes], number: int, method: str, **params: Any) -> None:
    """One JSON-RPC call on the app server, answered."""
    if server.stdin is None:
        raise CallFailed("the app server has no input")
    request = {"id": number, "method": method, "params": params}
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    _await(server, lambda event: event.get("id") == number)


def _await(server: subprocess.Popen[bytes], wanted: Callable[[dict[str, Any]], bool]) -> None:
    """Read events until the wanted one; an error, or the end of the server, fails."""
    for line in server.stdout or ():
        event = json.loads(line)
        if "error" in event or event.get("method") == "error":
            raise CallFailed(f"the app server said {event}")
        if wanted(event):
            return
    raise CallFailed("the app server ended, or took too long")


def _only(found: Iterator[Path]) -> Path:
    (path,) = found
    return path
