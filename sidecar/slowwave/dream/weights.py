"""What each class of words counts, in one table: the only place where a judgement is a number.

A sentence is learned when the weights of its classes add up to `ENOUGH`. Engine 1.
"""

from collections.abc import Iterable

ENOUGH = 3.0
NEAR = 1.0
"""How far below `ENOUGH` a sentence still is a near miss worth explaining."""

WEIGHTS: dict[str, float] = {
    "standing": 3.0,
    "shift": 3.0,
    "house": 1.0,
    "must": 1.5,
    "forbid": 1.5,
    "always": 2.0,
    "every": 1.0,
    "habit": 1.0,
    "state": 0.5,
    "instead": 1.5,
    "only": 1.0,
    "reason": 1.5,
    "harm": 1.0,
    "chose": 1.5,
    "changed": 1.0,
    "role": 2.5,
    "replies": 1.0,
    "works": 1.0,
    "value": 1.0,
    "rejects": 1.0,
    "refused": 1.5,
    "errand": -2.5,
    "symptom": -1.5,
    "past": -0.5,
    "opening": -1.0,
}


def score(found: Iterable[str]) -> float:
    """The sum of the weights."""
    return sum(WEIGHTS[name] for name in found)


def weighed(found: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Each class with its weight, the heaviest first."""
    return tuple(sorted(((n, WEIGHTS[n]) for n in found), key=lambda pair: (-abs(pair[1]), pair[0])))
