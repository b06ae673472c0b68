"""A coding agent the person already pays for, run headless: one question in, one answer by a JSON schema out.

Its own tools are off, its configuration home is one of ours (so that nothing of the person's own set-up is loaded, and
its sessions are known as ours and never read), and it works in an empty folder. It cannot see what its calls do, so it
gives them all at once. A subscription is used by its login alone: keys that would bill an API are not handed on.

The flags are those of Claude Code 2.1 and Codex 0.171. Doorway 4.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slowwave.errors import RefusedError
from slowwave.model import Usage
from slowwave.models.protocol import (
    Answer,
    Block,
    Failure,
    FailureKind,
    Message,
    Opaque,
    Reply,
    Request,
    Stop,
    Text,
    ToolCall,
    ToolResult,
)

# Strict schemas allow no free-form object, so the input of a call is JSON inside a string.
SCHEMA: Mapping[str, Any] = {
    "type": "object", "additionalProperties": False, "required": ["calls"],
    "properties": {"calls": {"type": "array", "items": {
        "type": "object", "additionalProperties": False, "required": ["name", "input"],
        "properties": {
            "name": {"type": "string", "description": "the tool"},
            "input": {"type": "string", "description": "its input, as the text of a JSON object"},
        },
    }}},
}  # fmt: skip
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
         "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")  # fmt: skip
_HOW_TO_ANSWER = (
    'You cannot call tools here. Answer with one JSON object {"calls": […]}: every call you would make, in order, with'
    " its input as the text of a JSON object. You will not see what they do. No call: an empty list."
)
_MOST_OUTPUT = 16 << 20
_LOOK_SECONDS = 0.05
_GRACE_SECONDS = 3.0
_STATUS = {
    401: FailureKind.AUTH, 403: FailureKind.AUTH, 402: FailureKind.BILLING, 404: FailureKind.NO_MODEL,
    413: FailureKind.TOO_LONG, 429: FailureKind.RATE_LIMIT, 529: FailureKind.OVERLOADED,
}  # fmt: skip
# Looked for in this order: what a program says when it gives no status.
_WORDS = (
    ("log in", FailureKind.AUTH), ("login", FailureKind.AUTH), ("api key", FailureKind.AUTH),
    ("unauthorized", FailureKind.AUTH), ("credit", FailureKind.BILLING), ("usage limit", FailureKind.RATE_LIMIT),
    ("rate limit", FailureKind.RATE_LIMIT), ("too many requests", FailureKind.RATE_LIMIT),
    ("overloaded", FailureKind.OVERLOADED), ("too long", FailureKind.TOO_LONG),
    ("context window", FailureKind.TOO_LONG), ("refus", FailureKind.REFUSAL), ("connect", FailureKind.NETWORK),
)  # fmt: skip


def program_name(program: str) -> str:
    """The agent a program is: the last part of its path, without an ending."""
    return Path(program).name.partition(".")[0]


@dataclass
class AgentModel:
    """One agent, in its own home.

    program     its name or path; the name decides how it is talked to
    home        its configuration home, made at need and kept: a login made there stays
    tells_cost  whether its own word on money counts (not for a subscription, which is paid for)
    """

    program: str
    home: Path
    env: Mapping[str, str] = field(repr=False)
    model: str = ""
    tells_cost: bool = False
    converses: bool = False

    def __post_init__(self) -> None:
        kind = _KINDS.get(program_name(self.program))
        if kind is None:
            raise RefusedError(f"agent.program = {self.program!r}: only {' and '.join(_KINDS)} can be asked")
        found = shutil.which(self.program, path=self.env.get("PATH"))
        if found is None:
            raise RefusedError(
                f"{self.program} is not installed, or not on PATH", hint="set agent.program to its path"
            )
        self._kind = kind(found, self.home / program_name(self.program), self.model)

    @property
    def name(self) -> str:
        """The model's name, else the agent's own choice."""
        return self.model or program_name(self.program)

    @property
    def endpoint(self) -> str:
        """The program."""
        return program_name(self.program)

    def ask(self, request: Request, cancelled: Callable[[], bool]) -> Answer:
        """Run it once."""
        self._kind.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix="slowwave-agent-") as folder:
            argv = self._kind.argv(request, Path(folder))
            text = self._kind.prompt(request)
            ended = _run(
                argv, text, self._environment(request), Path(folder), request.timeout_seconds, cancelled
            )
        if isinstance(ended, Failure):
            return ended
        answer = self._kind.read(*ended)
        if isinstance(answer, Reply) and not self.tells_cost:
            return Reply(answer.blocks, answer.stop, answer.usage)
        return answer

    def _environment(self, request: Request) -> dict[str, str]:
        kept = {name: self.env[name] for name in _KEPT if name in self.env}
        wanted = self._kind.metered if self.tells_cost else self._kind.subscribed
        keys = {name: self.env[name] for name in wanted if name in self.env}
        return {**kept, "HOME": str(self.home), **self._kind.settings(request), **keys}


# ---------------------------------------------------------------------- the agents
@dataclass
class _Agent(ABC):
    """How one agent is called. `metered` and `subscribed` are the variables it gets by either billing."""

    program: str
    home: Path
    model: str
    metered: Sequence[str] = ()
    subscribed: Sequence[str] = ()

    @abstractmethod
    def argv(self, request: Request, folder: Path) -> list[str]:
        """The call; the prompt comes on standard input."""

    @abstractmethod
    def settings(self, request: Request | None = None) -> dict[str, str]:
        """Its own variables, for a question."""

    @abstractmethod
    def read(self, code: int, out: str, err: str) -> Answer:
        """What it said."""

    def prompt(self, request: Request) -> str:
        """The whole question as text."""
        tools = [{"name": t.name, "description": t.description, "input": t.schema} for t in request.tools]
        parts = [
            _HOW_TO_ANSWER,
            f"The tools:\n{json.dumps(tools, ensure_ascii=False)}",
            *(_said(message) for message in request.messages),
        ]
        return "\n\n".join(parts)


@dataclass
class _Claude(_Agent):
    metered: Sequence[str] = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
    subscribed: Sequence[str] = ("CLAUDE_CODE_OAUTH_TOKEN",)

    def argv(self, request: Request, folder: Path) -> list[str]:
        del folder
        return [
            self.program, "-p", "--output-format", "json", "--tools", "", "--json-schema", json.dumps(SCHEMA),
            "--system-prompt", request.system, "--no-session-persistence", "--strict-mcp-config",
            "--setting-sources", "", "--disable-slash-commands", *(["--model", self.model] if self.model else []),
        ]  # fmt: skip

    def settings(self, request: Request | None = None) -> dict[str, str]:
        most = {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(request.max_tokens)} if request else {}
        return {
            "CLAUDE_CONFIG_DIR": str(self.home), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0", **most,
        }  # fmt: skip

    def read(self, code: int, out: str, err: str) -> Answer:
        try:
            said = json.loads(out)
            used = said.get("usage") or {}
        except (ValueError, AttributeError):
            return _failed(code, out or err)
        counts = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        usage = Usage(*(int(used.get(name) or 0) for name in counts))
        if said.get("is_error") or code:
            return _failed(code, str(said.get("result") or err), said.get("api_error_status"), usage)
        answer = said.get("structured_output", said.get("result"))
        return _reply(answer, usage, said.get("total_cost_usd"))


@dataclass
class _Codex(_Agent):
    metered: Sequence[str] = ("OPENAI_API_KEY", "CODEX_API_KEY")

    _TOOLS = frozenset({
        "shell_tool", "unified_exec", "apps", "browser_use", "computer_use", "image_generation", "hooks",
        "in_app_browser", "plugins", "multi_agent", "goals", "skill_search", "tool_suggest", "code_mode_host",
        "view_image", "web_search_request", "memories",
    })  # fmt: skip

    def argv(self, request: Request, folder: Path) -> list[str]:
        del request
        schema = folder / "schema.json"
        schema.write_text(json.dumps(SCHEMA), "utf-8")
        off = [word for name in self._features() for word in ("--disable", name)]
        return [
            self.program, "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-rules", "-s", "read-only",
            "-c", 'web_search="disabled"', "--output-schema", str(schema), *off,
            *(["--model", self.model] if self.model else []), "-",
        ]  # fmt: skip

    def _features(self) -> list[str]:
        """The features to switch off, of those this version knows: one it does not know stops it."""
        try:
            done = subprocess.run(
                [self.program, "features", "list"], capture_output=True, timeout=20, check=False, text=True,
                env={"PATH": os.environ.get("PATH", ""), **self.settings()}, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return []
        known = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
        return sorted(self._TOOLS & known)

    def settings(self, request: Request | None = None) -> dict[str, str]:
        del request  # it has no limit for the length of an answer
        return {"CODEX_HOME": str(self.home)}

    def prompt(self, request: Request) -> str:
        return f"{request.system}\n\n{super().prompt(request)}"

    def read(self, code: int, out: str, err: str) -> Answer:
        usage, said, wrong = Usage(), None, ""
        for event in _events(out):
            match event.get("type"):
                case "item.completed" if event["item"].get("type") == "agent_message":
                    said = event["item"].get("text")
                case "turn.completed":
                    usage = _codex_usage(event.get("usage") or {})
                case "turn.failed":
                    wrong = str((event.get("error") or {}).get("message"))
                case "error":
                    wrong = wrong or str(event.get("message"))
        if said is None or code:
            return _failed(code, wrong or err, None, usage)
        return _reply(said, usage, None)


_KINDS: dict[str, type[_Agent]] = {"claude": _Claude, "codex": _Codex}


def _codex_usage(used: Mapping[str, Any]) -> Usage:
    """Its input counts what came from the cache as well."""
    cached, written = (
        int(used.get("cached_input_tokens") or 0),
        int(used.get("cache_write_input_tokens") or 0),
    )
    whole = int(used.get("input_tokens") or 0)
    return Usage(max(whole - cached - written, 0), int(used.get("output_tokens") or 0), cached, written)


def _events(out: str) -> Iterator[dict[str, Any]]:
    for line in out.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def _said(message: Message) -> str:
    return "\n".join(_block(b) for b in message.blocks)


def _block(block: Block) -> str:
    match block:
        case Text(text=text):
            return text
        case ToolCall(name=name, input=given):
            return f"(called {name} with {json.dumps(dict(given), ensure_ascii=False)})"
        case ToolResult(text=text):
            return f"(it said: {text})"
        case Opaque():
            return ""


def _reply(answer: Any, usage: Usage, cost: Any) -> Answer:
    """The calls an answer holds; one that is not of the schema is unreadable."""
    try:
        value = json.loads(answer) if isinstance(answer, str) else answer
        wanted = [(str(each["name"]), each["input"]) for each in value["calls"]]
    except (ValueError, KeyError, TypeError) as error:
        return Failure(
            FailureKind.UNREADABLE, f"the answer is not of the schema asked for: {error!r}", None, usage
        )
    calls = tuple(_call(number, name, given) for number, (name, given) in enumerate(wanted, 1))
    return Reply(
        calls, Stop.TOOLS if calls else Stop.END, usage, cost if isinstance(cost, int | float) else None
    )


def _call(number: int, name: str, given: Any) -> ToolCall:
    try:
        value = json.loads(given) if isinstance(given, str) else given
    except ValueError as error:
        return ToolCall(f"call-{number}", name, {}, f"the input is not JSON: {error}")
    if not isinstance(value, dict):
        return ToolCall(f"call-{number}", name, {}, "the input is not a JSON object")
    return ToolCall(f"call-{number}", name, value)


def _failed(code: int, text: str, status: Any = None, usage: Usage | None = None) -> Failure:
    said = " ".join(text.split())[:500] or "it said nothing"
    kind = _STATUS.get(status) if isinstance(status, int) else None
    if kind is None and isinstance(status, int) and status >= 500:
        kind = FailureKind.SERVER
    kind = kind or next((k for word, k in _WORDS if word in said.lower()), FailureKind.SERVER)
    return Failure(kind, f"exit code {code}: {said}", None, usage or Usage())


# ---------------------------------------------------------------------- the process
def _run(
    argv: Sequence[str],
    text: str,
    env: Mapping[str, str],
    folder: Path,
    seconds: float,
    cancelled: Callable[[], bool],
) -> tuple[int, str, str] | Failure:
    """Run it to its end, its whole process group with it. Pipes are files: a child it leaves cannot hold us."""
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        asked.write(text.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            process = subprocess.Popen(
                argv, stdin=asked, stdout=out, stderr=err, env=dict(env), cwd=folder,
                start_new_session=os.name == "posix", close_fds=True,
            )  # fmt: skip
        except OSError as error:
            return Failure(FailureKind.NETWORK, f"{argv[0]} cannot be started: {error}")
        deadline = time.monotonic() + seconds
        try:
            while process.poll() is None:
                if cancelled():
                    return Failure(FailureKind.CANCELLED, "asked to stop", known=False)
                if time.monotonic() > deadline:
                    return Failure(FailureKind.TIMEOUT, f"{argv[0]}: no answer in {seconds:g} s", known=False)
                time.sleep(_LOOK_SECONDS)
        finally:
            _end(process)
        return process.returncode, _text_of(out), _text_of(err)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask, then force; the group is its own, so nothing it started stays."""
    for number in (signal.SIGTERM, signal.SIGKILL) if os.name == "posix" else ():
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    if process.poll() is None:
        process.kill()
    process.wait()


def _text_of(file: Any) -> str:
    file.seek(0)
    return bytes(file.read(_MOST_OUTPUT)).decode("utf-8", "replace")
