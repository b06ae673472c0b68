"""What git stores, as frozen values: entries, changes, commits, merges; and the bytes git reads and writes
for them.

Doorway 3; pure, no process is started here.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

LOG_FORMAT: Final = (
    "--format=%H%x00%P%x00%an <%ae>%x00%cn <%ce>%x00%aI%x00%s%x00%(trailers:only,unfold)%x00%b"
)
LOG_FIELDS: Final = 8


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a tree. The size is None where git was not asked for it."""

    mode: str
    oid: str
    size: int | None = None

    @property
    def is_plain(self) -> bool:
        """A regular file (not a link, not a nested repository)."""
        return self.mode in {"100644", "100755"}


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs between two trees; None where a tree does not have it."""

    path: str
    old: TreeEntry | None
    new: TreeEntry | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, as its header and message describe it."""

    sha: str
    parents: tuple[str, ...]
    subject: str
    body: str
    trailers: Mapping[str, tuple[str, ...]]
    at: datetime
    author: str
    committer: str

    @property
    def message(self) -> str:
        """The whole message."""
        return f"{self.subject}\n\n{self.body}\n" if self.body else f"{self.subject}\n"


@dataclass(frozen=True, slots=True)
class MergeResult:
    """A merged tree. With conflicts it holds marks and must not land; `stages` has both sides of each.

    stages   (path, 2) is our file and (path, 3) is theirs; a missing key means that side has none
    """

    tree: str
    conflicts: tuple[str, ...] = ()
    stages: Mapping[tuple[str, int], TreeEntry] | None = None


def blob_hash(data: bytes) -> str:
    """The name git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def message_bytes(message: str) -> bytes:
    """A commit message as git accepts it."""
    return message.replace("\0", "").encode("utf-8", "replace")


def index_info(entries: Mapping[str, TreeEntry | None]) -> bytes:
    """The input of `update-index --index-info`; removals first, so that a file can give way to a folder."""
    removed = [b"0 %s\t%s\0" % (b"0" * 40, os.fsencode(p)) for p, e in entries.items() if e is None]
    put = [f"{e.mode} {e.oid}\t".encode() + os.fsencode(p) + b"\0" for p, e in entries.items() if e]
    return b"".join(removed + put)


def parse_commit(fields: Sequence[str]) -> Commit:
    """One record of a log in LOG_FORMAT."""
    sha, parents, author, committer, at, subject, trailer_lines, body = fields
    trailers: dict[str, list[str]] = {}
    for line in trailer_lines.splitlines():
        key, _, value = line.partition(":")
        trailers.setdefault(key, []).append(value.strip())
    frozen = {key: tuple(values) for key, values in trailers.items()}
    return Commit(
        sha,
        tuple(parents.split()),
        subject,
        body.strip(),
        frozen,
        datetime.fromisoformat(at),
        author,
        committer,
    )
