"""What a dream works with: the doorways, the settings, the clock, and the lease that makes it the only one."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from slowwave.config import Homes, Settings
from slowwave.memory.repo import MemoryRepository
from slowwave.store import runs
from slowwave.store.database import Database
from slowwave.transcripts.redact import Redactor


@dataclass(frozen=True)
class Workshop:
    """What a dream works with. The clock gives POSIX seconds; `stop` says that it was asked to end; `env` has
    the keys of models, when they are kept there.
    """

    db: Database
    repo: MemoryRepository
    homes: Homes
    settings: Settings
    redactor: Redactor
    instance_id: str
    clock: Callable[[], float]
    stop: Callable[[], bool] = lambda: False
    env: Mapping[str, str] = field(default_factory=dict, repr=False)

    def now(self) -> str:
        """The present as ISO text, UTC."""
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="milliseconds")


@contextlib.contextmanager
def lease(shop: Workshop, owner: str, purpose: str) -> Iterator[None]:
    """Hold the right to dream, renewed by a heartbeat of its own connection, and give it back."""
    runs.take_lease(shop.db, owner, purpose, shop.clock())
    done = threading.Event()

    def beat() -> None:
        with Database(shop.db.path) as own:
            while not done.wait(runs.HEARTBEAT_SECONDS):
                runs.keep_lease(own, owner, shop.clock())

    heart = threading.Thread(target=beat, name="lease heartbeat", daemon=True)
    heart.start()
    try:
        yield
    finally:
        done.set()
        heart.join()
        runs.give_lease_back(shop.db, owner)
