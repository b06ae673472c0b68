"""How long a maintenance pass takes: plan and apply of all five actions over 10,000, 100,000 and 1,000,000 records.

Each size runs in a child of its own: it fills a store (outside the time), plans by a dry run, then runs the pass for
real, with versions, audit records, archive snapshots and one commit of memory files. About one record in three
changes. Wall seconds of both, the resident peak of the child from before the plan to the end, and microseconds per
record, which stay the same when it is linear.

Beside it, where `MCP_MEMORY_PYTHON` names a Python that has mcp-memory-service, its decay, compression and forgetting
over records of the same ages, types and words, without embeddings (`benchmarks/lifecycle_peer.py`).
"""

import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.processes import ROOT, environment, memory_mb, run
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.lifecycle.maintenance import reflect
from slowwave.lifecycle.policy import DAY, Policy
from slowwave.lifecycle.workbench import Workbench
from slowwave.memory import shape
from slowwave.model import MemoryType
from slowwave.store import records
from slowwave.store.database import Database
from slowwave.store.records import Record
from slowwave.verbs import ReflectRequest

SIZES = (10_000, 100_000, 1_000_000)
LIMITED, SECONDS_LIMIT, MEMORY_LIMIT = 100_000, 10.0, 300.0
PEER_SIZES = (1_000, 10_000, 100_000)
NOW = 1_780_000_000 * 1_000_000
_TYPES = (
    MemoryType.EPISODIC,
    MemoryType.EPISODIC,
    MemoryType.EPISODIC,
    MemoryType.WORKING,
    MemoryType.SEMANTIC,
)
_REPEATED = 0.01  # of the episodes, in groups of five


def measure(worlds: Worlds) -> Table:
    """Each size in a child; then the peer, where there is one."""
    rows: list[Row] = []
    for size in SIZES:
        folder = worlds.root / f"lifecycle-{size}"
        env = environment(worlds.root, folder / "own")
        told = json.loads(
            run([sys.executable, "-m", "benchmarks.lifecycle_speed", str(folder), str(size)], env).out
        )
        limited = size == LIMITED
        each = (told["plan"] + told["pass"]) / size * 1e6
        rows += [
            Row(f"{size:,} records: plan (dry run)", (told["plan"],), "s", beside=f"{told['changes']:,} changes"),
            Row(f"{size:,} records: plan and apply", (told["pass"],), "s", SECONDS_LIMIT if limited else None,
                beside=f"{each:.0f} µs a record for both"),
            Row(f"{size:,} records: resident peak", (told["peak_mb"],), "MB", MEMORY_LIMIT if limited else None,
                beside=f"{told['idle_mb']:.0f} MB before"),
        ]  # fmt: skip
    python = os.environ.get("MCP_MEMORY_PYTHON")
    for size in PEER_SIZES if python else ():
        command = [str(python), str(ROOT / "benchmarks" / "lifecycle_peer.py"), str(size)]
        told = json.loads(run(command, environment(worlds.root, worlds.root / "peer")).out.splitlines()[-1])
        rows.append(Row(f"{size:,} records: mcp-memory-service {told['version']}", (told["seconds"],), "s",
                        beside=f"{told['seconds'] / size * 1e6:.0f} µs a record, in memory, {told['did']}"))  # fmt: skip
    remarks = () if python else ("no peer: MCP_MEMORY_PYTHON names no Python that has mcp-memory-service",)
    return Table("lifecycle: a maintenance pass, all five actions", tuple(rows), remarks)


def people(size: int) -> Iterator[Record]:
    """Records as years of work leave them; the same for every run."""
    chance = random.Random(1)
    for n in range(size):
        kind = _TYPES[n % len(_TYPES)]
        at = NOW - chance.randrange(int(DAY * 60))
        repeated = kind is MemoryType.EPISODIC and chance.random() < _REPEATED
        words = f"Asked: thing {n // 500} of repetition" if repeated else f"Asked: thing {n}"
        yield Record(
            id=f"r-{n:08}", type=kind, content=f"{words}\nDone: {'some words of an answer ' * 6}\nOutcome: completed",
            occurred_at=at, created_at=at, updated_at=at, status_at=at, scope=f"project-{n // 500 % 20}",
            session=f"session-{n // 50}", importance=chance.randrange(1000) / 1000,
            confidence=chance.randrange(600, 1000) / 1000, promotion_key=f"repeated {n // 500}" if repeated else "",
            expires_at=NOW + chance.randrange(-int(DAY), int(DAY * 9)) if chance.random() < 0.02 else None,
        )  # fmt: skip


def _child(folder: Path, size: int) -> None:
    folder.mkdir(parents=True)
    memory = folder / "memory"
    with Database(folder / "slowwave.db") as db:
        with db.transaction():
            records.insert_many(db, people(size))
        db.checkpoint()
        bench = Workbench(
            db, memory, lambda create: shape.create(memory) if create else shape.open_(memory), Policy(),
            folder, folder / "recall", "benchmark", lambda: NOW / 1e6,
        )  # fmt: skip
        idle = memory_mb(os.getpid())
        seconds: dict[str, float] = {}
        for name, dry in (("plan", True), ("pass", False)):
            begun = time.perf_counter()
            report = reflect(bench, ReflectRequest(dry_run=dry))
            seconds[name] = time.perf_counter() - begun
        counts = report.plan.counts()
    told = {
        **seconds,
        "peak_mb": _peak_mb(),
        "idle_mb": idle,
        "changes": len(report.plan.changes),
        "counts": counts,
    }
    print(json.dumps(told))


def _peak_mb() -> float:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    _child(Path(sys.argv[1]), int(sys.argv[2]))
