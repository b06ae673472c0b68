"""Changes of memory files by the lifecycle, published like a dream: through the importer, as one merge commit.

A commit of ours names its act in the trailer `Pass-Id`, by which a start after a kill knows that it landed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from slowwave.errors import BusyError, RefusedError
from slowwave.memory import importer, publish
from slowwave.memory.repo import MemoryRepository

TRAILER = "Pass-Id"
# Summaries and facts are many small files; what one act may change is bounded by its plan, not by a reflector.
_LIMITS = replace(importer.Limits(), files=1_000_000, changed=1_000_000)


def message(subject: str, act: str, instance_id: str) -> str:
    """The message of a commit of the lifecycle."""
    return f"{subject}\n\n{TRAILER}: {act}\nInstance-Id: {instance_id}\n"


def edited(repo: MemoryRepository, paths: Iterable[str]) -> frozenset[str]:
    """Those of the paths that a person is at work on: not, or not only, what memory has committed."""
    tree, staged = repo.tree(repo.head()), repo.staged()
    committed = {path: entry.oid for path, entry in tree.items()}
    return frozenset(p for p in paths if not repo.raw_hash(p) == staged.get(p) == committed.get(p))


def land(repo: MemoryRepository, act: str, files: Mapping[str, str | None], text: str) -> str:
    """Write (or, for None, remove) memory files by one commit; returns the commit, "" when nothing changed.

    Raises BusyError when a person's git is at work there, RefusedError when it cannot land as things are; memory is
    then as it was.
    """
    base, ref = repo.head(), publish.reflection_ref(act)
    shown = importer.presentable(repo, base)
    after = {path: data for path, data in shown.items() if path not in files}
    after |= {path: said.encode() for path, said in files.items() if said is not None}
    repo.delete_ref(ref)  # of an earlier try that was killed
    made = importer.commit(repo, base, ref, after, text, limits=_LIMITS)
    if made is None:
        return ""
    try:
        landed = publish.publish(repo, made, text)
    finally:
        repo.delete_ref(ref)
    match landed:
        case publish.Landed(commit=commit):
            return commit
        case publish.Blocked(reason=reason, paths=paths):
            raise RefusedError(
                f"memory cannot be changed now: {reason}: {', '.join(paths)}",
                hint="commit or revert your edits in the memory folder, then try again",
            )
        case publish.Raced():
            raise BusyError("memory kept changing meanwhile", hint="try again")


def landed(repo: MemoryRepository, act: str, base: str) -> bool:
    """Whether the commit of an act is on memory's branch, looking from `base` on."""
    return any(act in commit.trailers.get(TRAILER, ()) for commit in repo.commits_since(base or None))
