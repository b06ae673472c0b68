"""Publishing: a reflection's commit joins memory, or waits for a person. Plan, then act.

The plan merges in the object store and looks at the checkout: a conflict, or a touched file with uncommitted
human edits, blocks it and nothing has moved. A plan that is ready lands by the steps in `landing`. It is
always a merge commit, never a fast-forward, so that one revert undoes one dream; `undo` is that revert,
published the same way.

A reflection lives on `refs/heads/reflection/<id>`; one that waits for a person on
`refs/heads/reflection/pending/<id>`. Doorway 3.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from slowwave.errors import MemoryRepositoryError, ScopeError, UsageError
from slowwave.memory.landing import (
    Landed,
    Raced,
    Ready,
    Recovered,
    Step,
    finish_journal,
    land,
    quiet,
    recover,
)
from slowwave.memory.objects import MergeResult, TreeEntry
from slowwave.memory.repo import NOT_A_FILE, MemoryRepository
from slowwave.memory.weave import weave

__all__ = [
    "Blocked",
    "Landed",
    "Message",
    "Prefer",
    "Raced",
    "Ready",
    "Recovered",
    "Step",
    "drop_pending",
    "keep_pending",
    "land",
    "pending",
    "pending_ref",
    "plan",
    "plan_undo",
    "publish",
    "recover",
    "reflection_ref",
    "resolve",
    "undo",
]

CONFLICT: Final = "conflict"
OVERLAP: Final = "overlaps uncommitted edits"
NOT_PLAIN: Final = "changes something that is no plain file"
NOTHING_LEFT: Final = "nothing of it is left to undo"

Prefer = Literal["person", "dream"]
Message = str | Callable[[tuple[str, ...]], str]  # the text, or what makes it from the changed paths

_RUN_ID: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.|lock$|$))*")


@dataclass(frozen=True, slots=True)
class Blocked:
    """It cannot land as things are; a person must look at these paths."""

    reason: str
    paths: tuple[str, ...] = ()


# ---------------------------------------------------------------------- plan
def plan(
    repo: MemoryRepository, reflection: str, message: Message, *, prefer: Prefer | None = None
) -> Ready | Blocked | Landed:
    """What publishing would do now. `Landed` when memory has this reflection already.

    With `prefer`, conflicting files are taken whole from that side.
    """
    head = _head_of_checkout(repo)
    theirs = _commit_of(repo, reflection)
    if landed := repo.landing_of(theirs, head):
        return Landed(landed)
    merged = repo.merge(head, theirs)
    woven, conflicts = _weave(repo, merged)
    if conflicts and prefer is None:
        return Blocked(CONFLICT, conflicts)
    tree = resolve(repo, theirs, prefer) if conflicts and prefer else woven
    return _ready(repo, head, tree, (head, theirs), message)


def plan_undo(repo: MemoryRepository, commit: str, message: Message) -> Ready | Blocked:
    """What undoing a commit of memory would do now: its difference to its first parent, taken back."""
    head = _head_of_checkout(repo)
    undone = _commit_of(repo, commit)
    parent = repo.resolve(f"{undone}^1")
    if parent is None or not repo.contains(undone, head):
        raise MemoryRepositoryError(f"{commit} is not a commit of memory that can be undone")
    reverse = repo.commit_tree(repo.tree_id(parent), (undone,), "Take it back\n")
    merged = repo.merge(head, reverse)
    if merged.conflicts:
        return Blocked(CONFLICT, merged.conflicts)
    if merged.tree == repo.tree_id(head):
        return Blocked(NOTHING_LEFT)
    return _ready(repo, head, merged.tree, (head,), message)


def resolve(repo: MemoryRepository, reflection: str, prefer: Prefer) -> str:
    """The tree of a conflicted merge in which every conflicting file comes whole from one side."""
    merged = repo.merge(repo.head(), _commit_of(repo, reflection))
    tree, conflicts = _weave(repo, merged)
    stages = merged.stages or {}
    side = 2 if prefer == "person" else 3
    return repo.edit_tree(tree, {path: stages.get((path, side)) for path in conflicts})


def _weave(repo: MemoryRepository, merged: MergeResult) -> tuple[str, tuple[str, ...]]:
    """The merged tree with the files woven that both sides only added to, and the conflicts that remain."""
    stages = merged.stages or {}
    woven: dict[str, TreeEntry | None] = {}
    for path in merged.conflicts:
        base, ours, theirs = (stages.get((path, side)) for side in (1, 2, 3))
        if ours and theirs and path.endswith(".md") and ours.mode == theirs.mode == "100644":
            blobs = repo.read_many(e.oid for e in (base, ours, theirs) if e)
            texts = {oid: blob.decode("utf-8", "surrogateescape") for oid, blob in blobs.items()}
            text = weave(texts[base.oid] if base else None, texts[ours.oid], texts[theirs.oid])
            if text is not None:
                woven[path] = TreeEntry("100644", repo.write_blob(text.encode("utf-8", "surrogateescape")))
    tree = repo.edit_tree(merged.tree, woven) if woven else merged.tree
    return tree, tuple(path for path in merged.conflicts if path not in woven)


# ---------------------------------------------------------------------- act
def publish(
    repo: MemoryRepository,
    reflection: str,
    message: Message,
    on_step: Step = quiet,
    *,
    attempts: int = 5,
    prefer: Prefer | None = None,
) -> Landed | Blocked | Raced:
    """Plan and land; a person's commit in between makes it plan again."""
    return _land_what(repo, lambda: plan(repo, reflection, message, prefer=prefer), on_step, attempts)


def undo(
    repo: MemoryRepository, commit: str, message: Message, on_step: Step = quiet, *, attempts: int = 5
) -> Landed | Blocked | Raced:
    """Take one landed dream back by a commit of its own; what came later stays."""
    return _land_what(repo, lambda: plan_undo(repo, commit, message), on_step, attempts)


def _land_what(
    repo: MemoryRepository, make_plan: Callable[[], Ready | Blocked | Landed], on_step: Step, attempts: int
) -> Landed | Blocked | Raced:
    with repo.lock():
        finish_journal(repo)
        outcome: Landed | Raced = Raced(repo.head())
        for _ in range(attempts):
            planned = make_plan()
            if not isinstance(planned, Ready):
                return planned
            outcome = land(repo, planned, on_step)
            if isinstance(outcome, Landed):
                break
        return outcome


# ---------------------------------------------------------------------- branches of runs
def reflection_ref(run_id: str) -> str:
    """The branch a run writes to."""
    return f"refs/heads/reflection/{_checked(run_id)}"


def pending_ref(run_id: str) -> str:
    """The branch a finished run waits on for a person."""
    return f"refs/heads/reflection/pending/{_checked(run_id)}"


def keep_pending(repo: MemoryRepository, run_id: str, commit: str) -> None:
    """Keep a finished reflection for a person: its commit moves to the pending branch."""
    ref = pending_ref(run_id)
    if not repo.update_ref(ref, commit, repo.resolve(ref)):
        raise MemoryRepositoryError(f"{ref} was moved by another process meanwhile")
    repo.delete_ref(reflection_ref(run_id))


def drop_pending(repo: MemoryRepository, run_id: str) -> None:
    """Forget a pending reflection; one that is not there is fine."""
    repo.delete_ref(pending_ref(run_id))


def pending(repo: MemoryRepository) -> dict[str, str]:
    """The runs that wait for a person, with their commits."""
    prefix = "refs/heads/reflection/pending/"
    return {ref.removeprefix(prefix): commit for ref, commit in repo.refs(prefix).items()}


# ---------------------------------------------------------------------- the looks a plan takes
def _head_of_checkout(repo: MemoryRepository) -> str:
    if repo.checked_out() != repo.branch_ref:
        raise MemoryRepositoryError(
            f"{repo.path} is not on the branch {repo.branch} any more",
            hint=f"Run: git -C '{repo.path}' switch {repo.branch}",
        )
    return repo.head()


def _commit_of(repo: MemoryRepository, name: str) -> str:
    found = repo.resolve(name)
    if found is None:
        raise MemoryRepositoryError(f"{name} is not known in the memory repository {repo.path}")
    return found


def _ready(
    repo: MemoryRepository, head: str, tree: str, parents: Sequence[str], message: Message
) -> Ready | Blocked:
    changes = repo.changes(head, tree)
    odd = tuple(c.path for c in changes for entry in (c.old, c.new) if entry and not entry.is_plain)
    if odd:
        return Blocked(NOT_PLAIN, tuple(dict.fromkeys(odd)))
    staged = repo.staged()
    removed = {change.path for change in changes if change.new is None}
    edited = []
    for change in changes:
        allowed = {change.old.oid if change.old else None, change.new.oid if change.new else None}
        if _now(repo, change.path, removed) not in allowed or staged.get(change.path) not in allowed:
            edited.append(change.path)
    if edited:
        return Blocked(OVERLAP, tuple(edited))
    paths = tuple(change.path for change in changes)
    text = message if isinstance(message, str) else message(paths)
    return Ready(head, repo.commit_tree(tree, parents, text), paths)


def _now(repo: MemoryRepository, path: str, removed: set[str]) -> str | None:
    """What stands at a path. A file that makes room for a folder, or the other way round, counts as absence:
    each removed file is compared for itself.
    """
    now = repo.raw_hash(path)
    if now != NOT_A_FILE:
        return now
    above = {path.rsplit("/", n)[0] for n in range(1, path.count("/") + 1)}
    return None if above & removed or _holds_only(repo, path, removed) else now


def _holds_only(repo: MemoryRepository, folder: str, removed: set[str]) -> bool:
    try:
        items = repo.files.scan(folder)
    except (ScopeError, FileNotFoundError):
        return False
    inside = [(f"{folder}/{item.name}", item.is_folder) for item in items]
    return bool(inside) and all(
        _holds_only(repo, path, removed) if deeper else path in removed for path, deeper in inside
    )


def _checked(run_id: str) -> str:
    if run_id == "pending" or not _RUN_ID.fullmatch(run_id):
        raise UsageError(f"{run_id!r} cannot name a branch")
    return run_id
