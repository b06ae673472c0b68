"""Weaving: joins what two sides changed beside each other in a memory file.

Memory files are lists that grow at their ends, so two dreams (or a dream and a person) that each add a line
conflict in git although nobody contradicts anybody. So files are compared by units: a whole list item (with its
evidence) is one, any other line is one. Where both sides only added, both additions stay, the person's first;
whole items come and go beside any other change, for they say nothing about their neighbours. Where both changed
or removed the same unit, it is a true conflict and none of ours to decide. The head of a file stays its head.
Pure; doorway 3, used by `publish` and `reverse`.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from slowwave.memory.layout import items, paragraphs, split_head

_Edit = tuple[int, int, list[str]]  # units [start, end) of the base become these
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def weave(base: str | None, ours: str, theirs: str) -> str | None:
    """Join two versions of a file; None when they truly conflict.

    Without a base (both sides made the file) what they have in common serves as one.
    """
    (own_head, own), (other_head, other) = split_head(ours), split_head(theirs)
    if base is None:
        head: str | None = own_head or other_head
        body = _weave(_in_common(_units(own), _units(other)), _units(own), _units(other))
    else:
        base_head, common = split_head(base)
        head = _weave(_lines(base_head), _lines(own_head), _lines(other_head))
        body = _weave(_units(common), _units(own), _units(other))
    return None if head is None or body is None else head + body


def frame(text: str) -> str | None:
    """A file without its items: the head and the headings. None when it says anything else."""
    head, body = split_head(text)
    if paragraphs(body, items(body)):
        return None
    return head + "".join(unit for unit in _units(body) if not _is_item(unit))


def without_items(text: str, unwanted: Sequence[str]) -> str:
    """A file without some items, given exactly as they stand in it; each takes away one."""
    head, body = split_head(text)
    gone = [item.rstrip("\n") for item in unwanted]
    kept = []
    for unit in _units(body):
        if (bare := unit.rstrip("\n")) in gone:
            gone.remove(bare)
        else:
            kept.append(unit)
    return head + "".join(kept)


# ---------------------------------------------------------------------- units and edits
def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _units(body: str) -> list[str]:
    """Whole items, and single lines for the rest."""
    lines, found, at = _lines(body), list[str](), 0
    for item in items(body):
        found += lines[at : item.start_line]
        found.append("".join(lines[item.start_line : item.end_line]))
        at = item.end_line
    return found + lines[at:]


def _is_item(unit: str) -> bool:
    return bool(items(unit))


def _weave(base: Sequence[str], own: Sequence[str], other: Sequence[str]) -> str | None:
    edits = _edits(base, own)
    for edit in _edits(base, other):
        joined = _join(base, edits, edit)
        if joined is None:
            return None
        edits = joined
    woven = list(base)
    for start, end, units in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        woven[start:end] = units
    return "".join([*map(_closed, woven[:-1]), *woven[-1:]])


def _in_common(one: Sequence[str], two: Sequence[str]) -> list[str]:
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    return [unit for block in blocks for unit in one[block.a : block.a + block.size]]


def _edits(base: Sequence[str], changed: Sequence[str]) -> list[_Edit]:
    codes = SequenceMatcher(None, base, changed, autojunk=False).get_opcodes()
    return [(i1, i2, list(changed[j1:j2])) for tag, i1, i2, j1, j2 in codes if tag != "equal"]


def _join(base: Sequence[str], edits: list[_Edit], new: _Edit) -> list[_Edit] | None:
    start, end, units = new
    for number, (at, until, present) in enumerate(edits):
        if (at, until, present) == new:
            return edits  # both did the same
        if start == end == at == until:
            together = present if present[-len(units) :] == units else [*map(_closed, present), *units]
            return [*edits[:number], (at, until, together), *edits[number + 1 :]]
        if start < until and at < end:
            return None  # both changed or removed this
        beside = start <= until and at <= end
        if beside and not (_is_of_items(base, new) or _is_of_items(base, edits[number])):
            return None
    return [*edits, new]


def _is_of_items(base: Sequence[str], edit: _Edit) -> bool:
    """Whether an edit adds, changes and removes whole items only."""
    start, end, units = edit
    return all(not unit.strip() or _is_item(unit) for unit in (*base[start:end], *units))


def _closed(unit: str) -> str:
    """A unit with its newline: a file may end without one, what stands in its middle may not."""
    return unit if unit.endswith("\n") else f"{unit}\n"
