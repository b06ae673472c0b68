"""A person works in memory with plain git (reset, rebase, squash, merge by hand), and the dreams keep up."""

from pathlib import Path

import pytest

from slowwave.report import Merged
from tests.dream.household import CHECKS, COMMITS, REVIEWS, Household


@pytest.fixture
def house(tmp_path: Path) -> Household:
    """A home where nothing has happened yet."""
    return Household(tmp_path)


# ---------------------------------------------------------------------- what was reset away stays away
def test_a_pending_dream_does_not_bring_back_what_was_reset_away(house: Household) -> None:
    """A dream made on top of one that a person has reset away lands alone."""
    house.landed(CHECKS)
    kept = house.waiting(REVIEWS)
    house.git("reset", "-q", "--hard", "HEAD^1")
    change = house.merge()
    assert (change.status, change.dream_id) == ("merged", kept.dream_id)
    assert "make check" not in change.text
    assert "pull request" in house.text()
    assert "make check" not in house.text()
    assert house.git("log", "--format=%s", "--grep", "make check") == ""
    house.git("fsck", "--strict")


def test_a_running_dream_does_not_bring_back_what_is_reset_away(house: Household) -> None:
    """The same when the person resets while the dream is at work."""
    house.landed(CHECKS)

    def reset(step: str) -> None:
        if step == "validate":
            house.git("reset", "-q", "--hard", "HEAD^1")

    report = house.dream(REVIEWS, on_step=reset)
    assert isinstance(report.outcome, Merged)
    assert "pull request" in house.text()
    assert "make check" not in house.text()


def test_a_rebuilt_dream_that_conflicts_waits_and_says_where(house: Household) -> None:
    """When the file a dream adds to was reset away with a person's own words in it, it waits for them."""
    path = house.landed(CHECKS).learned[0].path
    house.commit(path, (house.memory / path).read_text("utf-8") + "\nMy own words.\n")
    house.waiting(COMMITS)
    house.git("reset", "-q", "--hard", "HEAD~2")
    change = house.merge()
    assert change.status == "pending"
    assert path in change.reason
    assert house.merge(prefer="person").status == "merged"
    assert house.text() == ""


def test_a_rebuilt_dream_lands_once(house: Household) -> None:
    """A kill between git and the store after a dream was rebuilt does not land it twice."""
    house.landed(CHECKS)
    kept = house.waiting(REVIEWS)
    ref = f"refs/heads/reflection/pending/{kept.dream_id}"
    reflected = house.git("rev-parse", ref)
    house.git("reset", "-q", "--hard", "HEAD^1")
    house.merge()
    head = house.git("rev-parse", "HEAD")
    house.git("update-ref", ref, reflected)
    with house.service().db as db, db.transaction():
        db.execute("UPDATE runs SET status = 'pending' WHERE id = ?", (kept.dream_id,))
    assert house.dream("thanks").outcome
    assert house.git("rev-parse", "HEAD") == head
    assert house.log()[kept.dream_id] == "merged"
