"""What the daemon costs while nothing happens, and how soon it watches, with 5,000 transcript files.

Readiness: wall seconds from starting `slowwave daemon run` until it says "watching", for an installation that
never ran, for its second start, and for the settled installation (everything read, with a memory).
Idle: for one minute, so that exactly one of the scans that come every minute is among it, CPU time from
/proc/PID/stat (children included) and the resident size after it. A fresh and a settled installation and a peer
that asks `os.stat` about the same files every second run side by side in the same minute.
"""

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack

from benchmarks.processes import Staying, cpu_seconds, daemon, memory_mb, staying
from benchmarks.tables import Row, Table
from benchmarks.worlds import FILES, PROJECTS, Worlds

READY_LIMIT, CPU_LIMIT, MEMORY_LIMIT = 1.0, 0.5, 80.0
STARTS = 3
IDLE_SECONDS = 60.0

_PEER = """
import os, sys, time
paths = [os.path.join(d, f) for d, _, fs in os.walk(sys.argv[1]) for f in fs if f.endswith(".jsonl")]
print("watching", flush=True)
known = {}
while True:
    for path in paths:
        seen = os.stat(path)
        known[path] = (seen.st_size, seen.st_mtime_ns)
    time.sleep(1)
"""


def measure(worlds: Worlds) -> Table:
    """Start, then watch nothing happen."""
    settled = worlds.settled
    first, second = [], []
    for _ in range(STARTS):
        env = worlds.fresh()
        first.append(_ready(env))
        second.append(_ready(env))
    used = [_ready(settled) for _ in range(STARTS)]
    rows = [
        Row(f"until watching: first start, {FILES:,} files of history", tuple(first), "s", READY_LIMIT),
        Row("until watching: second start", tuple(second), "s", READY_LIMIT),
        Row("until watching: settled, all read, with memory", tuple(used), "s", READY_LIMIT),
        Row(
            f"until watching: reads all {FILES:,} files first",
            (worlds.backlog_seconds,),
            "s",
            beside="once in a life",
        ),
    ]
    peer_command = [sys.executable, "-c", _PEER, str(worlds.home)]
    with ExitStack() as stack:
        running = {
            "fresh daemon": stack.enter_context(daemon(env)),
            f"settled daemon, news in {PROJECTS} projects": stack.enter_context(daemon(settled)),
            "peer: os.stat of every file each second": stack.enter_context(
                staying(peer_command, settled, "watching")
            ),
        }
        rows += _idle(running)
    return Table("daemon_idle: the daemon beside 5,000 transcript files", tuple(rows))


def _ready(env: Mapping[str, str]) -> float:
    with daemon(env) as process:
        return process.ready_seconds


def _idle(running: Mapping[str, Staying]) -> list[Row]:
    time.sleep(3)  # starting is over
    before = {name: cpu_seconds(p.pid) for name, p in running.items()}
    begun = time.perf_counter()
    time.sleep(IDLE_SECONDS)
    seconds = time.perf_counter() - begun
    rows = []
    for name, process in running.items():
        percent = 100 * (cpu_seconds(process.pid) - before[name]) / seconds
        peer = name.startswith("peer")
        limits = (None, None) if peer else (CPU_LIMIT, MEMORY_LIMIT)
        beside = "beside the daemons" if peer else ""
        rows.append(Row(f"idle CPU: {name}", (percent,), "%", limits[0], beside))
        rows.append(Row(f"RSS: {name}", (memory_mb(process.pid),), "MB", limits[1], beside))
    return rows
