"""The tools of a model: each does what it says, checks what it must, and answers instead of ending the dream."""

from collections.abc import Mapping
from typing import Any

import pytest

from slowwave.dream.hands import TOOLS, Hands, bring_back, learned_between, memory_of
from slowwave.dream.toolbox import InMemoryToolbox
from slowwave.memory import layout
from slowwave.model import Author, Evidence
from slowwave.models.protocol import ToolCall

from .talk import PROJECT, session

TALK = session(
    [("user", "No, always sort the imports. We never push on Fridays."), ("call", "pytest -q"), ("ok", "3 passed"),
     ("agent", "The suite takes nine minutes on this machine.")],
)  # fmt: skip
PREFERENCES = "projects/harbor/system/preferences.md"
FACTS = "projects/harbor/reference/facts.md"
OLD = Evidence("claude-code", "0-old", 1, Author.HUMAN, "use tabs everywhere")
MEMORY = {
    PREFERENCES: "---\ndescription: How to work\n---\n# Preferences\n\n## Style\n\n"
    + layout.learned_item("Use tabs everywhere.", ((OLD, None),))
    + "\n\n## Other\n\n- Mine, by hand.\n",
    "system/pinned.md": "---\ndescription: p\npinned: true\n---\n- x\n",
}


def hands(files: Mapping[str, str] | None = None) -> Hands:
    """The tools over a memory, with one secret to take out."""
    box = InMemoryToolbox(
        MEMORY if files is None else files, ("projects/harbor/", "system/", "reference/", "skills/")
    )
    return Hands(box, (TALK,), PROJECT, lambda text: text.replace("hunter2", "[redacted]"))


def do(tools: Hands, name: str, **given: Any) -> tuple[str, bool]:
    """What a call answers, and whether it failed."""
    result = tools.act(ToolCall("c1", name, given))
    assert result.call_id == "c1"
    return result.text, result.failed


def cite(quote: str, role: str = "user", turn: int = 1, name: str = "s1") -> dict[str, Any]:
    """Evidence as a model gives it."""
    return {"session": name, "turn": turn, "role": role, "quote": quote}


SORT = cite("always sort the imports")


def test_a_line_is_sealed_dated_and_put_below_its_heading() -> None:
    """What the offline reflector would write, in a place the model chose."""
    tools = hands()
    given = {"path": PREFERENCES, "text": "Always sort the imports.", "evidence": [SORT], "heading": "Style"}
    assert do(tools, "learn", **given) == (f"learned in {PREFERENCES}", False)
    body = layout.parse(PREFERENCES, tools.toolbox.view(PREFERENCES)).body
    item = layout.items(body)[1]
    assert (item.heading, item.text, item.untouched) == (
        "Preferences / Style",
        "Always sort the imports.",
        True,
    )
    assert str(item.dates[0]) == "2026-03-02"
    assert [x.text for x in learned_between(MEMORY, memory_of(tools.toolbox))] == ["Always sort the imports."]
    assert do(tools, "learn", **given) == (f"{PREFERENCES} says so already", True)


def test_a_new_file_needs_a_description_and_a_skill_gets_its_name() -> None:
    """Both pass validation as they are."""
    tools = hands({})
    given = {"path": "skills/sort-imports/SKILL.md", "text": "Always sort the imports.", "evidence": [SORT]}
    assert do(tools, "learn", **given) == (
        "skills/sort-imports/SKILL.md is new and needs a description",
        True,
    )
    assert not do(tools, "learn", **given, description="When you\ntouch imports")[1]
    file = layout.parse(str(given["path"]), tools.toolbox.view(str(given["path"])))
    assert layout.problems(file) == ()
    assert file.meta == {
        "name": "sort-imports",
        "description": "When you touch imports",
        "type": "procedural",
    }


def test_a_line_takes_the_place_of_a_machines_line_only() -> None:
    """The person's stays, and says so."""
    tools = hands()
    new = {"path": PREFERENCES, "text": "Always sort the imports.", "evidence": [SORT]}
    said, failed = do(tools, "learn", **new, replaces="Mine, by hand.")
    assert failed
    assert "a person wrote or changed" in said
    assert not do(tools, "learn", **new, replaces="Use tabs everywhere.")[1]
    assert "tabs" not in tools.toolbox.view(PREFERENCES)
    assert do(tools, "learn", **new, replaces="no such")[1]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a quote nobody said": ({"evidence": [cite("always use spaces")]}, "did not say"),
    "an unknown session": ({"evidence": [cite("always sort the imports", name="s9")]}, "did not read"),
    "more than was said": ({"text": "Always sort imports, deploy nightly, page Bob, skip review."}, "more than its quotes"),
    "turned around": ({"text": "We push on Fridays.", "evidence": [cite("We never push on Fridays.")]}, "`not`"),
    "a quote cut before its not": (
        {"text": "Push on Fridays.", "evidence": [cite("push on Fridays")]}, "`not`",
    ),
    "the agent instructs": (
        {"text": "The suite takes nine minutes.",
         "evidence": [cite("The suite takes nine minutes on this machine.", "assistant")]}, "others than the person",
    ),
    "tool output": ({"path": FACTS, "text": "3 passed", "evidence": [cite("3 passed", "tool")]}, "untrusted"),
    "outside": ({"path": "projects/other/system/a.md"}, "outside"),
    "no evidence": ({"evidence": []}, ""),
    "half evidence": ({"evidence": [{"session": "s1"}]}, "each evidence needs"),
    "invisible": ({"text": "Always sort the \u202eimports."}, "invisible"),
    "a heading that is not there": ({"heading": "Nowhere"}, "no heading"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_line_that_would_not_pass_is_refused_at_once(name: str) -> None:
    """The answer says why, and nothing is changed."""
    given, why = REFUSED[name]
    tools = hands()
    usual: dict[str, Any] = {
        "path": PREFERENCES,
        "text": "Always sort the imports.",
        "evidence": [SORT],
        "description": "d",
    }
    said, failed = do(tools, "learn", **{**usual, **given})
    if name == "no evidence":  # it may stand, and waits for a person
        return
    assert failed, said
    assert why in said
    assert memory_of(tools.toolbox) == MEMORY


def test_a_fact_by_an_agent_and_a_page_in_quarantine_may_be_kept() -> None:
    """Each where it belongs."""
    tools = hands()
    agent = cite("The suite takes nine minutes on this machine.", "assistant")
    fact = {
        "path": FACTS,
        "text": "The suite takes nine minutes.",
        "evidence": [agent],
        "description": "Facts",
    }
    assert not do(tools, "learn", **fact)[1]
    page = {"path": "projects/harbor/reference/untrusted/runs.md", "text": "3 passed", "description": "Runs"}
    assert not do(tools, "learn", **page, evidence=[cite("3 passed", "tool")])[1]


@pytest.mark.parametrize("name", ["str_replace", "insert", "delete", "rename", "learn", "delete_line"])
def test_a_pinned_file_is_left_alone(name: str) -> None:
    """By every tool."""
    given: dict[str, dict[str, Any]] = {
        "str_replace": {"path": "system/pinned.md", "old": "x", "new": "y"},
        "insert": {"path": "system/pinned.md", "line": 4, "text": "- y"},
        "delete": {"path": "system/pinned.md"}, "rename": {"old": "system/pinned.md", "new": "system/a.md"},
        "learn": {"path": "system/pinned.md", "text": "Always sort the imports.", "evidence": [SORT]},
        "delete_line": {"path": "system/pinned.md", "text": "x"},
    }  # fmt: skip
    tools = hands()
    said, failed = do(tools, name, **given[name])
    assert (failed, "locked by the person" in said) == (True, True)
    assert memory_of(tools.toolbox) == MEMORY


@pytest.mark.parametrize("given", [{"path": "system/pinned.md"}, {"path": PREFERENCES}])
def test_a_file_with_a_persons_line_is_not_removed_or_moved(given: dict[str, str]) -> None:
    """Nor is the line changed in place."""
    tools = hands()
    assert do(tools, "delete", **given)[1]
    assert do(tools, "rename", old=given["path"], new="reference/elsewhere.md")[1]
    assert do(tools, "str_replace", path=PREFERENCES, old="Mine, by hand.", new="Theirs.")[1]
    assert memory_of(tools.toolbox) == MEMORY


def test_secrets_go_neither_in_nor_out() -> None:
    """What is written and what is shown are redacted alike."""
    tools = hands({"reference/a.md": "---\ndescription: d\n---\nhunter2\n"})
    assert do(tools, "view", path="reference/a.md")[0].endswith("[redacted]\n")
    do(tools, "create", path="reference/b.md", text="---\ndescription: hunter2\n---\n")
    assert "hunter2" not in tools.toolbox.view("reference/b.md")


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("bash", {"command": "ls"}, "there is no tool 'bash'"), ("view", {}, "path is missing"),
        ("view", {"path": 3}, "must be of type string"), ("view", {"path": "a", "x": 1}, "x is unknown"),
        ("insert", {"path": PREFERENCES, "line": True, "text": "x"}, "must be of type integer"),
        ("view", {"path": "/etc/passwd"}, "outside"), ("view", {"path": "reference/none.md"}, "no file"),
        ("learn", {"path": PREFERENCES, "text": "x", "evidence": "y"}, "must be of type array"),
    ],
)  # fmt: skip
def test_a_call_that_makes_no_sense_is_answered(name: str, given: dict[str, Any], why: str) -> None:
    """In words that help to mend it."""
    said, failed = do(hands(), name, **given)
    assert failed
    assert why in said


def test_a_full_system_sends_lines_elsewhere() -> None:
    """What is in every turn's context has a budget."""
    full = "---\ndescription: d\n---\n" + "".join(f"- rule {n} {'x' * 60}\n" for n in range(110))
    tools = hands({"projects/harbor/system/full.md": full})
    given = {"path": PREFERENCES, "text": "Always sort the imports.", "evidence": [SORT], "description": "d"}
    said, failed = do(tools, "learn", **given)
    assert failed
    assert "reference/" in said


def test_bringing_back_is_exact() -> None:
    """Created, changed, removed and renamed files are what they were."""
    tools = hands()
    for name, given in (
        ("create", {"path": "reference/n.md", "text": "x"}),
        ("insert", {"path": PREFERENCES, "line": 3, "text": "x"}),
    ):
        do(tools, name, **given)
    tools.toolbox.delete("system/pinned.md")
    bring_back(tools.toolbox, MEMORY)
    assert memory_of(tools.toolbox) == MEMORY


def test_every_tool_has_a_schema_that_names_its_arguments() -> None:
    """What is required exists, and nothing else is accepted."""
    for tool in TOOLS:
        assert set(tool.schema["required"]) <= set(tool.schema["properties"])
        assert tool.schema["additionalProperties"] is False
        assert tool.description.endswith(".")
