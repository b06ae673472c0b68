"""When two lines say the same: a duplicate is a nuisance, a rule lost is a fault."""

import pytest

from slowwave.dream.likeness import alike

from .talk import lines_of, memory_of, says

DIFFERENT = [
    ("Always run `make lint` before you commit.", "Always run `make test` before you commit."),
    ("Never edit files in vendor/ by hand.", "Never edit files in generated/ by hand."),
    ("The user prefers pnpm over npm.", "The user prefers npm over pnpm."),
    ("Do not push to main.", "Push to main."),
    ("The api listens on 8080.", "The api listens on 9090."),
    ("Run lint before tests.", "Run tests before lint."),
    ("Write comments in German.", "Write comments in English."),
    ("Use tabs in python files.", "Use spaces in python files."),
]
SAME = [
    ("Always run `make check` before reporting done.", "Run `make check` before you report it done, always."),
    ("Commit messages are in English.", "Always write commit messages in English."),
    ("Never commit straight to main.", "Never commit straight to main, open a pull request."),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_one_word_can_make_it_another_rule(one: str, other: str) -> None:
    """A name, a number, a negation, a substitution or a swapped order: both lines stay."""
    assert not alike(one, other)
    assert not alike(other, one)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_other_words_for_the_same_rule_are_the_same_rule(one: str, other: str) -> None:
    """Spelling, order and filler do not matter."""
    assert alike(one, other)
    assert alike(other, one)


def test_no_rule_is_lost_among_its_likes() -> None:
    """Four rules in pairs that differ in one word are four lines of memory."""
    wishes = [one for pair in DIFFERENT[:2] for one in pair]
    found = lines_of(memory_of(*(says(w, name=f"s{n}", days=n) for n, w in enumerate(wishes))))
    for word in ("make lint", "make test", "vendor/", "generated/"):
        assert any(word in line for line in found), word
