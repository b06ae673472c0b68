"""Expire: an active record is over at the moment it was given, and at no other."""

from slowwave.lifecycle.standing import Standing
from slowwave.store.records import ACTIVE


def is_due(record: Standing, now: int) -> bool:
    """Whether an expiry is set and at or before now."""
    return (
        record.status == ACTIVE
        and record.expires_at is not None
        and record.expires_at <= now
        and not record.pinned
    )
