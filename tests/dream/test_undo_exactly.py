"""Undo takes exactly one dream's lines out of memory, whatever stands beside them; a dry run writes nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.errors import MemoryRepositoryError, RefusedError, UsageError
from slowwave.verbs import Change
from tests.dream.household import CHECKS, COMMITS, REVIEWS, Household

LINES = {CHECKS: "make check", COMMITS: "imperative", REVIEWS: "pull request"}


@pytest.fixture
def house(tmp_path: Path) -> Household:
    """A home where nothing has happened yet."""
    return Household(tmp_path)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0), (0, 2, 1)])
def test_dreams_side_by_side_are_undone_in_any_order(house: Household, order: tuple[int, ...]) -> None:
    """Three dreams that wrote into one file are undone one by one; the others stay to the letter."""
    dreams = [house.landed(wish) for wish in LINES]
    assert len({d.learned[0].path for d in dreams}) == 1
    left = dict(enumerate(LINES.values()))
    for number in order:
        before = house.text()
        assert house.undo(dreams[number].dream_id).status == "undone"
        gone = left.pop(number)
        after = house.text()
        assert gone not in after
        assert all(words in after for words in left.values())
        assert set(after.splitlines()) <= set(before.splitlines())


def test_a_persons_words_beside_a_dreams_line_stay(house: Household) -> None:
    """Undo leaves what a person wrote before, after and between the lines of a dream."""
    dream = house.landed(CHECKS)
    house.landed(COMMITS)
    path = dream.learned[0].path
    lines = (house.memory / path).read_text("utf-8").splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if "make check" in line)
    lines[at:at] = ["- My line before.\n"]
    lines[at + 3 : at + 3] = ["- My line after.\n"]
    house.commit(path, "".join(lines) + "\nMy paragraph.\n")
    assert house.undo(dream.dream_id).status == "undone"
    text = house.text()
    assert "make check" not in text
    for mine in ("- My line before.", "- My line after.", "My paragraph.", "imperative"):
        assert mine in text


def test_a_line_a_person_has_moved_is_undone_where_it_is(house: Household) -> None:
    """A dream's own line goes from where a person has put it in its file."""
    dream = house.landed(CHECKS)
    path = dream.learned[0].path
    text = (house.memory / path).read_text("utf-8")
    item = text[text.index("- ") :]
    house.commit(path, text.replace(item, f"- Mine.\n\n## Later\n\n{item}- Mine too.\n"))
    assert house.undo().status == "undone"
    assert "make check" not in house.text()
    assert "- Mine.\n\n## Later\n\n- Mine too.\n" in house.text()


def test_words_a_person_has_added_to_a_dreams_commit_stay(house: Household) -> None:
    """A person who amends the merge commit with words of their own keeps them when the dream is undone."""
    path = house.landed(CHECKS).learned[0].path
    file = house.memory / path
    file.write_text(file.read_text("utf-8") + "- Mine.\n", "utf-8")
    (house.memory / "mine.md").write_text("mine\n")
    house.git("add", "-A")
    house.git("commit", "-q", "--amend", "--no-edit")
    assert house.undo().status == "undone"
    assert "make check" not in house.text()
    assert "- Mine.\n" in house.text()
    assert (house.memory / "mine.md").read_text() == "mine\n"


def test_an_undo_that_cannot_be_done_is_an_error(house: Household) -> None:
    """Lines that a person has changed are theirs: undo changes nothing, names the file and says what to do."""
    path = house.landed(CHECKS).learned[0].path
    text = (house.memory / path).read_text("utf-8")
    (house.memory / path).write_text(text.replace("make check", "make test"))
    with pytest.raises(RefusedError, match="uncommitted edits") as error:
        house.undo()
    assert "Commit your edits" in error.value.hint
    house.git("commit", "-qam", "mine")
    for dry_run in (True, False):
        with pytest.raises(RefusedError, match="conflict") as error:
            house.undo(dry_run=dry_run)
        assert path in error.value.problems[0]
        assert "git show" in error.value.hint
    assert "make test" in house.text()


# ---------------------------------------------------------------------- dry runs
def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder (SQLite's shared memory, which readers write, left out)."""
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file() and "-shm" not in p.name}


VERBS: dict[str, Callable[[Household, bool], Change]] = {
    "undo": lambda house, dry_run: house.undo(dry_run=dry_run),
    "merge": lambda house, dry_run: house.merge(dry_run=dry_run),
    "discard": lambda house, dry_run: house.discard(dry_run=dry_run),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_dry_run_writes_nothing(house: Household, verb: str) -> None:
    """It says what would happen, also after a person's reset; store and repository stay as they were."""
    house.landed(CHECKS)
    house.landed(COMMITS)
    house.waiting(REVIEWS)
    house.git("reset", "-q", "--hard", "HEAD^1")
    before = everything(house.root)
    change = VERBS[verb](house, True)
    assert change.status == f"would {verb}"
    assert change.text
    assert everything(house.root) == before
    assert set(house.log().values()) == {"merged", "removed", "pending"}


@pytest.mark.parametrize("verb", VERBS)
def test_a_dry_run_makes_no_memory(house: Household, verb: str) -> None:
    """Without a memory repository it says so, and makes none; nor does the act itself."""
    house.landed(CHECKS)
    house.waiting(REVIEWS)
    shutil.rmtree(house.memory)
    for dry_run in (True, False):
        with pytest.raises(MemoryRepositoryError, match="no memory folder") as error:
            VERBS[verb](house, dry_run)
        assert str(house.memory) in error.value.problems[0]
        assert not house.memory.exists()


def test_a_dry_run_before_the_first_start_writes_nothing(house: Household) -> None:
    """On a machine where slowwave has never run, not even its folders are made."""
    with pytest.raises(UsageError, match="no merged dream"):
        house.undo(dry_run=True)
    assert not (house.root / "home").exists()
