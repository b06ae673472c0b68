"""How well a worker is confined, and how that was proven.

What was proven the last time is kept in a small file, so that `status` can say it at once.
"""

import contextlib
import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path


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


def keep_proof(path: Path, proof: Proof) -> None:
    """Remember a proof; a disk that takes none costs no dream."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(proof)), "utf-8")


def last_level(path: Path) -> str:
    """The level proven the last time, in words; "not tried yet" when there is none."""
    try:
        level = Level(json.loads(path.read_text("utf-8"))["level"])
    except (OSError, ValueError, KeyError, TypeError):
        return "not tried yet; `slowwave doctor` does"
    return f"{level}: {level.what}"
