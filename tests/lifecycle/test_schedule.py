"""When a pass is due by itself, in time zones whose clocks change."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.lifecycle import schedule
from slowwave.lifecycle.maintenance import reflect
from slowwave.lifecycle.schedule import Overdue
from slowwave.verbs import ReflectRequest

from .bench import world

ZONES = ["UTC", "Europe/Berlin", "Europe/Helsinki", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]


def at(text: str, zone: str = "UTC") -> datetime:
    """A wall time of a zone."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize("zone", ZONES)
def test_daily_is_03_00_of_the_owner(zone: str) -> None:
    """Just before 03:00 it is yesterday's, at 03:00 and just after it is today's."""
    three, before = at("2026-05-20T03:00", zone), at("2026-05-19T03:00", zone)
    one = timedelta(microseconds=1)
    due = [schedule.last_due("daily", three + off, ZoneInfo(zone)) for off in (-one, 0 * one, one)]
    assert due == [before, three, three]


def test_weekly_is_monday() -> None:
    """The week's pass is Monday's at 03:00."""
    zone = ZoneInfo("Europe/Berlin")
    monday = at("2026-05-18T03:00", "Europe/Berlin")
    one = timedelta(microseconds=1)
    assert schedule.last_due("weekly", monday, zone) == monday
    assert schedule.last_due("weekly", monday - one, zone) == monday - timedelta(days=7)
    assert schedule.last_due("weekly", monday + timedelta(days=7) - one, zone) == monday
    assert schedule.next_due("weekly", monday, zone) == monday + timedelta(days=7)


def test_manual_is_never_due() -> None:
    """Off means off."""
    assert schedule.last_due("manual", at("2026-05-20T03:00"), UTC) is None
    assert schedule.next_due("manual", at("2026-05-20T03:00"), UTC) is None


def test_an_hour_that_is_skipped_is_made_up_for_at_its_end() -> None:
    """In Helsinki 03:00 does not exist on 2026-03-29: the pass is due when the clocks show 04:00."""
    zone = ZoneInfo("Europe/Helsinki")
    jump = datetime(2026, 3, 29, 1, tzinfo=UTC)  # 03:00 becomes 04:00
    assert schedule.last_due("daily", jump, zone) == jump
    assert schedule.last_due("daily", jump - timedelta(seconds=1), zone) == at(
        "2026-03-28T03:00", "Europe/Helsinki"
    )


def test_an_hour_that_comes_twice_counts_once() -> None:
    """In Helsinki 03:00 comes twice on 2026-10-25: due at the first, and not again at the second."""
    zone = ZoneInfo("Europe/Helsinki")
    first, second = datetime(2026, 10, 25, 0, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC)
    assert schedule.last_due("daily", first, zone) == first
    assert schedule.last_due("daily", second, zone) == first
    assert schedule.missed("daily", first, second + timedelta(hours=1), zone) == 0


@given(st.sampled_from(ZONES), st.integers(0, 3 * 366 * 24 * 60), st.sampled_from(["daily", "weekly"]))
def test_due_moments_are_in_order(zone: str, minutes: int, preset: str) -> None:
    """The last due moment is at or before now, the next one after it, and there is none between."""
    now = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    last, coming = (f(preset, now, ZoneInfo(zone)) for f in (schedule.last_due, schedule.next_due))
    assert last is not None
    assert coming is not None
    assert last <= now < coming
    assert schedule.last_due(preset, coming - timedelta(seconds=1), ZoneInfo(zone)) == last


def test_missed_passes_are_caught_up_once(tmp_path: Path) -> None:
    """After a week asleep one pass is due, which says how many were missed; then none is."""
    with world(tmp_path) as w:
        start = at("2026-05-01T12:00")
        assert schedule.overdue(w.db, "daily", start, UTC) is None
        assert schedule.overdue(w.db, "daily", start + timedelta(hours=14), UTC) is None
        late = start + timedelta(days=7)
        found = schedule.overdue(w.db, "daily", late, UTC)
        assert found == Overdue(round(at("2026-05-08T03:00").timestamp() * 1e6), missed=6)
        reflect(w.bench, ReflectRequest(scheduled=found.due))
        assert schedule.overdue(w.db, "daily", late, UTC) is None
        assert w.db.value("SELECT reason FROM audit WHERE action = 'reflect'") == "scheduled"
        assert schedule.overdue(w.db, "manual", late + timedelta(days=9), UTC) is None
