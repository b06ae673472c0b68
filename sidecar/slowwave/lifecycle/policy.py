"""Every number of the lifecycle, in one table, each with where it comes from.

The shipped table is below; `[lifecycle]` in the settings file changes any of it. Importance and confidence are
compared as whole millionths, so that a boundary is exact; durations are elapsed time (a day is 24 hours, whatever
the clocks on the wall do).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from slowwave.config import LifecycleSettings
from slowwave.model import MemoryType

SECOND: Final = 1_000_000  # microseconds
HOUR: Final = 3600 * SECOND
DAY: Final = 24 * HOUR
SHIPPED, CONFIGURED = "shipped table", "config.toml [lifecycle]"


@dataclass(frozen=True, slots=True)
class Decay:
    """Each whole period without use takes `step` of importance, down to `floor`."""

    days: float
    step: float
    floor: float

    @property
    def period(self) -> int:
        """The inactivity period in microseconds."""
        return round(self.days * DAY)


# Identity is exempt from both.
DECAY: Final[Mapping[str, Decay]] = {
    MemoryType.WORKING: Decay(1, 0.20, 0.05),
    MemoryType.EPISODIC: Decay(14, 0.10, 0.10),
    MemoryType.SEMANTIC: Decay(90, 0.03, 0.20),
    MemoryType.PROCEDURAL: Decay(120, 0.02, 0.25),
}
ARCHIVE_DAYS: Final[Mapping[str, float]] = {
    MemoryType.WORKING: 7,
    MemoryType.EPISODIC: 30,
    MemoryType.SEMANTIC: 180,
    MemoryType.PROCEDURAL: 365,
}


@dataclass(frozen=True)
class Policy:
    """The table in force. `origin` says of each number whether it is shipped or configured."""

    window_hours: float = 24
    limit: int = 500
    min_group_size: int = 2
    promote_occurrences: int = 3
    promote_importance: float = 0.35
    promote_confidence: float = 0.6
    superseded_days: float = 30
    decay: Mapping[str, Decay] = field(default_factory=lambda: DECAY)
    archive_days: Mapping[str, float] = field(default_factory=lambda: ARCHIVE_DAYS)
    origin: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: LifecycleSettings) -> "Policy":
        """The shipped table with the settings of this installation."""
        shipped = cls()
        plain = [f.name for f in fields(cls) if f.name not in {"decay", "archive_days", "origin"}]
        values: dict[str, Any] = {name: getattr(settings, name) for name in plain}
        origin = {n: SHIPPED if values[n] == getattr(shipped, n) else CONFIGURED for n in plain}
        decay = {k: Decay(**{**_parts(d), **settings.decay.get(k, {})}) for k, d in DECAY.items()}
        origin |= {f"decay.{k}": SHIPPED if d == DECAY[k] else CONFIGURED for k, d in decay.items()}
        archive = {**ARCHIVE_DAYS, **settings.archive_days}
        origin |= {
            f"archive_days.{k}": SHIPPED if days == ARCHIVE_DAYS[k] else CONFIGURED
            for k, days in archive.items()
        }
        return cls(**values, decay=decay, archive_days=archive, origin=origin)


def _parts(decay: Decay) -> dict[str, float]:
    return {"days": decay.days, "step": decay.step, "floor": decay.floor}


def millionths(value: float) -> int:
    """An importance or confidence as a whole number of millionths."""
    return round(value * 1_000_000)
