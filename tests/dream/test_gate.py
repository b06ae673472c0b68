"""The gate: a pure decision, every hold with its reason."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.config import DreamSettings
from slowwave.dream.gate import Fire, Hold, Surroundings, decide, readings
from slowwave.model import Project, Trigger
from slowwave.store.progress import ProjectProgress

CALM = ProjectProgress(Project("/r", "r", "/r"), 25, 3, 0, 0, 1000.0, 1)
LATER = Surroundings(now=2000.0)


def test_twenty_five_steps_fire() -> None:
    """The default fires at 25 completed steps, and not at 24."""
    assert decide(DreamSettings(), CALM, LATER) == Fire(Trigger.STEP_COUNT)
    held = decide(DreamSettings(), replace(CALM, steps=24), LATER)
    assert held == Hold("below_threshold", "24 of 25 steps, no compaction")


def test_a_compaction_fires_whatever_the_steps() -> None:
    """One compaction mark with one new turn is enough, and names the dream."""
    seen = replace(CALM, steps=1, turns=1, marks=1)
    assert decide(DreamSettings(), seen, LATER) == Fire(Trigger.COMPACTION_EVENT)


@pytest.mark.parametrize(
    ("settings", "progress", "around", "code"),
    [
        (DreamSettings(triggers=("off",)), CALM, LATER, "off"),
        (DreamSettings(), replace(CALM, turns=0), LATER, "nothing_new"),
        (DreamSettings(), replace(CALM, open_turns=1), LATER, "turn_open"),
        (DreamSettings(), replace(CALM, last_growth=1999.0), LATER, "not_quiet"),
        (DreamSettings(), CALM, replace(LATER, lease_held_by="dream x"), "busy"),
        (DreamSettings(), CALM, replace(LATER, back_off_until=2060.0), "backing_off"),
        (DreamSettings(triggers=("compaction-event",)), CALM, LATER, "below_threshold"),
    ],
)
def test_every_hold_has_its_reason(
    settings: DreamSettings, progress: ProjectProgress, around: Surroundings, code: str
) -> None:
    """Each thing that holds a dream back is named by a code and in words."""
    held = decide(settings, progress, around)
    assert isinstance(held, Hold)
    assert held.code == code
    assert held.reason


def test_readings_show_each_trigger_with_its_value() -> None:
    """Status shows what a trigger has and needs, and whether it is switched on."""
    steps, compaction = readings(DreamSettings(triggers=("step-count",)), replace(CALM, steps=12))
    assert (steps.value, steps.needs, steps.enabled, steps.ready) == (12, 25, True, False)
    assert not compaction.enabled


@given(
    st.integers(0, 60), st.integers(0, 5), st.integers(0, 2), st.integers(0, 60), st.integers(0, 5)
)  # fmt: skip
def test_the_gate_is_monotone(steps: int, turns: int, marks: int, more_steps: int, more_marks: int) -> None:
    """More progress never turns a fire into a hold."""
    less = replace(CALM, steps=steps, turns=turns, marks=marks)
    more = replace(less, steps=steps + more_steps, marks=marks + more_marks)
    if isinstance(decide(DreamSettings(), less, LATER), Fire):
        assert isinstance(decide(DreamSettings(), more, LATER), Fire)
