"""Which project a folder belongs to.

A project is a repository: its identity is the git common directory, so that all worktrees of one repository
share one memory (a setting makes them separate). A folder in no repository, or one that no longer exists, is
its own project. Only small files are read; git is not started, since this runs for every session met.
Ground floor: imports only nouns.
"""

import os
import re
import unicodedata
from pathlib import Path

from slowwave.model import Project


def project_of(cwd: str, *, separate_worktrees: bool = False) -> Project:
    """Find the project of a working directory.

    `cwd` is as the transcript wrote it. One that is not absolute here (a relative path, another system's) says
    nothing about this machine's folders: its text is the key. Returns the project with the slug proposed from
    the folder's name; the store makes it unique.
    """
    if not Path(cwd).is_absolute():
        parts = re.split(r"[\\/]+", cwd.rstrip("\\/"))
        return Project(cwd, slugify(parts[-1]), cwd)
    folder = Path(os.path.normpath(cwd))
    for candidate in (folder, *folder.parents):
        marker = candidate / ".git"
        try:
            if marker.is_dir():
                return _project(marker, candidate)
            if marker.is_file():
                return _worktree(marker, candidate, separate=separate_worktrees)
        except OSError:  # another machine's path can be anything, e.g. longer than this system allows
            break
    return Project(str(folder), slugify(folder.name), str(folder))


def _worktree(marker: Path, checkout: Path, *, separate: bool) -> Project:
    """A `.git` file points to the worktree's git directory, whose `commondir` names the shared one."""
    pointed = marker.read_text("utf-8", "replace").strip().removeprefix("gitdir:").strip()
    git_dir = (checkout / pointed).resolve()
    if separate:
        return _project(git_dir, checkout)
    try:
        common = (git_dir / (git_dir / "commondir").read_text("utf-8").strip()).resolve()
    except OSError:  # a submodule has no commondir: it is a repository of its own
        return _project(git_dir, checkout)
    return _project(common, common.parent if common.name == ".git" else checkout)


def _project(key: Path, root: Path) -> Project:
    return Project(str(key.resolve()), slugify(root.name), str(root))


def slugify(name: str) -> str:
    """Make a folder name of a name: lower case, letters, digits and single dashes, at most 60 characters."""
    folded = unicodedata.normalize("NFC", name).casefold()
    slug = re.sub(r"[^\w]+", "-", folded).replace("_", "-").strip("-")
    return re.sub(r"-{2,}", "-", slug)[:60].strip("-") or "project"
