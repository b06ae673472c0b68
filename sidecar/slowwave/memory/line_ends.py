"""Line ends: a checkout may hold a file with CRLF that git stores with LF (`eol=crlf`, `core.autocrlf`).

Such a file is what git stores, not a person's edit; and what lands over it keeps the line ends it has there.
Only a file that is CRLF throughout counts: any other is compared by its bytes. Doorway 3, used by `publish`
and `landing`.
"""

from collections.abc import Collection

from slowwave.errors import ScopeError
from slowwave.memory.objects import blob_hash
from slowwave.memory.repo import NOT_A_FILE, MemoryRepository


def hash_among(repo: MemoryRepository, path: str, known: Collection[str | None]) -> str | None:
    """The blob name of a file as `raw_hash` answers it, or, when that is not known, the known one it is stored
    as.
    """
    now = repo.raw_hash(path)
    if now in known or now is None or now == NOT_A_FILE:
        return now
    stored = _stored_hash(repo, path)
    return stored if stored is not None and stored in known else now  # None is absence: this is no absence


def as_checked_out(repo: MemoryRepository, path: str, had: Collection[str | None], data: bytes) -> bytes:
    """What to write over a file: with CRLF when what stands there is one of `had` with CRLF."""
    stored = _stored_hash(repo, path)
    kept = repo.raw_hash(path) in had or stored is None or stored not in had or b"\r" in data
    return data if kept else data.replace(b"\n", b"\r\n")


def _stored_hash(repo: MemoryRepository, path: str) -> str | None:
    """The blob name of a file that is CRLF throughout, with LF; None for any other."""
    try:
        data = repo.files.read(path)
    except (FileNotFoundError, ScopeError):
        return None
    plain = data.replace(b"\r\n", b"\n")
    return blob_hash(plain) if b"\r\n" in data and plain.replace(b"\n", b"\r\n") == data else None
