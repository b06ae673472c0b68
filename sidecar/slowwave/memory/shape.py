"""What a memory repository must look like: made here, and checked here each time it is opened.

A folder that is not in the right shape is never repaired silently: the person is told what it is and what to
do. Doorway 3.
"""

import os
from pathlib import Path
from typing import Final

from slowwave.errors import MemoryRepositoryError
from slowwave.memory.disk import disk_errors
from slowwave.memory.objects import TreeEntry
from slowwave.memory.repo import MemoryRepository, run_git

# Plain text, not markdown: every .md file in this folder is a memory.
README: Final = """\
This folder is the memory of your coding agents, kept by slowwave as plain markdown in git.

  system/           what nearly every turn needs, always in context; keep it short
  skills/           how to do something, loaded when its stated condition holds
  reference/        durable facts, read on demand
  projects/<name>/  the same three, for one project

It is yours: edit, commit and revert as in any repository. slowwave never touches a file you have changed
and not committed; its own work arrives as merge commits, and undoing one undoes one dream.
"""

BRANCH_SETTING: Final = "slowwave.branch"
"""The git setting of the memory repository that names the branch dreams land on."""

_FIRST_DREAM: Final = "`slowwave dream` makes it, as soon as an agent has worked."

_UNFINISHED: Final = {
    "MERGE_HEAD": "a merge is in progress",
    "CHERRY_PICK_HEAD": "a cherry-pick is in progress",
    "REVERT_HEAD": "a revert is in progress",
    "rebase-merge": "a rebase is in progress",
    "rebase-apply": "a rebase is in progress",
}


def create(path: Path) -> MemoryRepository:
    """Make the repository with a first commit, or open what is there."""
    path = Path(os.path.realpath(path))
    if not os.path.lexists(path / ".git"):
        with disk_errors("make the memory folder"):
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise MemoryRepositoryError(
                    f"{path} has files but is no git repository",
                    hint="Choose an empty folder for the memory.",
                )
        _init(path)
    elif not (path / ".git" / "HEAD").exists() or not _has_commit(path):
        _require_git_folder(path)
        _init(path)
    repo = open_(path)
    if not _remembered(path):
        with disk_errors("note the memory's branch"):
            place = {"GIT_DIR": str(repo.git_dir)}
            _must(run_git(("config", BRANCH_SETTING, repo.branch), None, place), path)
    return repo


def open_(path: Path, *, trial: Path | None = None) -> MemoryRepository:
    """Open what is there, or say what is wrong with it; for `trial` see MemoryRepository."""
    path = Path(os.path.realpath(path))
    _require_git_folder(path)
    remembered = _remembered(path)
    branch = _branch(path, remembered)
    if branch != (remembered or branch):
        raise MemoryRepositoryError(
            f"{path} is on the branch {branch}, but memory lives on {remembered}",
            hint=f"Run: git -C '{path}' switch {remembered}; or, to let memory live on {branch} from now on:"
            f" git -C '{path}' config {BRANCH_SETTING} {branch}",
        )
    repo = MemoryRepository(path, branch, trial=trial)
    _require_supported(repo)
    for name, state in _UNFINISHED.items():
        if os.path.lexists(repo.git_dir / name):
            raise MemoryRepositoryError(f"{path}: {state}", hint="Finish or abort it, then try again.")
    head = repo.resolve("HEAD")
    if head is None and (repo.refs(repo.branch_ref) or _names_a_commit(repo)):
        raise _damaged(path, f"the commit of branch {branch} cannot be read")
    if head is None:
        raise MemoryRepositoryError(f"{path} has no commit yet", hint=_FIRST_DREAM)
    try:
        repo.tree(head)
    except MemoryRepositoryError as error:
        raise _damaged(path, error.problems[0]) from error
    return repo


def _init(path: Path) -> None:
    repo = MemoryRepository(path, "main")
    with disk_errors("make the memory repository"):
        if not (repo.git_dir / "HEAD").exists() or repo.checked_out() is None:
            init = ("init", "--quiet", "--template=", "--initial-branch=main", str(path))
            _must(run_git(init, None, {}), path)
        # A checkout that rewrites line ends would make every file look edited by hand.
        _must(run_git(("config", "core.autocrlf", "false"), None, {"GIT_DIR": str(repo.git_dir)}), path)
        repo.branch = (repo.checked_out() or "refs/heads/main").removeprefix("refs/heads/")
        readme = TreeEntry("100644", repo.write_blob(README.encode()))
        if repo.raw_hash("README.txt") is None:
            repo.files.write("README.txt", README.encode())
        repo.update_index(repo.git_dir / "index", {"README.txt": readme})
        tree = repo.edit_tree(None, {"README.txt": readme})
        repo.update_ref(repo.branch_ref, repo.commit_tree(tree, (), "Begin the memory\n"), None)


def _must(answer: tuple[int, bytes, bytes], path: Path) -> None:
    status, _, err = answer
    if status:
        raise MemoryRepositoryError(
            f"cannot make a git repository in {path}: {err.decode('utf-8', 'replace').strip()}"
        )


def _has_commit(path: Path) -> bool:
    repo = MemoryRepository(path, "main")
    return repo.resolve("HEAD") is not None or _names_a_commit(repo)


def _names_a_commit(repo: MemoryRepository) -> bool:
    """True when HEAD's branch is written down, whether or not its commit can be read."""
    status, out, _ = run_git(
        ("rev-parse", "--verify", "--quiet", "HEAD"), None, {"GIT_DIR": str(repo.git_dir)}
    )
    named = repo.git_dir / Path(repo.checked_out() or "HEAD")
    return (status == 0 and bool(out.strip())) or (named.name != "HEAD" and named.exists())


def _require_git_folder(path: Path) -> None:
    git_dir = path / ".git"
    if not path.is_dir():
        raise MemoryRepositoryError(f"there is no memory folder at {path}", hint=_FIRST_DREAM)
    if git_dir.is_symlink() or git_dir.is_file():
        raise MemoryRepositoryError(
            f"{path} is a linked worktree or a submodule", hint="Point slowwave at the main checkout."
        )
    if git_dir.is_dir():
        return
    if (path / "HEAD").is_file() and (path / "objects").is_dir():
        raise MemoryRepositoryError(
            f"{path} is a bare repository",
            hint="Memory lives in a checkout: clone it and point slowwave there.",
        )
    raise MemoryRepositoryError(
        f"{path} is not a git repository",
        hint="Choose an empty folder for the memory (`memory.path`): `slowwave dream` makes the repository in it.",
    )


def _remembered(path: Path) -> str:
    """The branch memory lives on, as noted when it was made; "" when it was not."""
    place = {"GIT_DIR": str(path / ".git")}
    _, out, _ = run_git(("config", "--get", BRANCH_SETTING), None, place)
    return out.decode("utf-8", "replace").strip()


def _branch(path: Path, remembered: str) -> str:
    try:
        ref = MemoryRepository(path, "").checked_out()
    except MemoryRepositoryError as error:
        raise _damaged(path, error.problems[0]) from error
    if ref is None or not ref.startswith("refs/heads/"):
        raise MemoryRepositoryError(
            f"{path} is not on a branch (HEAD is detached)",
            hint=f"Run: git -C '{path}' switch {remembered or 'main'}",
        )
    return ref.removeprefix("refs/heads/")


def _require_supported(repo: MemoryRepository) -> None:
    status, out, err = run_git(("config", "--list", "-z"), None, {"GIT_DIR": str(repo.git_dir)})
    if status:
        raise _damaged(repo.path, err.decode("utf-8", "replace").strip())
    settings = dict(item.partition("\n")[::2] for item in out.decode("utf-8", "replace").split("\0"))
    if settings.get("core.bare", "").casefold() in {"true", "yes", "on", "1"}:
        raise MemoryRepositoryError(
            f"{repo.path} is a bare repository", hint=f"Run: git -C '{repo.path}' config core.bare false"
        )
    if settings.get("extensions.objectformat", "sha1") != "sha1":
        raise MemoryRepositoryError(
            f"{repo.path} uses SHA-256 object names, which slowwave cannot read yet",
            hint="Use a repository with the usual SHA-1 names.",
        )


def _damaged(path: Path, why: str) -> MemoryRepositoryError:
    return MemoryRepositoryError(
        f"the memory repository {path} is damaged: {why}", hint=f"Run: git -C '{path}' fsck"
    )
