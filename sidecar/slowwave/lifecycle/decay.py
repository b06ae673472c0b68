"""Decay: importance falls by a step for each whole period without use, down to a floor."""

from slowwave.lifecycle.policy import Policy, millionths
from slowwave.lifecycle.standing import Standing
from slowwave.store.records import ACTIVE


def faded(record: Standing, now: int, policy: Policy) -> tuple[float, int] | None:
    """The importance a record has come down to, and the moment it is decayed through; None when it has not.

    Importance at or below the floor stays as it is: decay never raises it.
    """
    rule = policy.decay.get(record.type)
    if rule is None or record.status != ACTIVE or record.pinned:
        return None
    since = max(record.activity, record.decayed_to or 0)
    periods = (now - since) // rule.period
    importance, floor = millionths(record.importance), millionths(rule.floor)
    if periods < 1 or importance <= floor:
        return None
    lower = max(floor, importance - periods * millionths(rule.step))
    if lower == importance:
        return None
    return lower / 1_000_000, since + periods * rule.period
