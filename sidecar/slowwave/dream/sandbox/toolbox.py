"""The parent's side of the confined hands: starts a worker, proves its walls, asks it, and ends it.

The highest level that holds is taken: each is proven by the worker of that very dream trying to get out. When none
holds there is no worker; the file tools then work in this process behind the descriptor guard, and a shell is refused.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from slowwave.dream.reflector import Toolbox
from slowwave.dream.sandbox import bubblewrap, canary, landlock, limits, seatbelt, seccomp, worker
from slowwave.dream.sandbox.levels import Level, Proof
from slowwave.dream.toolbox import WorktreeToolbox
from slowwave.errors import RefusedError, ScopeError, UsageError
from slowwave.memory.scope import Scope

START_SECONDS = 15.0
CALL_SECONDS = worker.SHELL_SECONDS + 10.0
_RUN = "from slowwave.dream.sandbox import worker; worker.main()"


class ConfinedToolbox:
    """A `Toolbox` whose work is done by a worker. Use it through `confined`.

    ScopeError and UsageError are the worker's answers; RefusedError means that the worker is gone.
    """

    def __init__(self, level: Level, scope: Scope, scratch: Path, *, shell: bool) -> None:
        self.level = level
        libraries = _libraries()
        read, write = [str(p) for p in scope.readonly], [str(scope.primary), str(scratch)]
        command = [sys.executable, "-I", "-c", f"import sys; sys.path[:] = {libraries!r}; {_RUN}"]
        if level is Level.L3:
            if os.getuid() == 0:
                _hand_over(scope.primary, scratch)
            command = bubblewrap.command(command, read=[*libraries, *_interpreter(), *read], write=write)
        elif level is Level.L1:
            command = seatbelt.command(command, read=[*libraries, *_interpreter(), *read], write=write)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=scope.primary,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            start_new_session=True,
        )
        self._requests, self._answers = _pipes(self._process)
        self._buffer = b""
        self._count = 0
        self._send(
            {
                "level": str(level),
                "primary": str(scope.primary),
                "writable": list(scope.writable),
                "read": read,
                "write": write,
                "scratch": str(scratch),
                "libraries": [*libraries, *_interpreter()],
                "shell": shell,
            }
        )
        self._receive(START_SECONDS)

    # ------------------------------------------------------------------ the tools
    def list(self) -> tuple[str, ...]:
        """Every path in scope that may be written, sorted."""
        return tuple(self._ask("list"))

    def view(self, path: str) -> str:
        """The text of a file."""
        return str(self._ask("view", path=path))

    def create(self, path: str, text: str) -> None:
        """Write a new file; one that exists is never overwritten."""
        self._ask("create", path=path, text=text)

    def str_replace(self, path: str, old: str, new: str) -> None:
        """Replace the only occurrence of `old`."""
        self._ask("str_replace", path=path, old=old, new=new)

    def insert(self, path: str, line: int, text: str) -> None:
        """Insert lines after line `line`, counted from 1; 0 is the top."""
        self._ask("insert", path=path, line=line, text=text)

    def delete(self, path: str) -> None:
        """Remove a file."""
        self._ask("delete", path=path)

    def rename(self, old: str, new: str) -> None:
        """Move a file to a path that is free."""
        self._ask("rename", old=old, new=new)

    def bash(self, command: str) -> str:
        """Run a shell command inside the walls. RefusedError at the lowest level, or when the person wants none."""
        return str(self._ask("bash", command=command))

    # ------------------------------------------------------------------ the walls
    def prove(self) -> tuple[str, ...]:
        """Let the worker try to get out; returns the escapes that went through."""
        with tempfile.TemporaryDirectory(prefix="slowwave-bait-") as folder:
            bait = canary.Bait.plant(Path(folder))
            try:
                return bait.escaped(self._ask("canary", **bait.arguments()))
            finally:
                bait.clear()

    def end(self) -> None:
        """Kill the worker and whatever it started, and wait until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()

    # ------------------------------------------------------------------ the pipe
    def _ask(self, op: str, **arguments: Any) -> Any:
        self._count += 1
        self._send({"id": self._count, "op": op, "args": arguments})
        answer = self._receive(CALL_SECONDS)
        if answer.get("id") != self._count:
            self._gone("answered something else")
        if kind := answer.get("error"):
            failed = {"scope": ScopeError, "usage": UsageError}.get(str(kind), UsageError)
            raise failed(str(answer.get("text")), hint=str(answer.get("hint") or ""))
        return answer.get("ok")

    def _send(self, value: Mapping[str, Any]) -> None:
        line = json.dumps(value).encode() + b"\n"
        if len(line) > worker.LINE_BYTES:
            raise UsageError(f"a call may be {worker.LINE_BYTES} bytes long at most")
        try:
            self._requests.write(line)
            self._requests.flush()
        except (OSError, ValueError):  # a closed pipe: it was ended before
            self._gone("ended")

    def _receive(self, seconds: float) -> dict[str, Any]:
        """The next line; never more than the cap, never longer than the time."""
        until = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = until - time.monotonic()
            ready = select.select([self._answers], [], [], max(0.0, left))[0] if left > 0 else []
            if not ready:
                self._gone(f"did not answer in {seconds:.0f} s")
            piece = os.read(self._answers.fileno(), 1 << 16)
            self._buffer += piece
            if not piece or len(self._buffer) > worker.LINE_BYTES:
                self._gone("ended" if not piece else "said too much")
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self._gone("said what is no answer")
        return dict(answer)

    def _gone(self, what: str) -> None:
        self.end()
        raise RefusedError(
            f"the confined worker ({self.level}) {what}", hint="`slowwave doctor` tries its walls"
        )


@contextmanager
def confined(
    scope: Scope, *, shell: bool = False, levels: tuple[Level, ...] | None = None
) -> Iterator[tuple[Toolbox, Proof]]:
    """A toolbox at the highest of `levels` that holds (default: those this machine may have), with its proof.

    Whatever the worker started is dead when the block ends. Raises RefusedError when a shell is wanted and no
    level holds.
    """
    missing: list[str] = []
    with tempfile.TemporaryDirectory(prefix="slowwave-scratch-") as scratch:
        for level in levels or (Level.L3, Level.L2, Level.L1):
            made = _start(level, scope, Path(scratch), missing, shell=shell)
            if made:
                try:
                    yield made, Proof(level, canary.TRIED, tuple(missing))
                finally:
                    made.end()
                return
        if shell:
            raise RefusedError(
                f"a shell needs a sandbox, and none holds here: {'; '.join(missing)}",
                hint="install bubblewrap, or set sandbox.shell = false",
            )
        yield WorktreeToolbox(scope), Proof(Level.L0, (), tuple(missing))


def _start(
    level: Level, scope: Scope, scratch: Path, missing: list[str], *, shell: bool
) -> ConfinedToolbox | None:
    """A worker whose walls held; None, with the reason noted, when they did not."""
    if lacking := _lacking(level, shell=shell):
        missing.append(f"{level}: {lacking}")
        return None
    try:
        made = ConfinedToolbox(level, scope, scratch, shell=shell)
    except (OSError, RefusedError) as error:
        missing.append(f"{level}: {error}")
        return None
    try:
        escaped = made.prove()
    except (RefusedError, UsageError) as error:
        escaped = (str(error),)
    if escaped:
        made.end()
        missing.append(f"{level}: not stopped: {', '.join(escaped)}")
        return None
    return made


def _lacking(level: Level, *, shell: bool) -> str:
    """What this machine lacks for a level; "" when it may be tried."""
    if level is Level.L1:
        return "" if seatbelt.found() else "no sandbox-exec (macOS)"
    if not sys.platform.startswith("linux"):
        return "Linux only"
    if landlock.abi() < landlock.LEAST_ABI:
        return f"Landlock ABI {landlock.abi()} in this kernel, {landlock.LEAST_ABI} is needed"
    if not seccomp.known():
        return "no system call filter for this processor"
    if level is Level.L3:
        return "" if bubblewrap.found() else "bubblewrap (bwrap) is not installed"
    if shell and landlock.abi() < landlock.SCOPING_ABI:
        return f"Landlock ABI {landlock.abi()} cannot keep a shell's signals in; {landlock.SCOPING_ABI} can"
    if shell and os.getuid() == 0:
        return "a shell of root needs bubblewrap: limits on processes are void for root"
    return ""


def _hand_over(*folders: Path) -> None:
    """Make these nobody's, whose worker root cannot be. Links are not followed."""
    for folder in folders:
        for place, names, files in os.walk(folder):
            for path in (place, *(str(Path(place, name)) for name in (*names, *files))):
                os.chown(path, limits.NOBODY, limits.NOBODY, follow_symlinks=False)


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise RefusedError("the confined worker has no pipes")
    return process.stdin, process.stdout


def _libraries() -> list[str]:
    """Where the worker's modules are: the standard library and slowwave itself, nothing else that is installed."""
    standard = [
        p for p in sys.path if p and Path(p).is_relative_to(sys.base_prefix) and "site-packages" not in p
    ]
    own = Path(worker.__file__).resolve().parents[3]
    return [*standard, str(own)]


def _interpreter() -> list[str]:
    """What the interpreter itself needs to read."""
    return list(dict.fromkeys((sys.base_prefix, sys.prefix, str(Path(sys.executable).resolve().parent))))
