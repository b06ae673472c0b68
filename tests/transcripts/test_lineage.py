"""History that is forked, resumed into a new file, copied or sent again is never counted or learned twice."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from slowwave.config import Settings
from slowwave.ingest import Ingest
from slowwave.store import blocks
from slowwave.store.database import Database
from slowwave.transcripts import snapshot
from slowwave.transcripts.discover import SessionFile, from_argument
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.listing import Inherited, SessionCounts, list_sessions

from .samples import CLAUDE, REDACTOR, SHARED, real_sessions
from .test_formats import codex_file, write

GENERATED = SHARED / "data" / "transcripts" / "generated"
AGENTS = ["claude-code", "cline", "codex", "copilot", "gemini", "letta", "opencode", "pi", "qwen"]
Row = dict[str, Any]


def ingested(files: Sequence[SessionFile], store: Path) -> Database:
    """A store after one scan of these files by a fresh process."""
    db = Database(store / "slowwave.db")
    Ingest(db, REDACTOR, Settings(), store / "own", lambda: 1e6).scan(files, complete=False)
    return db


def new_steps(db: Database) -> dict[str, int]:
    """The steps no dream has read, by session."""
    rows = db.rows(
        "SELECT s.session_id, sum(t.steps) FROM turns t JOIN sessions s ON s.id = t.session"
        " WHERE t.state = 'new' GROUP BY s.id"
    )
    return {r[0]: r[1] for r in rows}


def numbers(counts: SessionCounts) -> tuple[int, int, int, int]:
    """What a session itself brought."""
    return counts.prompts, counts.steps, counts.turns_completed, counts.compactions


@pytest.mark.parametrize("order", [1, -1])
def test_all_real_sessions_together_count_each_step_once(shared: Path, tmp_path: Path, order: int) -> None:
    """Real forks, resumes by copy, exports and repeated ids, read in either order: as many steps as were made."""
    files = [f for f in real_sessions(shared) if f.path.is_relative_to(GENERATED)]
    listed = [c for c in list_sessions(files) if c.kind == "main"]
    db = ingested(files[::order], tmp_path)
    killed = sum(c.steps for c in listed if "2048-7491" in c.session_id)  # never ended, so not yet counted
    assert sum(new_steps(db).values()) == sum(c.steps for c in listed) - killed
    db.close()


@pytest.mark.parametrize("name", AGENTS)
def test_a_copy_under_another_id_owns_nothing(shared: Path, tmp_path: Path, name: str) -> None:
    """Whoever writes it: of two files with one history the later one has inherited everything."""
    files = [f for f in real_sessions(shared) if f.format_name == name and f.path.is_relative_to(GENERATED)]
    for n, counts in enumerate(list_sessions(files)):
        if (
            not counts.steps
            or counts.kind != "main"
            or counts.inherited.steps
            or counts.path.parent.is_file()
        ):
            continue
        if _without_ids(counts.path, name):
            continue
        copy = _copied(counts, tmp_path / f"{n}")
        pair = [SessionFile(counts.path, name), SessionFile(copy, name)]
        first, *rest = list_sessions(pair)
        assert sum(numbers(counts)) == sum(numbers(first)) + sum(sum(numbers(c)) for c in rest), counts.path
        assert all(numbers(c) == (0, 0, 0, 0) for c in rest)
        db = ingested(pair, tmp_path / f"store {n}")
        assert len(new_steps(db)) <= 1, counts.path
        assert db.value("SELECT count(*) FROM marks WHERE kind = 'compaction'") == len(
            set(_marks(pair[0], tmp_path / f"one {n}"))
        )
        db.close()


def _without_ids(path: Path, name: str) -> bool:
    """Whether its rows have no identity but their place."""
    from .samples import every_turn, read

    return any(
        re.match(r"(run:)?\d+:\d+", e.step_id) for t in every_turn(read(path, name)) for e in t.entries
    )


def _marks(file: SessionFile, store: Path) -> list[str]:
    db = ingested([file], store)
    found = [r[0] for r in db.rows("SELECT native_id FROM marks WHERE kind = 'compaction'")]
    db.close()
    return found


def _copied(counts: SessionCounts, folder: Path) -> Path:
    """The session's file with another session id, in its name, its folder and its rows."""
    old, path = counts.session_id, counts.path
    new = old[:-6] + ("abcdef" if re.fullmatch(r"[0-9a-f-]{36}", old) else "xyzxyz")
    target = folder / (new if path.parent.name == old else path.parent.name) / path.name.replace(old, new)
    target.parent.mkdir(parents=True)
    target.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
    return target


@pytest.mark.parametrize("source", ["claude-code", "codex", "copilot", "gemini", "letta", "pi", "qwen"])
def test_history_sent_again_in_one_file_counts_once(shared: Path, tmp_path: Path, source: str) -> None:
    """All rows twice: the same counts in a listing, and in a store, read at once or by a later process."""
    files = [f for f in real_sessions(shared) if f.format_name == source and f.path.is_relative_to(GENERATED)]
    for n, counts in enumerate(list_sessions(files)):
        if counts.path.suffix != ".jsonl" or counts.kind != "main" or _without_ids(counts.path, source):
            continue
        path = tmp_path / f"{n}" / counts.path.parent.name / counts.path.name
        path.parent.mkdir(parents=True)
        data = counts.path.read_bytes()
        path.write_bytes(data)
        (once,) = list_sessions([SessionFile(path, source)])
        db = ingested([SessionFile(path, source)], tmp_path / f"store {n}")
        before = new_steps(db)
        db.close()
        path.write_bytes(data + data)
        (twice,) = list_sessions([SessionFile(path, source)])
        assert numbers(twice) == numbers(once), path
        db = ingested([SessionFile(path, source)], tmp_path / f"store {n}")
        # A turn that was open is closed by what follows it, and is news then.
        assert new_steps(db) == before or once.turns_completed + once.turns_failed == 0, path
        db.close()


# ---------------------------------------------------------------------- Codex before it gave ids to anything
def bare_turn(asked: str, said: str) -> list[Row]:
    """The rows of one turn of Codex up to 0.98: no task marks, no ids, no times that survive a copy."""
    content = [{"type": "output_text", "text": said}]
    return [
        {"type": "turn_context", "payload": {"cwd": "/w", "model": "m"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": asked}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": asked, "kind": "plain"}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": said}},
        {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": content}},
    ]


def header(thread: str, **more: str) -> Row:
    """The first row of a rollout."""
    return {"type": "session_meta", "payload": {"id": thread, "cwd": "/w", "cli_version": "0.98.0", **more}}


def test_a_codex_fork_by_copy_without_marks_inherits(tmp_path: Path) -> None:
    """Behind its own header stand its parent's and the copied rows, stamped anew; only what follows is its own."""
    one, two = bare_turn("go", "went"), bare_turn("go", "went")
    parent = codex_file(tmp_path / "rollout-a.jsonl", "a", "2026-05-01T10:00:00Z", one, two)
    fork = codex_file(
        tmp_path / "rollout-b.jsonl",
        "b",
        "2026-05-02T10:00:00Z",
        [header("a")],
        one,
        two,
        bare_turn("on", "done"),
    )
    again = codex_file(
        tmp_path / "rollout-c.jsonl", "c", "2026-05-03T10:00:00Z", [header("b"), header("a")], one, two,
        bare_turn("on", "done"), bare_turn("last", "ok"),
    )  # fmt: skip
    first, second, third = list_sessions([again, fork, parent])
    assert [numbers(c)[:3] for c in (first, second, third)] == [(2, 2, 2), (1, 1, 1), (1, 1, 1)]
    assert (second.inherited, third.inherited) == (Inherited(2, 2, 2, 0), Inherited(3, 3, 3, 0))
    db = ingested([parent, fork, again], tmp_path / "store")
    assert new_steps(db) == {"a": 2, "b": 1, "c": 1}
    db.close()


def test_a_codex_fork_that_names_its_parent_inherits(tmp_path: Path) -> None:
    """Where the header says what it was forked from, that is enough."""
    rows = bare_turn("go", "went")
    parent = SessionFile(write(tmp_path / "rollout-a.jsonl", header("a"), *rows), "codex")
    fork = SessionFile(
        write(tmp_path / "rollout-b.jsonl", header("b", forked_from_id="a"), *rows, *bare_turn("on", "ok")),
        "codex",
    )
    db = ingested([parent, fork], tmp_path / "store")
    assert new_steps(db) == {"a": 1, "b": 1}
    db.close()


def test_equal_words_in_unrelated_sessions_are_no_copy(tmp_path: Path) -> None:
    """Two rollouts without ids that say the same are two sessions, and a session may repeat itself."""
    rows = [*bare_turn("hi", "hello"), *bare_turn("hi", "hello")]
    files = [
        SessionFile(write(tmp_path / f"rollout-{n}.jsonl", header(n), *rows), "codex") for n in ("a", "b")
    ]
    assert [numbers(c)[:3] for c in list_sessions(files)] == [(2, 2, 2)] * 2
    db = ingested(files, tmp_path / "store")
    assert new_steps(db) == {"a": 2, "b": 2}
    db.close()


def test_codex_0_42_is_read(tmp_path: Path) -> None:
    """No marks of turns, shell output as JSON inside a string, a made-up message after a compaction."""
    output = json.dumps({"output": "two\n", "metadata": {"exit_code": 1}})
    rows: list[Row] = [
        {"type": "session_meta", "payload": {"id": "x", "cwd": "/w", "cli_version": "0.42.0"}},
        {"type": "response_item", "payload": {
            "type": "message", "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>\n</environment_context>"}]}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "count", "kind": "plain"}},
        {"type": "turn_context", "payload": {"cwd": "/w", "model": "m"}},
        {"type": "response_item", "payload": {
            "type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": output}},
        {"type": "turn_context", "payload": {"cwd": "/w", "model": "m"}},
        *bare_turn("", "There are two.")[4:],
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "There are two."}},
        {"type": "turn_context", "payload": {"cwd": "/w", "model": "m"}},
        {"type": "response_item", "payload": {
            "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "<summary>"}]}},
        {"type": "compacted", "payload": {"message": "<summary>"}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "Compact task completed"}},
        *bare_turn("more", "Three."),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "never answered", "kind": "plain"}},
    ]  # fmt: skip
    file = SessionFile(write(tmp_path / "rollout-x.jsonl", *rows), "codex")
    (counts,) = list_sessions([file])
    assert (counts.prompts, counts.steps, counts.text_rows) == (3, 3, 2)
    assert (counts.turns_completed, counts.turns_interrupted, counts.compactions) == (2, 0, 1)
    assert (counts.version, counts.fidelity) == ("0.42.0", "structural")
    taken = snapshot.take(file.path, FORMATS["codex"], REDACTOR, 0, 9)
    entries = [e for t in taken.turns for e in t.entries]
    assert [(e.text, e.ok) for e in entries if e.kind == "tool_result"] == [("two\n", False)]
    assert not any("summary" in e.text or "Compact task" in e.text for e in entries)


# ---------------------------------------------------------------------- other agents
def test_a_claude_resume_by_copy_is_learned_once(shared: Path, tmp_path: Path) -> None:
    """1.0 copied the history into a new file with new row ids: the copied turns are inherited, the new one is new."""
    folder = GENERATED / "claude-code" / "1.0.72"
    files = from_argument(f"claude-code:{folder}", {}, tmp_path)
    mine = sorted(
        (f for f in files if f.path.stem[:8] in {"34c663a3", "d16b8410"}), key=lambda f: f.path.stem[0] == "d"
    )
    db = ingested(mine, tmp_path)
    assert {k[:8]: v for k, v in new_steps(db).items()} == {"34c663a3": 3, "d16b8410": 1}
    db.close()


def test_a_fork_in_the_middle_of_a_turn_counts_and_learns_its_own_part(tmp_path: Path) -> None:
    """The steps another session had first are neither counted nor in the snapshot; those that follow are."""
    source = CLAUDE / "701290a1-5f19-4042-9545-26c2bd1869c0.jsonl"
    rows = source.read_text("utf-8").splitlines(keepends=True)
    parent = tmp_path / source.name
    shutil.copy(source, parent)
    fork = tmp_path / "11290a1a-5f19-4042-9545-26c2bd1869c0.jsonl"
    shared_step = json.loads(next(r for r in rows if '"assistant"' in r))["message"]["id"]
    other = [r if shared_step in r else r.replace("msg_", "msg_other_") for r in rows]
    fork.write_text("".join(other).replace(source.stem, fork.stem), "utf-8")
    files = [SessionFile(p, "claude-code") for p in (parent, fork)]
    one, two = list_sessions(files)
    assert one.steps == 3
    assert 0 < two.steps < 3
    assert (two.inherited.steps, two.inherited.prompts) == (3 - two.steps, 1)
    db = ingested(files, tmp_path / "store")
    assert new_steps(db) == {source.stem: 3, fork.stem: two.steps}

    def skip(name: str) -> bool:
        return blocks.is_inherited(db, "claude-code", fork.stem, name)

    (turn,) = snapshot.take(fork, FORMATS["claude-code"], REDACTOR, 0, 9, skip=skip).turns
    assert (turn.steps, turn.prompts) == (two.steps, ())
    db.close()


def test_a_pi_fork_inherits_and_a_migration_brings_no_news(tmp_path: Path) -> None:
    """`/fork` copies rows with their ids; loading an old file rewrites it with new row ids and the old times."""

    def row(own: str, role: str, text: str, at: int) -> Row:
        message = {
            "role": role,
            "content": [{"type": "text", "text": text}],
            "timestamp": at,
            "stopReason": "stop",
        }
        return {
            "type": "message",
            "id": own,
            "parentId": None,
            "timestamp": "2026-01-01T00:00:00Z",
            "message": message,
        }

    def session(own: str, day: int, **more: str) -> Row:
        at = f"2026-01-0{day}T00:00:00Z"
        return {"type": "session", "version": 3, "id": own, "timestamp": at, "cwd": "/w", **more}

    first = [row("1" * 8, "user", "go", 1), row("2" * 8, "assistant", "went", 2)]
    path = write(tmp_path / "2026-01-01T00-00-00-000Z_a.jsonl", session("a", 1), *first)
    fork = write(
        tmp_path / "2026-01-02T00-00-00-000Z_b.jsonl", session("b", 2, parentSession=str(path)), *first,
        row("3" * 8, "user", "on", 3), row("4" * 8, "assistant", "done", 4),
    )  # fmt: skip
    files = [SessionFile(p, "pi") for p in (path, fork)]
    assert [numbers(c)[:3] for c in list_sessions(files)] == [(1, 1, 1), (1, 1, 1)]
    db = ingested(files, tmp_path / "store")
    assert new_steps(db) == {"a": 1, "b": 1}
    db.execute("UPDATE turns SET state = 'merged'")
    db.close()
    write(
        path,
        session("a", 1),
        *(r | {"id": f"{r['id'][:7]}f"} for r in first),
        row("9" * 8, "user", "more", 5),
    )
    db = ingested(files, tmp_path / "store")
    assert new_steps(db) == {}
    db.close()
