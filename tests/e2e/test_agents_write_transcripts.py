"""The harness itself: the real agents write what the design says they write, and the fake model is the only peer."""

from pathlib import Path

import pytest

from .agents import FULL_CONTEXT, Agent, ClaudeCode, Codex, FakeModel, echoes, rows, script

WISHES = (
    "From now on always run `make check` before you report done.",
    "We use tabs, not spaces, in this project.",
    "Please answer me in British English.",
)


@pytest.fixture(params=["claude_code", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Each agent in turn."""
    found: Agent = request.getfixturevalue(request.param)
    return found


def test_three_prompts_make_a_session_of_27_steps(agent: Agent, project: Path) -> None:
    """A resumed session stays one file, which only grows, and holds every prompt and every step."""
    session, before = None, b""
    for wish in WISHES:
        run = agent.run(script(wish, *echoes(8)), project, session)
        assert run.answer == "done"
        assert session in {None, run.session}
        session = run.session
        now = agent.transcript(session).read_bytes()
        assert now.startswith(before)
        before = now
    assert session is not None
    assert agent.steps(session) == 27
    assert len(agent.prompts(session)) == 3
    assert all(said.startswith(wish) for said, wish in zip(agent.prompts(session), WISHES, strict=True))
    assert agent.compactions(session) == []
    assert b"step 8" in before


def test_a_person_compacts_and_goes_on(agent: Agent, project: Path) -> None:
    """A manual compaction leaves its mark in the same file and is neither a prompt nor a step."""
    first = agent.run(script(WISHES[0], *echoes(2)), project)
    agent.compact(first.session, project)
    assert agent.compactions(first.session) == ["manual"]
    assert (agent.steps(first.session), len(agent.prompts(first.session))) == (3, 1)
    second = agent.run(script(WISHES[1], *echoes(2)), project, first.session)
    assert second.session == first.session
    assert (agent.steps(first.session), len(agent.prompts(first.session))) == (6, 2)


def test_a_full_context_compacts_inside_the_turn(agent: Agent, project: Path) -> None:
    """A step that reports a full context makes the agent compact before its next step, in the same turn."""
    run = agent.run(script(WISHES[0], *echoes(3), fill=True), project)
    assert agent.compactions(run.session) == ["auto"]
    assert (agent.steps(run.session), len(agent.prompts(run.session))) == (4, 1)


def test_a_context_left_full_compacts_at_the_next_prompt(agent: Agent, project: Path) -> None:
    """A last step that reports a full context makes the next turn compact first, and then play its whole script."""
    first = agent.run(script(WISHES[0], *echoes(2), say=f"done @{FULL_CONTEXT}"), project)
    assert agent.compactions(first.session) == []
    second = agent.run(script(WISHES[1], *echoes(2)), project, first.session)
    assert second.answer == "done"
    assert agent.compactions(first.session) == ["auto"]
    assert (agent.steps(first.session), len(agent.prompts(first.session))) == (6, 2)


def test_claude_code_may_repeat_the_prompt_row(claude_code: ClaudeCode, project: Path) -> None:
    """When it compacts first, the prompt often (a race of its own) stands twice, with one uuid: count uuids, not rows."""
    first = claude_code.run(script(WISHES[0], *echoes(2), say=f"done @{FULL_CONTEXT}"), project)
    claude_code.run(script(WISHES[1], *echoes(2)), project, first.session)
    found = [row for row in rows(claude_code.transcript(first.session)) if row.get("promptSource") == "sdk"]
    assert len(found) in {2, 3}
    assert len({row["uuid"] for row in found}) == 2
    assert len({row["message"]["content"] for row in found}) == 2


def test_claude_code_marks_a_compaction_with_a_boundary(claude_code: ClaudeCode, project: Path) -> None:
    """The boundary is a row of its own; the summary after it is marked, so nobody takes it for the person."""
    run = claude_code.run(script(WISHES[0], *echoes(2)), project)
    claude_code.compact(run.session, project)
    found = rows(claude_code.transcript(run.session))
    place = next(n for n, row in enumerate(found) if row.get("subtype") == "compact_boundary")
    assert found[place]["type"] == "system"
    assert found[place + 1]["isCompactSummary"] is True


def test_codex_marks_a_compaction_with_a_compacted_row(codex: Codex, project: Path) -> None:
    """The row follows the summary, which looks like an ordinary answer, in a turn without a last message."""
    run = codex.run(script(WISHES[0], *echoes(2)), project)
    codex.compact(run.session, project)
    found = rows(codex.transcript(run.session))
    assert sum(row["type"] == "compacted" for row in found) == 1
    ends = [row["payload"] for row in found if row["payload"].get("type") == "task_complete"]
    assert [end["last_agent_message"] for end in ends] == ["done", None]


def test_a_home_holds_the_sessions_of_both_agents(
    claude_code: ClaudeCode, codex: Codex, project: Path
) -> None:
    """One throw-away home serves both, where a watcher finds them without any setting."""
    ours = {a: a.run(script(WISHES[0], *echoes(1)), project).session for a in (claude_code, codex)}
    for agent, session in ours.items():
        assert agent.transcript(session).is_relative_to(agent.home)
        assert str(project) in agent.transcript(session).read_text("utf-8")  # the working directory
        assert agent.steps(session) == 2


def test_the_model_saw_the_wish(agent: Agent, project: Path, model: FakeModel) -> None:
    """Every request body is kept, so a test can tell what reached the model."""
    agent.run(script(WISHES[2], *echoes(1)), project)
    assert len(model.requests()) == 2
    assert WISHES[2] in str(model.requests()[0])
