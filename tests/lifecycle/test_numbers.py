"""Every number of the shipped table at its boundary: just before, at, just after."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from slowwave.config import LifecycleSettings, parse_settings
from slowwave.errors import ConfigError
from slowwave.lifecycle import archive, decay, expire, promote
from slowwave.lifecycle.maintenance import reflect
from slowwave.lifecycle.policy import CONFIGURED, DAY, SHIPPED, Policy
from slowwave.model import MemoryType
from slowwave.verbs import ReflectRequest

from .bench import NOW, days, record, standing, world

POLICY = Policy()
AROUND = [(-1, False), (0, True), (1, True)]  # microseconds around the moment, and whether it is time

DECAY = [
    ("working", 1, 0.20, 0.05),
    ("episodic", 14, 0.10, 0.10),
    ("semantic", 90, 0.03, 0.20),
    ("procedural", 120, 0.02, 0.25),
]
ARCHIVE = [("working", 7), ("episodic", 30), ("semantic", 180), ("procedural", 365)]


@pytest.mark.parametrize(("off", "due"), AROUND)
def test_expiry_comes_at_its_moment(off: int, due: bool) -> None:
    """A record expires when its expiry is at or before now, and not a microsecond earlier."""
    assert expire.is_due(standing(expires_at=NOW), NOW + off) is due


def test_nothing_else_expires() -> None:
    """Without an expiry, when not active, or pinned, a record does not expire."""
    assert not expire.is_due(standing(), NOW + days(10_000))
    for status in ("superseded", "expired", "archived"):
        assert not expire.is_due(standing(expires_at=NOW, status=status), NOW)
    assert not expire.is_due(standing(expires_at=NOW, pinned=1), NOW)


@pytest.mark.parametrize(("off", "due"), AROUND)
@pytest.mark.parametrize(("kind", "period", "step", "floor"), DECAY)
def test_decay_takes_a_step_after_one_period(
    kind: str, period: int, step: float, floor: float, off: int, due: bool
) -> None:
    """One whole period without use takes one step; a microsecond less takes nothing."""
    found = decay.faded(standing(type=kind, importance=0.9), NOW + days(period) + off, POLICY)
    assert found == ((round(0.9 - step, 6), NOW + days(period)) if due else None)


@pytest.mark.parametrize(("off", "steps"), [(-1, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize(("kind", "period", "step", "floor"), DECAY)
def test_decay_counts_whole_periods(
    kind: str, period: int, step: float, floor: float, off: int, steps: int
) -> None:
    """Two periods take two steps, one and a bit takes one."""
    found = decay.faded(standing(type=kind, importance=1.0), NOW + 2 * days(period) + off, POLICY)
    assert found == (round(1 - steps * step, 6), NOW + steps * days(period))


@pytest.mark.parametrize(("kind", "period", "step", "floor"), DECAY)
def test_decay_ends_at_the_floor(kind: str, period: int, step: float, floor: float) -> None:
    """Just above the floor it falls to the floor; at or below it nothing happens, whatever the age."""
    late = NOW + 1000 * days(period)
    assert decay.faded(standing(type=kind, importance=1.0), late, POLICY) == (floor, late)
    above = decay.faded(standing(type=kind, importance=floor + 0.000_001), late, POLICY)
    assert above == (floor, late)
    assert decay.faded(standing(type=kind, importance=floor), late, POLICY) is None
    assert decay.faded(standing(type=kind, importance=floor - 0.01), late, POLICY) is None


def test_identity_neither_fades_nor_leaves() -> None:
    """Identity is exempt from decay and from archiving by age."""
    old = standing(type="identity", importance=1.0)
    assert decay.faded(old, NOW + days(100_000), POLICY) is None
    assert archive.reason(old, NOW + days(100_000), POLICY) == ""


@pytest.mark.parametrize(("off", "due"), AROUND)
@pytest.mark.parametrize(("kind", "age"), ARCHIVE)
def test_unused_records_are_archived_after_their_days(kind: str, age: int, off: int, due: bool) -> None:
    """An active record leaves after the days of its type without use, and not earlier."""
    assert bool(archive.reason(standing(type=kind), NOW + days(age) + off, POLICY)) is due


@pytest.mark.parametrize(("off", "due"), AROUND)
@pytest.mark.parametrize("kind", [str(t) for t in MemoryType])
def test_superseded_records_are_archived_after_30_days(kind: str, off: int, due: bool) -> None:
    """A superseded record leaves 30 days after it was superseded, whatever its type and use."""
    one = standing(type=kind, status="superseded", status_at=NOW, activity=NOW + days(29))
    assert bool(archive.reason(one, NOW + days(30) + off, POLICY)) is due


def test_expired_records_are_archived_at_once() -> None:
    """An expired record leaves in the pass that expires it; an archived one stays where it is."""
    assert archive.reason(standing(status="expired", status_at=NOW), NOW, POLICY) == "expired"
    assert archive.reason(standing(status="archived", status_at=0, activity=0), NOW, POLICY) == ""


@pytest.mark.parametrize("field", ["last_accessed_at", "anchor_at", "updated_at", "created_at"])
def test_the_newest_sign_of_life_counts(field: str, tmp_path: Path) -> None:
    """Each of last access, anchor, update and creation preserves a record when it is the newest of them."""
    with world(tmp_path) as w:
        old = NOW - days(100)
        w.add(id="used", at=old, **{"last_accessed_at": old, "anchor_at": old, field: NOW - days(1)})
        w.add(id="unused", at=old, last_accessed_at=old, anchor_at=old)
        report = reflect(w.bench, ReflectRequest(("decay", "archive")))
        assert {c.record for c in report.plan.changes} == {"unused"}


@pytest.mark.parametrize(("count", "promoted"), [(2, False), (3, True), (4, True)])
def test_promotion_needs_three_occurrences(count: int, promoted: bool) -> None:
    """Two occurrences are not enough, three are."""
    group = [record(id=str(n)) for n in range(count)]
    assert (not promote.shortfalls(group, POLICY)) is promoted


@pytest.mark.parametrize(("name", "least"), [("importance", 0.35), ("confidence", 0.6)])
@pytest.mark.parametrize(("off", "promoted"), [(-0.000_001, False), (0, True), (0.000_001, True)])
def test_promotion_needs_its_averages(name: str, least: float, off: float, promoted: bool) -> None:
    """The averages are compared exactly: at the threshold it is promoted, a millionth below it is not."""
    values = [least - 0.1, least, least + 0.1 + 3 * off]
    group = [record(id=str(n), **{name: value}) for n, value in enumerate(values)]
    assert (not promote.shortfalls(group, POLICY)) is promoted


@pytest.mark.parametrize(("least", "count", "summaries"), [(None, 1, 0), (None, 2, 1), (3, 2, 0), (3, 3, 1)])
def test_a_summary_needs_its_group(least: int | None, count: int, summaries: int, tmp_path: Path) -> None:
    """Groups below `min_group_size` (default 2) are skipped."""
    with world(tmp_path) as w:
        for n in range(count):
            w.add(content=f"thing {n}")
        report = reflect(w.bench, ReflectRequest(("summarize",), dry_run=True, min_group_size=least))
        assert report.plan.counts()["summarize"] == summaries


@pytest.mark.parametrize(("off", "inside"), [(-1, False), (0, True), (1, True)])
def test_the_window_is_the_last_24_hours(off: int, inside: bool, tmp_path: Path) -> None:
    """An episode of 24 hours ago is in the window, one a microsecond older is not."""
    with world(tmp_path) as w:
        w.add(content="now")
        w.add(content="then", at=NOW - days(1) + off)
        report = reflect(w.bench, ReflectRequest(("summarize",), dry_run=True))
        assert report.plan.counts()["summarize"] == int(inside)


def test_since_and_until_replace_the_window(tmp_path: Path) -> None:
    """With `since` and `until` the window is theirs, both ends within; `time_window_hours` moves its beginning."""
    with world(tmp_path) as w:
        for n, at in enumerate((NOW - days(9) - 1, NOW - days(9), NOW - days(8), NOW - days(8) + 1)):
            w.add(id=f"e{n}", content=f"thing {n}", at=at)
        request = ReflectRequest(("summarize",), dry_run=True, since=NOW - days(9), until=NOW - days(8))
        (made,) = reflect(w.bench, request).plan.made
        assert made.record.sources == ("e1", "e2")
        request = ReflectRequest(("summarize",), dry_run=True, until=NOW - days(8), time_window_hours=24.0)
        (made,) = reflect(w.bench, request).plan.made
        assert made.record.sources == ("e1", "e2")


@pytest.mark.parametrize(("given", "read"), [(None, 500), (3, 3)])
def test_at_most_the_limit_is_summarized(given: int | None, read: int, tmp_path: Path) -> None:
    """500 episodes, the newest, unless another limit is given."""
    with world(tmp_path) as w:
        for n in range(502):
            w.add(content=f"thing {n}", at=NOW - n)
        (made,) = reflect(w.bench, ReflectRequest(("summarize",), dry_run=True, limit=given)).plan.made
        assert len(made.record.sources) == read
        assert "t-0001" in made.record.sources


def test_a_day_is_24_hours_when_the_clocks_change() -> None:
    """Over a change of the clocks a period is elapsed time: 24 hours, though the wall shows 23 or 25."""
    zone = ZoneInfo("Europe/Berlin")
    for day in ("2026-03-28T12:00", "2026-10-24T12:00"):  # the day before each change
        start = round(datetime.fromisoformat(day).replace(tzinfo=zone).timestamp() * 1_000_000)
        one = standing(type="working", importance=0.9, activity=start)
        assert decay.faded(one, start + DAY - 1, POLICY) is None
        assert decay.faded(one, start + DAY, POLICY) == (0.7, start + DAY)


def test_every_number_can_be_configured_and_says_so() -> None:
    """The settings change the table, number by number, and its origin names which are theirs."""
    text = "[lifecycle]\nsuperseded_days = 3\ndecay = { working = { step = 0.5 } }\narchive_days = { episodic = 2 }\n"
    policy = Policy.of(parse_settings(text, "here").lifecycle)
    assert (policy.superseded_days, policy.decay["working"].step, policy.decay["working"].floor) == (
        3,
        0.5,
        0.05,
    )
    assert policy.archive_days == {"working": 7, "episodic": 2, "semantic": 180, "procedural": 365}
    ours = {name for name, where in policy.origin.items() if where == CONFIGURED}
    assert ours == {"superseded_days", "decay.working", "archive_days.episodic"}
    assert set(Policy.of(LifecycleSettings()).origin.values()) == {SHIPPED}


@pytest.mark.parametrize("line", [
    "schedule = 'hourly'", "timezone = 'Mars/Olympus'", "decay = { identity = { days = 1 } }",
    "decay = { working = { step = 2 } }", "archive_days = { working = 0 }", "promote_occurrences = 1",
])  # fmt: skip
def test_a_number_that_makes_no_sense_is_refused(line: str) -> None:
    """A setting out of its range is an error that names it."""
    with pytest.raises(ConfigError, match=line.split(" ", maxsplit=1)[0]):
        parse_settings(f"[lifecycle]\n{line}\n", "here")
