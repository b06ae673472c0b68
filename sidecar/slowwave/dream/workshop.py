"""What a dream works with: the doorways, the settings, the clock, and the lease that makes it the only one."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from slowwave.config import Homes, Settings
from slowwave.store import leases
from slowwave.store.database import Database

if TYPE_CHECKING:  # their patterns are compiled at import; a workshop is given them made
    from slowwave.memory.repo import MemoryRepository
    from slowwave.transcripts.redact import Redactor


@dataclass(frozen=True)
class Workshop:
    """What a dream works with. The clock gives POSIX seconds; `stop` says that it was asked to end; `env` has
    the keys of models, when they are kept there.
    """

    db: Database
    repo: "MemoryRepository"
    homes: Homes
    settings: Settings
    redactor: "Redactor"
    instance_id: str
    clock: Callable[[], float]
    stop: Callable[[], bool] = lambda: False
    env: Mapping[str, str] = field(default_factory=dict, repr=False)

    def now(self) -> str:
        """The present as ISO text, UTC."""
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="milliseconds")


def lease(shop: Workshop, owner: str, purpose: str) -> AbstractContextManager[None]:
    """Hold the right to dream, and give it back."""
    return leases.held(shop.db, owner, purpose, shop.clock)
