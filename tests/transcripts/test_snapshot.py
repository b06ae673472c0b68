"""A frozen range has a digest, and survives being written down."""

import json
from pathlib import Path

import pytest

from slowwave.errors import TranscriptError
from slowwave.model import EntryKind, digest
from slowwave.transcripts import snapshot
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.lineage import names_of

from .samples import CLAUDE, CODEX, REDACTOR, read

ROLLOUT = next(CODEX.glob("*3849*"))


def test_a_snapshot_holds_its_range_only() -> None:
    """Turns after `from` up to `to`, with the digest of exactly these."""
    whole = read(ROLLOUT, "codex").closed
    taken = snapshot.take(ROLLOUT, FORMATS["codex"], REDACTOR, 1, 3)
    assert taken.turns == whole[1:3]
    assert (taken.range.from_turn, taken.range.to_turn) == (1, 3)
    assert taken.range.digest == digest(whole[1:3])
    assert snapshot.take(ROLLOUT, FORMATS["codex"], REDACTOR, 1, 3) == taken


def test_inherited_blocks_are_dropped() -> None:
    """`skip` takes prompts and steps away, the steps' results and their counts, and turns that hold nothing else."""
    path = CLAUDE / "701290a1-5f19-4042-9545-26c2bd1869c0.jsonl"
    reading = read(path, "claude-code")
    (turn,) = reading.closed
    names = names_of(turn, reading.session)
    (prompt,), first = names.prompts.values(), next(iter(names.steps.values()))
    kept = snapshot.take(path, FORMATS["claude-code"], REDACTOR, 0, 9, skip=lambda n: n == prompt)
    assert [len(t.prompts) for t in kept.turns] == [0]
    assert kept.turns[0].steps == turn.steps
    kept = snapshot.take(path, FORMATS["claude-code"], REDACTOR, 0, 9, skip=lambda n: n == first)
    assert kept.turns[0].steps == turn.steps - 1
    results = [sum(e.kind is EntryKind.TOOL_RESULT for e in t.entries) for t in (turn, kept.turns[0])]
    assert results[1] == results[0] - 1
    none = snapshot.take(path, FORMATS["claude-code"], REDACTOR, 0, 9, skip=lambda _: True)
    assert none.turns == ()


def test_it_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    """Saving and loading changes nothing, and only the owner can read the file."""
    for path, source in (
        (ROLLOUT, "codex"),
        (CLAUDE / "75479ef8-ba08-4447-9294-9459b1214458.jsonl", "claude-code"),
    ):
        taken = snapshot.take(path, FORMATS[source], REDACTOR, 0, 99)
        saved = snapshot.save(taken, tmp_path / "snapshots")
        assert snapshot.load(saved) == taken
        assert saved.stat().st_mode & 0o777 == 0o600


def test_a_changed_copy_is_refused(tmp_path: Path) -> None:
    """A byte changed after saving is found by the digest; half a file is damaged; no file is an error."""
    saved = snapshot.save(snapshot.take(ROLLOUT, FORMATS["codex"], REDACTOR, 0, 9), tmp_path)
    text = saved.read_text()
    saved.write_text(text.replace("TUI one", "TUI two"))
    with pytest.raises(TranscriptError, match="digest differs"):
        snapshot.load(saved)
    saved.write_text(text[: len(text) // 2])
    with pytest.raises(TranscriptError, match="damaged"):
        snapshot.load(saved)
    with pytest.raises(TranscriptError, match="cannot read"):
        snapshot.load(tmp_path / "absent")


def test_a_version_from_the_future_is_refused(tmp_path: Path) -> None:
    """A header of another version is not guessed at."""
    path = tmp_path / "s"
    path.write_text(json.dumps({"slowwave_snapshot": 99}) + "\n")
    with pytest.raises(TranscriptError, match="version 99"):
        snapshot.load(path)
