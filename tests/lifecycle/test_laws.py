"""Laws of a pass, for any records."""

import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave.lifecycle import decay, plan
from slowwave.lifecycle.maintenance import reflect
from slowwave.lifecycle.plan import Inputs
from slowwave.lifecycle.policy import Policy
from slowwave.lifecycle.summarize import OfflineSummarizer
from slowwave.model import MemoryType, digest
from slowwave.store import records
from slowwave.store.records import ARROWS
from slowwave.verbs import REFLECT_ACTIONS as ACTIONS
from slowwave.verbs import ReflectRequest

from .bench import NOW, World, days, record, standing, world

AGES = st.integers(0, 400).map(days) | st.integers(0, days(400))
SHARES = st.integers(0, 1_000_000).map(lambda n: n / 1_000_000)
ROW_TYPES = st.sampled_from([MemoryType.WORKING, MemoryType.EPISODIC])


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """The values of one record that lives in the store alone."""
    at = NOW - draw(AGES)
    return {
        "at": at, "type": draw(ROW_TYPES), "importance": draw(SHARES), "confidence": draw(SHARES),
        "content": draw(st.sampled_from(["Run the checks.", "run  the checks", "another thing"])),
        "path": draw(st.sampled_from(["", "build"])), "session": draw(st.sampled_from(["a", "b"])),
        "promotion_key": draw(st.sampled_from(["", "k"])), "scope": draw(st.sampled_from(["", "harbor"])),
        "expires_at": draw(st.none() | st.just(NOW) | AGES.map(lambda n: NOW - n) | AGES.map(lambda n: NOW + n)),
        "last_accessed_at": draw(st.none() | AGES.map(lambda n: NOW - n)), "pinned": draw(st.booleans()),
        "status": draw(st.sampled_from(["active", "active", "active", "superseded", "expired"])),
    }  # fmt: skip


MANY = st.lists(rows(), max_size=12)
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def filled(folder: str, values: list[dict[str, Any]]) -> Any:
    """A world with these records."""
    made = world(Path(folder))
    w = made.__enter__()
    for each in values:
        w.add(**each)
    return made, w


def resolves(w: World) -> bool:
    """Whether the source of every lineage is a record or a tombstone."""
    return not w.db.rows(
        "SELECT 1 FROM lineage WHERE source NOT IN (SELECT id FROM records UNION SELECT id FROM tombstones)"
    )


@given(MANY)
@SLOW
def test_a_dry_run_is_the_real_run_and_writes_nothing(values: list[dict[str, Any]]) -> None:
    """The dry run shows what the real run then does, and changes no row and no file but the event of its call."""
    with tempfile.TemporaryDirectory() as folder:
        made, w = filled(folder, values)
        before = w.dump(without=("audit", "sqlite_sequence"))
        events = w.db.value("SELECT count(*) FROM audit")
        dry = reflect(w.bench, ReflectRequest(dry_run=True))
        assert w.dump(without=("audit", "sqlite_sequence")) == before
        assert w.db.value("SELECT count(*) FROM audit") == events + 1 == dry.audit_ids[0]
        real = reflect(w.bench, ReflectRequest())
        assert {k: v for k, v in dry.as_json().items() if k in ACTIONS} == {
            k: v for k, v in real.as_json().items() if k in ACTIONS
        }
        changed = {
            r["subject"].removeprefix("record ") for r in w.db.rows("SELECT subject FROM audit WHERE id > 2")
        }
        assert changed == {c.record for c in real.plan.changes} | {m.record.id for m in real.plan.made}
        assert set(real.audit_ids) == {r["id"] for r in w.db.rows("SELECT id FROM audit WHERE id > 1")}
        made.__exit__(None, None, None)


@given(MANY)
@SLOW
def test_twice_is_once(values: list[dict[str, Any]]) -> None:
    """A second pass at the same moment changes nothing; lineage resolves both ways."""
    with tempfile.TemporaryDirectory() as folder:
        made, w = filled(folder, values)
        reflect(w.bench, ReflectRequest())
        once = w.dump(without=("audit", "passes", "sqlite_sequence", "leases"))
        again = reflect(w.bench, ReflectRequest())
        assert again.plan.counts() == dict.fromkeys(ACTIONS, 0)
        assert w.dump(without=("audit", "passes", "sqlite_sequence", "leases")) == once
        assert resolves(w)
        for row in w.db.rows("SELECT id, superseded_by FROM records WHERE superseded_by <> ''"):
            assert row["id"] in records.sources_of(w.db, row["superseded_by"])
        made.__exit__(None, None, None)


@given(MANY, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_input_does_not_matter(values: list[dict[str, Any]], order: random.Random) -> None:
    """The plan of shuffled records is byte for byte the plan of the sorted ones."""
    episodes = [
        record(id=f"e{n}", **{**v, "type": MemoryType.EPISODIC, "status": "active"})
        for n, v in enumerate(values)
    ]
    stands = [
        standing(id=f"s{n}", type=str(v["type"]), status=v["status"], importance=v["importance"], activity=v["at"],
                 expires_at=v["expires_at"], pinned=int(v["pinned"]))
        for n, v in enumerate(values)
    ]  # fmt: skip

    def planned() -> str:
        inputs = Inputs(list(episodes), list(episodes), frozenset(), list(stands), lambda _: None)
        made = plan.make(
            inputs, frozenset(ACTIONS), Policy(), now=NOW, least=2, instance="i", words=OfflineSummarizer()
        )
        return digest(made.as_json()) + digest(made.changes)

    first = planned()
    order.shuffle(episodes)
    order.shuffle(stands)
    assert planned() == first


@given(
    st.sampled_from(sorted(Policy().decay)), SHARES, st.integers(0, days(2000)), st.lists(AGES, max_size=6)
)
def test_decay_only_falls_and_often_is_once(kind: str, share: float, age: int, stops: list[int]) -> None:
    """Importance never rises and never falls below the floor, and many passes come to the same as one."""
    policy = Policy()
    floor = policy.decay[kind].floor

    def through(moments: list[int]) -> float:
        one = standing(type=kind, importance=share)
        for at in moments:
            if found := decay.faded(one, at, policy):
                assert min(floor, one.importance) <= found[0] < one.importance
                one = one._replace(importance=found[0], decayed_to=found[1])
        return one.importance

    end = NOW + age
    assert through([*sorted(NOW + s for s in stops if s < age), end]) == through([end])


@given(MANY, st.lists(AGES, min_size=1, max_size=3))
@SLOW
def test_status_moves_along_the_arrows_only(values: list[dict[str, Any]], waits: list[int]) -> None:
    """Over passes at any moments every change of status in the audit is an allowed arrow."""
    with tempfile.TemporaryDirectory() as folder:
        made, w = filled(folder, values)
        for wait in waits:
            w.clock.at += wait
            report = reflect(w.bench, ReflectRequest())
            for change in report.plan.changes:
                assert change.was_status == change.status or (change.was_status, change.status) in ARROWS
        assert resolves(w)
        made.__exit__(None, None, None)
