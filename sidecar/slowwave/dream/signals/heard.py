"""One sentence of a person as the signals hear it: its words, its notions, the talk around it.

Engine 1, under every signal.
"""

import re
from dataclasses import dataclass
from datetime import date

from slowwave.dream import dates, lexicon
from slowwave.dream.said import Said
from slowwave.dream.speech import Sentence
from slowwave.dream.superseding import gone

# What a sentence shows by its build, whatever its language.
_BUILD: dict[str, re.Pattern[str]] = {
    "value": re.compile(
        r"`[^`]+`|\b\d[\d.,:]*\s?[a-zA-Z%]*\b|\b\w+[_/.=@-]\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\b|@\w+"
    ),
    "name": re.compile(r"(?<=[a-zà-ü,] )(?:Mrs?\.? |Dr\.? |Frau |Herrn? )?[A-ZÁÉÍÓÚÄÖÜ][a-zà-ü]{2,}\b|^(?!The|This|We|You|It)[A-ZÁÉÍÓÚ][a-zà-ü]{2,} (?=[a-z]+s\b)|[小老][\u4e00-\u9fff]|さん"),
    "generic": re.compile(
        r"^(?:[\w-]+ ){0,3}[\w-]+s (?:are|go|belong|come|start|stay|get|need|should|must|live|carry|have|in|never|always|only|use|take|end|run|with|without|by)\b",
        re.IGNORECASE,
    ),
    "asks": re.compile(r"[?？]!*\s*$"),
}  # fmt: skip
_ONE_THING = re.compile(
    r"^\w+ (?:up |out )?(?:the|that|this|it|them|those|el|la|los|las|das|den|die|le|les|o|a|os|as)\b",
    re.IGNORECASE,
)
_LONG_AHEAD = 180
"""Days. A day without its year that is further off, in a sentence of the past, was last year's."""
_CLAUSES = frozenset({"state", "place", "must", "forbid", "always", "reason", "harm"})
"""What a second clause shows when an errand is told together with how things are."""
_TOGETHER: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "state_of_now": (
        frozenset({"ephemeral"}),
        frozenset({"evermore", "always", "must", "dated", "changed", "me", "refused", "when"}),
    ),
    "wish_of_another": (frozenset({"outsider"}), frozenset({"house", "chose", "dated", "refused", "me"})),
    "word_of_another": (
        frozenset({"reported", "name"}),
        frozenset({"house", "chose", "dated", "refused", "me", "role", "recall", "value"}),
    ),
    "fixed_day": (
        frozenset({"dated", "due"}),
        frozenset({"errand", "past", "symptom", "question", "asks", "unsure", "outsider"}),
    ),
}
"""What notions say only together: those that are needed, and those of which none may stand beside them.

How things stand now is no rule unless a rule, a day or a change is said with it; what somebody outside wants is
theirs until it is said to be ours; a day to come at which something is due is fixed.
"""
_LENGTHS = ((3, "fragment"), (5, "short"), (8, "middling"), (15, "sentence"))


def _ahead(day: date, said: date, shown: set[str]) -> bool:
    """True for a day to come; "was swapped on 3 march" said in April speaks of the one before."""
    days = (day - said).days
    return days >= 0 and not ("past" in shown and days > _LONG_AHEAD)


@dataclass(frozen=True, slots=True)
class Heard:
    """A sentence with what it shows.

    notions  the names in the table of `weights`
    days     the dates it names, absolute
    """

    sentence: Sentence
    said: Said
    notions: frozenset[str]
    days: tuple[date, ...]


def hear(sentence: Sentence, said: Said) -> Heard:
    """Everything the signals judge by."""
    plain = lexicon.unasked(sentence.plain)
    found = set(lexicon.notions(plain))
    if lexicon.has(
        sentence.text, "rejects"
    ):  # a "no," is a lead-in to the sentence, and says that it corrects
        found.add("rejects")
    found |= {name for name, pattern in _BUILD.items() if pattern.search(plain)}
    found.add(next((name for most, name in _LENGTHS if sentence.words < most), "long"))
    if "errand" in found and _CLAUSES & lexicon.notions(plain.partition(", ")[2]):
        found = found - {"errand"} | {"errand_and_more"}
    elif "errand" in found and _ONE_THING.search(plain):
        found.add("one_thing")
    if plain != sentence.plain and "policy" in found and "errand" not in found:
        found.discard("asks")
    if lexicon.has(sentence.text, "praise") and found & {"mishap", "symptom", "harm"}:
        found.add("sarcasm")  # what went wrong is praised; its lead-in is gone from the plain sentence
    days = tuple(day for day in dates.find(plain, said.day) if _ahead(day, said.day, found))
    around = {
        "dated": bool(days),
        "refused": bool(said.refused),
        "opening": not said.task,
        "scolding": said.complained,
        "ends": bool(gone(plain)) and not found & {"symptom", "when"},
    }
    found |= {name for name, holds in around.items() if holds}
    found |= {
        name for name, (needed, none_of) in _TOGETHER.items() if needed <= found and not none_of & found
    }
    return Heard(sentence, said, frozenset(found), days)
