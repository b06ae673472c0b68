"""How long it takes to look at every transcript file there is.

Cold: a new process with an empty store finds 50,000 session files of two agents, remembers each file's size and
time as history, and opens none. Steady: a process that knows 5,000 files looks at all of them again, as the
daemon does every minute. Sizes are log-normal (median 100 KB, a few of many MB), in sparse files. The peer finds
the same files with `os.walk` and asks `os.stat` about each.
"""

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.processes import environment, run
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.service import Service

COLD_FILES, STEADY_FILES = 50_000, 5_000
COLD_LIMIT, STEADY_LIMIT = 3.0, 100.0
TIMES = 3
LOOKS = 10
_MEDIAN, _SPREAD = 11.5, 1.6  # of the logarithm of a size in bytes


def measure(worlds: Worlds) -> Table:
    """Write the files, then look at them in children."""
    rows: list[Row] = []
    cold_files = STEADY_FILES if worlds.quick else COLD_FILES
    for count, what in ((cold_files, "cold"), (STEADY_FILES, "steady")):
        home = worlds.root / f"scan-{what}"
        write_files(home, count)
        told = []
        for n in range(TIMES):
            own = worlds.root / f"scan-{what}-own-{n}"
            told.append(
                json.loads(
                    run([sys.executable, "-m", "benchmarks.scan", str(home)], environment(home, own)).out
                )
            )
        unit, limit, scale = ("s", COLD_LIMIT, 1.0) if what == "cold" else ("ms", STEADY_LIMIT, 1000.0)
        wall, used = ([t[what] for t in told], [t[f"used_{what}"] for t in told])
        rows += [
            Row(f"{what} scan of {count:,} files", _flat(wall), unit, limit),
            Row("of it processor time", _flat(used), unit, beside=f"{count:,} files"),
            Row(
                "peer: os.walk and os.stat",
                tuple(t["peer"] * scale for t in told),
                unit,
                beside=f"{count:,} files",
            ),
        ]
    return Table("scan: looking at every session file", tuple(rows))


def _flat(values: list[Any]) -> tuple[float, ...]:
    return tuple(v for value in values for v in (value if isinstance(value, list) else [value]))


def write_files(home: Path, count: int) -> None:
    """Session files by name and size only, half Claude Code's and half Codex's; all older than now."""
    rng = random.Random(count)
    for n in range(count):
        own = f"{rng.getrandbits(32):08x}-0000-4000-8000-{rng.getrandbits(48):012x}"
        if n % 2:
            path = home / ".claude" / "projects" / f"-home-dev-project-{n % 300}" / f"{own}.jsonl"
        else:
            day = home / ".codex" / "sessions" / "2026" / f"{n % 12 + 1:02}" / f"{n % 28 + 1:02}"
            path = day / f"rollout-2026-01-01T00-00-00-{own}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(int(rng.lognormvariate(_MEDIAN, _SPREAD)))
        os.utime(path, (1_700_000_000 + n, 1_700_000_000 + n))


# ---------------------------------------------------------------------- in the child
def _peer(home: Path) -> float:
    begun = time.perf_counter()
    paths = [os.path.join(d, f) for d, _, names in os.walk(home) for f in names]  # noqa: PTH118  the fastest way
    for path in paths:
        os.stat(path)  # noqa: PTH116  the same
    return time.perf_counter() - begun


def child(home: Path) -> dict[str, Any]:
    """Seconds of the first scan and of a bare walk, milliseconds of the scans after it."""
    peer = _peer(home)
    service = Service(os.environ, time.time)
    try:
        begun, used = time.perf_counter(), time.process_time()
        _look(service)
        cold, used_cold = time.perf_counter() - begun, time.process_time() - used
        steady, used_steady = list[float](), list[float]()
        for _ in range(LOOKS):
            begun, used = time.perf_counter(), time.process_time()
            _look(service)
            steady.append((time.perf_counter() - begun) * 1000)
            used_steady.append((time.process_time() - used) * 1000)
    finally:
        service.close()
    return {"peer": peer, "cold": cold, "steady": steady, "used_cold": used_cold, "used_steady": used_steady}


def _look(service: Service) -> None:
    found, problems = service.files_by_agent()
    problems += service.ingest.scan(found).problems
    if problems or not found:
        raise RuntimeError(f"{len(found)} files, problems: {problems}")


if __name__ == "__main__":
    print(json.dumps(child(Path(sys.argv[1]))))
