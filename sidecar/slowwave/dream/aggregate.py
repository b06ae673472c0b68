"""Aggregation: one memory from what the passes over several batches have written.

It works in the dream's own worktree, never on live memory, and is all or nothing: when the reflector cannot finish, or
takes away a line without keeping its evidence, the worktree becomes again what the batches left, and the dream
lands that. Engine 1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from slowwave.dream.hands import bring_back, learned_between, memory_of
from slowwave.dream.reflector import Aggregator, ReflectionContext, Toolbox
from slowwave.errors import BudgetError, ModelError
from slowwave.memory import layout
from slowwave.memory.layout import Item
from slowwave.report import DreamReport


def aggregated(
    reflector: Aggregator,
    context: ReflectionContext,
    toolbox: Toolbox,
    base: Mapping[str, str],
    report: DreamReport,
) -> DreamReport:
    """The report of the dream after aggregation; `base` is memory before its first batch."""
    batches = memory_of(toolbox)
    try:
        reflector.aggregate(context, toolbox, base)
    except (ModelError, BudgetError) as error:
        bring_back(toolbox, batches)
        return replace(report, note=f"the batches were not joined: {error}")
    if lost := _lost(batches, memory_of(toolbox)):
        bring_back(toolbox, batches)
        return replace(report, note=f"the batches were not joined: {lost} lines would have been lost")
    return replace(report, learned=learned_between(base, memory_of(toolbox)))


def _lost(before: Mapping[str, str], after: Mapping[str, str]) -> int:
    """How many lines are gone without their evidence standing below another: joined is not lost."""
    left = list(_items(after))
    texts, evidence = {item.text for item in left}, {e for item in left for e in item.evidence}
    return sum(
        item.text not in texts and not (item.evidence and evidence.issuperset(item.evidence))
        for item in _items(before)
    )


def _items(files: Mapping[str, str]) -> Iterator[Item]:
    for path, text in files.items():
        yield from layout.items(layout.parse(path, text).body)
