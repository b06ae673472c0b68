"""A workbench of a test's own: a real store, a real memory repository, and a clock that stands where it is put."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from slowwave.lifecycle.policy import DAY, Policy
from slowwave.lifecycle.standing import Standing
from slowwave.lifecycle.workbench import Workbench
from slowwave.memory import shape
from slowwave.memory.repo import MemoryRepository
from slowwave.model import MemoryType
from slowwave.store import records
from slowwave.store.database import Database
from slowwave.store.records import Record

NOW = 1_780_000_000 * 1_000_000  # an ordinary moment, in microseconds


@dataclass
class Clock:
    """The present, in microseconds; calling it gives POSIX seconds."""

    at: int = NOW

    def __call__(self) -> float:
        """The present as POSIX seconds."""
        return self.at / 1_000_000


@dataclass
class World:
    """A workbench with its clock."""

    bench: Workbench
    clock: Clock
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def db(self) -> Database:
        """Its store."""
        return self.bench.db

    def add(self, **values: Any) -> Record:
        """Put a record into the store as it is given."""
        new = record(**{"id": f"t-{next(self.numbers):04}", **values})
        with self.db.transaction():
            records.insert(self.db, new)
        return new

    def get(self, record_id: str) -> Record:
        """A record as it is now."""
        found = records.get(self.db, record_id)
        assert found is not None
        return found

    def dump(self, *, without: tuple[str, ...] = ()) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table, and every memory file."""
        names = [
            r[0] for r in self.db.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        tables = {n: sorted(self.db.each(f"SELECT * FROM {n}"), key=repr) for n in names if n not in without}
        memory = self.bench.memory
        files = sorted(p for p in memory.rglob("*") if p.is_file()) if memory.exists() else []
        return {**tables, "files": [(str(p.relative_to(memory)), p.read_bytes()) for p in files]}


@contextmanager
def world(
    folder: Path, policy: Policy | None = None, on_step: Callable[[str], None] | None = None
) -> Iterator[World]:
    """A world below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    clock, chances = Clock(), count(1)
    memory = folder / "memory"

    def open_memory(create: bool) -> MemoryRepository:
        return shape.create(memory) if create else shape.open_(memory)

    with Database(folder / "slowwave.db") as db:
        bench = Workbench(
            db, memory, open_memory, policy or Policy(), folder, folder / "recall", "test-instance", clock,
            chance=lambda: f"{next(chances):08x}", on_step=on_step or (lambda _: None),
        )  # fmt: skip
        yield World(bench, clock)


def record(**values: Any) -> Record:
    """A record; what is not given is ordinary. `at` sets all its times."""
    at = values.pop("at", NOW)
    ordinary = {
        "id": "t", "type": MemoryType.EPISODIC, "content": "something happened", "occurred_at": at,
        "created_at": at, "updated_at": at, "status_at": at,
    }  # fmt: skip
    return Record(**{**ordinary, **values})


def standing(**values: Any) -> Standing:
    """How a record stands; what is not given is ordinary."""
    ordinary = Standing("t", "episodic", "active", 0.5, NOW, None, None, NOW, 0, 1, "")
    return ordinary._replace(**values)


def days(number: float) -> int:
    """Days in microseconds."""
    return round(number * DAY)


__all__ = ["NOW", "Clock", "World", "days", "record", "standing", "world"]
