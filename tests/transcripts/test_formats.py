"""What is peculiar to one format."""

import json
from pathlib import Path

import pytest

from slowwave.errors import TranscriptError
from slowwave.model import Author, EntryKind, TurnStatus
from slowwave.transcripts.discover import SessionFile, recognise
from slowwave.transcripts.formats import FORMATS, plain
from slowwave.transcripts.listing import Inherited, list_sessions
from slowwave.transcripts.reader import SessionReader

from .samples import CODEX_FILES, FOLDERS, REDACTOR, count, every_turn, read


def write(path: Path, *rows: dict[str, object]) -> Path:
    """A file of these rows."""
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def test_the_documented_plain_rows_are_read(tmp_path: Path) -> None:
    """The example in the module's own documentation is recognised and counted right."""
    lines = [
        x.strip().replace("…", "")
        for x in (plain.__doc__ or "").splitlines()
        if x.strip().startswith('{"role"')
    ]
    path = tmp_path / "f.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert recognise(path) == "plain"
    reading = read(path, "plain")
    assert (reading.session.session_id, reading.session.cwd) == ("s1", "/home/dev/x")
    (turn,) = reading.complete
    assert (turn.steps, turn.text_rows, len(turn.prompts), turn.status) == (2, 2, 1, TurnStatus.COMPLETED)
    assert [e.ok for e in turn.entries if e.kind is EntryKind.TOOL_RESULT] == [True]


def test_plain_ends_and_compactions(tmp_path: Path) -> None:
    """An `end` row ends a turn, failed when it says so; a next prompt ends an answered one."""
    path = write(
        tmp_path / "f.jsonl",
        {"role": "user", "text": "a"},
        {"role": "assistant", "text": "b"},
        {"role": "user", "text": "c"},
        {"role": "compaction", "text": "auto"},
        {"role": "assistant", "tool": "run"},
        {"role": "end", "ok": False, "text": "out of money"},
    )
    got = count(every_turn(read(path, "plain")))
    assert got == {
        "prompts": 2, "steps": 2, "turns": 1, "interrupted": 0, "failed": 1, "compactions": ["auto"]
    }  # fmt: skip


def test_a_packed_rollout_reads_like_the_plain_one(tmp_path: Path) -> None:
    """A `.jsonl.zst` gives the same turns, grows the same way, and is passed over when the plain file is there."""
    zstandard = pytest.importorskip("zstandard")
    for source in CODEX_FILES:
        data = source.read_bytes()
        path = tmp_path / f"{source.name}.zst"
        path.write_bytes(zstandard.ZstdCompressor().compress(data))
        assert recognise(path) == "codex"
        packed, whole = read(path, "codex"), read(source, "codex")
        assert packed.closed == whole.closed
        assert packed.session.session_id == whole.session.session_id
        reader = SessionReader(path, FORMATS["codex"], REDACTOR)
        readings = [reader.read(len(data) // 2), reader.read()]
        assert [t.number for r in readings for t in r.closed] == [t.number for t in whole.closed]
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress(data))
        again = reader.read()
        assert (again.closed, again.rewritten) == ((), False)
        path.write_bytes(path.read_bytes()[:200] + b"x" * 50)
        with pytest.raises(TranscriptError, match="unpack"):
            read(path, "codex")
    assert set(FORMATS["codex"].discover(tmp_path)) == {tmp_path / f"{p.name}.zst" for p in CODEX_FILES}
    (tmp_path / CODEX_FILES[0].name).write_bytes(CODEX_FILES[0].read_bytes())
    assert tmp_path / f"{CODEX_FILES[0].name}.zst" not in set(FORMATS["codex"].discover(tmp_path))


def codex_turn(turn: str, asked: str, said: str) -> list[dict[str, object]]:
    """The rows of one turn of a legacy rollout."""
    content = [{"type": "output_text", "text": said}]
    return [
        {"timestamp": "2026-05-01T10:00:00Z", "type": "event_msg", "payload": {"type": "task_started", "turn_id": turn}},
        {"timestamp": "2026-05-01T10:00:01Z", "type": "event_msg", "payload": {"type": "user_message", "message": asked}},
        {
            "timestamp": "2026-05-01T10:00:02Z",
            "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": content},
        },
        {
            "timestamp": "2026-05-01T10:00:03Z",
            "type": "event_msg",
            "payload": {"type": "task_complete", "turn_id": turn, "last_agent_message": said},
        },
    ]  # fmt: skip


def codex_file(path: Path, thread: str, at: str, *turns: list[dict[str, object]]) -> SessionFile:
    """A legacy rollout; its rows are stamped anew, as a fork does."""
    meta: dict[str, object] = {
        "timestamp": at,
        "type": "session_meta",
        "payload": {"id": thread, "cwd": "/w", "cli_version": "0.118.0"},
    }
    rows = [{**row, "timestamp": at} for turn in turns for row in turn]
    return SessionFile(write(path, meta, *rows), "codex")


def test_a_legacy_codex_fork_inherits_by_turn(tmp_path: Path) -> None:
    """A fork that copied its parent's rows, stamped anew, owns only its own turn."""
    one, two = codex_turn("t1", "go", "went"), codex_turn("t2", "again", "went again")
    parent = codex_file(tmp_path / "rollout-a.jsonl", "a", "2026-05-01T10:00:00Z", one)
    fork = codex_file(tmp_path / "rollout-b.jsonl", "b", "2026-05-02T10:00:00Z", one, two)
    first, second = list_sessions([fork, parent])
    assert (first.session_id, first.prompts, first.steps, first.turns_completed) == ("a", 1, 1, 1)
    assert (second.session_id, second.prompts, second.steps, second.turns_completed) == ("b", 1, 1, 1)
    assert second.inherited == Inherited(1, 1, 1, 0)


def test_a_codex_rollback_leaves_a_mark(tmp_path: Path) -> None:
    """Turns taken back stay in the file; a notice says so before what follows."""
    back: list[dict[str, object]] = [
        {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    ]
    file = codex_file(
        tmp_path / "rollout-a.jsonl", "a", "2026-05-01T10:00:00Z",
        codex_turn("t1", "go", "went"), back, codex_turn("t2", "better", "yes"),
    )  # fmt: skip
    first, second = read(file.path, "codex").closed
    assert not [e for e in first.entries if e.tool == "rewind"]
    (mark,) = [e for e in second.entries if e.tool == "rewind"]
    assert (mark.kind, mark.author) == (EntryKind.NOTICE, Author.HARNESS)


def test_a_claude_rewind_leaves_a_mark(shared: Path) -> None:
    """A prompt that continues at an earlier message marks the branch it abandons."""
    root = shared / "data" / "transcripts" / "generated" / "claude-code" / "2.1.197"
    marked = {}
    for path in FORMATS["claude-code"].discover(root):
        marks = [e for t in every_turn(read(path, "claude-code")) for e in t.entries if e.tool == "rewind"]
        if marks:
            marked[path.stem[:8]] = len(marks)
    # The second was killed during a tool: its orphan call was abandoned too.
    assert marked == {"7f0258ae": 1, "11111111": 1}


def test_degraded_sources_give_what_they_have(shared: Path) -> None:
    """Cursor and Aider: prompts, steps and ends, without times."""
    samples = shared / "data" / "transcripts" / "samples"
    cursor = read(next(samples.glob("cursor/**/registry-cursor.jsonl")), "cursor")
    assert [(t.steps, t.status) for t in cursor.closed] == [(1, TurnStatus.COMPLETED)]
    aider = read(next(samples.glob("aider/kenn*/**/.aider.chat.history.md")), "aider")
    turns = every_turn(aider)
    assert next(t.prompts[0].text for t in turns if t.prompts) == "add a retry to the webhook"
    assert all(e.at is None for t in turns for e in t.entries)


def test_copilot_results_and_pressure(shared: Path) -> None:
    """Tool success and the tokens of the window are told."""
    root = shared / "data" / "transcripts" / "generated" / "copilot-cli"
    path = next(root.glob("**/1acfe27f*/events.jsonl"))
    (turn,) = read(path, "copilot").closed
    assert [e.ok for e in turn.entries if e.kind is EntryKind.TOOL_RESULT] == [True, True, True]
    assert (110042, 128000) in {e.context for e in turn.entries}


@pytest.mark.parametrize(
    ("folder", "key", "triggers"),
    [
        ("gemini-cli", "6716d22d", ["auto", "auto", "manual"]),
        ("qwen-code", "a54f3e3a", ["manual"]),
        ("qwen-code", "3933b188", ["auto"]),
        ("copilot-cli", "4942c428", ["manual"]),
        ("copilot-cli", "1acfe27f", ["threshold"]),
        ("opencode", "ses_dd18d95c", ["auto"]),
    ],
)
def test_what_set_a_compaction_off_is_told(shared: Path, folder: str, key: str, triggers: list[str]) -> None:
    """Where the source says it, or its place in the session does, the trigger is the real one."""
    name = FOLDERS.get(folder, folder)
    root = shared / "data" / "transcripts" / "generated" / folder
    (path,) = [p for p in FORMATS[name].discover(root) if key in str(p)]
    assert count(every_turn(read(path, name)))["compactions"] == triggers


def test_a_gemini_snapshot_of_a_resume_brings_no_news(shared: Path) -> None:
    """Only messages never seen outside a snapshot are news."""
    samples = shared / "data" / "transcripts" / "samples"
    path = next(samples.glob("gemini-cli/**/session-set-snapshot.jsonl"))
    (turn,) = read(path, "gemini").complete
    assert [p.text for p in turn.prompts] == ["gemini set-snapshot conformance question"]


def test_the_letta_log_counts_its_replies(shared: Path) -> None:
    """Each reply is a step and a next prompt ends the turn; a call without a result has none."""
    path = next((shared / "data" / "transcripts" / "samples" / "letta-code").glob("**/cleanup/input.jsonl"))
    reading = read(path, "letta")
    (turn,) = reading.complete
    assert (turn.steps, turn.status) == (1, TurnStatus.COMPLETED)
    assert [e.ok for e in turn.entries if e.kind is EntryKind.TOOL_RESULT] == [False]
    assert len(reading.damage) == 1
