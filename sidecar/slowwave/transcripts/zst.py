"""Compressed transcripts: Codex packs rollouts that were idle for a week into `.jsonl.zst`.

The only importer of zstandard, and lazily: most machines have no such file. What comes out is read like the
plain file it was, so a place in it is a place in the unpacked text.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from slowwave.errors import TranscriptError

SUFFIX = ".zst"
_STEP = 1 << 14  # a packed byte can become thousands


def is_packed(path: Path) -> bool:
    """Whether a file is packed, by its name."""
    return path.name.endswith(SUFFIX)


class _Unpacked:
    """A packed file as a stream: reads, and seeks forward; damage is an error that names the file."""

    def __init__(
        self, file: BinaryIO, path: Path, unpacker: Callable[[], Any], broken: type[Exception]
    ) -> None:
        self._file = file
        self._path = path
        self._unpacker = unpacker
        self._broken = broken
        self._frame = unpacker()
        self._waiting = b""  # packed bytes of the next frame
        self._ready = bytearray()

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        while len(self._ready) < size and self._fill():
            pass
        data = bytes(self._ready[:size])
        del self._ready[:size]
        return data

    def _fill(self) -> bool:
        """Unpack a little more; False at the end."""
        packed, self._waiting = self._waiting or self._file.read(_STEP), b""
        if not packed:
            if not self._frame.eof:
                raise TranscriptError(f"cannot unpack {self._path}: it is cut short")
            return False
        if self._frame.eof:
            self._frame = self._unpacker()
        try:
            self._ready += self._frame.decompress(packed)
        except self._broken as exc:
            raise TranscriptError(f"cannot unpack {self._path}: {exc}") from exc
        self._waiting = self._frame.unused_data if self._frame.eof else b""
        return True

    def seek(self, offset: int) -> None:
        """Pass over what comes before `offset`; the stream stands at its beginning."""
        while offset > 0 and (data := self.read(min(offset, 1 << 20))):
            offset -= len(data)


def unpacked(file: BinaryIO, path: Path) -> BinaryIO:
    """The unpacked content of a packed file, from its beginning."""
    try:
        import zstandard  # most machines never need it
    except ImportError as exc:
        raise TranscriptError(f"cannot read {path}: zstandard is not installed") from exc
    file.seek(0)
    unpacker = zstandard.ZstdDecompressor().decompressobj
    return cast("BinaryIO", _Unpacked(file, path, unpacker, zstandard.ZstdError))
