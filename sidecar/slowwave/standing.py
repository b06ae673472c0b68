"""How things stand: each project's gate with its values, what is pending, what failed, and why.

"It silently does nothing" is what people complain about most in systems of this kind, so every reason for
doing nothing can be read here. Only the store is asked; git is not started.
"""

from collections.abc import Iterator
from datetime import datetime

from slowwave.config import Homes, Settings
from slowwave.dream import gate, metered
from slowwave.dream.sandbox import levels
from slowwave.errors import UsageError
from slowwave.model import Project
from slowwave.store import ledger, progress, runs
from slowwave.store.database import Database
from slowwave.store.progress import ProjectProgress
from slowwave.verbs import Budget, GateStatus, LogLine, Status


def gate_of(
    db: Database, settings: Settings, number: int, now: float
) -> tuple[ProjectProgress, gate.Fire | gate.Hold]:
    """One project's progress, and what the gate says of it now."""
    seen = progress.project_progress(db, number, now)
    held = runs.current_lease(db, now)
    around = gate.Surroundings(
        now, held.purpose if held else "", runs.back_off_until(db, number, _timestamp),
        *metered.refusal(db, settings, now),
    )  # fmt: skip
    return seen, gate.decide(settings.dream, seen, around)


def status(
    db: Database, settings: Settings, homes: Homes, now: float, *, daemon: str, key: str, maintenance: str
) -> Status:
    """Everything a person asks when nothing seems to happen; `key` narrows it to one project, `maintenance` tells
    of the schedule of passes.
    """
    numbers = [(n, p) for n, p in progress.projects(db) if not key or p.key == key]
    held = runs.current_lease(db, now)
    failed = runs.latest(db, statuses=("failed",), limit=1)
    count = db.row("SELECT count(*) AS files, coalesce(sum(damaged > 0), 0) AS damaged FROM files")
    return Status(
        daemon=daemon,
        triggers=settings.dream.triggers,
        gates=tuple(_gate_status(db, settings, n, p, now) for n, p in numbers),
        dreaming=held.purpose if held else "",
        pending=tuple(log_line(db, r) for r in runs.latest(db, statuses=("pending",), limit=50)),
        memory=str(homes.memory),
        reflector=settings.dream.reflector,
        sandbox_level=levels.last_level(homes.sandbox_proof),
        watched_files=count["files"] if count else 0,
        damaged_files=count["damaged"] if count else 0,
        last_failure=f"{failed[0].created_at} {failed[0].reason}" if failed else "",
        budgets=tuple(_budgets(db, settings, now)),
        model=metered.door_in(settings),
        refused=metered.refusal(db, settings, now)[0],
        maintenance=maintenance,
    )


def _budgets(db: Database, settings: Settings, now: float) -> Iterator[Budget]:
    for span, seconds in (("day", ledger.DAY_SECONDS), ("week", ledger.WEEK_SECONDS)):
        spent = ledger.spent(db, since=now - seconds)
        usd, tokens = (getattr(settings.budget, f"{span}_{unit}") for unit in ("usd", "tokens"))
        yield Budget(span, spent.usd, usd, spent.tokens, tokens)


def _gate_status(db: Database, settings: Settings, number: int, project: Project, now: float) -> GateStatus:
    seen, decision = gate_of(db, settings, number, now)
    last = runs.latest(db, project=number, limit=1)
    success = runs.latest(db, project=number, statuses=("merged", "no_changes"), limit=1)
    match decision:
        case gate.Fire(trigger=trigger):
            word, reason = "fire", f"ready: {trigger}"
        case gate.Hold(reason=reason):
            word = "hold"
    return GateStatus(
        project=project.slug,
        root=project.root,
        steps=seen.steps,
        needs_steps=settings.dream.step_count,
        compaction_marks=seen.marks,
        new_turns=seen.turns,
        open_turns=seen.open_turns,
        decision=word,
        reason=reason,
        last_dream=f"{last[0].status} {last[0].created_at}" if last else "never",
        last_success=success[0].created_at if success else "never",
    )


def meant(db: Database, dream_id: str, statuses: tuple[str, ...], *, only: bool) -> runs.Run:
    """The run a person means: by id or its beginning, else the last that came to one of these statuses.

    Raises UsageError when there is none, when it is in another status, or, with `only`, when "" is ambiguous.
    """
    wanted = " or ".join(statuses)
    if dream_id:
        run = runs.find(db, dream_id)
        if run.status not in statuses:
            raise UsageError(f"dream {run.id} is {run.status}, not {wanted}", hint=run.reason)
        return run
    found = runs.last_ended(db, statuses, 2)
    if not found:
        raise UsageError(f"there is no {wanted} dream", hint="`slowwave log` lists them")
    if only and len(found) > 1:
        raise UsageError("several dreams are pending: name one", hint="`slowwave status` lists them")
    return found[0]


def log_line(db: Database, run: runs.Run) -> LogLine:
    """One dream as a line of the log. What it cost is what the ledger says, also of a dream that failed."""
    spent = ledger.spent(db, run=run.id)
    return LogLine(
        dream_id=run.id,
        at=run.created_at,
        project=progress.project_by_id(db, run.project).slug,
        status=run.status,
        trigger=str(run.trigger),
        reflector=run.reflector,
        learned=len(run.report.get("learned", ())),
        commit=run.commit,
        reason=run.reason,
        tokens=spent.tokens,
        cost_usd=spent.usd,
    )


def _timestamp(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
