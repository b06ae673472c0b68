"""Counts of every session equal what really happened, with inherited history apart."""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from slowwave.model import SessionKind
from slowwave.transcripts.discover import SessionFile, from_argument
from slowwave.transcripts.listing import Inherited, SessionCounts, list_sessions

from .samples import CLAUDE, SHARED_TRUTH, real_sessions


@cache
def listed(shared: Path) -> tuple[SessionCounts, ...]:
    """Every generated session in numbers, all read in one listing."""
    generated = shared / "data" / "transcripts" / "generated"
    return list_sessions([f for f in real_sessions(shared) if f.path.is_relative_to(generated)])


@pytest.mark.parametrize(("group", "key"), SHARED_TRUTH)
def test_every_session_of_every_agent_equals_the_ground_truth(shared: Path, group: str, key: str) -> None:
    """Own and inherited prompts, steps, turns and compactions, and what was interrupted or failed."""
    root = shared / "data" / "transcripts" / "generated"
    truth: dict[str, Any] = json.loads((root / "GROUND_TRUTH.json").read_text())[group][key]
    found = [
        c
        for c in listed(shared)
        if c.path.is_relative_to(root / group) and key in c.session_id and c.kind is SessionKind.MAIN
    ]
    assert len(found) == 1, found
    got, old = found[0], truth.get("inherited", {})
    assert (got.prompts, got.steps, got.turns_completed) == (truth["prompts"], truth["steps"], truth["turns"])
    assert got.turns_interrupted == truth.get("interrupted", 0)
    assert got.turns_failed == truth.get("failed", 0)
    assert got.compactions == len(truth.get("compactions", []))
    assert got.inherited == Inherited(
        old.get("prompts", 0), old.get("steps", 0), old.get("turns", 0), len(old.get("compactions", []))
    )
    assert (got.damage, got.problem, got.fidelity) == (0, "", "full")


def test_subagents_are_listed_as_such(shared: Path) -> None:
    """Subagents of three agents are sessions of their own kind with their own steps."""
    steps = {c.session_id: c.steps for c in listed(shared) if c.kind is SessionKind.SUBAGENT}
    assert steps["agent-af5abf5cc6d9091df"] == 2
    assert steps["ses_dd18c1714ffe9AuKLUsWYGAwGL"] == 2
    assert any("9888" in name for name in steps)


def test_a_copy_of_a_session_is_all_inherited(tmp_path: Path) -> None:
    """The same history in two files counts once, whichever order the files come in."""
    path = CLAUDE / "05e05f86-0dac-469b-8886-596414ea8bba.jsonl"
    copy = tmp_path / "15e05f86-0dac-469b-8886-596414ea8bba.jsonl"
    shutil.copy(path, copy)
    files = [SessionFile(p, "claude-code") for p in (path, copy)]
    for order in (files, files[::-1]):
        first, second = list_sessions(order)
        assert (first.prompts, first.steps, first.turns_completed) == (1, 2, 1)
        assert (second.prompts, second.steps, second.turns_completed) == (0, 0, 0)
        assert second.inherited == Inherited(1, 2, 1, 0)


def test_what_cannot_be_read_is_listed_with_its_problem(tmp_path: Path) -> None:
    """A failed read is never an empty session without a word."""
    path = tmp_path / "opencode.db"
    path.write_bytes(b"no database")
    (found,) = list_sessions([SessionFile(path, "opencode")])
    assert found.problem


def test_our_own_dreams_are_not_listed() -> None:
    """Sessions that worked below our home are left out."""
    files = from_argument(f"claude-code:{CLAUDE}", {}, Path("/nonexistent"))
    assert list_sessions(files, Path("/home/dev/work")) == ()


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("claude.bad-line-in-middle", (1, 2, 1, 1)),
        ("claude.blank-lines", (1, 2, 1, 0)),
        ("claude.bom", (1, 2, 1, 0)),
        ("claude.crlf", (1, 2, 1, 0)),
        ("claude.no-final-newline", (1, 2, 1, 0)),
        ("claude.torn-last-line", (1, 2, 1, 0)),
        ("codex.duplicate-ordinal", (2, 5, 2, 0)),
        ("codex.truncated-by-revert", (1, 3, 1, 0)),
        ("copilot.concatenated-torn+whole", (1, 2, 1, 1)),
        ("copilot.raw-newline-inside-string", (1, 2, 1, 1)),
    ],
)
def test_damaged_copies_count_like_the_whole_ones(
    shared: Path, name: str, counts: tuple[int, int, int, int]
) -> None:
    """Prompts, steps and completed turns survive every kind of damage met so far, and the damage is counted."""
    files = from_argument(
        f"path:{shared / 'data' / 'transcripts' / 'derived' / f'{name}.jsonl'}", {}, Path("/x")
    )
    (got,) = list_sessions(files)
    assert (got.prompts, got.steps, got.turns_completed, got.damage) == counts


def test_a_session_in_several_places_is_one_session(tmp_path: Path) -> None:
    """A backup, a damaged copy and one under another name: the whole one with its own name is told, with its copies."""
    path = CLAUDE / "05e05f86-0dac-469b-8886-596414ea8bba.jsonl"
    copies = [tmp_path / "a" / "copy.jsonl", tmp_path / "b" / path.name, tmp_path / "c" / path.name]
    for copy in copies:
        copy.parent.mkdir()
        shutil.copy(path, copy)
    with copies[1].open("ab") as out:
        out.write(b"{broken\n")
    files = [SessionFile(p, "claude-code") for p in copies]
    first, second = list_sessions(files)
    assert (first.path, first.copies, first.prompts, first.steps) == (copies[2], 1, 1, 2)
    assert (second.path, second.damage, second.prompts, second.steps) == (copies[1], 1, 0, 0)


def test_the_end_of_a_file_is_looked_at(tmp_path: Path) -> None:
    """A last row without its newline counts when it is whole, waits when it is torn; a broken last line is damage."""
    path = tmp_path / "05e05f86-0dac-469b-8886-596414ea8bba.jsonl"
    rows = (CLAUDE / path.name).read_bytes().splitlines(keepends=True)
    while b"end_turn" not in rows[-1]:
        rows.pop()
    whole = b"".join(rows)
    counted = {}
    for name, data in {
        "whole": whole, "no newline": whole[:-1], "torn": whole[:-30], "broken": whole + b'{"type":"user\n',
    }.items():  # fmt: skip
        path.write_bytes(data)
        (got,) = list_sessions([SessionFile(path, "claude-code")])
        counted[name] = (got.prompts, got.steps, got.turns_completed, got.damage)
    assert counted["whole"] == counted["no newline"] == (1, 2, 1, 0)
    assert counted["torn"][2:] == (0, 0)
    assert counted["broken"] == (1, 2, 1, 1)
