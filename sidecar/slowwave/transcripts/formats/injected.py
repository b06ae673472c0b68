"""Text inside a prompt that no person typed.

Harnesses wrap reminders, open files and selections around what was typed, and our own hook adds recalled
memory. Taken for the person's words, a reminder becomes a "preference" and a memory confirms itself for ever.
"""

import re

_MEMORY = r"<slowwave-memory\b[^>]*>.*?(?:</slowwave-memory>|\Z)"
_WRAPPERS = re.compile(
    rf"{_MEMORY}|<system-reminder>.*?(?:</system-reminder>|\Z)"
    r"|<ide_(?:opened_file|selection|diagnostics)\b[^>]*>.*?(?:</ide_(?:opened_file|selection|diagnostics)>|\Z)",
    re.DOTALL,
)
_MEMORY_ONLY = re.compile(_MEMORY, re.DOTALL)


def cut(text: str) -> tuple[str, tuple[str, ...]]:
    """What the person typed, and the blocks that stood around it."""
    if "<" not in text:
        return text, ()
    blocks = tuple(m.group() for m in _WRAPPERS.finditer(text))
    return (_WRAPPERS.sub("", text).strip(), blocks) if blocks else (text, ())


def without_memory(text: str) -> str:
    """The text without blocks of recalled memory, for entries that are nobody's prompt."""
    return _MEMORY_ONLY.sub("", text) if "<slowwave-memory" in text else text
