"""The gate: may a dream of this project start now?

A pure decision over values read beforehand. Every refusal is a `Hold` with a reason a person can read, and
`readings` tells each trigger's present value, because "it silently does nothing" is what people complain
about most in systems of this kind.
"""

from dataclasses import dataclass

from slowwave.config import DreamSettings
from slowwave.model import Trigger
from slowwave.store.progress import ProjectProgress


@dataclass(frozen=True)
class Fire:
    """Dream now."""

    trigger: Trigger


@dataclass(frozen=True)
class Hold:
    """Do not dream now: `code` for programs, `reason` for people, `retry_at` (POSIX) when time alone helps."""

    code: str
    reason: str
    retry_at: float | None = None


@dataclass(frozen=True)
class Reading:
    """One trigger's present value against what it needs."""

    trigger: str
    enabled: bool
    value: int
    needs: int

    @property
    def ready(self) -> bool:
        """Whether this trigger alone would fire."""
        return self.enabled and self.value >= self.needs


@dataclass(frozen=True)
class Surroundings:
    """What the decision depends on besides the progress of the project.

    refused, refused_until  why the model may not be asked now ("" when it may, or when none is), and until when
    """

    now: float
    lease_held_by: str = ""
    back_off_until: float = 0.0
    refused: str = ""
    refused_until: float | None = None


def readings(settings: DreamSettings, progress: ProjectProgress) -> tuple[Reading, ...]:
    """Each automatic trigger with its present value."""
    on = settings.automatic
    return (
        Reading("step-count", on and "step-count" in settings.triggers, progress.steps, settings.step_count),
        Reading("compaction-event", on and "compaction-event" in settings.triggers, progress.marks, 1),
    )


def decide(settings: DreamSettings, progress: ProjectProgress, around: Surroundings) -> Fire | Hold:
    """Whether an automatic dream starts now.

    Monotone in progress: more steps or marks never turn a fire into a hold. A compaction is the more urgent
    reason and names the dream when both triggers are ready.
    """
    # 1. switched off means off
    if not settings.automatic:
        return Hold(
            "off", 'automatic dreams are off (dream.triggers = ["off"]); `slowwave dream` still works'
        )
    # 2. nothing new
    if progress.turns == 0:
        return Hold("nothing_new", "no completed turn that has not been dreamed")
    # 3. no trigger is ready
    steps, compaction = readings(settings, progress)
    if not steps.ready and not compaction.ready:
        return Hold("below_threshold", _distance(steps, compaction))
    # 4. the conversation is still going on
    if progress.open_turns:
        return Hold("turn_open", f"{progress.open_turns} session(s) in the middle of a turn")
    quiet_at = progress.last_growth + settings.quiet_seconds
    if around.now < quiet_at:
        return Hold("not_quiet", f"waiting for {settings.quiet_seconds:g} quiet seconds", quiet_at)
    # 5. somebody else dreams, or the last attempts failed
    if around.lease_held_by:
        return Hold("busy", f"another dream is running: {around.lease_held_by}")
    if around.now < around.back_off_until:
        seconds = around.back_off_until - around.now
        return Hold(
            "backing_off", f"the last dream failed; next try in {seconds:.0f} s", around.back_off_until
        )
    # 6. the model's budget is used up, or its door shut
    if around.refused:
        return Hold("refused", around.refused, around.refused_until)
    return Fire(Trigger.COMPACTION_EVENT if compaction.ready else Trigger.STEP_COUNT)


def _distance(steps: Reading, compaction: Reading) -> str:
    parts = []
    if steps.enabled:
        parts.append(f"{steps.value} of {steps.needs} steps")
    if compaction.enabled:
        parts.append("no compaction" if not compaction.value else f"{compaction.value} compaction(s)")
    return ", ".join(parts)
