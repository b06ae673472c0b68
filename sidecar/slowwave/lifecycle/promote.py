"""Promote: what happened again and again, and is credible, becomes one fact; its episodes are superseded by it.

Episodes belong together when owner, bucket, scope, team and path are the same, and their key: `promotion_key`, else
`semantic_key`, else their normalised words. Nothing is deleted: the fact names its episodes, and they name it.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from slowwave.lifecycle.places import file_of
from slowwave.lifecycle.policy import Policy, millionths
from slowwave.lifecycle.summarize import mean
from slowwave.model import MemoryType
from slowwave.store.passes import Change, Made
from slowwave.store.records import SUPERSEDED, Record, normalised

Known = Callable[[Record], Record | None]  # the active durable record with the same semantic key and path


def shortfalls(group: Sequence[Record], policy: Policy) -> tuple[str, ...]:
    """What a group lacks to be promoted, in words; nothing when it is promoted."""
    count = len(group)
    found = []
    if count < policy.promote_occurrences:
        found.append(f"{count} of {policy.promote_occurrences} occurrences")
    # Sums of whole millionths against the threshold times the count: exact at the boundary.
    for name, least in (("importance", policy.promote_importance), ("confidence", policy.promote_confidence)):
        total = sum(millionths(getattr(e, name)) for e in group)
        if total < millionths(least) * count:
            found.append(f"average {name} {total / count / 1_000_000:.3f} below {least:g}")
    return tuple(found)


def plan(
    episodes: Iterable[Record], known: Known, policy: Policy, *, now: int, instance: str
) -> tuple[tuple[Made, ...], tuple[Change, ...]]:
    """The facts to make (or bring up to date) of active episodes, and the episodes they supersede; pure."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for e in episodes:
        if not e.pinned:
            groups[e.pattern].append(e)
    made: list[Made] = []
    changes: list[Change] = []
    for group in groups.values():
        if shortfalls(group, policy):
            continue
        group.sort(key=lambda e: (e.occurred_at, e.id))
        fact = _fact(group, known, now, instance)
        made.append(fact)
        changes += [
            Change(
                "promote", e.id, e.revision, SUPERSEDED, e.importance, f"promoted to {fact.record.id}",
                e.status, e.importance, superseded_by=fact.record.id,
            )
            for e in group
        ]  # fmt: skip
    return (
        tuple(sorted(made, key=lambda m: m.record.id)),
        tuple(sorted(changes, key=lambda c: c.record)),
    )


def key_of(episode: Record) -> str:
    """The semantic key of the fact an episode would be promoted to."""
    key = episode.promotion_key or episode.semantic_key
    if not key:
        words = normalised(episode.content).encode("utf-8", "surrogatepass")
        key = f"words:{hashlib.sha256(words).hexdigest()[:16]}"
    return key


def _fact(group: list[Record], known: Known, now: int, instance: str) -> Made:
    last, count = group[-1], len(group)
    ids = tuple(sorted(e.id for e in group))
    key = key_of(last)
    mark = hashlib.sha256("\0".join([last.pattern, *ids]).encode()).hexdigest()[:16]
    fact = Record(
        id=f"f-{mark}", type=MemoryType.SEMANTIC, content=_common(group), occurred_from=group[0].occurred_at,
        occurred_at=last.occurred_at, created_at=now, updated_at=now, status_at=now, owner=last.owner,
        bucket=last.bucket, scope=last.scope, team=last.team, path=last.path,
        importance=mean([e.importance for e in group], count),
        confidence=mean([e.confidence for e in group], count),
        semantic_key=key, promotion_key=last.promotion_key, instance=instance, sources=ids,
    )  # fmt: skip
    fact = replace(fact, file=file_of(fact))
    if (old := known(fact)) is None:
        return Made("promote", fact)
    began = old.occurred_from or old.occurred_at
    return Made("promote", replace(
        old, sources=tuple(sorted({*old.sources, *ids})), updated_at=now,
        occurred_from=min(began, fact.occurred_from or began),
        occurred_at=max(old.occurred_at, fact.occurred_at),
    ), known=True)  # fmt: skip


def _common(group: list[Record]) -> str:
    """The words most of them use; among equals the newest."""
    counts = Counter(e.content for e in group)
    most = max(counts.values())
    return next(e.content for e in reversed(group) if counts[e.content] == most)
