"""The worker: shuts itself in, then does what it is told, one JSON line at a time.

It is started without network, key or secrets, and never trusted. Standard library and the descriptor guard only.

    {"id": 1, "op": "view", "args": {"path": "system/a.md"}}   →   {"id": 1, "ok": "…"}
                                                               or  {"id": 1, "error": "scope", "text": "…", "hint": "…"}
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from slowwave.dream.sandbox import canary, landlock, limits, seccomp
from slowwave.dream.toolbox import WorktreeToolbox
from slowwave.errors import ScopeError, UsageError
from slowwave.memory.scope import Scope

LINE_BYTES = 1 << 20
"""The longest request and answer."""
SHELL_SECONDS = 60
SHELL_OUTPUT = 30_000
"""Characters of a command's output that go back; the middle is left out."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
_READ = ("/etc/ld.so.cache", "/etc/passwd", "/etc/group", "/etc/localtime", "/dev/urandom", "/dev/zero")
_FILE_TOOLS = ("list", "view", "create", "str_replace", "insert", "delete", "rename")


def main() -> None:
    """Read the configuration from the first line, shut in, say so, and serve until the pipe ends."""
    given = json.loads(sys.stdin.buffer.readline(LINE_BYTES))
    limits.close_descriptors()
    if given["level"] == "L3" and os.getuid() == 0:
        limits.become_nobody()
    tools = _tools(given)  # opens the roots by descriptor, before the walls go up
    limits.confine()
    if given["level"] in {"L3", "L2"}:
        landlock.confine(
            (
                (landlock.EXECUTE, (*_SYSTEM, *given["libraries"])),
                (landlock.READ, (*_READ, *given["read"])),
                (landlock.WRITE, given["write"]),
                (("read_file", "write_file"), ("/dev/null",)),
            )
        )
        seccomp.confine()
    serve(tools, sys.stdin.buffer, sys.stdout.buffer)


def _tools(given: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    scope = Scope(Path(given["primary"]), tuple(given["writable"]), tuple(Path(p) for p in given["read"]))
    files = WorktreeToolbox(scope)
    tools: dict[str, Callable[..., Any]] = {name: getattr(files, name) for name in _FILE_TOOLS}
    tools["canary"] = canary.attempt
    if given["shell"]:
        tools["bash"] = _Shell(given["primary"], given["scratch"]).run
    return tools


def serve(tools: Mapping[str, Callable[..., Any]], source: BinaryIO, sink: BinaryIO) -> None:
    """Answer requests until the source ends or is no longer understood."""
    _answer(sink, {"ready": os.getpid()})
    while line := source.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES:
            return
        try:
            request = json.loads(line)
            answer = {"id": request["id"], **_act(tools, request["op"], request["args"])}
        except (ValueError, KeyError, TypeError):
            return
        _answer(sink, answer)


def _act(tools: Mapping[str, Callable[..., Any]], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"ok": tools[name](**given)}
    except KeyError:
        return {"error": "usage", "text": f"there is no tool {name!r}", "hint": ""}
    except ScopeError as error:
        return {"error": "scope", "text": "; ".join(error.problems), "hint": error.hint}
    except UsageError as error:
        return {"error": "usage", "text": "; ".join(error.problems), "hint": error.hint}
    except (OSError, MemoryError, TypeError, ValueError, RecursionError) as error:
        return {"error": "usage", "text": f"{type(error).__name__}: {error}", "hint": ""}


def _answer(sink: BinaryIO, value: Mapping[str, Any]) -> None:
    line = json.dumps(value, default=list).encode("utf-8", "replace")
    if len(line) >= LINE_BYTES:
        line = json.dumps(
            {"id": value.get("id"), "error": "usage", "text": "the answer is too long", "hint": ""}
        ).encode()
    sink.write(line + b"\n")
    sink.flush()


class _Shell:
    """One command at a time, in the walls that stand already."""

    def __init__(self, folder: str, scratch: str) -> None:
        self._folder = folder
        self._environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": scratch, "TMPDIR": scratch, "LANG": "C.UTF-8",
        }  # fmt: skip

    def run(self, command: str) -> str:
        """Run a command; returns what it said on both streams, with its exit code when that is not 0.

        It says it into a file, since what it leaves running would hold a pipe open.
        """
        with tempfile.TemporaryFile(dir=self._environment["TMPDIR"]) as output:
            started = subprocess.Popen(
                ["/bin/sh", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self._environment,
            )
            try:
                code = started.wait(SHELL_SECONDS)
                ended = f"\n[exit {code}]" if code else ""
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
                ended = f"\n[stopped after {SHELL_SECONDS} seconds]"
            output.seek(0)
            said = output.read()
        text = said.decode("utf-8", "replace")
        if len(text) > SHELL_OUTPUT:
            half = SHELL_OUTPUT // 2
            text = f"{text[:half]}\n[{len(text) - SHELL_OUTPUT} characters left out]\n{text[-half:]}"
        return text + ended


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    main()
