"""How much of memory a change takes away, counted in entries.

An entry is a list item or a paragraph. It is lost when nothing left says it: neither word for word (moved is not
lost), nor as part of a longer one, nor reworded without getting much shorter. Pure; engine 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from slowwave.dream.likeness import alike
from slowwave.memory import layout

_SHRUNK = 0.6  # a rewording below this part of the length has dropped something


@dataclass(frozen=True, slots=True)
class WindowLoss:
    """Entries that went, of the entries there were: in one dream, or in all dreams of the window."""

    removed: int
    before: int


def entries(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The text of every entry of every memory file."""
    found: list[str] = []
    for path, data in sorted(files.items()):
        body = layout.parse(path, data.decode("utf-8", "replace")).body
        items = layout.items(body)
        found += [item.text for item in items]
        found += layout.paragraphs(body, items)
    return tuple(" ".join(text.split()) for text in found)


def lost_entries(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> WindowLoss:
    """What a change takes away."""
    old, new = entries(before), entries(after)
    known, all_new = set(new), "\n".join(new)
    missing = [text for text in old if text not in known and text.rstrip(".") not in all_new]
    fresh = [text for text in new if text not in set(old)]
    gone = [
        text for text in missing if not any(len(n) >= _SHRUNK * len(text) and alike(text, n) for n in fresh)
    ]
    return WindowLoss(len(gone), len(old))
