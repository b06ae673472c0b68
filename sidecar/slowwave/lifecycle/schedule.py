"""When a pass is due by itself: never (manual), every day at 03:00 of the owner, or every Monday at 03:00.

Pure but for `overdue`, which asks the store what was answered for: the present and the zone are arguments. Where the clocks skip 03:00 it is the first moment after the gap;
where they show it twice, the first time only.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Final

from slowwave.store import passes
from slowwave.store.database import Database

HOUR: Final = time(3)
_DAYS: Final = {"daily": 1, "weekly": 7}
PRESETS: Final = ("manual", *_DAYS)


def last_due(preset: str, now: datetime, zone: tzinfo | None) -> datetime | None:
    """The newest due moment at or before `now` (aware), in UTC; None when nothing is due by itself.

    `zone` None is this machine's.
    """
    if preset not in _DAYS:
        return None
    day = now.astimezone(zone).date()
    for back in range(9):
        candidate = day - timedelta(days=back)
        if preset == "weekly" and candidate.weekday() != 0:
            continue
        due = _moment(datetime.combine(candidate, HOUR), zone)
        if due <= now:
            return due
    return None


def next_due(preset: str, now: datetime, zone: tzinfo | None) -> datetime | None:
    """The first due moment after `now`, in UTC."""
    last = last_due(preset, now, zone)
    if last is None:
        return None
    # Far enough to be past the next one, whatever the clocks do, and not past the one after it.
    return last_due(preset, last + timedelta(days=_DAYS[preset], hours=12), zone)


def missed(preset: str, since: datetime, now: datetime, zone: tzinfo | None) -> int:
    """How many due moments lie after `since`, up to now: more than one means that some were missed."""
    count, at = 0, last_due(preset, now, zone)
    while at is not None and at > since and count < 1000:
        count, at = count + 1, last_due(preset, at - timedelta(seconds=1), zone)
    return count


def _moment(wall: datetime, zone: tzinfo | None) -> datetime:
    """A wall time as a moment. One that the clocks skip is told by the clock before the change: 03:00 in a gap
    that begins at 03:00 is the gap's end. One that comes twice is the first.
    """
    return (wall.replace(tzinfo=zone) if zone else wall.astimezone()).astimezone(UTC)


# ---------------------------------------------------------------------- what is to run now
@dataclass(frozen=True)
class Overdue:
    """A scheduled pass that is to run: its due moment in microseconds, and how many before it were missed."""

    due: int
    missed: int


def overdue(db: Database, preset: str, now: datetime, zone: tzinfo | None) -> Overdue | None:
    """The scheduled pass that is to run now, or None. However many were missed, it is one.

    An installation that never had a scheduled pass waits for the next due moment.
    """
    due = last_due(preset, now, zone)
    if due is None:
        return None
    through = passes.scheduled_through(db)
    if through is None:
        with db.transaction():
            passes.note_scheduled(db, _micros(due))
        return None
    if _micros(due) <= through:
        return None
    since = datetime.fromtimestamp(through / 1e6, UTC)
    return Overdue(_micros(due), missed(preset, since, now, zone) - 1)


def _micros(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000)
