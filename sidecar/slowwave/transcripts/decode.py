"""Rows out of lines: strict first, then every repair that real transcripts have needed.

Between steps 2 and 3 of the walk, and the only importer of msgspec in this room. Agents are killed
mid-write, two processes append to one file, disks leave NULs: a broken line is counted, its place named,
and reading goes on with the next. What comes out is valid UTF-8 text in plain dicts.
"""

import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from slowwave.model import Damage
from slowwave.transcripts.tail import Line

Row = dict[str, Any]

# The first field of a row, for every agent whose rows are lines.
_ROW_START = re.compile(
    rb'\{ ?"(?:type": ?"|timestamp": ?"|parentUuid"|uuid": ?"|id": ?"|sessionId": ?"|\$set"|\$rewindTo"|kind": ?"'
    rb'|role": ?"|ts"|text": ?")'
)
_TRIED_BYTES = 8 << 20  # more tries would be quadratic; short lines are tried everywhere
_CANDIDATES = 64
_JOINED_LINES = 4
_SURROGATE = re.compile("[\ud800-\udfff]")
_fast = msgspec.json.Decoder(Any)  # the fast path; what it refuses, the standard library looks at again
Decode = Callable[[bytes], Any]


class PlacedRow(NamedTuple):
    """A row, the place of its line, and whether it had to be repaired."""

    row: Row
    offset: int
    length: int
    damaged: bool = False


def decode(line: Line, path: str = "") -> tuple[tuple[Row, ...], tuple[Damage, ...]]:
    """The rows of one line, and what was wrong with it. A blank line has neither."""
    rows, reason = _rows(line)
    if not reason:
        return rows, ()
    return rows, (Damage(path, line.offset, line.length, reason),)


def _rows(line: Line) -> tuple[tuple[Row, ...], str]:
    if line.data is None:
        return (), line.reason
    data = line.data.strip(b" \t\r")
    if not data:
        return (), ""
    value = _parse(data)
    if isinstance(value, dict):
        return (value,), ""
    if value is not _BROKEN:
        return (), "the row is not a JSON object"
    cleaned = line.data.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").strip(b" \t\r")
    if not cleaned:
        return (), "only NUL bytes"
    if isinstance(value := _parse(cleaned), dict):
        bom = line.data.startswith(b"\xef\xbb\xbf") and b"\0" not in line.data
        return (value,), "" if bom else "NUL bytes among the row"
    if rows := _split(cleaned):
        return rows
    text = cleaned.decode("utf-8", "replace")
    if "\ufffd" in text and isinstance(value := _parse(text.encode()), dict):
        return (value,), "not valid UTF-8"
    return (), "not valid JSON"


_BROKEN = object()


def _parse(data: bytes) -> Any:
    """A JSON value with valid text in it, or `_BROKEN`.

    msgspec refuses lone surrogates (agents cut text inside an emoji), NaN and huge integers, all of which are
    in real files; the standard library accepts them. Both raise on nesting too deep for them.
    """
    try:
        return _fast.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    try:
        return valid_text(json.loads(data))
    except (ValueError, RecursionError):
        return _BROKEN


def valid_text(value: Any) -> Any:
    """The same value with every lone surrogate replaced: such text can be neither stored nor sent."""
    if isinstance(value, str):
        if _SURROGATE.search(value):
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, list):
        return [valid_text(v) for v in value]
    if isinstance(value, dict):
        return {valid_text(k): valid_text(v) for k, v in value.items()}
    return value


def _split(data: bytes) -> tuple[tuple[Row, ...], str] | None:
    """Several rows on one line, or a torn row with a whole one behind it."""
    tried = 0
    for n, found in enumerate(_ROW_START.finditer(data, 1)):
        tried += len(data) - found.start()
        if n >= _CANDIDATES and tried > _TRIED_BYTES:
            return None
        rest = _parse(data[found.start() :])
        if not isinstance(rest, dict):
            continue
        first = _parse(data[: found.start()].rstrip())
        if isinstance(first, dict):
            return (first, rest), "two rows on one line"
        return (rest,), "a torn row before a whole one"
    return None


@functools.cache
def _decoder(fields: type) -> Decode:
    return msgspec.json.Decoder(fields).decode


def _whole(data: bytes | None, some: Decode) -> Row | None:
    """The wanted fields of an ordinary row; None when it is anything else, or its fields are no such fields.

    What stands in a field nobody wants is checked but not made into objects: often most of the row. msgspec checks
    everything there but the encoding.
    """
    if not data:
        return None
    try:
        row: Row = some(data)
        if not data.isascii():
            data.decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return row


class RowDecoder:
    """Rows of a file in order, remembering a broken line for as long as the next ones may complete it.

    A raw newline inside a string splits a row over several lines; up to four are tried together.
    """

    def __init__(self, path: str, fields: type | None = None) -> None:
        """`fields` is a TypedDict of the fields that matter; others need not be in the rows."""
        self._path = path
        self._some = _decoder(fields) if fields else None
        self._broken: list[Line] = []
        self._damage: list[Damage] = []

    @property
    def held_from(self) -> int | None:
        """Where the first line that is still held back starts."""
        return self._broken[0].offset if self._broken else None

    def take_damage(self) -> tuple[Damage, ...]:
        """The damage met since the last call."""
        found, self._damage = tuple(self._damage), []
        return found

    def finish(self) -> None:
        """No line follows: what is held back is damage."""
        self._give_up()

    def feed(self, line: Line) -> Iterator[PlacedRow]:
        """The rows this line completes."""
        if self._some and not self._broken and (row := _whole(line.data, self._some)) is not None:
            yield PlacedRow(row, line.offset, line.length)
            return
        rows, damage = decode(line, self._path)
        if rows or not damage:
            self._give_up()
        elif self._broken and (joined := self._join(line)) is not None:
            yield joined
            return
        elif line.data is not None and (self._broken or line.data.lstrip(b"\0 \t\xef\xbb\xbf")[:1] == b"{"):
            self._broken.append(line)
            if len(self._broken) >= _JOINED_LINES:
                self._give_up()
            return
        self._damage.extend(damage)
        for row in rows:
            yield PlacedRow(row, line.offset, line.length, bool(damage))

    def _join(self, line: Line) -> PlacedRow | None:
        if line.data is None:
            return None
        parts = [part.data or b"" for part in self._broken]
        value = _parse(b"\\n".join([*parts, line.data]))
        if not isinstance(value, dict):
            return None
        start = self._broken[0].offset
        self._broken = []
        self._damage.append(Damage(self._path, start, line.end - start, "a raw newline inside a string"))
        return PlacedRow(value, start, line.end - start, damaged=True)

    def _give_up(self) -> None:
        for line in self._broken:
            self._damage.extend(decode(line, self._path)[1])
        self._broken = []
