"""One dream, from the lease to the landing: a single function of numbered steps.

A kill between any two of them loses nothing. Before the reflection commit exists nothing has happened but
the reading; once it exists it is validated work, and `recovery` lands it without reflecting again. The merge
commit is the moment of truth: it carries the cursor in its trailers, so that memory and cursor move as one.
"""

import contextlib
import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from slowwave.dream import batches, recovery, retention, settle
from slowwave.dream.aggregate import aggregated
from slowwave.dream.freezing import Frozen, freeze
from slowwave.dream.hands import bring_back, memory_of
from slowwave.dream.kept import Kept
from slowwave.dream.reflector import Aggregator, Foreseeing, ReflectionContext, Reflector, Toolbox
from slowwave.dream.toolbox import InMemoryToolbox, writable_roots
from slowwave.dream.validate import Invalid, Review, Valid, lost_entries, validate
from slowwave.dream.window import limits, window_loss
from slowwave.dream.workbench import workbench
from slowwave.dream.workshop import Workshop, lease
from slowwave.errors import (
    BusyError,
    InterruptedDreamError,
    ModelError,
    RefusedError,
    SlowwaveError,
    TranscriptError,
)
from slowwave.memory import importer, publish
from slowwave.memory.worktree import reflection_worktree
from slowwave.model import Learned, Project, Snapshot
from slowwave.report import DreamReport, Explained, NoChanges, NothingToReflect, Outcome, Planned
from slowwave.store import ledger, progress, runs
from slowwave.store.runs import Run
from slowwave.verbs import OnStep

Make = Callable[[Workshop, Run], Reflector]


def dream(shop: Workshop, run: Run, make: Make, on_step: OnStep) -> DreamReport:
    """Run one claimed dream to its end; the report is also written to the ledger.

    `make` makes its reflector, and may refuse to.
    `on_step(name)` is called before each step. Raises BusyError when another dream holds the lease, and
    SlowwaveError when it failed; either way the ledger says so and the turns are read again next time.
    """
    begun = shop.clock()
    slug = progress.project_by_id(shop.db, run.project).slug
    report = DreamReport(
        run.id, NothingToReflect("nothing new"), run.trigger, run.reflector, slug,
        writable=writable_roots(slug), readable=shop.settings.sandbox.read,
    )  # fmt: skip
    try:
        # 1. a reflector, and the right to dream
        reflector = make(shop, run)
        on_step("lease")
        with lease(shop, run.id, f"dream {run.id}"), _own_lease(shop, run):
            report = _hold(shop, run, reflector, report, on_step)
    except BaseException as error:
        _give_up(shop, run, error)
        if isinstance(error, RefusedError):  # the same again would be refused again
            Kept(shop.homes.batches(report.project)).forget()
        raise
    Kept(shop.homes.batches(report.project)).forget()
    return replace(report, seconds=shop.clock() - begun)


def _hold(
    shop: Workshop, run: Run, reflector: Reflector, report: DreamReport, on_step: OnStep
) -> DreamReport:
    project = progress.project_by_id(shop.db, run.project)
    # 2. what an earlier kill left behind
    on_step("recover")
    recovery.recover(shop, alive=run.id)
    # 3. frozen, redacted copies of what is new
    on_step("snapshot")
    frozen = freeze(shop, run, on_step)
    read: Sequence[Snapshot] = frozen.snapshots
    if not read:
        return _nothing(shop, report, frozen)
    ranges = tuple(s.range for s in read)
    with shop.db.transaction():
        runs.save_ranges(shop.db, run.id, ranges)
    report = replace(report, sources=ranges, steps=sum(s.steps for s in read), problems=frozen.problems)
    # 4. a worktree with memory as it is now
    on_step("worktree")
    base = shop.repo.head()
    runs.note_step(shop.db, run.id, "worktree", base=base)
    with reflection_worktree(shop.repo, base, shop.homes.worktrees / run.id) as worktree:
        # 5. reflect, batch by batch
        with workbench(shop, reflector, worktree, project.slug) as (toolbox, level):
            report = replace(report, sandbox_level=level)
            report, read = _reflect(shop, run, reflector, report, read, toolbox, on_step)
        # 6. read the tree back as data, never through git
        on_step("import")
        before = importer.presentable(shop.repo, base)
        after = importer.collect(worktree, importer.Limits().beyond(before))
    # 7. the reflector is not trusted
    on_step("validate")
    review = _review(shop, run, judge(shop, project, before, after, report.learned, read, reflector))
    # 8. the reflection commit: from here on the work is never thrown away
    on_step("commit")
    _require_lease(shop, run)
    lost = lost_entries(before, after)
    body = {**report.as_json(), "loss": {"removed": lost.removed, "before": lost.before}}
    runs.note_step(shop.db, run.id, "commit", report=json.dumps(body))
    message = settle.message(report, project, shop.instance_id, review)
    reflected = importer.commit(shop.repo, base, publish.reflection_ref(run.id), after, message)
    if reflected is None:
        runs.finish(shop.db, run.id, "no_changes", shop.now(), report=body)
        return replace(report, outcome=NoChanges())
    runs.note_step(shop.db, run.id, "publish", reflection=reflected)
    # 9. land it, or keep it for a person; cursor, marks and audit in the same act
    outcome = settle.land(shop, run.id, reflected, review=review, on_step=on_step)
    # 10. copies past their retention go
    on_step("clean")
    retention.sweep(shop)
    return replace(report, outcome=outcome)


@contextlib.contextmanager
def _own_lease(shop: Workshop, run: Run) -> Iterator[None]:
    """A failure after the lease was lost is the loss: the dream that has it now sweeps the worktree away."""
    try:
        yield
    except BusyError:
        raise
    except (SlowwaveError, OSError) as error:
        try:
            _require_lease(shop, run)
        except BusyError as lost:
            raise lost from error
        raise


def _require_lease(shop: Workshop, run: Run) -> None:
    if not runs.keep_lease(shop.db, run.id, shop.clock()):
        raise BusyError("the lease was lost, and another dream has begun", hint="did the machine sleep?")


def _nothing(shop: Workshop, report: DreamReport, frozen: Frozen) -> DreamReport:
    """The report of a dream with nothing to read. Files that cannot be read are a failure: it backs off."""
    if frozen.unread:
        raise TranscriptError(*frozen.problems, hint="`slowwave doctor` names every damaged transcript")
    runs.forget(shop.db, report.dream_id)
    why = "what was new can no longer be read" if frozen.problems else "nothing new to read"
    outcome = NothingToReflect(f"nothing to reflect in {report.project}: {why}")
    return replace(report, dream_id="", outcome=outcome, problems=frozen.problems)


def _review(shop: Workshop, run: Run, verdict: Valid | Review) -> str:
    """Why a person must look before it lands; "" when nobody must."""
    if isinstance(verdict, Review):
        return "; ".join(verdict.reasons)
    asked = run.request.get("review") or shop.settings.dream.merge == "review"
    return "a review was asked for" if asked else ""


def _reflect(
    shop: Workshop, run: Run, reflector: Reflector, report: DreamReport, read: Sequence[Snapshot],
    toolbox: Toolbox, on_step: OnStep,
) -> tuple[DreamReport, Sequence[Snapshot]]:  # fmt: skip
    """Let the reflector work through the batches on one tree; the report says what came of it.

    When one that costs money cannot go on after some batches, those are kept, and the turns of the rest are
    read again: the second answer is what was read.
    """
    deadline = shop.clock() + shop.settings.dream.timeout_seconds
    project = progress.project_by_id(shop.db, run.project)
    instruction = _instruction(run)
    parts = _batches(shop, read)
    report = replace(report, batches=len(parts))
    base = memory_of(toolbox) if len(parts) > 1 else {}
    unasked = 0
    for number, batch in enumerate(parts, 1):
        on_step(f"reflect {number}/{len(parts)}")
        before = memory_of(toolbox) if number > 1 else {}
        try:
            _require_time(shop, deadline)
            now = datetime.fromtimestamp(shop.clock(), UTC)
            done = reflector.reflect(ReflectionContext(project, batch, now, instruction), toolbox)
        except (ModelError, RefusedError, InterruptedDreamError) as error:
            if number == 1 or not reflector.costs_money:
                raise
            bring_back(toolbox, before)
            return _cut_short(shop, run, report, parts[: number - 1], error)
        report = replace(report, learned=(*report.learned, *done.learned))
        unasked += not done.asked
    if unasked:
        report = replace(report, note=f"{unasked} of {len(parts)} batches held nothing worth a question")
    if len(parts) > 1 and isinstance(reflector, Aggregator):
        on_step("aggregate")
        whole = ReflectionContext(project, tuple(read), datetime.fromtimestamp(shop.clock(), UTC))
        report = aggregated(reflector, whole, toolbox, base, report)
    return _with_cost(shop, run, report), read


def _require_time(shop: Workshop, deadline: float) -> None:
    """Raises InterruptedDreamError when the dream was asked to stop, RefusedError when its time is over."""
    if shop.stop():
        raise InterruptedDreamError("stopped between two batches")
    if shop.clock() > deadline:
        limit = shop.settings.dream.timeout_seconds
        raise RefusedError(f"the dream took longer than dream.timeout_seconds = {limit}")


def _batches(shop: Workshop, read: Sequence[Snapshot]) -> tuple[batches.Batch, ...]:
    settings = shop.settings.dream
    return batches.make(read, tokens=settings.batch_tokens, sessions=settings.batch_sessions)


def _instruction(run: Run) -> str:
    return str(run.request.get("instruction") or "")


def _with_cost(shop: Workshop, run: Run, report: DreamReport) -> DreamReport:
    """What a dream cost, by the ledger: the one place that also knows of failed calls."""
    used = ledger.usage_of(shop.db, run.id)
    tokens = {"input": used.input + used.cache_write, "output": used.output, "cache_read": used.cache_read}
    return replace(report, tokens=tokens, cost_usd=ledger.spent(shop.db, run=run.id).usd)


def _cut_short(
    shop: Workshop, run: Run, report: DreamReport, done: tuple[batches.Batch, ...], error: SlowwaveError
) -> tuple[DreamReport, Sequence[Snapshot]]:
    """The batches that were reflected are what this dream has read; the other turns stay new."""
    kept = [snapshot for batch in done for snapshot in batch]
    ranges = tuple(s.range for s in kept)
    runs.narrow_ranges(shop.db, run.id, ranges)
    note = f"{report.batches - len(done)} of {report.batches} batches are left for the next dream: {error}"
    report = replace(report, sources=ranges, steps=sum(s.steps for s in kept), note=note)
    return _with_cost(shop, run, report), kept


def judge(
    shop: Workshop, project: Project, before: dict[str, bytes], after: dict[str, bytes],
    learned: tuple[Learned, ...], read: Sequence[Snapshot], reflector: Reflector,
) -> Valid | Review:  # fmt: skip
    """Validate a reflection. Raises RefusedError with every reason when it must not even be kept."""
    verdict = validate(
        before, after, project=project, snapshots=tuple(read), learned=learned,
        redactor_findings=shop.redactor.findings, window=window_loss(shop),
        limits=limits(shop.settings.dream, persuadable=reflector.persuadable),
    )  # fmt: skip
    if isinstance(verdict, Invalid):
        raise RefusedError(
            *verdict.reasons,
            hint="nothing of this dream was kept; its turns are read again, later after each failure, or at once"
            " by `slowwave dream`",
        )
    return verdict


def plan(shop: Workshop, run: Run, make: Make, on_step: OnStep) -> DreamReport:
    """A dry run: the first half of a dream, in memory. Its outcome carries the diff that would land.

    A reflector that costs money is not asked: the outcome then says what it would be asked, and at what price.
    The caller gives a workshop over a copy of the store, so that not even the ledger hears of it.
    """
    begun = shop.clock()
    project = progress.project_by_id(shop.db, run.project)
    reflector = make(shop, run)
    report = DreamReport(
        run.id,
        NothingToReflect("nothing new to read"),
        run.trigger,
        run.reflector,
        project.slug,
    )
    on_step("snapshot")
    frozen = freeze(shop, run, on_step, save=False)
    read: Sequence[Snapshot] = frozen.snapshots
    if not read:
        return _nothing(shop, report, frozen)
    before = importer.presentable(shop.repo, shop.repo.head())
    files = {p: b.decode("utf-8", "replace") for p, b in before.items()}
    toolbox = InMemoryToolbox(files, writable_roots(project.slug))
    if run.request.get("explain"):
        report = replace(report, explained=_explained(read, files, project))
    report = replace(report, sources=tuple(s.range for s in read), steps=sum(s.steps for s in read))
    report = replace(report, problems=frozen.problems)
    if isinstance(reflector, Foreseeing):
        parts = tuple(_batches(shop, read))
        context = ReflectionContext(project, (), datetime.fromtimestamp(shop.clock(), UTC), _instruction(run))
        seen = reflector.foresee(context, parts, toolbox)
        return replace(report, batches=len(parts), outcome=seen, seconds=shop.clock() - begun)
    report, read = _reflect(shop, run, reflector, report, read, toolbox, on_step)
    after = {p: before[p] if before.get(p) == t.encode() else t.encode() for p, t in toolbox.files.items()}
    on_step("validate")
    review = _review(shop, run, judge(shop, project, before, after, report.learned, read, reflector))
    diff = unified_diff(before, after)
    outcome: Outcome = Planned(diff, review) if diff else NoChanges()
    return replace(report, outcome=outcome, seconds=shop.clock() - begun)


def _explained(read: Sequence[Snapshot], files: Mapping[str, str], project: Project) -> tuple[Explained, ...]:
    from slowwave.dream.explain import explain  # the offline reflector's patterns are compiled at import

    return explain(read, files, project)


def unified_diff(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """The change of memory as one unified diff, file by file."""
    parts: list[str] = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, b""), after.get(path, b"")
        if old != new or (path in before) != (path in after):
            lines = difflib.unified_diff(
                old.decode("utf-8", "replace").splitlines(keepends=True),
                new.decode("utf-8", "replace").splitlines(keepends=True),
                f"a/{path}" if path in before else "/dev/null",
                f"b/{path}" if path in after else "/dev/null",
            )
            parts.extend(lines)
    return "".join(parts)


def _give_up(shop: Workshop, run: Run, error: BaseException) -> None:
    """Note how a dream ended that did not end well.

    What has ended already (it landed, or another process gave its turns back) stays as it is, and work already
    committed is left for recovery.
    """
    now = runs.known(shop.db, run.id)
    if now is None or now.finished_at or now.reflection or shop.repo.resolve(publish.reflection_ref(run.id)):
        return
    # Being stopped, or finding another at it, is not this dream's fault and costs it no back-off.
    innocent = isinstance(error, InterruptedDreamError | KeyboardInterrupt | SystemExit | BusyError)
    if innocent:
        runs.forget(shop.db, run.id)
        if runs.known(shop.db, run.id) is None:
            return
    status = "interrupted" if innocent else "failed"
    hint = f" ({error.hint})" if isinstance(error, RefusedError) and error.hint else ""
    reason = (str(error) or type(error).__name__) + hint
    runs.finish(shop.db, run.id, status, shop.now(), reason=reason)
