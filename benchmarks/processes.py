"""Processes as the benchmarks start, watch and end them.

Times and memory are read from /proc: the resident peak that `getrusage` tells of a child is never less than
its parent's, because the kernel carries it over an exec. Only processes started here are ended.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_TICK = os.sysconf("SC_CLK_TCK")
_MB = 1024.0  # /proc/PID/status counts in KiB
_SCRIPT = Path(sys.executable).parent / "slowwave"
SLOWWAVE: tuple[str, ...] = (str(_SCRIPT),) if _SCRIPT.exists() else (sys.executable, "-m", "slowwave")


class BenchmarkError(RuntimeError):
    """A process that should have worked did not."""


def environment(home: Path, own: Path) -> dict[str, str]:
    """A person's environment with nothing of this person in it: `home` and slowwave's `own` home are temporary."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "SLOWWAVE_HOME": str(own),
        "SLOWWAVE_INSTANCE_ID": "benchmark",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }


# ---------------------------------------------------------------------- one process, run to its end
@dataclass(frozen=True)
class Ran:
    """A process that has ended: wall seconds, resident peak in MB, and what it printed."""

    seconds: float
    peak_mb: float
    out: str


def run(command: Sequence[str], env: Mapping[str, str], cwd: Path = ROOT) -> Ran:
    """Run a command to its end. Raises BenchmarkError with its words when it fails."""
    begun = time.perf_counter()
    done = subprocess.run(command, env=dict(env), cwd=cwd, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise BenchmarkError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()[-2000:]}")
    return Ran(seconds, 0.0, done.stdout)


def run_watched(command: Sequence[str], env: Mapping[str, str], cwd: Path = ROOT) -> Ran:
    """Run a command to its end, and look at its resident peak every 20 ms (it only grows, so the last look counts)."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, env=dict(env), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.append(process.stdout.read() if process.stdout else ""))
        reader.start()
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, memory_mb(process.pid, "VmHWM"))
            time.sleep(0.02)
        seconds = time.perf_counter() - begun
        reader.join()
    if process.returncode:
        raise BenchmarkError(f"{' '.join(command)}: exit {process.returncode}: {said[0].strip()[-2000:]}")
    return Ran(seconds, peak, said[0])


# ---------------------------------------------------------------------- what /proc tells
def memory_mb(pid: int | str, name: str = "VmRSS") -> float:
    """A memory value of a process in MB; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / _MB for line in lines if line.startswith(f"{name}:")), 0.0)


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, of the children it has waited for, and of those that live."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    own = sum(int(f) for f in fields[11:15]) / _TICK  # utime, stime, cutime, cstime
    return own + sum(cpu_seconds(child) for child in _children(pid))


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in listed.read_text("ascii").split()]
        except OSError:
            continue  # the thread has ended
    return found


# ---------------------------------------------------------------------- a process that stays
@dataclass
class Staying:
    """A process that runs until the block ends. `ready_seconds` is how long it took to say `word`."""

    process: subprocess.Popen[str]
    ready_seconds: float = 0.0
    lines: list[str] = field(default_factory=list)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid


@contextmanager
def staying(
    command: Sequence[str], env: Mapping[str, str], word: str, patience: float = 300.0
) -> Iterator[Staying]:
    """Start a process, wait until a line it prints holds `word`, and end it after the block."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, env=dict(env), cwd=ROOT, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    own = Staying(process)
    heard = threading.Event()

    def listen() -> None:
        for line in process.stdout or ():
            own.lines.append(line.rstrip())
            if word in line and not heard.is_set():
                own.ready_seconds = time.perf_counter() - begun
                heard.set()

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        deadline = begun + patience
        while not heard.wait(0.01):
            if process.poll() is not None or time.perf_counter() > deadline:
                raise BenchmarkError(f"{' '.join(command)} never said {word!r}: {own.lines[-5:]}")
        yield own
    finally:
        end(process)
        listener.join(5)


def end(process: subprocess.Popen[str]) -> None:
    """Ask a process started here to end, and insist when it does not."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def daemon(env: Mapping[str, str]) -> AbstractContextManager[Staying]:
    """A real `slowwave daemon run`, from the moment it watches."""
    return staying([*SLOWWAVE, "daemon", "run"], env, "watching")
