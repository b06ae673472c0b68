"""Whose each folder below `projects/` is: the dreams' commits name the project they were about.

The store can be lost, and memory can come from another machine; the commits come with it. Reading them before
a project gets its folder keeps one project out of another's. Doorway 3.
"""

import os
from pathlib import Path
from urllib.parse import unquote

from slowwave.memory.objects import Commit
from slowwave.memory.repo import MemoryRepository

_DREAMS = "refs/heads/reflection/"


def owners(memory: Path) -> dict[str, str]:
    """The project key each slug belongs to, from the landed and the waiting dreams; the newest word counts.

    Empty when there is no repository yet. Raises MemoryRepositoryError when there is one that cannot be read.
    """
    if not (memory / ".git" / "HEAD").is_file():  # none, or one that a kill left at its first moment
        return {}
    repo = MemoryRepository(Path(os.path.realpath(memory)), "")
    repo.branch = (repo.checked_out() or "refs/heads/main").removeprefix("refs/heads/")
    landed = repo.commits_since(None) if repo.resolve(repo.branch_ref) else ()
    waiting = (repo.commit(sha) for sha in repo.refs(_DREAMS).values())
    return {slug: key for commit in (*waiting, *landed) if commit for slug, key in _projects(commit)}


def _projects(commit: Commit) -> list[tuple[str, str]]:
    named = (unquote(text).partition(" ") for text in commit.trailers.get("Project", ()))
    return [(slug, key) for slug, _, key in named if key]
