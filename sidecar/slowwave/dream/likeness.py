"""When two lines of memory say the same, and when one ends the other.

Words decide, not spelling: markup, order, stop words and endings are left out. Pure; engine 1, imports nothing of
the house.
"""

import re

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
        "the",
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
_REPLACES = re.compile(r"\s*\(replaces: (.*)\)\.?$", re.DOTALL)


def words(text: str) -> frozenset[str]:
    """The words that carry the meaning, with plain endings dropped."""
    found = set()
    for match in _WORD.finditer(text.lower()):
        word = match.group().strip("./-")
        if word and word not in _STOP:
            found.add(re.sub(r"(?<=\w{3})(ing|ed|es|s)$", "", word))
    return frozenset(found)


def alike(one: str, other: str) -> bool:
    """True when the two lines say the same thing; another number is another thing."""
    numbers = set(_NUMBER.findall(bare(one))), set(_NUMBER.findall(bare(other)))
    if all(numbers) and not (numbers[0] <= numbers[1] or numbers[1] <= numbers[0]):
        return False
    a, b = words(bare(one)), words(bare(other))
    if not a or not b:
        return one.strip() == other.strip()
    shared = len(a & b)
    smaller = min(len(a), len(b))
    return shared / len(a | b) >= 0.6 or (smaller >= 4 and shared / smaller >= 0.9)


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


def same_event_other_day(new: str, old: str) -> bool:
    """True when both give a day for the same event and the days differ."""
    old, new = bare(old), bare(new)
    before, after = set(_ISO.findall(old)), set(_ISO.findall(new))
    if not before or not after or before == after:
        return False
    return len(words(_DATE.sub(" ", old)) & words(_DATE.sub(" ", new))) >= 2


def bare(text: str) -> str:
    """A line without the note of what it replaced."""
    return _REPLACES.sub("", text)


def replaced(text: str) -> str:
    """What a line says it replaced, "" when nothing."""
    found = _REPLACES.search(text)
    return found.group(1) if found else ""


def with_replaced(text: str, old: str) -> str:
    """A line with the note of what it replaces; what that one had replaced stays known."""
    before = " ".join(bare(old).replace("\n", " ").split()).rstrip(".")
    chain = [*filter(None, (replaced(text), before, replaced(old)))]
    return f"{bare(text)} (replaces: {'; '.join(dict.fromkeys(chain))})"
