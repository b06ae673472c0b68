"""Publishing: a reflection's commit joins memory, or waits for a person. Plan, then act.

The plan merges in the object store and looks at the checkout: a conflict, or a touched file with uncommitted
human edits, blocks it and nothing has moved. A plan that is ready lands by the steps in `landing`. It is
always a merge commit, never a fast-forward, so that one revert undoes one dream; `undo` is that revert,
published the same way.

A reflection lives on `refs/heads/reflection/<id>`; one that waits for a person on
`refs/heads/reflection/pending/<id>`. Doorway 3.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from slowwave.memory.line_ends import hash_among
from slowwave.memory.objects import Commit, MergeResult, TreeEntry
from slowwave.memory.records import RUN_ID, dreams_of
from slowwave.memory.repo import NOT_A_FILE, MemoryRepository
from slowwave.memory.reverse import Mine, reverse, texts_of
from slowwave.memory.weave import frame, weave

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
    if landed := repo.landing_of(theirs, head) or _landed_anew(repo, theirs):
        return Landed(landed)
    merged, conflicts = _merged(repo, head, theirs)
    if conflicts and prefer is None:
        return Blocked(CONFLICT, conflicts)
    tree = resolve(repo, theirs, prefer) if conflicts and prefer else merged.tree
    if not _stands_on(repo, theirs, head):
        theirs = repo.commit_tree(tree, (head,), _known(repo, theirs).message)
    return _ready(repo, head, tree, (head, theirs), message)


def plan_undo(
    repo: MemoryRepository, commit: str, message: Message, mine: Mine = lambda _item: True
) -> Ready | Blocked:
    """What undoing a commit of memory would do now: its difference to its first parent, taken back.

    mine   tells the dream's own items, where a person has made another commit of it (see `reverse`)
    """
    head = _head_of_checkout(repo)
    undone = _known(repo, commit)
    if not undone.parents or not repo.contains(undone.sha, head):
        raise MemoryRepositoryError(f"{commit} is not a commit of memory that can be undone")
    tree, conflicts = reverse(repo, head, undone, mine)
    if conflicts:
        return Blocked(CONFLICT, conflicts)
    if tree == repo.tree_id(head):
        return Blocked(NOTHING_LEFT)
    return _ready(repo, head, tree, (head,), message)


def resolve(repo: MemoryRepository, reflection: str, prefer: Prefer) -> str:
    """The tree of a conflicted merge in which every conflicting file comes whole from one side."""
    merged, conflicts = _merged(repo, repo.head(), _commit_of(repo, reflection))
    stages = merged.stages or {}
    side = 2 if prefer == "person" else 3
    return repo.edit_tree(merged.tree, {path: stages.get((path, side)) for path in conflicts})


def _stands_on(repo: MemoryRepository, reflection: str, head: str) -> bool:
    """Whether memory still has the commit a reflection began from: a person may have reset it away since."""
    base = repo.resolve(f"{reflection}^1")
    return base is None or repo.contains(base, head)


def _landed_anew(repo: MemoryRepository, reflection: str) -> str | None:
    """The newest commit of memory that brings the dream of this reflection in another commit: one that was
    rebuilt, or that a person rebased or squashed.
    """
    wanted = {record.dream_id for record in dreams_of(_known(repo, reflection))}
    base = repo.resolve(f"{reflection}^1") if _stands_on(repo, reflection, repo.head()) else None
    since = reversed(repo.commits_since(base) if wanted else ())
    return next((c.sha for c in since if wanted & {r.dream_id for r in dreams_of(c)}), None)


def _merged(repo: MemoryRepository, head: str, reflection: str) -> tuple[MergeResult, tuple[str, ...]]:
    """Memory with what a reflection changed, woven, and the conflicts that remain.

    A merge takes a commit's ancestors with it. Where those are no longer memory's (a person has reset or
    rebased), only the difference to the commit it began from is taken, or what they removed would come back.
    """
    if _stands_on(repo, reflection, head):
        merged = repo.merge(head, reflection)
    else:
        base = repo.commit_tree(repo.tree_id(f"{reflection}^1"), (), "What it began from\n")
        ours, theirs = (repo.commit_tree(repo.tree_id(c), (base,), "A side\n") for c in (head, reflection))
        merged = repo.merge(ours, theirs)
    tree, conflicts = _weave(repo, merged)
    return replace(merged, tree=tree), conflicts


def _weave(repo: MemoryRepository, merged: MergeResult) -> tuple[str, tuple[str, ...]]:
    """The merged tree with the files woven that the sides changed beside each other, and what conflicts still."""
    stages = merged.stages or {}
    woven: dict[str, TreeEntry | None] = {}
    for path in merged.conflicts:
        text = _woven(*texts_of(repo, path, stages))
        if text is not None:
            woven[path] = TreeEntry("100644", repo.write_blob(text.encode("utf-8", "surrogateescape")))
    tree = repo.edit_tree(merged.tree, woven) if woven else merged.tree
    return tree, tuple(path for path in merged.conflicts if path not in woven)


def _woven(base: str | None, ours: str | None, theirs: str | None) -> str | None:
    if ours is None and base is not None:
        ours = frame(base)  # the file was taken away: what was in it stays away, and what is new comes
    return None if ours is None or theirs is None else weave(base, ours, theirs)


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
    repo: MemoryRepository,
    commit: str,
    message: Message,
    on_step: Step = quiet,
    *,
    attempts: int = 5,
    mine: Mine = lambda _item: True,
) -> Landed | Blocked | Raced:
    """Take one landed dream back by a commit of its own; what came later stays."""
    return _land_what(repo, lambda: plan_undo(repo, commit, message, mine), on_step, attempts)


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


def _known(repo: MemoryRepository, sha: str) -> Commit:
    found = repo.commit(sha)
    if found is None:
        raise MemoryRepositoryError(f"{sha} is not known in the memory repository {repo.path}")
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
        if _now(repo, change.path, removed, allowed) not in allowed or staged.get(change.path) not in allowed:
            edited.append(change.path)
    if edited:
        return Blocked(OVERLAP, tuple(edited))
    paths = tuple(change.path for change in changes)
    text = message if isinstance(message, str) else message(paths)
    return Ready(head, repo.commit_tree(tree, parents, text), paths)


def _now(repo: MemoryRepository, path: str, removed: set[str], known: set[str | None]) -> str | None:
    """What stands at a path. A file that makes room for a folder, or the other way round, counts as absence:
    each removed file is compared for itself.
    """
    now = hash_among(repo, path, known)
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
    if not RUN_ID.fullmatch(run_id):
        raise UsageError(f"{run_id!r} cannot name a branch")
    return run_id
