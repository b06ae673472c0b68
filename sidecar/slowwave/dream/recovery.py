"""Recovery: what every start does first, so that a kill at any moment loses and repeats nothing.

In order: finish a landing that was under way, bring the store up to the branch (the merge commits carry the
cursor), land reflections whose process died after validating them, give back the turns of runs that died
before. All of it is idempotent; a kill during recovery is recovered the same way.
"""

from urllib.parse import unquote

from slowwave.dream import settle
from slowwave.dream.workshop import Workshop
from slowwave.memory import publish, worktree
from slowwave.memory.objects import Commit
from slowwave.model import Project, Trigger
from slowwave.store import progress, runs
from slowwave.verbs import ignore_step

_RECONCILED = "reconciled_commit"


def recover(shop: Workshop, alive: str = "") -> None:
    """Bring git and store to one story. The caller holds the lease; `alive` is its own run."""
    # 1. a landing that was under way
    publish.recover(shop.repo)
    # 2. the branch is the truth about what landed
    reconcile(shop)
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
    if found is None or "Dream-Id" not in found.trailers:
        return  # a branch somebody else made below reflection/: not ours to touch
    _ensure_run(shop, run_id, found)
    review = " ".join(found.trailers.get("Review", ()))
    settle.land(shop, run_id, commit, review=review, on_step=ignore_step)
    settle.note_recovery(shop, "landed leftover", f"dream {run_id}")


# ---------------------------------------------------------------------- the branch is the truth
def reconcile(shop: Workshop) -> None:
    """Bring the store up to what the branch and the pending branches say."""
    seen = shop.db.value("SELECT value FROM meta WHERE name = ?", (_RECONCILED,))
    head = shop.repo.head()
    known = seen if seen and shop.repo.resolve(seen) and shop.repo.contains(seen, head) else None
    for commit in shop.repo.commits_since(known):
        for run_id in commit.trailers.get("Dream-Id", ()):
            _settle(shop, run_id, commit, "merged", {"merged", "undone"})
        for run_id in commit.trailers.get("Undoes", ()):
            if shop.db.value("SELECT status FROM runs WHERE id = ?", (run_id,)) == "merged":
                settle.settle_undone(shop, run_id, commit.sha)
    for run_id, sha in publish.pending(shop.repo).items():
        kept = shop.repo.commit(sha)
        if kept and "Dream-Id" in kept.trailers:
            _settle(shop, run_id, kept, "pending", {"pending", "merged", "undone", "discarded"})
    with shop.db.transaction():
        shop.db.execute(
            "INSERT INTO meta (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (_RECONCILED, head),
        )


def _settle(shop: Workshop, run_id: str, commit: Commit, status: str, settled: set[str]) -> None:
    _ensure_run(shop, run_id, commit)
    if shop.db.value("SELECT status FROM runs WHERE id = ?", (run_id,)) in settled:
        return
    reason = "found waiting in the memory repository" if status == "pending" else ""
    landed = commit.sha if status == "merged" else ""
    if status == "pending":
        with shop.db.transaction():
            shop.db.execute("UPDATE runs SET reflection = ? WHERE id = ?", (commit.sha, run_id))
    review = " ".join(commit.trailers.get("Review", ()))
    runs.finish(shop.db, run_id, status, shop.now(), commit=landed, reason=review or reason, actor="recovery")


def _ensure_run(shop: Workshop, run_id: str, commit: Commit) -> None:
    """Rebuild the row of a run from the trailers of its commit, when the store has lost it."""
    if shop.db.row("SELECT 1 FROM runs WHERE id = ?", (run_id,)):
        return
    slug, _, key = unquote(" ".join(commit.trailers.get("Project", ()))).partition(" ")
    with shop.db.transaction():
        number = progress.ensure_project(shop.db, Project(key or slug, slug, key or slug), shop.now())
        trigger = Trigger("".join(commit.trailers.get("Trigger", ("manual",))))
        reflector = "".join(commit.trailers.get("Reflector", ("unknown",)))
        runs.claim(shop.db, run_id, number, trigger, reflector, commit.at.isoformat())
        runs.save_ranges(shop.db, run_id, settle.ranges_in(commit))
        shop.db.execute("UPDATE runs SET reflection = ? WHERE id = ?", (commit.sha, run_id))
