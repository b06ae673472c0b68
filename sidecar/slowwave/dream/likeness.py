"""When two lines of memory say the same, and when one ends the other.

Words decide, not spelling: markup, order, stop words and endings are left out. Pure; engine 1, imports nothing of
the house.
"""

import re
from functools import lru_cache

_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "with",
        "from",
        "by",
        "as",
        "is",
        "are",
        "be",
        "was",
        "were",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "there",
        "here",
        "we",
        "our",
        "us",
        "you",
        "your",
        "i",
        "my",
        "me",
        "user",
        "team",
        "user's",
        "do",
        "does",
        "not",
        "no",
        "so",
        "then",
        "than",
        "also",
        "only",
        "just",
        "all",
        "any",
        "one",
        "when",
        "if",
        "will",
        "can",
        "must",
        "should",
        "has",
        "have",
        "had",
        "get",
        "gets",
        "use",
        "uses",
        "used",
        "using",
        "run",
        "runs",
    ]
)
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W\u3040-\u30ff\u4e00-\u9fff][\w./+-]*", re.UNICODE)
_DATE = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b(january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b\d{1,2}(st|nd|rd|th)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b\d[\d.,]*\b")
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_EXACT = re.compile(r"`[^`]+`|\b\w+(?:[/._]\w+)+/?|\b[a-z]+[A-Z]\w*|\b\w+/")
_NEGATION = re.compile(
    r"\b(not|never|no|none|dont|don't|doesn't|isn't|cannot|can't|avoid|without|kein\w*|nicht|nie|niemals|nunca|jam[aá]s"
    r"|jamais|pas|n[aã]o|sem|sin)\b|不|别|没|ない|禁止",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"([\w./`+-]+)\s+(?:over|instead of|rather than|before|after|statt|en vez de|plutôt que|em vez de),?\s+([\w./`+-]+)",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?<=\w{3})(ing|ed|es|s)$")
_REMEMBERED = 4096  # each line is compared with every other: its words are asked for again and again
_LONGEST_NOTE = 70
_LONGEST_CHAIN = 280
"""Characters of one replaced line as a note names it, and of all of them: a line with its note stays one line."""
_REPLACES = re.compile(r"\s*\(replaces: (.*)\)\.?$", re.DOTALL)


@lru_cache(_REMEMBERED)
def words(text: str) -> frozenset[str]:
    """The words that carry the meaning, with plain endings dropped."""
    found = set()
    for match in _WORD.finditer(text.lower()):
        word = match.group().strip("./-")
        if word and word not in _STOP:
            found.add(_ENDING.sub("", word))
    return frozenset(found)


def negated(text: str) -> bool:
    """True when the text says that something is not, or must not be."""
    return _NEGATION.search(text) is not None


def alike(one: str, other: str) -> bool:
    """True when the two lines say the same thing.

    Overlap alone would merge rules that differ in the one word that matters ("run `make lint`" and "run `make
    test`"), so another name, another number, a "not" on one side, one word in the place of another, or the two
    sides of a comparison swapped each make it another thing: a line too many is harmless, a rule lost is not.
    """
    first, second = bare(one), bare(other)
    a, b = words(first), words(second)
    if not a or not b:
        return one.strip() == other.strip()
    shared, smaller = len(a & b), min(len(a), len(b))
    if not (shared / len(a | b) >= 0.6 or (smaller >= 4 and shared / smaller >= 0.9)):
        return False  # asked first, as it settles nearly every pair
    if _apart(_numbers(first), _numbers(second)) or _apart(_exact(first), _exact(second)):
        return False
    if bool(_NEGATION.search(first)) != bool(_NEGATION.search(second)):
        return False
    return not (len(a - b) == len(b - a) == 1 or _swapped(first, second))


def _apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """True when each names something the other does not; a line may say more than another."""
    return not (one <= other or other <= one)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))


def _exact(text: str) -> frozenset[str]:
    """Names that mean themselves alone: code in backticks, paths, versions, identifiers."""
    return frozenset(m.group().strip("`.").lower() for m in _EXACT.finditer(text))


def _swapped(one: str, other: str) -> bool:
    """True when what one prefers, the other prefers something to ("tabs over spaces", "spaces over tabs")."""
    left, right = _COMPARED.search(one), _COMPARED.search(other)
    if not left or not right:
        return False
    sides = [(words(m.group(1)), words(m.group(2))) for m in (left, right)]
    return bool(sides[0][0] & sides[1][1] or sides[0][1] & sides[1][0])


def names(text: str, name: str) -> bool:
    """True when the text names this thing as a word."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) is not None


def same_subject_other_value(new: str, old: str) -> bool:
    """True when both speak of the same and give it another number ("listens on 7443", "moved to 8443")."""
    old, new = bare(old), bare(new)
    before, after = set(_NUMBER.findall(old)), set(_NUMBER.findall(new))
    if not before or not after or before & after:
        return False
    if {len(n) for n in before}.isdisjoint({len(n) for n in after}):
        return False
    a, b = words(_NUMBER.sub(" ", old)), words(_NUMBER.sub(" ", new))
    return bool(a) and len(a & b) / len(a) >= 0.5


def restated(new: str, old: str) -> bool:
    """True when it is the same sentence again with its one number changed."""
    old, new = bare(old), bare(new)
    before, after = _NUMBER.findall(old), _NUMBER.findall(new)
    if len(before) != 1 or len(after) != 1 or before == after:
        return False
    a, b = words(_NUMBER.sub(" ", old)), words(_NUMBER.sub(" ", new))
    return bool(a) and len(a & b) / len(a | b) >= 0.8


_MOVES = words(
    "moved moves slipped slips postponed pushed shifted delayed rescheduled now back verschoben jetzt aplazado aplaza ahora "
    "repoussé reporté maintenant adiado adiada agora"
)
"""What is said of an event when its day changes: one word more in common is then not asked for."""


def same_event_other_day(new: str, old: str) -> bool:
    """True when both give a day for the same event and the days differ."""
    old, new = bare(old), bare(new)
    before, after = set(_ISO.findall(old)), set(_ISO.findall(new))
    if not before or not after or before == after:
        return False
    a, b = words(_DATE.sub(" ", old)), words(_DATE.sub(" ", new))
    return len(a & b) >= 2 or (bool(a & b) and all(w in a | _MOVES or w.isdigit() for w in b))


def bare(text: str) -> str:
    """A line without the note of what it replaced."""
    return _REPLACES.sub("", text)


def noted(text: str) -> str:
    """A line as the note of a newer one names it: on one line, without its own note, short."""
    plain = " ".join(bare(text).replace("\n", " ").split()).rstrip(".")
    return plain if len(plain) <= _LONGEST_NOTE else plain[:_LONGEST_NOTE].rsplit(" ", 1)[0] + " …"


def replaced(text: str) -> str:
    """What a line says it replaced, "" when nothing."""
    found = _REPLACES.search(text)
    return found.group(1) if found else ""


def with_replaced(text: str, old: str) -> str:
    """A line with the note of what it replaces; what that one had replaced stays known."""
    chain = [*filter(None, (replaced(text), noted(old), replaced(old)))]
    kept: list[str] = []
    for note in dict.fromkeys(
        "; ".join(chain).split("; ")
    ):  # the newest first; what no longer fits is in git
        if len("; ".join([*kept, note])) > _LONGEST_CHAIN:
            break
        kept.append(note)
    return f"{bare(text)} (replaces: {'; '.join(kept)})"
