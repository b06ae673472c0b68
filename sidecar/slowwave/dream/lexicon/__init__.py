"""The words by which people show what lasts and what does not: one file per language, a row per notion.

A notion (obligation, generality, place, reason, a one-off …) is never a sentence that was once seen, so a language is
added by adding a file. `TELLS` say that a sentence is in the language, at least in part; `WORDS` stand anywhere in
it, `OPENINGS` begin it, `ENDINGS` close it. Languages written without spaces have no word boundaries. Engine 1,
imports nothing of the house.
"""

import re
from types import ModuleType

from slowwave.dream.lexicon import chinese, english, french, german, japanese, portuguese, spanish

LANGUAGES: dict[str, ModuleType] = {
    "en": english,
    "de": german,
    "es": spanish,
    "fr": french,
    "pt": portuguese,
    "zh": chinese,
    "ja": japanese,
}
_UNSPACED = frozenset({"zh", "ja"})


def _bounded(language: str, words: str) -> str:
    return f"(?:{words})" if language in _UNSPACED else rf"\b(?:{words})\b"


def _pattern(language: str, notion: str) -> re.Pattern[str]:
    """Everything that shows one notion in one language."""
    module = LANGUAGES[language]
    tables = {"": module.WORDS, "^": module.OPENINGS, "$": getattr(module, "ENDINGS", {})}
    rows = []
    for edge, table in tables.items():
        if notion in table:
            row = _bounded(language, table[notion])
            rows.append(f"{row}$" if edge == "$" else f"{edge}{row}")
    return re.compile("|".join(rows), re.IGNORECASE)


_PATTERNS: dict[str, dict[str, re.Pattern[str]]] = {
    language: {n: _pattern(language, n) for n in {**module.WORDS, **module.OPENINGS}}
    for language, module in LANGUAGES.items()
}
_TELLS = {
    language: re.compile(_bounded(language, module.TELLS), re.IGNORECASE)
    for language, module in LANGUAGES.items()
}
_LENT = frozenset(
    {"one_off", "hypothetical", "sarcasm", "outsider", "elsewhere", "ephemeral", "evermore", "due"}
)
"""What a single borrowed word says ("skip den linter diesmal", "notre certificate expires …")."""
NOTIONS = frozenset(notion for patterns in _PATTERNS.values() for notion in patterns)


def languages(plain: str) -> tuple[str, ...]:
    """The languages a sentence may be in: people switch inside one, and two words may not tell."""
    told = {language: len(set(tell.findall(plain.lower()))) for language, tell in _TELLS.items()}
    if told["ja"]:
        told["zh"] = 0  # Japanese is written with the same characters, Chinese never with kana
    most = max(count for language, count in told.items() if language not in _UNSPACED)
    other = any(told[language] for language in _UNSPACED)
    return tuple(
        language
        for language, count in told.items()
        if (count if language in _UNSPACED else 2 * count >= most and (most or not other))
    )


def notions(plain: str) -> frozenset[str]:
    """What a sentence shows, in the languages it may be in."""
    own = languages(plain)
    return frozenset(
        notion
        for language in dict.fromkeys((*own, *_lending(plain)))
        for notion, pattern in _PATTERNS[language].items()
        if (language in own or notion in _LENT) and pattern.search(plain)
    )


def _lending(plain: str) -> tuple[str, ...]:
    """The languages of which a sentence has at least one word; English lends to all."""
    return ("en", *(language for language, tell in _TELLS.items() if tell.search(plain.lower())))


def unasked(plain: str) -> str:
    """A request without its asking: "can you keep it short?" asks for what "keep it short" says."""
    for language in languages(plain):
        if asking := _PATTERNS[language]["request"].match(plain):
            return plain[asking.end() :].lstrip(" ,")
    return plain


def has(plain: str, notion: str) -> bool:
    """True when a sentence shows this one notion."""
    return any(
        (pattern := _PATTERNS[language].get(notion)) is not None and pattern.search(plain) is not None
        for language in languages(plain)
    )
