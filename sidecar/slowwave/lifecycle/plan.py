"""The plan of a pass: all five actions over given records. Pure: it reads no clock, no store, no file.

The order is summarize, promote, expire, decay, archive, and each sees what the one before it has decided: an
expired record is archived in the same pass, a superseded episode is not.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from slowwave.lifecycle import archive, decay, expire, promote, summarize
from slowwave.lifecycle.policy import Policy
from slowwave.lifecycle.promote import Known
from slowwave.lifecycle.standing import Standing
from slowwave.lifecycle.summarize import Summarizer
from slowwave.store.passes import Change, Made
from slowwave.store.records import ARCHIVED, EXPIRED, Record
from slowwave.verbs import REFLECT_ACTIONS as ACTIONS


@dataclass(frozen=True)
class Inputs:
    """What a pass looks at.

    window    the episodes of the time window; `repeated` those that may be promoted
    covered   ids of episodes that an active summary was made of
    records   how every record stands
    known     finds the active durable record with the same semantic key
    """

    window: Iterable[Record]
    repeated: Iterable[Record]
    covered: AbstractSet[str]
    records: Iterable[Standing]
    known: Known


@dataclass(frozen=True)
class Plan:
    """What a pass would write."""

    made: tuple[Made, ...]
    changes: tuple[Change, ...]

    def touched_files(self) -> frozenset[str]:
        """The memory files it would write or take away."""
        gone = (c.file for c in self.changes if c.file and c.status == ARCHIVED)
        return frozenset([*(m.record.file for m in self.made), *gone])

    def counts(self) -> dict[str, int]:
        """How many candidates each action has; episodes that a fact supersedes are counted by the fact."""
        found = Counter(c.action for c in self.changes if c.action != "promote")
        found.update(m.action for m in self.made)
        return {name: found[name] for name in ACTIONS}

    def as_json(self) -> dict[str, dict[str, Any]]:
        """Count and candidates of each action; what a dry run shows."""
        found: dict[str, dict[str, Any]] = {name: {"count": 0, "candidates": []} for name in ACTIONS}
        for made in self.made:
            found[made.action]["candidates"].append(_made_json(made))
        for change in self.changes:
            if change.action != "promote":  # told with their fact
                found[change.action]["candidates"].append(_change_json(change))
        for each in found.values():
            each["count"] = len(each["candidates"])
        return found


def make(
    inputs: Inputs, actions: AbstractSet[str], policy: Policy, *, now: int, least: int, instance: str,
    words: Summarizer, left_alone: AbstractSet[str] = frozenset(),
) -> Plan:  # fmt: skip
    """Plan the actions named. `left_alone` are memory files a person is at work on: nothing changes them."""
    made: tuple[Made, ...] = ()
    changes: tuple[Change, ...] = ()
    if "summarize" in actions:
        summaries = summarize.plan(
            inputs.window, inputs.covered, least=least, now=now, instance=instance, words=words
        )
        made = tuple(m for m in summaries if m.record.file not in left_alone)
    if "promote" in actions:
        facts, superseded = promote.plan(inputs.repeated, inputs.known, policy, now=now, instance=instance)
        kept = {m.record.id for m in facts if m.record.file not in left_alone}
        made += tuple(m for m in facts if m.record.id in kept)
        changes = tuple(c for c in superseded if c.superseded_by in kept)
    taken = {c.record for c in changes} | {m.record.id for m in made}
    aged: dict[str, list[Change]] = {"expire": [], "decay": [], "archive": []}
    for record in inputs.records:
        if record.id not in taken and not (record.file and record.file in left_alone):
            for change in _age(record, actions, policy, now):
                aged[change.action].append(change)
    for each in aged.values():
        each.sort(key=lambda c: c.record)
    return Plan(made, (*changes, *aged["expire"], *aged["decay"], *aged["archive"]))


def _age(record: Standing, actions: AbstractSet[str], policy: Policy, now: int) -> Iterator[Change]:
    """What time does to one record, in order; each step sees the one before."""
    if "expire" in actions and expire.is_due(record, now):
        yield _change("expire", record, EXPIRED, record.importance, "its expiry has come")
        record = record._replace(status=EXPIRED, status_at=now)
    if "decay" in actions and (lower := decay.faded(record, now, policy)):
        yield _change("decay", record, record.status, lower[0], "unused", decayed_to=lower[1])
        record = record._replace(importance=lower[0])
    if "archive" in actions and (why := archive.reason(record, now, policy)):
        yield _change("archive", record, ARCHIVED, record.importance, why)


def _change(
    action: str, record: Standing, status: str, importance: float, why: str, decayed_to: int | None = None
) -> Change:
    return Change(
        action, record.id, record.revision, status, importance, why, record.status, record.importance,
        decayed_to, file=record.file,
    )  # fmt: skip


def _made_json(made: Made) -> dict[str, Any]:
    r = made.record
    return {
        "id": r.id, "semantic_key": r.semantic_key, "path": r.path, "file": r.file, "content": r.content,
        "importance": r.importance, "confidence": r.confidence, "sources": list(r.sources),
        "occurred": [r.occurred_from, r.occurred_at], "updates": made.known,
    }  # fmt: skip


def _change_json(change: Change) -> Mapping[str, Any]:
    return {
        "id": change.record, "reason": change.reason, "status": [change.was_status, change.status],
        "importance": [change.was_importance, change.importance], "file": change.file,
    }  # fmt: skip
