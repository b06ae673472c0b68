"""The offline reflector: deterministic, free, no model, no network. The default.

It plans with `extract`, then acts the plan out through the toolbox like any other reflector, so that scope and
validation hold for it too. Engine 1.
"""

from dataclasses import dataclass

from slowwave.dream.extract import Change, plan
from slowwave.dream.reflector import Reflection, ReflectionContext, Toolbox


@dataclass(frozen=True, slots=True)
class OfflineReflector:
    """Rules for kinds of sentences and outcomes; see `wishes` and `outcomes`."""

    name: str = "offline"
    costs_money: bool = False
    persuadable: bool = False

    def reflect(self, context: ReflectionContext, toolbox: Toolbox) -> Reflection:
        """Plan from the batch and the files in scope, then apply."""
        files = {path: toolbox.view(path) for path in toolbox.list() if path.endswith(".md")}
        planned = plan(context.batch, files, context.project)
        for change in planned.changes:
            apply(change, toolbox)
        return Reflection(planned.learned)


def apply(change: Change, toolbox: Toolbox) -> None:
    """Bring one file to its planned text with the smallest edit there is."""
    if change.after is None:
        toolbox.delete(change.path)
    elif change.before is None:
        toolbox.create(change.path, change.after)
    else:
        _edit(change.path, change.before.split("\n"), change.after.split("\n"), toolbox)


def _edit(path: str, old: list[str], new: list[str], toolbox: Toolbox) -> None:
    """Keep the lines both ends share; replace what lies between, widened until it occurs once."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head + tail == len(old):
        toolbox.insert(path, head, "\n".join(new[head : len(new) - tail]) + "\n")
        return
    whole = "\n".join(old)
    while head and whole.count("\n".join(old[head : len(old) - tail])) != 1:
        head -= 1
    while tail and whole.count("\n".join(old[head : len(old) - tail])) != 1:
        tail -= 1
    toolbox.str_replace(path, "\n".join(old[head : len(old) - tail]), "\n".join(new[head : len(new) - tail]))
