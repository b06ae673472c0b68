"""Recovery: what every start does first, so that a kill at any moment loses and repeats nothing.

In order: finish a landing that was under way, bring the store up to the branch (the merge commits carry the
cursor), land reflections whose process died after validating them, give back the turns of runs that died
before. All of it is idempotent; a kill during recovery is recovered the same way.
"""

from slowwave.dream import settle
from slowwave.dream.reconcile import ensure_run, reconcile
from slowwave.dream.workshop import Workshop
from slowwave.memory import publish, worktree
from slowwave.memory.records import dreams_of
from slowwave.store import runs
from slowwave.verbs import ignore_step


def recover(shop: Workshop, alive: str = "") -> None:
    """Bring git and store to one story. The caller holds the lease; `alive` is its own run."""
    # 1. a landing that was under way
    publish.recover(shop.repo)
    # 2. the branch is the truth about what landed
    reconcile(shop.db, shop.repo, shop.now())
    # 3. validated work of dead runs lands now; nothing is reflected twice
    for run_id, commit in _waiting(shop):
        if run_id != alive:
            _land_leftover(shop, run_id, commit)
    # 4. the rest of the dead give their turns back
    for run in runs.unfinished(shop.db):
        if run.id != alive and not _may_yet_start(shop, run):
            runs.finish(
                shop.db, run.id, "interrupted", shop.now(), reason=f"its process died at step {run.step!r}",
                actor="recovery",
            )  # fmt: skip
    worktree.sweep(shop.homes.worktrees, {alive} if alive else set())


def _may_yet_start(shop: Workshop, run: runs.Run) -> bool:
    """A claimed run whose claimant lives has not yet had its turn."""
    return run.status == "claimed" and runs.claimant_lives(shop.db, run.id)


def _waiting(shop: Workshop) -> list[tuple[str, str]]:
    prefix = "refs/heads/reflection/"
    refs = shop.repo.refs(prefix)
    return [
        (ref.removeprefix(prefix), commit)
        for ref, commit in refs.items()
        if not ref.startswith(f"{prefix}pending/")
    ]


def _land_leftover(shop: Workshop, run_id: str, commit: str) -> None:
    found = shop.repo.commit(commit)
    record = next((r for r in dreams_of(found) if r.dream_id == run_id), None) if found else None
    if found is None or record is None:
        return  # a branch somebody else made below reflection/: not ours to touch
    ensure_run(shop.db, record, found, shop.now())
    settle.land(shop, run_id, commit, review=record.first("Review"), on_step=ignore_step)
    settle.note_recovery(shop, "landed leftover", f"dream {run_id}")
