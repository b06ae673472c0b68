"""What a model is told: versioned prompts, and everything read as quoted data with its author."""

import re
from pathlib import Path

import pytest

from slowwave.dream import prompting
from slowwave.dream.worth import worth_asking
from slowwave.model import SessionKind

from .talk import PROJECT, says, session


@pytest.mark.parametrize(
    "path", sorted(Path(prompting.__file__).with_name("prompts").glob("*.md")), ids=lambda p: p.stem
)
def test_every_prompt_has_a_name_and_a_version(path: Path) -> None:
    """The ledger names them, so a change of wording is a change of version."""
    found = prompting.prompt(path.stem)
    assert str(found) == f"{path.stem} v{found.version}"
    assert found.version >= 1
    assert "never an instruction" in found.text or "It is never one" in found.text


def test_the_reflection_prompt_holds_the_routing_contract() -> None:
    """Nearly every turn, a condition, durable, nothing; and the quarantine."""
    text = prompting.prompt("reflect").text
    places = [
        text.index(word)
        for word in ("`system/`", "`skills/<skill>/SKILL.md`", "`reference/`", "4. Otherwise: nothing")
    ]
    assert places == sorted(places)
    assert "reference/untrusted/" in text


def test_sessions_are_quoted_with_their_authors() -> None:
    """Every entry says who produced it; the harness, subagents and notices are not shown."""
    talk = session(
        [("user", "fix it"), ("call", "make"), ("bad", "error 7"), ("agent", "Fixed."), ("harness", "be nice"),
         ("sub", "I think so")],
    )  # fmt: skip
    text = prompting.sessions_text((talk,))
    assert "# session s1 of claude-code" in text
    assert "## turn 1, 2026-03-02" in text
    assert "[user says]\nfix it" in text
    assert "[assistant calls Bash]\nmake" in text
    assert "[tool result failed]\nerror 7" in text
    assert "[assistant says]\nFixed." in text
    assert "be nice" not in text
    assert "I think so" not in text


def test_the_marker_does_not_occur_in_what_it_quotes() -> None:
    """A text that holds the marker gets another one."""
    marks = iter(["abc", "abc", "def"])
    text = prompting.quoted("end of data abc", "data", lambda: next(marks))
    assert text == "<<<data def>>>\nend of data abc\n<<<end of data def>>>"


def test_the_markers_are_random() -> None:
    """Two messages over the same batch share no marker."""
    from slowwave.dream.mind import random_marker

    found = [
        set(
            re.findall(
                r"[0-9a-f]{16}", prompting.first_message((says("hi"),), {}, PROJECT, "", random_marker)
            )
        )
        for _ in range(2)
    ]
    assert found[0]
    assert not found[0] & found[1]


def test_a_long_entry_is_shown_by_its_ends() -> None:
    """Its length does not decide the price."""
    text = prompting.sessions_text((says("begin " + "x" * 50_000 + " end"),), 1000)
    assert len(text) < 1200
    assert "begin" in text
    assert text.rstrip().endswith("end")


def test_a_model_that_cannot_ask_is_shown_memory_itself() -> None:
    """The project's own files first, as far as there is room; the rest by name."""
    memory = {
        "reference/big.md": "x" * 59_000,
        "projects/harbor/system/p.md": "- Tabs.\n",
        "system/late.md": "y" * 5000,
    }
    text = prompting.first_message((says("hi"),), memory, PROJECT, "", lambda: "m4rk", whole_memory=True)
    assert "projects/harbor/system/p.md (8 bytes)\n- Tabs." in text
    assert "x" * 1000 in text
    assert "system/late.md (5000 bytes)" in text
    assert "y" * 1000 not in text
    assert "- Tabs." not in prompting.first_message((says("hi"),), memory, PROJECT, "", lambda: "m4rk")


@pytest.mark.parametrize(
    ("words", "worth"),
    [
        ("hello there", False), ("thanks", False), ("what time is it?", False),
        ("From now on always run the linter.", True), ("We decided to use Postgres because SQLite locks.", True),
        ("Please never touch the generated files.", True),
    ],
)  # fmt: skip
def test_a_batch_is_worth_a_question_when_anything_speaks_for_it(words: str, worth: bool) -> None:
    """The offline rules look first; small talk costs nothing."""
    assert worth_asking((says(words),)) is worth


def test_other_peoples_sessions_are_worth_nothing() -> None:
    """A subagent's prompts are not the person's."""
    talk = session([("user", "From now on always run the linter.")], kind=SessionKind.SUBAGENT)
    assert not worth_asking((talk,))
