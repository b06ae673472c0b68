"""The parts of reflection: hands in memory, scripts that are played, and the list of reflectors."""

import json

import pytest

from slowwave.dream.extract import Change
from slowwave.dream.offline import apply
from slowwave.dream.reflector import ReflectionContext, ScriptedReflector, Toolbox
from slowwave.dream.toolbox import InMemoryToolbox
from slowwave.errors import ScopeError, UsageError

from .talk import MONDAY, PROJECT

CONTEXT = ReflectionContext(PROJECT, (), MONDAY)


def test_the_edits_do_what_they_say() -> None:
    """Create, replace, insert, rename and delete change exactly one thing each."""
    box = InMemoryToolbox({"system/a.md": "one\ntwo\n"}, ("system/",))
    assert isinstance(box, Toolbox)
    box.create("system/b.md", "b")
    box.str_replace("system/a.md", "two", "2")
    box.insert("system/a.md", 0, "zero\n")
    box.rename("system/b.md", "system/c.md")
    assert box.files == {"system/a.md": "zero\none\n2\n", "system/c.md": "b"}
    box.delete("system/c.md")
    assert box.list() == ("system/a.md",)


@pytest.mark.parametrize(
    "path", ["../x", "/etc/passwd", "projects/other/system/a.md", "system/../../x", "system\\x", "system"]
)
def test_nothing_outside_the_scope_can_be_touched(path: str) -> None:
    """Neither reading nor writing leaves the roots."""
    box = InMemoryToolbox({}, ("system/",))
    for act in (box.view, box.delete, lambda p: box.create(p, "x"), lambda p: box.insert(p, 0, "x")):
        with pytest.raises(ScopeError):
            act(path)


def test_an_edit_that_would_guess_is_refused() -> None:
    """A text that is not there once, a file that exists, a line that does not: nothing changes."""
    box = InMemoryToolbox({"system/a.md": "x x"})
    for act in (
        lambda: box.str_replace("system/a.md", "x", "y"),
        lambda: box.str_replace("system/a.md", "", "y"),
        lambda: box.create("system/a.md", "y"),
        lambda: box.create("system/a.md/b.md", "y"),
        lambda: box.insert("system/a.md", 9, "y"),
        lambda: box.view("system/none.md"),
    ):
        with pytest.raises(UsageError):
            act()
    assert box.files == {"system/a.md": "x x"}


def test_a_script_is_played_from_data() -> None:
    """Edits and claims written as JSON are done and reported, from a script or from the instruction."""
    script = json.dumps(
        {
            "edits": [{"op": "create", "path": "system/a.md", "text": "x"}],
            "learned": [{"path": "system/a.md", "type": "semantic", "text": "x", "evidence": [
                {"source": "codex", "session_id": "s", "turn": 1, "role": "human", "quote": "x"}]}],
        }
    )  # fmt: skip
    for reflector, context in (
        (ScriptedReflector.from_json(script), CONTEXT),
        (ScriptedReflector(), ReflectionContext(PROJECT, (), MONDAY, script)),
    ):
        box = InMemoryToolbox()
        (learned,) = reflector.reflect(context, box).learned
        assert box.files == {"system/a.md": "x"}
        assert learned.evidence[0].turn == 1


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"learned": [{}]}', '{"learned": [{"path": "a", "text": "b", "type": "idea"}]}']
)
def test_a_script_that_is_none_is_said_to_be_none(text: str) -> None:
    """A damaged script is a usage error, not a crash."""
    with pytest.raises(UsageError):
        ScriptedReflector.from_json(text)


@pytest.mark.parametrize("edit", [{"op": "run", "path": "x"}, {"op": "create", "file": "x"}, {}])
def test_an_unknown_edit_is_refused(edit: dict[str, str]) -> None:
    """Only the five operations of a toolbox can be played."""
    with pytest.raises(UsageError):
        ScriptedReflector((edit,)).reflect(CONTEXT, InMemoryToolbox())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n", "a\nb\nc\n"),
        ("a\na\na\n", "a\nb\na\n"),
        ("a\nb\na\nb\n", "a\nb\n"),
        ("a\nb", ""),
        ("x\n", "y\nx\n"),
    ],
)
def test_applying_a_change_gives_the_planned_text(before: str, after: str) -> None:
    """Whatever repeats in a file, the edits lead from the text that was to the text that was planned."""
    box = InMemoryToolbox({"reference/a.md": before})
    apply(Change("reference/a.md", before, after), box)
    assert box.files["reference/a.md"] == after
