"""The Messages API, streamed, through the anthropic SDK; any endpoint that speaks it, by `base_url`.

The SDK takes seconds to import, so it is imported at the first question, in the dream's own process. Its retries are
off: each try is an entry in the ledger, and only the engine may wait. The stable prefix (tools, system prompt) and
the newest message carry cache marks, so that every further question of a pass reads what the last one wrote.

Doorway 4, the one importer of anthropic.
"""

import functools
import json
import queue
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

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

if TYPE_CHECKING:
    import anthropic

_CACHED = {"type": "ephemeral"}
_CONNECT_SECONDS = 15.0
_LOOK_SECONDS = 0.1  # how often a wait looks whether it was called off
_STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "tool_use": Stop.TOOLS,
    "max_tokens": Stop.MAX_TOKENS,
}
_BY_STATUS = {
    400: FailureKind.BAD_REQUEST, 401: FailureKind.AUTH, 402: FailureKind.BILLING, 403: FailureKind.AUTH,
    404: FailureKind.NO_MODEL, 408: FailureKind.TIMEOUT, 413: FailureKind.TOO_LONG, 422: FailureKind.BAD_REQUEST,
    429: FailureKind.RATE_LIMIT, 504: FailureKind.TIMEOUT, 529: FailureKind.OVERLOADED,
}  # fmt: skip
_BY_TYPE = {
    "rate_limit_error": FailureKind.RATE_LIMIT, "overloaded_error": FailureKind.OVERLOADED,
    "billing_error": FailureKind.BILLING, "authentication_error": FailureKind.AUTH,
    "request_too_large": FailureKind.TOO_LONG, "timeout_error": FailureKind.TIMEOUT,
    "api_error": FailureKind.SERVER,
}  # fmt: skip


def endpoint_of(base_url: str) -> str:
    """The host and port that is asked."""
    return urlsplit(base_url).netloc or "api.anthropic.com"


@dataclass
class AnthropicModel:
    """One model at one endpoint. The key is masked in `repr`."""

    name: str
    key: str = field(repr=False)
    base_url: str = ""
    converses: bool = True
    _client: "anthropic.Anthropic | None" = field(default=None, repr=False)

    @property
    def endpoint(self) -> str:
        """The host that is asked."""
        return endpoint_of(self.base_url)

    def ask(self, request: Request, cancelled: Callable[[], bool]) -> Answer:
        """Ask once, and read the answer as it comes.

        The reading is done by a thread of its own: a socket that says nothing cannot be waited for and
        interrupted at once. A thread that is given up on ends with its connection, or with the process.
        """
        import anthropic  # seconds and 80 MB: only where a model is really asked

        if self._client is None:
            self._client = anthropic.Anthropic(
                api_key=self.key, base_url=self.base_url or "https://api.anthropic.com", max_retries=0
            )
            weakref.finalize(self, self._client.close)  # its connections live as long as this model
        seen = _Seen()
        answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        reader = functools.partial(self._read, self._client, request, seen, answers.put)
        threading.Thread(target=reader, name="model answer", daemon=True).start()
        deadline = time.monotonic() + request.timeout_seconds
        while True:
            try:
                return answers.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if cancelled():
                    return seen.failure(FailureKind.CANCELLED, "asked to stop")
                if time.monotonic() > deadline:
                    late = f"{self.endpoint}: no whole answer in {request.timeout_seconds:g} s"
                    return seen.failure(FailureKind.TIMEOUT, late)

    def _read(
        self, client: "anthropic.Anthropic", request: Request, seen: "_Seen", tell: Callable[[Answer], None]
    ) -> None:
        import anthropic

        try:
            with client.messages.create(
                **_body(self.name, request), stream=True, timeout=_timeout(request)
            ) as stream:
                for event in stream:
                    seen.take(event.to_dict())
            tell(seen.answer())
        except anthropic.APIStatusError as error:
            tell(_status_failure(error, seen))
        except anthropic.APITimeoutError as error:
            tell(seen.failure(FailureKind.TIMEOUT, f"{self.endpoint}: {error}"))
        except anthropic.APIConnectionError as error:
            tell(seen.failure(FailureKind.NETWORK, f"{self.endpoint}: {error.__cause__ or error}"))
        except anthropic.APIError as error:  # an error event inside the stream
            kind = _BY_TYPE.get(_error_type(error.body), FailureKind.SERVER)
            tell(seen.failure(kind, error.message))
        except Exception as error:  # noqa: BLE001 - the HTTP library's own, and JSON that ends in the middle
            tell(seen.failure(FailureKind.CUT, f"the answer broke off: {type(error).__name__}: {error}"))


def _timeout(request: Request) -> Any:
    """Patience between two bytes. The whole answer has its own limit, watched between events."""
    import anthropic

    return anthropic.Timeout(request.timeout_seconds, connect=min(_CONNECT_SECONDS, request.timeout_seconds))


# ---------------------------------------------------------------------- what is sent
def _body(model: str, request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model, "max_tokens": request.max_tokens,
        "system": [{"type": "text", "text": request.system, "cache_control": _CACHED}],
        "messages": [_message(m) for m in request.messages],
    }  # fmt: skip
    body["messages"][-1]["content"][-1]["cache_control"] = _CACHED
    if request.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": dict(t.schema)}
            for t in request.tools
        ]
    return body


def _message(message: Message) -> dict[str, Any]:
    return {"role": str(message.speaker), "content": [_block(b) for b in message.blocks]}


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Text(text=text):
            return {"type": "text", "text": text}
        case ToolCall(id=id_, name=name, input=given):
            return {"type": "tool_use", "id": id_, "name": name, "input": dict(given)}
        case ToolResult(call_id=call_id, text=text, failed=failed):
            return {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": failed}
        case Opaque(value=value):
            return dict(value)


# ---------------------------------------------------------------------- what comes back
class _Seen:
    """The answer so far, folded from the events of the stream."""

    def __init__(self) -> None:
        self.blocks: dict[int, dict[str, Any]] = {}
        self.json: dict[int, str] = {}
        self.counts: dict[str, int] = {}
        self.stop = ""
        self.begun = self.ended = False

    def take(self, event: Mapping[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                self.begun = True
                self._count(event["message"].get("usage"))
            case "content_block_start":
                self.blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                self._grow(event["index"], event["delta"])
            case "message_delta":
                self.stop = event["delta"].get("stop_reason") or self.stop
                self._count(event.get("usage"))
            case "message_stop":
                self.ended = True

    def _grow(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self.blocks.setdefault(index, {"type": "text", "text": ""})
        match delta.get("type"):
            case "text_delta":
                block["text"] = block.get("text", "") + delta["text"]
            case "input_json_delta":
                self.json[index] = self.json.get(index, "") + delta["partial_json"]
            case "thinking_delta":
                block["thinking"] = block.get("thinking", "") + delta["thinking"]
            case "signature_delta":
                block["signature"] = block.get("signature", "") + delta["signature"]

    def _count(self, usage: Mapping[str, Any] | None) -> None:
        """Counts are cumulative; the later ones stand."""
        self.counts |= {k: v for k, v in (usage or {}).items() if isinstance(v, int)}

    @property
    def usage(self) -> Usage:
        """What was used, as far as the other side has said; words that came and were not counted, estimated."""
        came = len(json.dumps(list(self.blocks.values()))) + sum(map(len, self.json.values()))
        output = self.counts.get("output_tokens", 0)
        return Usage(
            self.counts.get("input_tokens", 0), output if self.ended else max(output, came // 3),
            self.counts.get("cache_read_input_tokens", 0), self.counts.get("cache_creation_input_tokens", 0),
        )  # fmt: skip

    def failure(self, kind: FailureKind, text: str, retry_after: float | None = None) -> Failure:
        """What failed. Without any usage seen, an answer that was begun or timed out may have cost something."""
        known = self.begun or kind not in {FailureKind.TIMEOUT, FailureKind.CUT, FailureKind.CANCELLED}
        return Failure(kind, text, retry_after, self.usage if self.begun else Usage(), known)

    def answer(self) -> Answer:
        if not self.ended:
            return self.failure(FailureKind.CUT, "the answer broke off before its end")
        if self.stop == "refusal":
            return self.failure(FailureKind.REFUSAL, "the model refused")
        if self.stop == "model_context_window_exceeded":
            return self.failure(FailureKind.TOO_LONG, "the conversation outgrew the model's context")
        blocks = tuple(
            _read_block(b, self.json.get(n))
            for n, b in sorted(self.blocks.items())
            if b != {"type": "text", "text": ""}
        )
        return Reply(blocks, _STOPS.get(self.stop, Stop.END), self.usage)


def _read_block(block: Mapping[str, Any], text: str | None) -> Block:
    if block.get("type") == "text":
        return Text(str(block.get("text", "")))
    if block.get("type") == "tool_use":
        given, problem = _input(text) if text else (block.get("input") or {}, "")
        return ToolCall(str(block.get("id", "")), str(block.get("name", "")), given, problem)
    return Opaque(dict(block))


def _input(text: str) -> tuple[Mapping[str, Any], str]:
    """The input of a tool call, or why it has none."""
    try:
        given = json.loads(text)
    except ValueError as error:
        return {}, f"the input is not JSON: {error}"
    return (given, "") if isinstance(given, dict) else ({}, "the input is not a JSON object")


def _status_failure(error: "anthropic.APIStatusError", seen: _Seen) -> Failure:
    """A failure by its status. A prompt that is too long is told by its words alone, at every endpoint."""
    kind = _BY_STATUS.get(error.status_code, FailureKind.SERVER)
    kind = _BY_TYPE.get(_error_type(error.body), kind)
    said = error.message.lower()
    if kind is FailureKind.BAD_REQUEST and any(
        w in said for w in ("too long", "context length", "maximum context")
    ):
        kind = FailureKind.TOO_LONG
    if kind is FailureKind.BAD_REQUEST and "credit balance" in said:
        kind = FailureKind.BILLING
    return seen.failure(
        kind, f"{error.status_code}: {error.message}"[:500], _retry_after(error.response.headers)
    )


def _error_type(body: object) -> str:
    inner = body.get("error") if isinstance(body, dict) else None
    return str(inner.get("type", "")) if isinstance(inner, dict) else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after") or ""))
    except ValueError:
        return None  # absent, or a date: the engine's own back-off serves
