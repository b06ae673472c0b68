"""Real files of real clients: what we count is what really happened."""

import json
from pathlib import Path
from typing import Any

import pytest

from slowwave.model import Author, EntryKind, SessionKind
from slowwave.transcripts.formats import FORMATS

from .samples import CLAUDE, CODEX, count, every_turn, read

GROUPS = [
    "claude-code/2.1.197",
    "claude-code/2.1.197-interactive",
    "claude-code/1.0.72",
    "codex/0.171.0",
    "codex/0.144.1",
    "codex/0.98.0",
]
# Killed during a tool and resumed later: the truth counts such a turn as none, we close it as interrupted.
KILLED_THEN_RESUMED = {"11111111"}


def expected(truth: dict[str, Any], key: str) -> dict[str, Any]:
    """The truth of one session with what it inherited, in our words."""
    inherited = truth.get("inherited", {})
    names = ("prompts", "steps", "turns", "interrupted", "failed")
    want = {n: truth.get(n, 0) + inherited.get(n, 0) for n in names}
    want["interrupted"] += key in KILLED_THEN_RESUMED
    return {**want, "compactions": truth.get("compactions", []) + inherited.get("compactions", [])}


def file_of(root: Path, source: str, key: str) -> Path:
    """The one session file the key names."""
    found = [
        f
        for f in FORMATS[source].discover(root)
        if (f"-{key}-" in f.name if source == "codex" else f.stem.removeprefix("agent-").startswith(key))
    ]
    assert len(found) == 1, (key, found)
    return found[0]


@pytest.mark.parametrize("group", GROUPS)
def test_counts_equal_the_ground_truth(shared: Path, group: str) -> None:
    """Prompts, steps, turns, interruptions, failures and compactions of every session equal the script played."""
    root = shared / "data" / "transcripts" / "generated"
    truth = json.loads((root / "GROUND_TRUTH.json").read_text())[group]
    source = group.partition("/")[0]
    got = {k: count(every_turn(read(file_of(root / group, source, k), source))) for k in truth}
    assert got == {k: expected(t, k) for k, t in truth.items()}


@pytest.mark.parametrize("group", ["claude-code/2.1.197", "codex/0.171.0"])
def test_subagents_are_sessions_of_their_own(shared: Path, group: str) -> None:
    """A subagent's file is of kind subagent, knows its parent, and counts its own steps and turns."""
    root = shared / "data" / "transcripts" / "generated"
    truth = json.loads((root / "GROUND_TRUTH.json").read_text())[group]
    source = group.partition("/")[0]
    for parent, told in truth.items():
        for key, want in told.get("subagents", {}).items():
            reading = read(file_of(root / group, source, key), source)
            got = count(every_turn(reading))
            assert {k: got[k] for k in want} == want
            assert reading.session.kind is SessionKind.SUBAGENT
            assert parent in reading.session.parent_session_id
            assert not any(e.author is Author.HUMAN for t in every_turn(reading) for e in t.entries)


@pytest.mark.parametrize(
    ("path", "source", "want"),
    [
        (CLAUDE / "05e05f86-0dac-469b-8886-596414ea8bba.jsonl", "claude-code", (1, 2, 1, 0, [])),
        (CLAUDE / "701290a1-5f19-4042-9545-26c2bd1869c0.jsonl", "claude-code", (1, 3, 1, 0, ["auto"])),
        (CLAUDE / "75479ef8-ba08-4447-9294-9459b1214458.jsonl", "claude-code", (2, 2, 1, 0, [])),
        (next(CODEX.glob("*3849*")), "codex", (3, 4, 2, 1, ["manual"])),
        (next(CODEX.glob("*31ca*")), "codex", (1, 3, 1, 0, ["auto"])),
    ],
)
def test_the_fixtures_are_counted_right(path: Path, source: str, want: tuple[Any, ...]) -> None:
    """The copies in this repository, whose truth stands beside them, are counted right."""
    got = count(every_turn(read(path, source)))
    assert (got["prompts"], got["steps"], got["turns"], got["interrupted"], got["compactions"]) == want


def test_a_queued_prompt_joins_the_running_turn() -> None:
    """A prompt that exists only as a queued_command attachment belongs to the turn it interrupted."""
    reading = read(CLAUDE / "75479ef8-ba08-4447-9294-9459b1214458.jsonl", "claude-code")
    first, second = reading.closed[0].prompts
    assert (first.joins, second.joins) == (False, True)
    assert second.text == "SCRIPT: text:multi two. END"


def test_a_compaction_inside_a_turn_stays_inside() -> None:
    """Automatic compaction between two steps neither ends the turn nor starts one, and its summary is a notice."""
    (turn,) = read(CLAUDE / "701290a1-5f19-4042-9545-26c2bd1869c0.jsonl", "claude-code").closed
    kinds = [e.kind for e in turn.entries]
    at = kinds.index(EntryKind.COMPACTION)
    assert kinds[at + 1] is EntryKind.NOTICE
    assert EntryKind.TOOL_CALL in kinds[:at]
    assert EntryKind.TEXT in kinds[at:]


def test_the_summary_codex_writes_before_compacting_is_no_reply() -> None:
    """The assistant message in front of `compacted` is dropped, and counts as no step."""
    for path in CODEX.glob("*.jsonl"):
        for turn in every_turn(read(path, "codex")):
            assert not any(e.kind is EntryKind.TEXT and "<summary>" in e.text for e in turn.entries)


def test_codex_results_tell_success() -> None:
    """A command's exit code becomes `ok`; what an abort cut off has none."""
    turns = read(next(CODEX.glob("*3849*")), "codex").closed
    results = [e for t in turns for e in t.entries if e.kind is EntryKind.TOOL_RESULT]
    assert [e.ok for e in results] == [True, None]
    calls = [e for t in turns for e in t.entries if e.kind is EntryKind.TOOL_CALL]
    assert (calls[0].tool, calls[0].text) == ("exec_command", '{"cmd":"echo tui1"}')


def test_context_pressure_is_told() -> None:
    """Codex tells tokens and window; Claude tells tokens only."""
    codex = [
        e.context for t in read(next(CODEX.glob("*31ca*")), "codex").closed for e in t.entries if e.context
    ]
    assert (60042, 258400) in codex
    claude = read(CLAUDE / "701290a1-5f19-4042-9545-26c2bd1869c0.jsonl", "claude-code").closed[0]
    assert all(e.context and e.context[1] == 0 for e in claude.entries if e.kind is EntryKind.TEXT)


def test_an_image_leaves_its_hash(shared: Path) -> None:
    """Base64 images are dropped and their hash is kept."""
    root = shared / "data" / "transcripts" / "generated" / "claude-code" / "2.1.197"
    turns = read(file_of(root, "claude-code", "9b662fde"), "claude-code").closed
    (result,) = [e for e in turns[0].entries if e.kind is EntryKind.TOOL_RESULT]
    assert result.text.startswith("[image sha256:")
    assert len(result.text) < 100


def test_a_fork_keeps_the_native_ids_of_its_history(shared: Path) -> None:
    """Every entry a fork copied has the identity it has in the parent, so that it can be told from news."""
    root = shared / "data" / "transcripts" / "generated" / "claude-code" / "2.1.197"
    parent, fork = (
        {
            e.native_id
            for t in every_turn(read(file_of(root, "claude-code", key), "claude-code"))
            for e in t.entries
            if e.kind in {EntryKind.PROMPT, EntryKind.TEXT, EntryKind.TOOL_CALL, EntryKind.TOOL_RESULT}
        }
        for key in ("e9380c9f", "5618b7b2")
    )
    assert len(parent & fork) == 2 + 5 + 4 + 4  # prompts, texts, calls and results of the two inherited turns
    assert fork - parent
