"""What commit messages say about dreams, read tolerantly: a person may squash, reword and merge by hand.

Git reads the last paragraph of a message as trailers and joins what stands twice. A squash of two dreams has
two of each, in paragraphs of their own or indented; so each `Dream-Id` begins a record here, and the trailers
on the lines right after it belong to it. Doorway 3; pure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from slowwave.memory.objects import Commit

_TRAILER: Final = re.compile(r"\s*([A-Z][A-Za-z]*(?:-[A-Z][a-z]*)*): ?(.*)")
RUN_ID: Final = re.compile(r"(?!pending$)[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.|lock$|$))*")
"""What names a dream, and its branch."""


@dataclass(frozen=True, slots=True)
class Record:
    """One dream of a commit message: its id, and the values of each of its trailers in order."""

    dream_id: str
    trailers: Mapping[str, tuple[str, ...]]

    def first(self, key: str, default: str = "") -> str:
        """The first value of a trailer."""
        return next(iter(self.trailers.get(key, ())), default)


def dreams_of(commit: Commit) -> tuple[Record, ...]:
    """The dreams a commit brings, each id once, in the order of the message."""
    found: dict[str, dict[str, list[str]]] = {}
    current: dict[str, list[str]] | None = None
    for line in commit.body.splitlines():
        match = _TRAILER.fullmatch(line)
        if match is None:
            current = None
        elif match[1] == "Dream-Id":
            name = match[2].strip()
            fresh = RUN_ID.fullmatch(name) and name not in found
            current = found.setdefault(name, {}) if fresh else None
        elif current is not None:
            current.setdefault(match[1], []).append(match[2].strip())
    return tuple(Record(i, {k: tuple(v) for k, v in t.items()}) for i, t in found.items())


def undone_by(commit: Commit) -> tuple[str, ...]:
    """The ids of the dreams a commit takes back."""
    lines = (_TRAILER.fullmatch(line) for line in commit.body.splitlines())
    return tuple(m[2].strip() for m in lines if m and m[1] == "Undoes")
