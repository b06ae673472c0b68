r"""Whole new lines of one file, and whether the file is still the one read before.

Step 2 of the walk. Everything is bytes: lines end at `\n` only, because U+2028, U+0085 and carriage returns
are legal inside JSON strings, and an offset counted in characters drifts. Agents append while we read, so the
last line counts only once its newline is there.
"""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from slowwave.errors import TranscriptError
from slowwave.transcripts import zst

# Grows when the same bytes give other turns: what an older one has read is read again, and nothing of it is news.
PARSER = 1
CHUNK = 1 << 20
HEAD = 4096
TAIL = 1 << 16
LONGEST = 24 << 20  # bytes kept of one line: it is in memory three times while it is decoded
_WHOLE = 8 << 20  # so much of a line is kept as it is
_BLOCK = 1 << 20
_BASE64 = re.compile(rb"[A-Za-z0-9+/=_-]+")


class Line(NamedTuple):
    """One line: its place, and its bytes without the newline.

    data    None when the line was too long to keep
    reason  why it is not a whole ordinary line ("" when it is)
    """

    offset: int
    length: int
    data: bytes | None
    reason: str = ""

    @property
    def end(self) -> int:
        """The offset just after it."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class FileMark:
    """What we knew of a file when we had read it up to `offset`; plain numbers and text, fit for JSON.

    head_hash   SHA-256 of the first 4 KiB read (or less)
    tail_hash   SHA-256 of the bytes from `tail_offset` to `offset`: the last consumed line, or its end
    generation  grows by one each time the file was replaced by another content
    last_id     the native id of the last entry read; "" before the first
    parser      the `PARSER` that read it
    """

    dev: int
    inode: int
    size: int
    mtime_ns: int
    offset: int
    head_hash: str
    tail_hash: str
    tail_offset: int
    generation: int = 0
    last_id: str = ""
    parser: int = 0


@dataclass(frozen=True, slots=True)
class Same:
    """Nothing happened since the mark."""


@dataclass(frozen=True, slots=True)
class Grown:
    """What was read still stands and the file changed behind it; `size` is its size now."""

    size: int


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What was read no longer stands: read it again from the beginning."""

    reason: str


@dataclass(frozen=True, slots=True)
class Vanished:
    """The file is gone; agents delete old sessions, so this is no error."""


FileState = Same | Grown | Rewritten | Vanished


def open_read_only(path: Path) -> BinaryIO:
    """Open a plain file for reading. FileNotFoundError passes; anything else is a TranscriptError.

    O_NOFOLLOW because a link inside an agent's folder could point at any file of the person's; O_NONBLOCK
    because opening a named pipe would wait for ever.
    """
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        fd = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError as exc:
        why = "it is a symbolic link" if exc.errno == errno.ELOOP else exc.strerror
        raise TranscriptError(f"cannot read {path}: {why}") from exc
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise TranscriptError(f"cannot read {path}: it is not a plain file")
    return os.fdopen(fd, "rb", buffering=0)


def _chunks(path: Path, offset: int, until: int | None) -> Iterator[bytes]:
    """The bytes from `offset` to `until` (or the end), a chunk at a time."""
    with open_read_only(path) as file:
        content = zst.unpacked(file, path) if zst.is_packed(path) else file
        try:
            content.seek(offset)
            at = offset
            while until is None or at < until:
                chunk = content.read(CHUNK if until is None else min(CHUNK, until - at))
                if not chunk:
                    return
                at += len(chunk)
                yield chunk
        except OSError as exc:
            raise TranscriptError(f"cannot read {path}: {exc.strerror}") from exc


def read_lines(
    path: Path,
    offset: int = 0,
    until: int | None = None,
    max_line: int = LONGEST,
    keep_partial: bool = False,
) -> Iterator[Line]:
    """The whole lines from `offset` on that end at or before `until`.

    Behind the first 8 MiB of a line, blocks of base64 (an inlined image or video) are kept as their
    hash. A line of which more than `max_line` bytes would be kept is passed over and stands in as a Line without
    data: one row must not take the memory of the machine. With `keep_partial` the rest after the last newline
    comes too, with a reason; it may grow later.
    """
    start, long = offset, _LongLine(max_line)
    for chunk in _chunks(path, offset, until):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if not long.size and len(end) <= max_line:
                yield Line(start, len(end) + 1, end)
                start += len(end) + 1
                continue
            long.add(end)
            whole = long.line(start, long.size + 1)
            yield whole
            start, long = whole.end, _LongLine(max_line)
        long.add(rest)
    if keep_partial and long.size:
        whole = long.line(start, long.size)
        yield whole if whole.data is None else whole._replace(reason="no newline at its end yet")


class _LongLine:
    """A line that does not lie in one chunk, as far as it is kept; the same however it is cut into pieces."""

    def __init__(self, longest: int) -> None:
        self.size = 0
        self._longest = longest
        self._parts: list[bytes] = []
        self._kept = 0
        self._block = bytearray()  # the present block behind the part that is kept whole

    def add(self, piece: bytes) -> None:
        """The next bytes."""
        room = max(0, _WHOLE - self.size)
        self.size += len(piece)
        self._keep(piece[:room])
        at = room
        while at < len(piece) and self._kept <= self._longest:
            taken = piece[at : at + _BLOCK - len(self._block)]
            self._block += taken
            at += len(taken)
            if len(self._block) == _BLOCK:
                self._keep(_shortened(bytes(self._block)))
                self._block.clear()

    def _keep(self, piece: bytes) -> None:
        self._kept += len(piece)
        if self._kept > self._longest:
            self._parts, self._block = [], bytearray()
        elif piece:
            self._parts.append(piece)

    def line(self, offset: int, length: int) -> Line:
        """The whole line."""
        self._keep(bytes(self._block))
        if self._kept > self._longest:
            return Line(offset, length, None, f"longer than the limit ({length} bytes)")
        return Line(offset, length, b"".join(self._parts))


def _shortened(block: bytes) -> bytes:
    """A block of base64 lies inside one JSON string, and its hash can stand for it there; others stay."""
    if _BASE64.fullmatch(block) and not block.isdigit():
        return hashlib.sha256(block).hexdigest().encode()
    return block


def _hash(file: BinaryIO, path: Path, start: int, end: int) -> str:
    if zst.is_packed(path):
        file = zst.unpacked(file, path)
    file.seek(start)
    left, sha = end - start, hashlib.sha256()
    while left > 0:
        data = file.read(min(left, CHUNK))
        if not data:
            return ""  # shorter than it was: equal to no hash
        sha.update(data)
        left -= len(data)
    return sha.hexdigest()


def mark(path: Path, offset: int, last_line: int | None = None, generation: int = 0) -> FileMark:
    """Remember the file as it is, read up to `offset`, its last consumed line starting at `last_line`."""
    tail = max(offset - TAIL, 0 if last_line is None else last_line)
    with open_read_only(path) as file:
        try:
            now = os.fstat(file.fileno())
            head_hash = _hash(file, path, 0, min(HEAD, offset))
            tail_hash = _hash(file, path, tail, offset)
        except OSError as exc:
            raise TranscriptError(f"cannot read {path}: {exc.strerror}") from exc
    return FileMark(
        now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, offset, head_hash, tail_hash, tail, generation
    )


def check(path: Path, known: FileMark) -> FileState:
    """Whether what was read of the file still stands.

    A new inode alone says nothing: editors and sync tools replace files atomically with the same beginning.
    The bytes decide.
    """
    try:
        with open_read_only(path) as file:
            now = os.fstat(file.fileno())
            packed = zst.is_packed(path)  # its size says nothing about the places in it
            if now.st_size < known.offset and not packed:
                return Rewritten(f"it shrank to {now.st_size} bytes, {known.offset} were read")
            if _hash(file, path, 0, min(HEAD, known.offset)) != known.head_hash:
                return Rewritten("its beginning changed")
            if _hash(file, path, known.tail_offset, known.offset) != known.tail_hash:
                return Rewritten("the last line read changed")
    except FileNotFoundError:
        return Vanished()
    except OSError as exc:
        raise TranscriptError(f"cannot read {path}: {exc.strerror}") from exc
    if (packed or now.st_size > known.offset) and (now.st_size, now.st_mtime_ns) != (
        known.size,
        known.mtime_ns,
    ):
        return Grown(now.st_size)
    return Same()
