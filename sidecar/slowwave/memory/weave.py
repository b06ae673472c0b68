"""Weaving: joins what two sides added to the same place of a memory file.

Memory files are lists that grow at their ends, so two dreams (or a dream and a person) that each add a line
conflict in git although nobody contradicts anybody. Where both sides only added, both additions stay, the
person's first; where either changed or removed the same lines, it is a true conflict and none of ours to
decide. Pure; doorway 3, used by `publish`.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

_Edit = tuple[int, int, list[str]]  # lines [start, end) of the base become these


def weave(base: str | None, ours: str, theirs: str) -> str | None:
    """Join two versions of a file line by line; None when they truly conflict.

    Without a base (both sides made the file) what they have in common serves as one.
    """
    own, other = ours.splitlines(keepends=True), theirs.splitlines(keepends=True)
    common = _in_common(own, other) if base is None else base.splitlines(keepends=True)
    edits = _edits(common, own)
    for edit in _edits(common, other):
        joined = _join(edits, edit)
        if joined is None:
            return None
        edits = joined
    woven = list(common)
    for start, end, lines in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        woven[start:end] = lines
    return "".join(woven)


def _in_common(one: Sequence[str], two: Sequence[str]) -> list[str]:
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    return [line for block in blocks for line in one[block.a : block.a + block.size]]


def _edits(base: Sequence[str], changed: Sequence[str]) -> list[_Edit]:
    codes = SequenceMatcher(None, base, changed, autojunk=False).get_opcodes()
    return [(i1, i2, list(changed[j1:j2])) for tag, i1, i2, j1, j2 in codes if tag != "equal"]


def _join(edits: list[_Edit], new: _Edit) -> list[_Edit] | None:
    start, end, lines = new
    for number, (at, until, present) in enumerate(edits):
        if (at, until, present) == new:
            return edits  # both did the same
        if start == end == at == until:
            together = present if present[-len(lines) :] == lines else [*_closed(present), *lines]
            return [*edits[:number], (at, until, together), *edits[number + 1 :]]
        if start <= until and at <= end:
            return None  # one of them changed or removed lines here
    return [*edits, new]


def _closed(lines: list[str]) -> list[str]:
    """The last line with its newline: a file may end without one, a line in the middle may not."""
    return lines if not lines or lines[-1].endswith("\n") else [*lines[:-1], f"{lines[-1]}\n"]
