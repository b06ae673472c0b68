"""What each notion counts, in one table: the only place where a judgement is a number.

`LASTING` says whether a sentence holds beyond its moment, `KINDS` what it then is. Both are logistic weights, so each
is a change in log odds: fitted by `benchmarks/fit_weights.py` to labelled sessions and to the tuning half of the
phrasings, with projects held out to see how well they carry over, and rounded to a tenth.

Those in `SET_BY_HAND` were set after the fit. What is said not to last must not be learned whatever else it says; a
wish passed on is not the person's; what is asked of one named thing is an errand; what follows a refused act is a
correction; the plainest words ("always", "from now on", "I am a") count in the shortest sentence too; and a first
prompt is less of an errand than in the labelled sessions. Engine 1.
"""

import math
from collections.abc import Iterable

from slowwave.dream.candidate import Kind

ENOUGH = 1.8
"""What the weights of a lasting sentence add up to: its log odds without the bias. Precision before recall."""
NEAR = 1.0
"""How far below `ENOUGH` a sentence still is a near miss worth explaining."""
BARS = -9.0
"""The weight of what no number of other words outweighs."""

CONFIRMED, MENDED, PROCEDURE_SAID = "fact confirmed by a tool", "error, then fix", "procedure said"
SHOWN: dict[str, float] = {CONFIRMED: 3.0, MENDED: 3.0, PROCEDURE_SAID: 3.0}
"""Signals that are no sum of notions: what a result or the order of steps shows is enough by itself."""

SET_BY_HAND: dict[str, float] = {
    "hypothetical": BARS,
    "one_off": BARS,
    "not_meant": BARS,
    "sarcasm": BARS,
    "elsewhere": BARS,
    "state_of_now": BARS,
    "wish_of_another": BARS,
    "word_of_another": BARS,
    "fixed_day": 1.0,
    "ends": 1.2,
    "ephemeral": -1.0,
    "outsider": -3.0,
    "one_thing": -1.0,
    "refused": 3.0,
    "evermore": 1.5,
    "prefers": 2.0,
    "me": 2.2,
    "opening": -0.4,
}
LASTING: dict[str, float] = {
    "policy": 0.9, "me": 0.9, "rejects": 0.9, "forbid": 0.8, "works": 0.8, "must": 0.8, "fault": 0.8, "harm":
    0.8, "step": 0.8, "dated": 0.8, "generic": 0.7, "long": 0.7, "reason": 0.7, "sentence": 0.7, "name": 0.6,
    "due": 0.6, "state": 0.6, "instead": 0.6, "value": 0.6, "refused": 0.6, "place": 0.6, "role": 0.6,
    "scolding": 0.6, "chose": 0.5, "tradeoff": 0.5, "every": 0.4, "changed": 0.4, "always": 0.4, "limit": 0.4,
    "needs": 0.3, "house": 0.3, "when": 0.3, "evermore": 0.3, "recall": 0.3, "ritual": 0.2, "replies": 0.2,
    "only": 0.2, "likes": 0.2, "prefers": 0.2, "errand_and_more": -0.2, "one_thing": -0.2, "outsider": -0.3,
    "sarcasm": -0.5, "elsewhere": -0.7, "unsure": -0.7, "opening": -0.7, "short": -0.7, "filler": -0.8,
    "reported": -0.8, "question": -1.0, "ephemeral": -1.0, "not_meant": -1.0, "fragment": -1.1, "symptom": -1.2,
    "asks": -1.3, "hypothetical": -1.4, "one_off": -1.8, "errand": -1.9,
} | SET_BY_HAND  # fmt: skip

KINDS: dict[Kind, tuple[float, dict[str, float]]] = {
    Kind.PREFERENCE: (-1.3, {
        "likes": 1.7, "replies": 1.6, "works": 1.3, "scolding": 1.1, "policy": 1.0, "fault": 1.0, "generic":
        1.0, "always": 1.0, "prefers": 0.9, "when": 0.7, "symptom": 0.6, "every": 0.5, "evermore": 0.5, "house":
        0.3, "unsure": 0.3, "sentence": -0.3, "harm": -0.3, "only": -0.3, "name": -0.4, "me": -0.4, "question":
        -0.4, "state": -0.4, "chose": -0.5, "must": -0.5, "limit": -0.5, "role": -0.5, "long": -0.6, "changed":
        -0.7, "ritual": -0.7, "filler": -0.7, "tradeoff": -0.7, "past": -0.8, "place": -0.8, "value": -0.8,
        "refused": -0.8, "step": -1.0, "rejects": -1.3, "dated": -1.3,
    }),
    Kind.CORRECTION: (-1.4, {
        "refused": 2.1, "rejects": 2.0, "past": 1.0, "harm": 0.8, "question": 0.7, "fault": 0.6, "forbid": 0.6,
        "house": 0.5, "fragment": 0.5, "instead": 0.4, "place": 0.4, "only": 0.3, "prefers": -0.3, "name": -0.4,
        "reason": -0.4, "every": -0.4, "me": -0.5, "sentence": -0.5, "likes": -0.7, "middling": -0.8,
        "tradeoff": -0.8, "replies": -0.8, "step": -0.8, "role": -0.9, "chose": -1.0, "dated": -1.0, "limit":
        -1.1, "opening": -1.5,
    }),
    Kind.FACT: (-1.5, {
        "limit": 2.1, "state": 1.2, "changed": 1.2, "place": 1.0, "filler": 0.8, "value": 0.7, "instead": 0.6,
        "harm": 0.5, "only": 0.5, "needs": 0.5, "opening": 0.5, "past": 0.4, "outsider": 0.4, "ephemeral": 0.3,
        "must": 0.3, "always": -0.3, "prefers": -0.3, "one_thing": -0.4, "reported": -0.4, "fragment": -0.4,
        "role": -0.5, "recall": -0.5, "works": -0.6, "likes": -0.6, "forbid": -0.7, "refused": -0.7, "due":
        -0.7, "long": -0.7, "tradeoff": -0.8, "step": -0.8, "rejects": -0.8, "policy": -0.8, "when": -0.8,
        "fault": -0.9, "me": -0.9, "chose": -1.0, "replies": -1.2, "dated": -1.4,
    }),
    Kind.DECISION: (-2.3, {
        "chose": 2.7, "tradeoff": 2.2, "reason": 1.0, "house": 0.6, "instead": 0.4, "step": 0.4, "ritual": 0.3,
        "likes": -0.3, "value": -0.4, "refused": -0.4, "fault": -0.4, "role": -0.4, "me": -0.4, "always": -0.4,
        "short": -0.4, "policy": -0.4, "name": -0.4, "state": -0.4, "evermore": -0.4, "due": -0.5, "harm": -0.5,
        "dated": -0.6, "when": -0.6, "replies": -0.7, "long": -0.7, "every": -0.8, "works": -0.8, "place": -0.8,
    }),
    Kind.PERSON: (-1.9, {
        "role": 2.5, "me": 2.4, "replies": 1.2, "opening": 1.1, "name": 0.7, "every": 0.3, "works": -0.3,
        "sentence": -0.3, "refused": -0.3, "needs": -0.3, "fragment": -0.3, "past": -0.4, "scolding": -0.4,
        "limit": -0.4, "dated": -0.4, "fault": -0.4, "policy": -0.4, "due": -0.5, "middling": -0.6, "changed":
        -0.6, "evermore": -0.6, "always": -0.7, "chose": -0.7, "rejects": -0.7, "instead": -0.7, "house": -0.8,
        "harm": -0.8, "value": -0.8, "step": -0.8, "generic": -0.8,
    }),
    Kind.DEADLINE: (-2.8, {
        "dated": 3.6, "due": 1.9, "must": 0.9, "name": 0.4, "tradeoff": -0.3, "short": -0.3, "fragment": -0.3,
        "fault": -0.3, "only": -0.3, "opening": -0.3, "every": -0.4, "rejects": -0.4, "generic": -0.4,
        "symptom": -0.4, "replies": -0.4, "evermore": -0.5, "forbid": -0.5, "state": -0.5, "role": -0.6,
        "place": -0.6, "harm": -0.6, "step": -0.7, "works": -0.7, "sentence": -0.7, "policy": -0.8, "house":
        -1.2,
    }),
}  # fmt: skip


def lasting(found: Iterable[str]) -> float:
    """How much speaks for a sentence that shows these notions."""
    return _total(LASTING.get(name, 0.0) for name in found)


def _total(numbers: Iterable[float]) -> float:
    """Their sum to a thousandth: sets have no order, and the same words must always weigh the same."""
    return round(math.fsum(numbers), 3)


def barred(found: Iterable[str]) -> bool:
    """True when one of these notions outweighs all others."""
    return any(LASTING.get(name, 0.0) <= BARS for name in found)


def fits(kind: Kind, found: Iterable[str]) -> float:
    """How well these notions fit a kind; to be compared with other kinds only."""
    bias, table = KINDS[kind]
    return bias + _total(table.get(name, 0.0) for name in found)


def weighed(found: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Each notion that counts with its weight, the heaviest first."""
    counted = ((name, LASTING[name]) for name in found if LASTING.get(name))
    return tuple(sorted(counted, key=lambda pair: (-abs(pair[1]), pair[0])))
