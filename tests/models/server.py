"""A model server on loopback: the Messages API, streamed, played by the test; every byte it received is kept.

`play` sees the request's body and answers with an `Act`. It speaks the Responses API too, for agents that do.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

_NUMBER = count(1)
USAGE = {
    "input_tokens": 1000, "output_tokens": 50, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Act:
    """One answer.

    blocks   text and tool_use blocks; a tool_use may have `partial` (raw JSON text) in the place of `input`
    status   anything but 200 answers with `error` (type, message) and `headers`
    cut      end the connection after so many events
    pause    seconds to wait before each event
    """

    blocks: tuple[Mapping[str, Any], ...] = ()
    stop: str = "end_turn"
    usage: Mapping[str, int] = field(default_factory=lambda: USAGE)
    status: int = 200
    error: tuple[str, str] = ("", "")
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    pause: float = 0.0


def text(words: str, **more: Any) -> Act:
    """An answer in words."""
    return Act(({"type": "text", "text": words},), **more)


def tools(*calls: tuple[str, Mapping[str, Any]], **more: Any) -> Act:
    """An answer that calls tools, after a thought."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    wanted = [{"type": "tool_use", "id": f"toolu_{next(_NUMBER)}", "name": n, "input": i} for n, i in calls]
    return Act((thought, *wanted), stop=more.pop("stop", "tool_use"), **more)


def failing(status: int, kind: str, message: str = "no", **headers: str) -> Act:
    """An answer that is an error."""
    return Act(
        status=status, error=(kind, message), headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


Play = Callable[[Mapping[str, Any]], Act]


class ModelServer:
    """The running server. `bodies` holds the raw request bodies in order, `heads` their headers."""

    def __init__(self, play: Play | Iterable[Act]) -> None:
        acts = iter(()) if callable(play) else iter(play)
        self.play: Play = play if callable(play) else (lambda _: next(acts, text("done")))
        self.bodies: list[bytes] = []
        self.heads: list[dict[str, str]] = []
        self.url = ""

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies as values."""
        return [json.loads(b) for b in self.bodies]

    @contextmanager
    def running(self) -> Iterator["ModelServer"]:
        """Serve while the block runs, at `url`."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _handler(owner: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._json(200, {})

        def do_GET(self) -> None:
            self._json(200, {"data": [], "has_more": False, "object": "list", "models": []})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.path.split("?")[0].endswith("/count_tokens"):
                self._json(200, {"input_tokens": len(raw) // 4})
                return
            owner.bodies.append(raw)
            owner.heads.append({k.lower(): v for k, v in self.headers.items()})
            body = json.loads(raw)
            act = owner.play(body)
            if act.status != 200:
                kind, message = act.error
                self._json(
                    act.status, {"type": "error", "error": {"type": kind, "message": message}}, act.headers
                )
            elif self.path.split("?")[0].endswith("/responses"):
                self._events(act, _responses(body, act))
            elif body.get("stream"):
                self._events(act, _messages(body, act))
            else:
                self._json(200, _message(body, act))

        def _json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            for name, said in {"content-type": "application/json", **(headers or {})}.items():
                self.send_header(name, said)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _events(self, act: Act, events: list[dict[str, Any]]) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for event in events[: act.cut]:
                    time.sleep(act.pause)
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                    self.wfile.flush()
            except OSError:
                return  # the other side has gone: that is what some tests are about

    return Handler


def _message(body: Mapping[str, Any], act: Act) -> dict[str, Any]:
    return {
        "id": f"msg_{next(_NUMBER)}", "type": "message", "role": "assistant", "model": body.get("model"),
        "content": [dict(b) for b in act.blocks], "stop_reason": act.stop, "stop_sequence": None,
        "usage": dict(act.usage),
    }  # fmt: skip


def _messages(body: Mapping[str, Any], act: Act) -> list[dict[str, Any]]:
    """The events of a streamed message."""
    begun = _message(body, act) | {
        "content": [],
        "stop_reason": None,
        "usage": {**act.usage, "output_tokens": 1},
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(act.blocks):
        empty, delta = _parts(block)
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in delta]
        events.append({"type": "content_block_stop", "index": index})
    ends = {"stop_reason": act.stop, "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": ends, "usage": dict(act.usage)},
        {"type": "message_stop"},
    ]


def _parts(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it begins, and what grows it."""
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
    if block["type"] == "thinking":
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        return empty, [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    raw = block.get("partial") or json.dumps(block["input"])
    half = len(raw) // 2
    begun: dict[str, Any] = {"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}
    return begun, [{"type": "input_json_delta", "partial_json": p} for p in (raw[:half], raw[half:])]


def _responses(body: Mapping[str, Any], act: Act) -> list[dict[str, Any]]:
    """The events of a streamed answer of the Responses API; words only."""
    name = f"resp_{next(_NUMBER)}"
    said = "".join(b["text"] for b in act.blocks if b["type"] == "text")
    item = {
        "type": "message", "id": f"item_{name}", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": said, "annotations": []}],
    }  # fmt: skip
    used = {
        "input_tokens": act.usage["input_tokens"], "output_tokens": act.usage["output_tokens"],
        "total_tokens": act.usage["input_tokens"] + act.usage["output_tokens"],
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    whole = {
        "id": name,
        "object": "response",
        "status": "completed",
        "model": body.get("model"),
        "output": [item],
    }
    return [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole | {"usage": used}},
    ]
