"""One file as it grows: the same turns however it arrives, rewrites noticed, restarts exact."""

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave.errors import TranscriptError
from slowwave.model import Author, EntryKind, SessionKind, Turn, TurnStatus
from slowwave.transcripts.formats import FORMATS, Place
from slowwave.transcripts.reader import Reading, SessionReader

from .samples import CLAUDE, CLAUDE_FILES, CODEX_FILES, REDACTOR, count, every_turn, read

MAIN = CLAUDE / "701290a1-5f19-4042-9545-26c2bd1869c0.jsonl"
FILES_OF_ROWS = [name for name, fmt in FORMATS.items() if fmt.SHAPE != "database"]
FILES = [*((p, "claude-code") for p in CLAUDE_FILES), *((p, "codex") for p in CODEX_FILES)]


def merged(readings: list[Reading]) -> tuple[Turn, ...]:
    """The turns a consumer holds after these readings: later ones replace earlier ones of the same number."""
    turns = {t.number: t for r in readings for t in r.closed}
    last = readings[-1].open
    return (*turns.values(), last) if last else tuple(turns.values())


def ends_of(path: Path) -> list[int]:
    """Offsets just after each line."""
    return list(itertools.accumulate(len(x) for x in path.read_bytes().splitlines(keepends=True)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), which=st.sampled_from(FILES))
def test_any_chunking_gives_the_same_turns(data: st.DataObject, which: tuple[Path, str]) -> None:
    """Reading a file in any pieces gives the turns of reading it at once."""
    path, source = which
    size = path.stat().st_size
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=12)))
    reader = SessionReader(path, FORMATS[source], REDACTOR)
    readings = [reader.read(until) for until in [*cuts, size]]
    assert merged(readings) == every_turn(read(path, source))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), which=st.sampled_from(FILES))
def test_a_restart_anywhere_gives_the_same_turns(data: st.DataObject, which: tuple[Path, str]) -> None:
    """A new reader that starts where another one stopped gives the turns of one reader."""
    path, source = which
    cut = data.draw(st.sampled_from([0, *ends_of(path)]))
    first = SessionReader(path, FORMATS[source], REDACTOR).read(cut)
    second = SessionReader(path, FORMATS[source], REDACTOR, restart=first.restart).read()
    assert merged([first, second]) == every_turn(read(path, source))
    assert second.session == read(path, source).session


def test_a_growing_file_costs_only_its_new_lines(tmp_path: Path) -> None:
    """Appending a row at a time closes each turn once, and reading again without news brings nothing."""
    path = tmp_path / MAIN.name
    path.touch()
    reader = SessionReader(path, FORMATS["claude-code"], REDACTOR)
    readings = []
    for row in MAIN.read_bytes().splitlines(keepends=True):
        with path.open("ab") as file:
            file.write(row)
        readings.append(reader.read())
    assert merged(readings) == read(MAIN, "claude-code").closed or len(merged(readings)) == 1
    assert [t.number for r in readings for t in r.closed] == [1]
    again = reader.read()
    assert (again.closed, again.open, again.damage) == ((), None, ())


def test_a_torn_last_line_waits(tmp_path: Path) -> None:
    """A row without its newline is not consumed; once it is whole it is read, and nothing is damaged."""
    path = tmp_path / MAIN.name
    whole = MAIN.read_bytes()
    path.write_bytes(whole[:-700])
    reader = SessionReader(path, FORMATS["claude-code"], REDACTOR)
    first = reader.read()
    path.write_bytes(whole)
    second = reader.read()
    assert not second.rewritten
    assert (*first.damage, *second.damage) == ()
    assert [t.steps for t in merged([first, second])] == [3]


def test_a_rewritten_file_is_read_from_the_beginning(tmp_path: Path) -> None:
    """After a truncation or another content the reader starts over, says so, and counts generations."""
    path = tmp_path / MAIN.name
    shutil.copy(MAIN, path)
    reader = SessionReader(path, FORMATS["claude-code"], REDACTOR)
    reader.read()
    lines = MAIN.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:6]))
    second = reader.read()
    assert second.rewritten
    assert second.open is not None
    assert second.open.number == 1
    assert second.mark is not None
    assert second.mark.generation == 1


def test_a_rewrite_between_two_processes_is_noticed(tmp_path: Path) -> None:
    """A restart carries the mark, so that a file replaced meanwhile is not continued in its middle."""
    path = tmp_path / MAIN.name
    shutil.copy(MAIN, path)
    first = SessionReader(path, FORMATS["claude-code"], REDACTOR).read()
    other = CLAUDE / "75479ef8-ba08-4447-9294-9459b1214458.jsonl"
    path.write_bytes(other.read_bytes() * 2)
    second = SessionReader(path, FORMATS["claude-code"], REDACTOR, restart=first.restart).read()
    assert second.rewritten
    assert second.closed[0].number == 1


def test_a_vanished_file_is_a_state(tmp_path: Path) -> None:
    """A deleted transcript brings nothing and raises nothing, seen before or not."""
    path = tmp_path / MAIN.name
    assert SessionReader(path, FORMATS["claude-code"], REDACTOR).read().vanished
    shutil.copy(MAIN, path)
    reader = SessionReader(path, FORMATS["claude-code"], REDACTOR)
    reader.read()
    path.unlink()
    gone = reader.read()
    assert gone.vanished
    assert gone.closed == ()


def test_an_unreadable_file_is_never_empty(tmp_path: Path) -> None:
    """Where the file should be stands a folder: an error that names it."""
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(TranscriptError, match=r"x\.jsonl"):
        SessionReader(tmp_path / "x.jsonl", FORMATS["claude-code"], REDACTOR).read()


def test_sessions_below_our_own_home_are_never_read() -> None:
    """A dream's own session has its kind, and no turns."""
    reader = SessionReader(MAIN, FORMATS["claude-code"], REDACTOR, own_root=Path("/home/dev/work"))
    reading = reader.read()
    assert reading.session.kind is SessionKind.OWN
    assert every_turn(reading) == ()
    near = SessionReader(MAIN, FORMATS["claude-code"], REDACTOR, own_root=Path("/home/dev/wor")).read()
    assert near.session.kind is SessionKind.MAIN


def test_a_budget_bounds_one_read() -> None:
    """With a budget a read stops at a line and says that there is more; together they are the whole."""
    path, source = FILES[-1]
    reader = SessionReader(path, FORMATS[source], REDACTOR)
    readings = [reader.read(budget=10_000)]
    while readings[-1].more:
        readings.append(reader.read(budget=10_000))
    assert len(readings) > 2
    assert merged(readings) == every_turn(read(path, source))


def test_an_ordinal_written_twice_changes_nothing(shared: Path) -> None:
    """Codex ordinals repeat in real files; they are a hint at most."""
    derived = shared / "data" / "transcripts" / "derived"
    got = count(every_turn(read(derived / "codex.duplicate-ordinal.jsonl", "codex")))
    assert (got["prompts"], got["steps"], got["turns"]) == (2, 5, 2)


def test_rows_of_wrong_types_raise_nothing(shared: Path) -> None:
    """Fields of any type anywhere are read as nothing."""
    for fmt in FILES_OF_ROWS:
        read(shared / "data" / "transcripts" / "derived" / "wrong-types.jsonl", fmt)


_any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda x: (
        st.lists(x, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "id", "text", "content", "role", "input", "usage", "item", "info", "call_id", "time"]
            ),
            x,
            max_size=4,
        )
    ),
    max_leaves=8,
)
_types = [
    "user", "assistant", "system", "attachment", "response_item", "event_msg", "compacted", "session_meta",
    "token_usage_record", "message", "reasoning", "function_call", "function_call_output", "item_completed",
    "UserMessage", "CommandExecution", "token_count", "task_complete", "tool_use", "tool_result", "queued_command",
    "session", "compaction", "gemini", "info", "error", "assistant.message", "user.message", "session.start",
    "tool.execution_complete", "session.compaction_complete", "turn_ended", "text", "tool", "thread_rolled_back",
]  # fmt: skip


def with_a_kind(row: dict[str, Any]) -> dict[str, Any]:
    """The row, its payload looking like a message unless it says otherwise."""
    payload = row.get("payload")
    return {**row, "payload": {"type": "message", **payload}} if isinstance(payload, dict) else row


@settings(deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(_types)},
            optional=dict.fromkeys(
                (
                    "message",
                    "payload",
                    "uuid",
                    "timestamp",
                    "cwd",
                    "attachment",
                    "isMeta",
                    "id",
                    "data",
                    "kind",
                    "role",
                    "content",
                    "text",
                    "info",
                    "parts",
                    "header",
                    "$set",
                    "tool",
                    "metadata",
                    "action",
                    "observation",
                    "source",
                    "created",
                    "ts",
                    "toolCalls",
                    "thoughts",
                    "agentId",
                    "session",
                ),
                _any,
            ),
        ).map(with_a_kind),
        max_size=6,
    )
)
def test_no_row_of_any_shape_raises(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]
) -> None:
    """A transcript is written by others: whatever stands in it, reading it returns."""
    path = tmp_path_factory.mktemp("t") / "f.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for source in FILES_OF_ROWS:
        for turn in every_turn(read(path, source)):
            assert turn.entries
    for fmt in FORMATS.values():
        assert fmt.recognises(path, rows) in {True, False}
        parser = fmt.parser(path)
        for n, row in enumerate(rows):
            list(parser.feed(row, Place(n, 1)))
            parser.held()


def claude_rows(path: Path, *rows: dict[str, object]) -> Path:
    """A Claude Code file of these rows."""
    base = {"sessionId": "s", "cwd": "/w", "version": "2.1.0", "timestamp": "2026-01-02T03:04:05Z"}
    with path.open("w") as file:
        for n, row in enumerate(rows):
            file.write(json.dumps({"uuid": f"u{n}", **base, **row}) + "\n")
    return path


def user(text: str, **more: object) -> dict[str, object]:
    """A user row."""
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def agent(text: str, message_id: str, stop: str | None = "end_turn") -> dict[str, object]:
    """An assistant row with one text block."""
    content = [{"type": "text", "text": text}]
    return {
        "type": "assistant",
        "message": {
            "id": message_id,
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": stop,
        },
    }


def test_text_no_person_typed_is_cut_out_of_prompts(tmp_path: Path) -> None:
    """Recalled memory, reminders and IDE wrappers become notices; the typed words remain."""
    path = claude_rows(
        tmp_path / "f.jsonl",
        user("<slowwave-memory>likes tabs</slowwave-memory>\nuse <b>spaces</b>"),
        user("<system-reminder>be good</system-reminder><ide_opened_file>x.py</ide_opened_file>hi"),
        user("<slowwave-memory>only this</slowwave-memory>"),
        user("<command-name>/compact</command-name>"),
        user("meta", isMeta=True),
    )
    entries = [e for t in every_turn(read(path, "claude-code")) for e in t.entries]
    prompts = [e.text for e in entries if e.kind is EntryKind.PROMPT]
    notices = [e for e in entries if e.kind is EntryKind.NOTICE]
    assert prompts == ["use <b>spaces</b>", "hi"]
    assert len(notices) == 6
    assert all(e.author is Author.HARNESS for e in notices)


def test_late_blocks_of_the_last_step_join_its_turn(tmp_path: Path) -> None:
    """Thinking and text of one response both say end_turn: one turn, one step, whenever it is read."""
    path = claude_rows(tmp_path / "f.jsonl", user("q"), agent("one", "m1"), agent("two", "m1"))
    end = ends_of(path)[1]
    reader = SessionReader(path, FORMATS["claude-code"], REDACTOR)
    first, second = reader.read(end), reader.read()
    assert [(t.number, t.steps, t.text_rows) for t in first.closed] == [(1, 1, 1)]
    assert [(t.number, t.steps, t.text_rows) for t in second.closed] == [(1, 1, 2)]


def test_a_step_after_an_end_opens_a_turn_without_a_prompt(tmp_path: Path) -> None:
    """A shell line can start the model: such a turn has no prompt and counts."""
    path = claude_rows(
        tmp_path / "f.jsonl",
        user("q"),
        agent("a", "m1"),
        user("<bash-input>ls</bash-input>"),
        agent("b", "m2"),
    )
    turns = read(path, "claude-code").closed
    assert [(len(t.prompts), t.steps, t.status) for t in turns] == [
        (1, 1, TurnStatus.COMPLETED),
        (0, 1, TurnStatus.COMPLETED),
    ]


def test_null_and_tool_use_end_no_turn(tmp_path: Path) -> None:
    """Only a stop reason that ends is an end; a new prompt then closes the turn as interrupted."""
    path = claude_rows(
        tmp_path / "f.jsonl", user("q"), agent("a", "m1", None), agent("b", "m2", "tool_use"), user("r")
    )
    reading = read(path, "claude-code")
    assert [t.status for t in reading.closed] == [TurnStatus.INTERRUPTED]
    assert reading.open is not None
    assert reading.open.number == 2


def test_an_api_error_fails_the_turn(tmp_path: Path) -> None:
    """The placeholder an API error leaves is a notice, no step, and ends the turn as failed."""
    row = agent("API Error: 500", "x")
    path = claude_rows(tmp_path / "f.jsonl", user("q"), {**row, "isApiErrorMessage": True})
    (turn,) = read(path, "claude-code").closed
    assert (turn.status, turn.steps) == (TurnStatus.FAILED, 0)


def test_long_text_keeps_head_and_tail_and_no_secret(tmp_path: Path) -> None:
    """Cutting comes after redaction, and NULs are gone."""
    secret = "ghp_" + "a1B2" * 9
    text = "head\0 " + secret + " x" * 400_000 + " " + secret + " tail"
    path = claude_rows(tmp_path / "f.jsonl", user(text))
    turn = read(path, "claude-code").open
    assert turn is not None
    (prompt,) = turn.prompts
    assert prompt.truncated
    assert len(prompt.text) < 20_200
    assert prompt.text.startswith("head [redacted:github-token:")
    assert prompt.text.endswith(" tail")
    assert "a1B2" not in prompt.text


def test_our_mark_makes_a_session_our_own(tmp_path: Path) -> None:
    """An agent a dream started carries our mark as its entrypoint or originator, and is not read."""
    path = claude_rows(tmp_path / "f.jsonl", user("q", entrypoint="slowwave-dream"))
    assert read(path, "claude-code").session.kind is SessionKind.OWN
    rollout = tmp_path / "rollout-x.jsonl"
    meta = {"id": "t", "cwd": "/w", "originator": "slowwave-dream", "cli_version": "0.171.0"}
    rollout.write_text(json.dumps({"type": "session_meta", "payload": meta}) + "\n")
    assert read(rollout, "codex").session.kind is SessionKind.OWN
