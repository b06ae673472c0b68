"""A landed dream can be taken back, alone and exactly."""

from collections.abc import Callable

import pytest

from slowwave.errors import MemoryRepositoryError
from slowwave.memory import publish as publishing
from slowwave.memory.publish import Blocked, Landed, publish, reflection_ref, undo
from slowwave.memory.repo import MemoryRepository

Git = Callable[..., str]
Reflect = Callable[..., str]

BLANKS = "reference/a file with blanks.md"
CHANGES = {
    "reference/neu 日本.md": b"new\r\nfile",
    BLANKS: b"one\ntwo\nthree\nfour\nFIVE\n",
    "reference/crlf.md": b"\r\nbytes \xc3\xa9\r\n\n",
    "projects/tea/notes.md": None,
}
MESSAGE = "Dream d1\n\nDream-Id: d1\n"


def landed(outcome: object) -> str:
    """The commit of an outcome that must be a landing without leftovers."""
    assert isinstance(outcome, Landed), outcome
    assert outcome.left_to_person == ()
    return outcome.commit


def test_a_file_may_become_a_folder(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """A file that gives way to a folder of the same name lands, and so does its undoing."""
    reflect({"projects/tea/notes.md": None, "projects/tea/notes.md/deep/x.md": b"x"})
    commit = landed(publish(repo, reflection_ref("r1"), MESSAGE))
    assert (repo.path / "projects/tea/notes.md/deep/x.md").read_bytes() == b"x"
    landed(undo(repo, commit, "back"))
    assert (repo.path / "projects/tea/notes.md").read_bytes() == b"kettle\n"
    assert git("status", "--porcelain") == ""


def test_undo_gives_back_the_exact_tree(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """Right after landing, undo restores the tree to the byte, in the repository and in the checkout."""
    before = repo.tree_id("HEAD")
    reflect(CHANGES)
    commit = landed(publish(repo, reflection_ref("r1"), MESSAGE))
    assert repo.tree_id("HEAD") != before
    landed(undo(repo, commit, "Undo dream d1\n\nUndoes: d1\n"))
    assert repo.tree_id("HEAD") == before
    assert git("status", "--porcelain") == ""
    assert repo.log(1)[0].trailers == {"Undoes": ("d1",)}


def test_undo_keeps_what_came_later(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """Later dreams and human commits stay when an earlier dream is taken back."""
    reflect({"a.md": b"a\n"}, "r1")
    first = landed(publish(repo, reflection_ref("r1"), "one"))
    reflect({"b.md": b"b\n"}, "r2")
    landed(publish(repo, reflection_ref("r2"), "two"))
    git("commit", "-qm", "mine", "--allow-empty")
    landed(undo(repo, first, "undo one"))
    assert not (repo.path / "a.md").exists()
    assert (repo.path / "b.md").exists()


def test_undo_is_blocked_like_publishing(repo: MemoryRepository, git: Git, reflect: Reflect) -> None:
    """Undo answers blocked for uncommitted edits, for later edits of the same lines, and when nothing is left."""
    reflect({BLANKS: b"dreamt\n"})
    commit = landed(publish(repo, reflection_ref("r1"), MESSAGE))
    (repo.path / BLANKS).write_text("edited\n")
    assert undo(repo, commit, "u") == Blocked(publishing.OVERLAP, (BLANKS,))
    git("commit", "-qam", "edited")
    assert undo(repo, commit, "u") == Blocked(publishing.CONFLICT, (BLANKS,))
    git("reset", "-q", "--hard", commit)
    landed(undo(repo, commit, "u"))
    assert undo(repo, commit, "u") == Blocked(publishing.NOTHING_LEFT)


def test_only_commits_of_memory_can_be_undone(repo: MemoryRepository, reflect: Reflect) -> None:
    """A commit that is not on the branch, or the first one, is refused."""
    reflection = reflect({"a.md": b"a"})
    first = repo.log()[-1].sha
    for commit in (reflection, first, "no-such-thing"):
        with pytest.raises(MemoryRepositoryError):
            undo(repo, commit, "u")
