"""Whole files: one JSON document that is written anew each time, taken apart into rows with their places.

Step 2 and 3 of the walk for states. The elements of the document's list are its rows, each at its own byte
offset, so that what was there before a baseline can be told from what came later. A document cut short or
damaged in one place still gives every element that is whole: an object inside a string has its quotes
escaped, so nothing a tool printed can pass for a row.
"""

import json
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from slowwave.errors import TranscriptError
from slowwave.model import Damage
from slowwave.transcripts.decode import PlacedRow, Row, RowDecoder, valid_text
from slowwave.transcripts.formats.protocol import Extent, Loaded
from slowwave.transcripts.tail import open_read_only, read_lines

LARGEST = 1 << 29  # a state of half a gigabyte would take several times that in memory
_LISTS = frozenset({"messages", "items", "events", "history"})
_TRIED = 64 << 20  # characters parsed in vain while looking for whole elements of a damaged document
_scan = json.JSONDecoder().raw_decode
_SPACE = " \t\r\n"


def extent(path: Path) -> Extent:
    """Size and time of a file. FileNotFoundError when it is gone."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise FileNotFoundError(str(path)) from exc
    except OSError as exc:
        raise TranscriptError(f"cannot read {path}: {exc.strerror}") from exc
    return Extent(status.st_size, status.st_mtime_ns)


def load(path: Path, is_row: Callable[[Row], bool], about: Mapping[str, Any] | None = None) -> Loaded:
    """A document's rows; the first is `{"header": …}` with its other fields and what is known `about` it."""
    known = extent(path)
    data = read_all(path)
    header, rows, damage = elements(data, is_row, str(path))
    first = PlacedRow({"header": {**header, **(about or {})}}, 0, 0)
    return Loaded((first, *rows), damage, known)


def load_lines(path: Path, about: Mapping[str, Any] | None = None) -> Loaded:
    """A file of rows, read whole because later rows change what earlier ones said."""
    known = extent(path)
    decoder = RowDecoder(str(path))
    rows = [row for line in read_lines(path) for row in decoder.feed(line)]
    first = PlacedRow({"header": dict(about or {})}, 0, 0)
    return Loaded((first, *rows), decoder.take_damage(), known)


def read_all(path: Path) -> bytes:
    """Every byte of a plain file."""
    with open_read_only(path) as file:
        try:
            data = file.read(LARGEST + 1)
        except OSError as exc:
            raise TranscriptError(f"cannot read {path}: {exc.strerror}") from exc
    if len(data) > LARGEST:
        raise TranscriptError(f"cannot read {path}: it is larger than {LARGEST} bytes")
    return data


def read_object(path: Path) -> Row:
    """A small JSON file beside a session, such as its metadata; empty when it is absent or no object."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return {}
        value = json.loads(read_all(path))
    except (OSError, TranscriptError, ValueError, RecursionError):
        return {}  # only adds to what the session itself says
    return valid_text(value) if isinstance(value, dict) else {}


def elements(
    data: bytes, is_row: Callable[[Row], bool], path: str = ""
) -> tuple[Row, tuple[PlacedRow, ...], tuple[Damage, ...]]:
    """The fields of a document beside its list, the list's objects, and what could not be read."""
    bom = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    text = data[bom:].decode("utf-8", "replace")
    document = _Document(text)
    found = document.read()
    if not found and is_row(document.header):
        # A row where the document should be: its beginning is lost.
        document.header, document.broken = {}, 0
    elif not found and any(_salvage(text, 0, is_row)):
        document.broken = 0  # the name of its list is damaged
    if document.broken is not None:
        found = [*found, *_salvage(text, document.broken, is_row)]
    if not data.strip(b" \t\r\n\0"):
        return {}, (), ()
    rows, gaps, at, byte = list[PlacedRow](), list[Damage](), 0, bom
    end_of_good = document.broken
    for start, end, value in found:
        byte += len(text[at:start].encode())
        length = len(text[start:end].encode())
        rows.append(
            PlacedRow(valid_text(value), byte, length, "\ufffd" in text[start:end] and _invalid(data))
        )
        at, byte = end, byte + length
    if end_of_good is not None:
        place = bom + len(text[:end_of_good].encode())
        gaps.append(
            Damage(path, place, max(0, len(data) - place), "the document is damaged or cut short here")
        )
    return valid_text(document.header), tuple(rows), tuple(gaps)


def _invalid(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


class _Document:
    """A reader of a document's outer structure; `broken` is where it stopped making sense."""

    def __init__(self, text: str) -> None:
        self.header: Row = {}
        self.broken: int | None = None
        self._text = text
        self._at = 0

    def read(self) -> list[tuple[int, int, Row]]:
        found: list[tuple[int, int, Row]] = []
        try:
            self._skip()
            if self._take("["):
                self._list(found)
            elif self._take("{"):
                self._fields(found)
            else:
                self.broken = self._at
            self._skip()
            if self._text[self._at :].strip("\0"):
                self.broken = self._at  # something stands behind the end
        except (ValueError, RecursionError, IndexError):
            self.broken = self._at
        return found

    def _fields(self, found: list[tuple[int, int, Row]]) -> None:
        self._skip()
        while not self._take("}"):
            name, self._at = _scan(self._text, self._at)
            self._skip()
            self._need(":")
            self._skip()
            if name in _LISTS and self._take("["):
                self._list(found)
            else:
                value, self._at = _scan(self._text, self._at)
                self.header[str(name)] = value
            self._skip()
            self._take(",")
            self._skip()

    def _list(self, found: list[tuple[int, int, Row]]) -> None:
        self._skip()
        while not self._take("]"):
            start = self._at
            value, self._at = _scan(self._text, start)
            if isinstance(value, dict):
                found.append((start, self._at, value))
            self._skip()
            if not self._take(","):
                self._need("]")
                return
            self._skip()

    def _skip(self) -> None:
        while self._text[self._at : self._at + 1] in _SPACE and self._at < len(self._text):
            self._at += 1

    def _take(self, char: str) -> bool:
        if self._text.startswith(char, self._at):
            self._at += 1
            return True
        return False

    def _need(self, char: str) -> None:
        if not self._take(char):
            raise ValueError(char)


def _salvage(text: str, start: int, is_row: Callable[[Row], bool]) -> Iterator[tuple[int, int, Row]]:
    """Every whole row behind the damage."""
    at, tried = start, 0
    while (at := text.find("{", at)) >= 0 and tried < _TRIED:
        try:
            value, end = _scan(text, at)
        except ValueError as exc:
            tried += max(1, getattr(exc, "pos", len(text)) - at)
            at += 1
            continue
        except RecursionError:
            tried += len(text) - at
            at += 1
            continue
        if isinstance(value, dict) and is_row(value):
            yield at, end, value
            at = end
        else:
            at += 1
