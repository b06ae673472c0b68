"""A reflection works in a plain folder that holds the memory to the byte, and leaves nothing behind."""

import os
import stat
from pathlib import Path

import pytest

from slowwave.errors import MemoryRepositoryError
from slowwave.memory.importer import collect, presentable
from slowwave.memory.repo import MemoryRepository
from slowwave.memory.worktree import reflection_worktree, sweep


def test_the_folder_holds_exactly_the_base(repo: MemoryRepository, tmp_path: Path) -> None:
    """Every byte of the commit, no `.git`, files 0644, folders 0700; collecting it gives the same back."""
    (repo.path / "system" / "person.md").write_text("uncommitted\n")
    with reflection_worktree(repo, repo.head(), tmp_path / "runs" / "r1") as folder:
        assert collect(folder) == presentable(repo, repo.head())
        assert not (folder / ".git").exists()
        for parent, folders, files in os.walk(folder):
            assert all(stat.S_IMODE(Path(parent, f).stat().st_mode) == 0o700 for f in folders)
            assert all(stat.S_IMODE(Path(parent, f).stat().st_mode) == 0o644 for f in files)
    assert not folder.exists()


def test_it_goes_also_when_the_work_fails(repo: MemoryRepository, tmp_path: Path) -> None:
    """An error inside removes the folder; when asked to, it stays."""
    for keep in (False, True):
        folder = tmp_path / f"run-{keep}"
        with pytest.raises(ZeroDivisionError), reflection_worktree(repo, repo.head(), folder, keep=keep):
            _ = 1 / 0
        assert folder.exists() == keep


def test_an_existing_folder_is_not_taken(repo: MemoryRepository, tmp_path: Path) -> None:
    """A folder that is there already is refused, and stays as it is."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.md").write_text("x")
    with pytest.raises(MemoryRepositoryError), reflection_worktree(repo, repo.head(), folder):
        pass
    assert (folder / "thesis.md").exists()


def test_it_is_never_inside_the_checkout(repo: MemoryRepository) -> None:
    """A worktree below the memory checkout is refused."""
    with (
        pytest.raises(MemoryRepositoryError, match="inside"),
        reflection_worktree(repo, repo.head(), repo.path / "tmp"),
    ):
        pass


def test_leftovers_of_dead_runs_are_swept(tmp_path: Path) -> None:
    """Sweeping removes every folder that belongs to no living run, and follows no link out."""
    for name in ("alive", "dead"):
        (tmp_path / "runs" / name / "system").mkdir(parents=True)
    (tmp_path / "keep.md").write_text("x")
    (tmp_path / "runs" / "link").symlink_to(tmp_path)
    assert sweep(tmp_path / "runs", {"alive"}) == ("dead", "link")
    assert [p.name for p in (tmp_path / "runs").iterdir()] == ["alive"]
    assert (tmp_path / "keep.md").exists()
    assert sweep(tmp_path / "none", ()) == ()
