"""How well a worker is confined, and how that was proven."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """What stands between a worker and the machine. A shell is refused on the lowest."""

    L3 = "L3"  # bubblewrap, Landlock and seccomp
    L2 = "L2"  # Landlock (ABI 3 or newer) and seccomp
    L1 = "L1"  # macOS sandbox-exec, everything denied that is not named
    L0 = "L0"  # the descriptor guard of the file tools alone

    @property
    def what(self) -> str:
        """In words."""
        return {
            "L3": "bubblewrap, Landlock and seccomp",
            "L2": "Landlock and seccomp",
            "L1": "macOS sandbox-exec",
            "L0": "file tools behind the descriptor guard; no shell",
        }[self]


@dataclass(frozen=True, slots=True)
class Proof:
    """A level with the escapes that were tried and stopped, and why no higher level was reached."""

    level: Level
    stopped: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
