"""Sessions whose rows are as big as in life, made from a fixed seed: what `read_speed` reads for its mixed case.

Real sessions are mostly small rows by number and mostly tool output by bytes. The shares follow what the clients
write: Claude Code tells a result twice (to the model, and as `toolUseResult`), cuts a shell's output at 30,000
characters and a file's at about 100,000, and inlines screenshots; Codex writes 20 KB of instructions at the start,
encrypted reasoning, and a command's output in the model's row and in an event. Sizes of results are log-normal.
"""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

FILE_BYTES = 20_000_000
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_WORDS = [
    "the",
    "a",
    "of",
    "to",
    "in",
    "for",
    "is",
    "it",
    "that",
    "this",
    "with",
    "not",
    "when",
    "from",
    "test",
    "tests",
    "file",
    "line",
    "value",
    "error",
    "failed",
    "passed",
    "build",
    "retry",
    "queue",
    "worker",
    "client",
    "server",
    "request",
    "response",
    "config",
    "token",
    "key",
    "path",
    "branch",
    "commit",
    "merge",
    "cache",
    "index",
    "parser",
    "reader",
    "writer",
    "schema",
    "migration",
    "timeout",
    "handler",
    "session",
    "turn",
    "user",
    "äußerst",
    "größer",
    "naïve",
    "設定",
    "import",
    "return",
    "def",
    "class",
    "self",
    "None",
    "True",
    "if",
    "else",
    "while",
    "raise",
    "except",
    "assert",
]
_SHAPES: tuple[Callable[[random.Random], str], ...] = (
    lambda r: " ".join(r.choices(_WORDS, k=r.randint(4, 16))),
    lambda r: (
        f"    {r.choice(_WORDS)} = {r.choice(_WORDS)}({r.choice(_WORDS)}={r.randint(0, 9999)})  # {_said(r, 5)}"
    ),
    lambda r: f"src/{r.choice(_WORDS)}/{r.choice(_WORDS)}.py:{r.randint(1, 900)}: {_said(r, 6)}",
    lambda r: (
        f"2026-01-{r.randint(10, 28)}T10:{r.randint(10, 59)}:00Z INFO {r.randbytes(20).hex()} {_said(r, 7)}"
    ),
    lambda r: f'  "{r.choice(_WORDS)}": "{_said(r, 3)}",\t{r.random():.6f}',
)


def _said(r: random.Random, words: int) -> str:
    return " ".join(r.choices(_WORDS, k=words))


class _Text:
    """Slices of one long made-up text: lines of prose, code, listings and logs."""

    def __init__(self, r: random.Random) -> None:
        lines = [
            r.choice(_SHAPES)(r) if r.random() > 0.002 else f"see https://example.org/{_said(r, 1)}"
            for _ in range(40_000)
        ]
        self._r, self._text = r, "\n".join(lines)

    def of(self, median: float, spread: float, most: int) -> str:
        """About `median` characters, log-normally spread, never more than `most`."""
        size = min(most, max(8, int(self._r.lognormvariate(0, spread) * median)))
        at = self._r.randrange(len(self._text) - size)
        return self._text[at : at + size]


def write(folder: Path, source: str, size: int, seed: int = 7) -> None:
    """Files of one source below `folder`, about `size` bytes together."""
    r = random.Random(f"{seed} {source}")
    text, folder = _Text(r), folder / "made"
    folder.mkdir(parents=True)
    rows = {"claude-code": _claude, "codex": _codex}[source]
    written = 0
    while written < size:
        name = str(_id(r))
        path = folder / (
            f"{name}.jsonl" if source == "claude-code" else f"rollout-2026-01-05T09-00-00-{name}.jsonl"
        )
        with path.open("wb") as file:
            for row in rows(r, text, name):
                line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                written += file.write(line)
                if file.tell() >= FILE_BYTES or written >= size:
                    break


def _id(r: random.Random) -> UUID:
    return UUID(bytes=r.randbytes(16), version=4)


def _claude(r: random.Random, text: _Text, session: str) -> Iterator[dict[str, Any]]:
    at, parent = _START, None

    def row(kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        nonlocal at, parent
        at += timedelta(seconds=r.randint(1, 40))
        own = str(_id(r))
        before, parent = parent, own
        stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"parentUuid": before, "isSidechain": False, "userType": "external", "cwd": "/home/dev/work/demo",
                "sessionId": session, "version": "2.1.197", "gitBranch": "main", "type": kind, "message": message,
                "uuid": own, "timestamp": stamp, **more}  # fmt: skip

    while True:
        yield row("user", {"role": "user", "content": text.of(160, 1.1, 20_000)}, promptSource="typed")
        for step in range(steps := r.randint(2, 14)):
            last = step == steps - 1
            shared = {"id": f"msg_{r.randbytes(12).hex()}", "type": "message", "role": "assistant",
                      "model": "claude-sonnet-4-5", "stop_reason": "end_turn" if last else "tool_use",
                      "usage": {"input_tokens": 4, "cache_read_input_tokens": r.randint(9_000, 150_000),
                                "cache_creation_input_tokens": 900, "output_tokens": r.randint(20, 900)}}  # fmt: skip
            if r.random() < 0.3:
                thinking = {
                    "type": "thinking",
                    "thinking": text.of(500, 0.9, 20_000),
                    "signature": _blob(r, 700),
                }
                yield row("assistant", {**shared, "content": [thinking]}, requestId="req_1")
            if last or r.random() < 0.4:
                said = {"type": "text", "text": text.of(300, 1.0, 20_000)}
                yield row("assistant", {**shared, "content": [said]}, requestId="req_1")
            if last:
                break
            call = f"toolu_{r.randbytes(12).hex()}"
            name, asked = r.choice(
                (("Bash", 110), ("Read", 60), ("Edit", 900), ("Grep", 70), ("Write", 2500))
            )
            used = {
                "type": "tool_use",
                "id": call,
                "name": name,
                "input": {"command": text.of(asked, 0.8, 60_000)},
            }
            yield row("assistant", {**shared, "content": [used]}, requestId="req_1")
            if r.random() < 0.006:
                data = {
                    "type": "base64",
                    "media_type": "image/png",
                    "data": _blob(r, r.randint(80_000, 600_000)),
                }
                result: Any = [{"type": "image", "source": data}]
                told: Any = {"type": "image", "file": {"base64": data["data"], "type": "image/png"}}
            else:
                result = text.of(1400, 1.5, 100_000 if name == "Read" else 30_000)
                told = {"stdout": result, "stderr": "", "interrupted": False, "isImage": False}
            answer = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": False}
            yield row("user", {"role": "user", "content": [answer]}, toolUseResult=told)


def _codex(r: random.Random, text: _Text, session: str) -> Iterator[dict[str, Any]]:
    at, ordinal = _START, 0

    def row(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal at, ordinal
        at += timedelta(seconds=r.randint(1, 20))
        ordinal += 1
        stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"timestamp": stamp, "ordinal": ordinal, "type": kind, "payload": payload}

    yield row("session_meta", {"id": session, "cwd": "/home/dev/work/demo", "cli_version": "0.144.1",
              "originator": "codex_cli", "git": {"branch": "main"}, "base_instructions": text.of(20_000, 0, 20_000)})  # fmt: skip
    while True:
        turn = str(_id(r))
        yield row("event_msg", {"type": "task_started", "turn_id": turn, "model_context_window": 272_000})
        context = {
            "turn_id": turn,
            "cwd": "/home/dev/work/demo",
            "model": "gpt-5",
            "approval_policy": "never",
        }
        yield row("turn_context", {**context, "user_instructions": text.of(2500, 0.1, 4000)})
        asked = text.of(160, 1.1, 20_000)
        content = [{"type": "input_text", "text": asked}]
        yield row("response_item", {"type": "message", "role": "user", "content": content})
        yield row("event_msg", {"type": "user_message", "message": asked, "images": []})
        for _ in range(r.randint(2, 14)):
            yield from _codex_step(r, text, row)
        said = text.of(300, 1.0, 20_000)
        content = [{"type": "output_text", "text": said}]
        yield row("response_item", {"type": "message", "role": "assistant", "content": content})
        yield row("event_msg", {"type": "agent_message", "message": said})
        yield row("event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": said})


def _codex_step(
    r: random.Random, text: _Text, row: Callable[[str, dict[str, Any]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    summary = [{"type": "summary_text", "text": text.of(120, 0.6, 2000)}]
    yield row("response_item", {"type": "reasoning", "summary": summary, "encrypted_content": _blob(r, r.randint(600, 4000))})  # fmt: skip
    call = f"call_{r.randbytes(12).hex()}"
    arguments = json.dumps(
        {"command": ["bash", "-lc", text.of(110, 0.9, 20_000)], "workdir": "/home/dev/work/demo"}
    )
    yield row(
        "response_item", {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call}
    )
    output = text.of(1400, 1.5, 40_000)
    ended = {
        "type": "exec_command_end",
        "call_id": call,
        "stdout": output,
        "aggregated_output": output,
        "exit_code": 0,
    }
    yield row("event_msg", ended)
    told = f"Exit code: 0\nWall time: 0.4 seconds\nOutput:\n{output}"
    yield row("response_item", {"type": "function_call_output", "call_id": call, "output": told})
    usage = {
        "input_tokens": r.randint(9_000, 150_000),
        "output_tokens": 200,
        "total_tokens": r.randint(9_000, 150_000),
    }
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 272_000}
    yield row("event_msg", {"type": "token_count", "info": info, "rate_limits": None})


def _blob(r: random.Random, size: int) -> str:
    """Base64-like text, which is neither words nor a secret."""
    return (r.randbytes(384).hex() * (size // 768 + 1))[:size]
