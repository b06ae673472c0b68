"""How a record stands, as far as its age is concerned: what expire, decay and archive are asked about."""

from typing import NamedTuple


class Standing(NamedTuple):
    """The part of a record that ageing looks at. Times in microseconds.

    `activity` is the newest of last access, lifecycle anchor, update and creation. It is not moved by decay
    itself, which keeps its own place in `decayed_to`: a pass a day and one pass after a year come to the same.
    """

    id: str
    type: str
    status: str
    importance: float
    activity: int
    decayed_to: int | None
    expires_at: int | None
    status_at: int
    pinned: int
    revision: int
    file: str


COLUMNS = (
    "id, type, status, importance,"
    " max(coalesce(last_accessed_at, 0), coalesce(anchor_at, 0), updated_at, created_at),"
    " decayed_to, expires_at, status_at, pinned, revision, file"
)
