"""A person works in memory with plain git (reset, rebase, squash, merge by hand), and the dreams keep up."""

from pathlib import Path

import pytest

from slowwave.errors import MemoryRepositoryError, UsageError
from slowwave.report import Merged, Pending
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


def test_an_own_branch_on_a_dreams_commit_is_left_alone(house: Household) -> None:
    """A branch below reflection/ that does not bear its dream's name is a person's."""
    house.landed(CHECKS)
    kept = house.waiting(REVIEWS)
    house.git("branch", "reflection/look", f"reflection/pending/{kept.dream_id}")
    house.git("branch", "reflection/pending/look", f"reflection/pending/{kept.dream_id}")
    house.dream("thanks")
    assert "look" not in house.log()
    assert house.log()[kept.dream_id] == "pending"
    assert "pull request" not in house.text()
    assert house.git("rev-parse", "reflection/look") == house.git("rev-parse", "reflection/pending/look")


# ---------------------------------------------------------------------- the ledger follows the branch
def test_a_dream_that_was_reset_away_is_removed(house: Household) -> None:
    """After a reset the log says removed, undo takes the dream that is left, and nothing is dreamed again."""
    first, second = house.landed(CHECKS), house.landed(REVIEWS)
    house.git("reset", "-q", "--hard", "HEAD^1")
    assert house.log() == {first.dream_id: "merged", second.dream_id: "removed"}
    with pytest.raises(UsageError, match="removed") as error:
        house.undo(second.dream_id)
    assert "no longer on the branch main" in error.value.hint
    change = house.diff(second.dream_id)
    assert change.status == "removed"
    assert "pull request" in change.text
    assert house.diff().dream_id == first.dream_id
    house.dream("thanks")
    assert "pull request" not in house.text()
    assert house.undo().dream_id == first.dream_id
    house.git("reset", "-q", "--hard", second.outcome.commit)  # type: ignore[union-attr]
    assert house.log()[first.dream_id] == house.log()[second.dream_id] == "merged"


def test_a_dream_in_a_rebased_commit_can_be_undone(house: Household) -> None:
    """After a rebase the ledger names the dream's new commit, and undo and diff work on it."""
    house.landed(CHECKS)
    house.commit("mine.md", "my words\n")
    second = house.landed(REVIEWS)
    house.git("rebase", "-q", "--force-rebase", "HEAD~3")
    house.commit("mine.md", "my other words\n")
    change = house.diff(second.dream_id)
    assert "pull request" in change.text
    assert change.commit != second.outcome.commit  # type: ignore[union-attr]
    assert house.undo().dream_id == second.dream_id
    assert "pull request" not in house.text()
    assert "make check" in house.text()
    assert "my other words" in house.text()


def test_an_undo_that_was_reset_away_is_no_undo(house: Household) -> None:
    """When a person takes the undo back, the dream is merged again, and can be undone again."""
    report = house.landed(CHECKS)
    house.undo()
    house.git("reset", "-q", "--hard", "HEAD^1")
    assert house.log() == {report.dream_id: "merged"}
    assert house.undo().status == "undone"


@pytest.mark.parametrize("way", ["--no-ff", "--ff-only", "rebase"])
def test_a_pending_dream_merged_by_hand_is_merged(house: Household, way: str) -> None:
    """A person who lands a pending dream with git has landed it: nothing waits, and undo takes it back."""
    house.landed(CHECKS)
    kept = house.waiting(REVIEWS)
    branch = f"reflection/pending/{kept.dream_id}"
    if way == "rebase":
        house.commit("mine.md", "my words\n")
        house.git("cherry-pick", branch)
    else:
        house.git("merge", "-q", way, *(["-m", "by hand"] if way == "--no-ff" else []), branch)
    with pytest.raises(UsageError, match="no pending dream"):
        house.discard()
    assert house.log()[kept.dream_id] == "merged"
    assert house.git("branch", "--list", "reflection/*") == ""
    assert house.undo().dream_id == kept.dream_id
    assert "pull request" not in house.text()
    assert "make check" in house.text()


@pytest.mark.parametrize("way", ["squash", "fixup"])
@pytest.mark.parametrize("lost", [True, False])
def test_two_dreams_in_one_commit_stay_two(house: Household, way: str, *, lost: bool) -> None:
    """Both dreams of a squash are known, with their own turns, also to a new store; each undone alone."""
    first, second = house.landed(CHECKS), house.landed(REVIEWS)
    texts = [house.git("log", "-1", "--format=%B", r.outcome.commit) for r in (first, second)]  # type: ignore[union-attr]
    house.git("reset", "-q", "--soft", "HEAD~2")
    (house.memory / "mine.md").write_text("my words\nand more\n")
    house.git("add", "-A")
    between = "\n\n" if way == "squash" else "\n"
    house.git("commit", "-qm", between.join(texts))
    if lost:
        house.lose_the_store()
    house.dream("thanks")
    assert house.log()[first.dream_id] == house.log()[second.dream_id] == "merged"
    assert house.git("log", "-1", "--format=%s%b").count("Dream-Id") == 2
    assert house.undo(first.dream_id).status == "undone"
    assert "make check" not in house.text()
    assert "pull request" in house.text()
    assert "and more" in house.text()
    assert house.undo(second.dream_id).status == "undone"
    assert "pull request" not in house.text()
    assert "and more" in house.text()


def test_the_last_is_what_ended_last(house: Household) -> None:
    """`undo` and `diff` without a name mean the dream that landed last, not the one that began last."""
    kept = house.waiting(CHECKS)
    house.landed(REVIEWS)
    house.merge(kept.dream_id)
    assert house.diff().dream_id == kept.dream_id
    assert house.undo().dream_id == kept.dream_id


def test_a_dream_lands_on_no_other_branch(house: Household) -> None:
    """With a person's branch checked out a dream fails clearly, and its turns are read later."""
    house.landed(CHECKS)
    house.git("switch", "-q", "-c", "side")
    try:
        outcome = str(house.dream(REVIEWS).outcome)
    except MemoryRepositoryError as error:
        outcome = str(error)
    assert "memory lives on main" in outcome
    assert "pull request" not in house.text()
    house.git("switch", "-q", "main")
    house.landed("thanks")
    assert "pull request" in house.text()


@pytest.mark.parametrize("way", ["attributes", "autocrlf"])
def test_a_checkout_with_crlf_is_ordinary(house: Household, way: str) -> None:
    """Files that git itself checks out with CRLF are no edits: dreams land, keep the line ends, and are undone."""
    path = house.landed(CHECKS).learned[0].path
    if way == "attributes":
        house.commit(".gitattributes", "*.md text eol=crlf\n")
    else:
        house.git("config", "core.autocrlf", "true")
    file = house.memory / path
    file.unlink()
    house.git("checkout", "--", ".")
    before = file.read_bytes()
    assert b"\r\n" in before
    second = house.landed(COMMITS)
    assert second.learned[0].path == path
    assert file.read_bytes().startswith(before)
    assert file.read_bytes().count(b"\n") == file.read_bytes().count(b"\r\n")
    assert house.git("status", "--porcelain") == ""
    file.write_bytes(file.read_bytes() + b"- Mine.\r\n")
    assert isinstance(house.dream(REVIEWS).outcome, Pending)
    assert file.read_bytes().endswith(b"- Mine.\r\n")
    house.git("commit", "-qam", "mine")
    assert house.merge().status == "merged"
    assert house.undo(second.dream_id).status == "undone"
    assert "imperative" not in house.text()
    assert "- Mine." in house.text()
