"""What a transcript format is: the shape every module of this folder has.

Step 3 of the walk. A format knows where its agent keeps its files and turns one row at a time into entries.
It is structural, not version-bound: a row is taken for what its fields say it is, and an unknown row is
nothing. Formats hand text on as it stands; the reader redacts and cuts it, in one place.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeGuard

from slowwave.model import Damage, Entry, Session
from slowwave.transcripts.decode import PlacedRow

# How a source keeps a session: rows appended to a file; a state written anew; rows of a database.
Shape = Literal["lines", "whole", "database"]
# "degraded": the source leaves out what others tell (results, times, ids), so less can be learned from it.
# "structural": a client version outside those tested wrote it; its rows are taken for what their fields say.
Fidelity = Literal["full", "degraded", "structural"]

# Our dreams write it into what they start (an originator, an entrypoint), so that we never read ourselves.
OWN_MARK = "slowwave-dream"


class Place(NamedTuple):
    """Where a row stands: byte offset and length of its line, and the generation of the file."""

    offset: int
    length: int
    generation: int = 0
    damaged: bool = False

    @property
    def native_id(self) -> str:
        """The identity of a row whose source gives it none."""
        return f"{self.generation}:{self.offset}"


class Parser(Protocol):
    """The reading of one file; keeps only what the next row needs."""

    session: Session

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterable[Entry]:
        """The entries this row completes, in file order."""
        ...

    def held(self) -> tuple[Entry, ...]:
        """Entries that wait for the next row to say what they are, as they look now; nothing is consumed."""
        ...


class Format(Protocol):
    """A module of this folder.

    VERSIONS    the client versions whose real files it was tested with; others are read by the same rules
    FIELDS      only where rows are big: a TypedDict of the fields looked at, so that others are never made
    """

    NAME: str
    SHAPE: Shape
    FIDELITY: Fidelity
    VERSIONS: tuple[str, ...]

    def roots(self, env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
        """The folders the agent writes to; they need not exist."""
        ...

    def discover(self, root: Path) -> Iterator[Path]:
        """The session files below a folder, in any nesting, by name alone."""
        ...

    def recognises(self, path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:
        """Whether a file that starts with these rows is this agent's."""
        ...

    def parser(self, path: Path) -> Parser:
        """A fresh parser for one file."""
        ...


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a session goes: `size` in the same measure as the offsets of its entries, and its last change."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """A whole session as it stands: its rows in order, what was wrong, and its extent when it was read."""

    rows: tuple[PlacedRow, ...]
    damage: tuple[Damage, ...]
    extent: Extent


class StateFormat(Format, Protocol):
    """A format whose sessions are states: what was read may change, so they are read whole every time."""

    def extent(self, path: Path) -> Extent:
        """The session's extent, cheaply. FileNotFoundError when it is gone."""
        ...

    def load(self, path: Path) -> Loaded:
        """The whole session. FileNotFoundError when it is gone, TranscriptError when it cannot be read."""
        ...


def fidelity_of(fmt: Format, version: str) -> Fidelity:
    """How well a session that this client version wrote is understood.

    A version between two that were tested is known as they are. A session that tells no version, and a format that
    was tested with none, say nothing about it.
    """
    if fmt.FIDELITY != "full" or not version or not fmt.VERSIONS:
        return fmt.FIDELITY
    tested = [_release(v) for v in fmt.VERSIONS]
    release = _release(version)
    return "full" if release and min(tested) <= release <= max(tested) else "structural"


def _release(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: "2.1.197-beta" is 2, 1, 197; () when it has none."""
    found = re.match(r"v?(\d{1,9}(?:\.\d{1,9})*)", version)
    return tuple(map(int, found[1].split("."))) if found else ()


def is_state(fmt: Format) -> TypeGuard[StateFormat]:
    """Whether its sessions are states and not lines."""
    return fmt.SHAPE != "lines"


def text_of(value: Any) -> str:
    """A field as text; anything that is not text is no text."""
    return value if isinstance(value, str) else ""


def dict_of(value: Any) -> Mapping[str, Any]:
    """A field as an object; anything else is an empty one. Rows of damaged files hold anything anywhere."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> Sequence[Any]:
    """A field as a list; anything else is an empty one."""
    return value if isinstance(value, list) else ()


def number_of(value: Any) -> int:
    """A field as a whole number, 0 when it is none."""
    return int(value) if isinstance(value, int | float) and abs(value) < 1 << 62 else 0


def time_of(value: Any) -> datetime | None:
    """An ISO time stamp, or seconds or milliseconds since 1970, as aware UTC; else None."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    if at is None or at.tzinfo is UTC:
        return at
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


as_json: Callable[[Any], str] = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, separators=(",", ":")
).encode
"""A value as compact JSON text."""


def image_mark(data: Any) -> str:
    """What stands for an image: its hash. Base64 would fill memory and teach nothing."""
    return f"[image sha256:{hashlib.sha256(text_of(data).encode()).hexdigest()}]"
