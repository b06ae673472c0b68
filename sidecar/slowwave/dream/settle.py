"""What becomes of a finished dream: merged, pending, and later perhaps discarded or undone.

Every act that lands or keeps a reflection is here, for the pipeline, for recovery after a kill and for the
person's verbs alike. The order is always the same: git first, where one compare-and-swap is the moment of
truth, then the store in one transaction; `recovery` brings the store along when a kill came between.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote

from slowwave.dream.workshop import Workshop
from slowwave.errors import BusyError, MemoryRepositoryError, RefusedError, UsageError
from slowwave.memory import publish
from slowwave.memory.layout import Item
from slowwave.memory.objects import Commit
from slowwave.memory.repo import MemoryRepository
from slowwave.model import Learned, Project
from slowwave.report import DreamReport, Merged, Outcome, Pending
from slowwave.store import audit, runs
from slowwave.store.runs import Run
from slowwave.verbs import Change, OnStep

DISCARDED = "refs/slowwave/discarded/"
_LINES_IN_MESSAGE = 20


# ---------------------------------------------------------------------- the commit message
def message(report: DreamReport, project: Project, instance_id: str, review: str) -> str:
    """The message of a dream's commits. Its trailers carry the cursor and everything needed to rebuild a row."""
    trailers = [
        ("Dream-Id", report.dream_id),
        ("Trigger", str(report.trigger)),
        ("Reflector", report.reflector),
        ("Project", f"{project.slug} {quoted(project.key)}"),
        *(("Sources", str(r)) for r in report.sources),
        ("Sandbox-Level", report.sandbox_level),
        ("Instance-Id", instance_id),
        *([("Review", _one_line(review))] if review else []),
    ]
    lines = [f"- {_one_line(x.text)}" for x in report.learned[:_LINES_IN_MESSAGE]]
    if len(report.learned) > _LINES_IN_MESSAGE:
        lines.append(f"- and {len(report.learned) - _LINES_IN_MESSAGE} more")
    parts = [_subject(report.learned, project), "\n".join(lines), "\n".join(f"{k}: {v}" for k, v in trailers)]
    return "\n\n".join(p for p in parts if p) + "\n"


def _subject(learned: Sequence[Learned], project: Project) -> str:
    count = len(learned)
    what = "tidied memory" if not count else f"learned {count} {'thing' if count == 1 else 'things'}"
    return f"Dream: {what} in {project.slug}"


def quoted(text: str) -> str:
    """A text on one line, without loss: what would end a line is written as in a URL (`unquote` reads it)."""
    return re.sub(r"[%\x00-\x1f\x7f\x85\u2028\u2029]", lambda m: quote(m[0]), text)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


# ---------------------------------------------------------------------- land or keep
def land(shop: Workshop, run_id: str, reflected: str, *, review: str, on_step: OnStep) -> Outcome:
    """Land a validated reflection, or keep it for a person; then settle the run in the store."""
    if review:
        return _keep(shop, run_id, reflected, review, ())
    body = _commit(shop.repo, reflected).message
    try:
        landed = publish.publish(shop.repo, reflected, body, lambda s: on_step(f"publish {s}"))
    except BusyError as error:  # a person's git is at work in there: their turn first
        return _keep(shop, run_id, reflected, "; ".join(error.problems), ())
    match landed:
        case publish.Blocked(reason=reason, paths=paths):
            return _keep(shop, run_id, reflected, f"{reason}: {', '.join(paths)}", paths)
        case publish.Raced():
            return _keep(shop, run_id, reflected, "memory kept changing while the dream wanted to land", ())
        case publish.Landed(commit=commit):
            on_step("settle")
            settle_merged(shop, run_id, commit)
            return Merged(commit)


def settle_merged(shop: Workshop, run_id: str, commit: str) -> None:
    """The dream is on memory's branch: drop its branches, then say so in the store.

    In this order a kill in between leaves nothing to tidy up: the branch tells `recovery` what landed.
    """
    shop.repo.delete_ref(publish.reflection_ref(run_id))
    publish.drop_pending(shop.repo, run_id)
    runs.finish(shop.db, run_id, "merged", shop.now(), commit=commit)


def _keep(shop: Workshop, run_id: str, reflected: str, reason: str, paths: tuple[str, ...]) -> Pending:
    publish.keep_pending(shop.repo, run_id, reflected)
    runs.finish(shop.db, run_id, "pending", shop.now(), reason=reason)
    return Pending(reason, reflected, paths)


def _commit(repo: MemoryRepository, sha: str) -> Commit:
    found = repo.commit(sha)
    if found is None:
        raise MemoryRepositoryError(f"commit {sha} is not in the memory repository {repo.path}")
    return found


# ---------------------------------------------------------------------- the person's verbs
def change(repo: MemoryRepository, run: Run) -> Change:
    """What a dream changed (merged, undone, removed) or would change (pending)."""
    commit = run.reflection if run.status == "pending" else run.commit
    parent = repo.resolve(f"{commit}^1")
    text = repo.diff(parent, commit) if parent else ""
    return Change(run.id, run.status, commit, text, run.reason)


def merge(shop: Workshop, run: Run, *, prefer: str, dry_run: bool) -> Change:
    """Land a pending dream without reflecting again; still pending when its reason still holds.

    `prefer` ("person" or "dream") decides whole files in conflict. Overlapping uncommitted edits never give
    way: they must be committed (or reverted) first.
    """
    side: publish.Prefer | None = {"person": "person", "dream": "dream", "": None}[prefer]
    body = _commit(shop.repo, run.reflection).message
    if dry_run:
        planned = publish.plan(shop.repo, run.reflection, body, prefer=side)
        if isinstance(planned, publish.Ready):
            return Change(run.id, "would merge", "", shop.repo.diff(planned.old, planned.new))
        landed: publish.Landed | publish.Blocked | publish.Raced = planned
    else:
        landed = publish.publish(shop.repo, run.reflection, body, prefer=side)
    match landed:
        case publish.Landed(commit=commit):
            if not dry_run:
                settle_merged(shop, run.id, commit)
            parent = shop.repo.resolve(f"{commit}^1") or commit
            return Change(run.id, "merged", commit, shop.repo.diff(parent, commit))
        case publish.Blocked(reason=reason, paths=paths):
            return Change(run.id, "pending", run.reflection, "", f"{reason}: {', '.join(paths)}")
        case publish.Raced():
            return Change(run.id, "pending", run.reflection, "", "memory kept changing meanwhile; try again")


def discard(shop: Workshop, run: Run, *, dry_run: bool) -> Change:
    """Drop a pending dream. Its turns count as read; its diff stays in the answer, for the last look."""
    lost = change(shop.repo, run)
    if not dry_run:
        # Kept out of sight: a store that is lost learns from it that these turns were read.
        shop.repo.update_ref(f"{DISCARDED}{run.id}", run.reflection, None)
        runs.finish(shop.db, run.id, "discarded", shop.now(), reason="discarded by a person", actor="person")
        publish.drop_pending(shop.repo, run.id)
    return Change(run.id, "would discard" if dry_run else "discarded", "", lost.text, run.reason)


def undo(shop: Workshop, run: Run, *, dry_run: bool) -> Change:
    """Take back a merged dream by one commit. What it had read stays read, or the next dream would redo it.

    RefusedError when it cannot be told apart from what came later, or a person's edits stand in the way.
    """
    body = f"Undo dream {run.id}\n\nUndoes: {run.id}\nInstance-Id: {shop.instance_id}\n"
    read = runs.ranges_of(shop.db, run.id)

    def mine(item: Item) -> bool:
        return any(r.holds(e.source, e.session_id, e.turn) for e in item.evidence for r in read)

    if dry_run:
        planned = publish.plan_undo(shop.repo, run.commit, body, mine)
        if isinstance(planned, publish.Ready):
            return Change(run.id, "would undo", "", shop.repo.diff(planned.old, planned.new))
        undone: publish.Landed | publish.Blocked | publish.Raced = planned
    else:
        undone = publish.undo(shop.repo, run.commit, body, mine=mine)
    match undone:
        case publish.Landed(commit=commit):
            settle_undone(shop, run.id, commit)
            parent = shop.repo.resolve(f"{commit}^1") or commit
            return Change(run.id, "undone", commit, shop.repo.diff(parent, commit))
        case publish.Blocked(reason=publish.NOTHING_LEFT):
            raise UsageError(f"dream {run.id} has left nothing in memory to undo")
        case publish.Blocked(reason=reason, paths=paths):
            where = f"dream {run.id} cannot be undone, nothing was changed: {reason}: {', '.join(paths)}"
            raise RefusedError(where, hint=_IN_THE_WAY[reason].format(commit=run.commit))
        case publish.Raced():
            raise BusyError("memory kept changing meanwhile, nothing was changed", hint="Try again.")


_IN_THE_WAY = {
    publish.CONFLICT: (
        "Its lines were changed since. Undo the later dream that did it first, or take them out by hand and"
        " commit (`git show {commit}` in the memory folder lists them)."
    ),
    publish.OVERLAP: "Commit your edits of these files (or revert them), then try again.",
    publish.NOT_PLAIN: "Make these plain files again, then try again.",
}


def settle_undone(shop: Workshop, run_id: str, commit: str) -> None:
    """The undo is on memory's branch: say so in the store."""
    runs.finish(shop.db, run_id, "undone", shop.now(), reason=undone_by(commit), actor="person")


def undone_by(commit: str) -> str:
    """The reason of an undone dream; its last word is the commit, which `reconcile` looks for on the branch."""
    return f"undone by {commit}"


def note_recovery(shop: Workshop, what: str, subject: str) -> None:
    """Leave an audit record of something recovery did."""
    with shop.db.transaction():
        audit.record(shop.db, shop.now(), "recovery", what, subject)
