"""How long a person or a hook waits for an answer: whole processes, from start to end.

The settled installation knows 5,000 files and 100 projects and has 300 memory files; no daemon runs, so every
command is cold. Each command runs 20 times, taking turns with the others and with two peers, so that a busy
moment of the machine hits all alike.
"""

import sys
import time

from benchmarks.processes import SLOWWAVE, run
from benchmarks.tables import Row, Table
from benchmarks.worlds import FILES, MEMORY_FILES, PROJECTS, Worlds

LIMIT = 0.2
TIMES = 20


def measure(worlds: Worlds) -> Table:
    """Run the commands in turns."""
    env = worlds.settled
    recall = [*SLOWWAVE, "recall", "which", "port", "service"]
    first = run(recall, env).seconds  # builds the index
    commands = {
        "slowwave status": [*SLOWWAVE, "status"],
        "slowwave status --project (one)": [*SLOWWAVE, "status", "--project", "/home/dev/project-1"],
        "slowwave recall words": recall,
        "slowwave context": [*SLOWWAVE, "context", "--project", "/home/dev/taught"],
        "python -c pass": [sys.executable, "-c", "pass"],
        "git --version": ["git", "--version"],
    }
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(TIMES):
        for name, command in commands.items():
            samples[name].append(run(command, env).seconds)
            time.sleep(0.01)
    rows = [
        Row(name, tuple(s), "s", LIMIT)
        if name.startswith("slowwave")
        else Row(name, tuple(s), "s", beside="peer")
        for name, s in samples.items()
    ]
    rows.insert(
        3, Row(f"slowwave recall, first time: indexes {MEMORY_FILES} files", (first,), "s", beside="once")
    )
    return Table(
        f"status_latency: whole commands, {FILES:,} files and {PROJECTS} projects known", tuple(rows)
    )
