"""A state machine over the store: whatever a person, the agents and passes do in whatever order, the laws hold."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from slowwave.lifecycle import forget, remember
from slowwave.lifecycle.maintenance import reflect
from slowwave.lifecycle.policy import Policy
from slowwave.model import MemoryType
from slowwave.store import records, touches, versions
from slowwave.store.records import ARROWS
from slowwave.verbs import ReflectRequest, RememberRequest

from .bench import days, world

KINDS = [MemoryType.WORKING, MemoryType.EPISODIC]


class Records(RuleBasedStateMachine):
    """Records, and what is known of them from outside."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.world_of = world(Path(self.folder.name))
        self.w = self.world_of.__enter__()
        self.seen: dict[str, tuple[str, float]] = {}
        self.deleted: set[str] = set()

    def teardown(self) -> None:
        """Close the store."""
        self.world_of.__exit__(None, None, None)
        self.folder.cleanup()

    @rule(target=ids, kind=st.sampled_from(KINDS), key=st.sampled_from(["", "k"]), share=st.floats(0, 1))
    def remember_one(self, kind: MemoryType, key: str, share: float) -> str:
        """Something is remembered."""
        request = RememberRequest("it happened", kind, promotion_key=key, importance=share)
        return remember.remember(self.w.bench, request).record.id

    @rule(wait=st.sampled_from([0.0, 0.5, 1, 14, 30, 31]))
    def wait(self, wait: float) -> None:
        """Time passes."""
        self.w.clock.at += days(wait)

    @rule(one=ids)
    def use(self, one: str) -> None:
        """A record is recalled."""
        touches.note(self.w.bench.touches, [one], self.w.clock.at)

    @rule(one=ids, pinned=st.booleans())
    def pin(self, one: str, pinned: bool) -> None:
        """A record is pinned, or let go."""
        remember.pin(self.w.bench, one, pinned=pinned)

    @rule(one=ids)
    def forget_softly(self, one: str) -> None:
        """A record is forgotten."""
        forget.soft(self.w.bench, one)

    @rule(one=ids)
    def restore(self, one: str) -> None:
        """An archived record is brought back."""
        if self.w.get(one).status == "archived":
            remember.restore(self.w.bench, one)
            assert self.w.get(one).status == "active"

    @rule(one=consumes(ids))
    def forget_for_good(self, one: str) -> None:
        """A record is deleted."""
        assert forget.hard(self.w.bench, one).holds
        self.deleted.add(one)

    @rule()
    def run_a_pass(self) -> None:
        """A pass does what its dry run showed, and a second one has nothing left to do."""
        dry, real = (
            reflect(self.w.bench, ReflectRequest(dry_run=True)),
            reflect(self.w.bench, ReflectRequest()),
        )
        assert dry.plan == real.plan
        assert sum(reflect(self.w.bench, ReflectRequest()).plan.counts().values()) == 0

    @invariant()
    def lineage_resolves(self) -> None:
        """Every source is a record or a tombstone."""
        known = "SELECT id FROM records UNION SELECT id FROM tombstones"
        assert not self.w.db.rows(f"SELECT 1 FROM lineage WHERE source NOT IN ({known})")

    @invariant()
    def status_moves_along_the_arrows(self) -> None:
        """Each change since the last look is an arrow, or a way of at most three; importance only falls, to the floor."""
        now = {
            r["id"]: (r["status"], r["importance"])
            for r in self.w.db.rows("SELECT * FROM records WHERE file = ''")
        }
        for name, (status, importance) in now.items():
            before = self.seen.get(name)
            if before and before[0] != status:
                assert (before[0], status) in ARROWS or (before[0], "archived") in ARROWS
            if before:
                floor = Policy().decay[self.w.get(name).type].floor
                assert min(before[1], floor) <= importance <= before[1]
        assert not self.deleted & now.keys()
        self.seen = now

    @invariant()
    def changes_have_versions(self) -> None:
        """A record that changed has a version of each revision before, and an archived one its snapshot."""
        for row in self.w.db.rows("SELECT id, status, revision FROM records WHERE file = ''"):
            assert len(versions.of(self.w.db, row["id"])) == row["revision"] - 1
            if row["status"] == "archived":
                assert versions.archived(self.w.db, row["id"]) is not None

    @invariant()
    def only_the_active_are_recalled(self) -> None:
        """Recall is offered active records and no others."""
        offered = {r.id for r in records.recallable(self.w.db, now=self.w.clock.at)}
        assert offered == {r["id"] for r in self.w.db.rows("SELECT id FROM records WHERE status = 'active'")}


TestRecords = Records.TestCase
TestRecords.settings = settings(
    max_examples=12, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
