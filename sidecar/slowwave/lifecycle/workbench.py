"""What the lifecycle works with: the store, the memory folder, the policy, the clock, and who this installation is."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from slowwave.lifecycle.policy import Policy
from slowwave.memory.repo import MemoryRepository
from slowwave.store.database import Database


def _chance() -> str:
    return os.urandom(4).hex()


@dataclass(frozen=True)
class Workbench:
    """`open_memory(create)` opens the repository; the clock gives POSIX seconds; `chance` makes ids unlike others;
    `recall` is the folder of what recall makes from memory, which holds its words too.

    on_step is told what comes next, before it comes.
    """

    db: Database
    memory: Path
    open_memory: Callable[[bool], MemoryRepository]
    policy: Policy
    touches: Path
    recall: Path
    instance_id: str
    clock: Callable[[], float]
    reflector: str = "offline"
    chance: Callable[[], str] = _chance
    on_step: Callable[[str], None] = field(default=lambda _: None)

    def micros(self) -> int:
        """The present in microseconds since 1970, UTC."""
        return round(self.clock() * 1_000_000)

    def new_id(self, letter: str) -> str:
        """A new id that sorts by time."""
        stamp = datetime.fromtimestamp(self.clock(), UTC).strftime("%Y%m%d-%H%M%S")
        return f"{letter}-{stamp}-{self.chance()}"
