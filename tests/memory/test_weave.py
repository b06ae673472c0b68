"""Weaving: two sides that only added are joined; anything else is a conflict for a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.memory.weave import weave

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=6).map(lambda x: "".join(f"- {c}\n" for c in x))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "woven"),
    [
        ("a\n", "a\nb\n", "a\nc\n", "a\nb\nc\n"),
        ("a\nz\n", "b\na\nz\n", "a\nz\nc\n", "b\na\nz\nc\n"),
        ("a\n", "a\nb\n", "a\nb\n", "a\nb\n"),
        ("a\n", "a\nb", "a\nc\n", "a\nb\nc\n"),
        (None, "---\nd\n---\n- one\n", "---\nd\n---\n- two\n", "---\nd\n---\n- one\n- two\n"),
        (None, "Mine.\n- x\n", "---\nd\n---\n- x\n- y\n", "---\nd\n---\nMine.\n- x\n- y\n"),
        (None, "---\na\n---\n- x\n", "---\nb\n---\n- y\n", "---\na\n---\n- x\n- y\n"),
        ("- a\n- b\n", "- b\n", "- a\n- b\n- c\n", "- b\n- c\n"),
        ("- a\n- b\n", "- b\n", "- a\n", ""),
        ("- a\n", "- A\n", "", None),
        ("a\nb\n", "a\nB\n", "a\nb2\n", None),
        ("a\nb\n", "a\n", "a\nb\nc\n", None),
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
    ],
)
def test_additions_join_and_contradictions_do_not(
    base: str | None, ours: str, theirs: str, woven: str | None
) -> None:
    """Both additions stay, ours first; two changes of one line, or a change beside a removal, are left alone."""
    assert weave(base, ours, theirs) == woven


@given(LINES, LINES, LINES)
def test_nothing_anybody_added_is_lost(base: str, ours: str, theirs: str) -> None:
    """Whatever is woven holds every line that either side added, as often as each side has it."""
    own, other = base + ours, base + theirs
    woven = weave(base, own, other)
    if woven is not None:
        for line in set((ours + theirs).splitlines()):
            assert woven.splitlines().count(line) >= max(
                own.splitlines().count(line), other.splitlines().count(line)
            )


@given(LINES, LINES)
def test_one_side_alone_changes_nothing_else(base: str, changed: str) -> None:
    """When only one side changed, its version is the result."""
    assert weave(base, changed, base) == changed
    assert weave(base, base, changed) == changed
