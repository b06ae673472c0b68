"""The peer of `lifecycle_speed`: mcp-memory-service's own decay and forgetting over as many records, in its own Python.

Run by a Python that has that package and needs nothing of slowwave: `PYTHON lifecycle_peer.py SIZE`. No embeddings
and no storage: what is timed is what its consolidation computes and the archive files it writes.
"""

import asyncio
import hashlib
import importlib
import importlib.metadata
import json
import random
import sys
import tempfile
import time
from datetime import UTC, datetime
from typing import Any

NOW, DAY = 1_780_000_000, 86_400
_TYPES = ("observation", "observation", "observation", "observation", "reference")


def _memories(size: int, memory: Any) -> list[Any]:
    chance = random.Random(1)
    found = []
    for n in range(size):
        text = f"Asked: thing {n}\nDone: {'some words of an answer ' * 6}\nOutcome: completed"
        at = float(NOW - chance.randrange(DAY * 60))
        mark = hashlib.sha256(text.encode()).hexdigest()
        found.append(memory(text, mark, memory_type=_TYPES[n % 5], created_at=at, updated_at=at))
    return found


async def _consolidate(size: int, folder: str) -> tuple[float, str]:
    room = "mcp_memory_service.consolidation"
    base, decay, forgetting = (
        importlib.import_module(f"{room}.{n}") for n in ("base", "decay", "forgetting")
    )
    memories = _memories(size, importlib.import_module("mcp_memory_service.models.memory").Memory)
    config = base.ConsolidationConfig(archive_location=folder)
    begun = time.perf_counter()
    now = datetime.fromtimestamp(NOW, UTC)
    scores = await decay.ExponentialDecayCalculator(config).process(memories, reference_time=now)
    gone = await forgetting.ControlledForgettingEngine(config).process(
        memories, scores, access_patterns={}, time_horizon="monthly", reference_time=now
    )
    return time.perf_counter() - begun, f"{len(scores):,} scored, {len(gone):,} forgotten"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        seconds, did = asyncio.run(_consolidate(int(sys.argv[1]), place))
    version = importlib.metadata.version("mcp-memory-service")
    print(json.dumps({"seconds": seconds, "did": did, "version": version}))
