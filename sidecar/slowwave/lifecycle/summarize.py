"""Summarize: the episodes of a window become one summary for each place they belong to.

A summary is a semantic memory under `reflections/episodic` that names the episodes it was made of. An episode that
an active summary covers is not summarized again, so a repeated pass writes no second copy.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Final, Protocol

from slowwave.lifecycle.places import section
from slowwave.model import MemoryType
from slowwave.store.passes import Made
from slowwave.store.records import Record

FOLDER: Final = "reflections/episodic"
_LINE: Final = 240  # characters of one episode that go into a summary; ours


class Summarizer(Protocol):
    """Puts episodes, oldest first, into words that stand in them."""

    def summarize(self, episodes: Sequence[Record]) -> str:
        """The summary, each statement followed by the id of its episode."""
        ...


class OfflineSummarizer:
    """One line for each episode, in its own words: nothing can stand there that did not happen."""

    def summarize(self, episodes: Sequence[Record]) -> str:
        """The range of time, then a line for each episode with its id."""
        first, last = (_minute(e.occurred_at) for e in (episodes[0], episodes[-1]))
        where = episodes[0].path or (f"session {episodes[0].session}" if episodes[0].session else "")
        head = f"{len(episodes)} episodes{f' of {where}' if where else ''}, {first} to {last} UTC:"
        return "\n".join([head, "", *(f"- {_one_line(e.content)} [{e.id}]" for e in episodes)])


# Which reflector (`dream.reflector`) summarizes how; those not named here leave it to the offline one.
SUMMARIZERS: Final[Mapping[str, Callable[[], Summarizer]]] = {"offline": OfflineSummarizer}


def summarizer(reflector: str) -> Summarizer:
    """The summarizer of a reflector."""
    return SUMMARIZERS.get(reflector, OfflineSummarizer)()


def plan(
    episodes: Iterable[Record],
    covered: AbstractSet[str],
    *,
    least: int,
    now: int,
    instance: str,
    words: Summarizer,
) -> tuple[Made, ...]:
    """The summaries to make of the episodes of a window, in order of their ids; pure but for the summarizer.

    `covered` are the ids that an active summary was made of; groups below `least` are left alone.
    """
    groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for e in episodes:
        if e.id not in covered:
            groups[e.owner, e.bucket, e.scope, e.team, e.session, e.path].append(e)
    made = [_summary(group, now, instance, words) for group in groups.values() if len(group) >= least]
    return tuple(sorted(made, key=lambda m: m.record.id))


def _summary(group: list[Record], now: int, instance: str, words: Summarizer) -> Made:
    group.sort(key=lambda e: (e.occurred_at, e.id))
    first, count = group[0], len(group)
    place = (first.owner, first.bucket, first.scope, first.team, first.session, first.path)
    mark = hashlib.sha256("\0".join([*place, *(e.id for e in group)]).encode()).hexdigest()[:16]
    day = datetime.fromtimestamp(group[-1].occurred_at / 1e6, UTC).date().isoformat()
    return Made("summarize", Record(
        id=f"s-{mark}", type=MemoryType.SEMANTIC, content=words.summarize(group),
        occurred_from=min(e.occurred_from or e.occurred_at for e in group),
        occurred_at=group[-1].occurred_at, created_at=now, updated_at=now, status_at=now,
        owner=first.owner, bucket=first.bucket, scope=first.scope, team=first.team, session=first.session,
        path=FOLDER, file=f"{section(first.scope)}/{FOLDER}/{day}-{mark[:8]}.md",
        importance=mean([e.importance for e in group], count), confidence=mean([e.confidence for e in group], count),
        semantic_key=f"summary:{mark}", instance=instance, sources=tuple(sorted(e.id for e in group)),
    ))  # fmt: skip


def mean(values: Iterable[float], count: int) -> float:
    """An average that does not depend on the order: whole millionths are summed."""
    return sum(round(v * 1_000_000) for v in values) // count / 1_000_000


def _minute(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d %H:%M")


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"
