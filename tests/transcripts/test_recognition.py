"""Every real file and every public sample is recognised, in any nesting, and nothing else is taken for one."""

import shutil
import sqlite3
from pathlib import Path

from slowwave.transcripts.discover import from_argument, recognise
from slowwave.transcripts.formats import FORMATS

from .samples import FOLDERS, real_sessions

# Samples without a conversation in them (usage rows, indexes, settings), of a shape that has no module, or of
# another agent with the shape of one that has.
NO_SESSION = {
    "chat.jsonl", "test-transcript.jsonl", "sample_session.json", "agentic.compaction.json", "basic.compaction.json",
    "taskHistory.json", "session_synthetic_01.json", "history.jsonl", "msg_test001.json", "sessions.json",
    "history_item.json", "expected.json", "INDEX.md",
    "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d.checkpoint.11111111-2222-4333-8444-555555555555.jsonl",
}  # fmt: skip
SAME_SHAPE = {"deepseek": "pi", "iflow": "claude-code"}


def test_every_sample_is_recognised_by_its_content(shared: Path) -> None:
    """Each public sample is its agent's, or of no format of ours."""
    samples = shared / "data" / "transcripts" / "samples"
    for path in samples.rglob("*"):
        if not path.is_file() or path.suffix not in {".jsonl", ".json", ".md"}:
            continue
        agent = path.relative_to(samples).parts[0]
        name = SAME_SHAPE.get(agent) or FOLDERS.get(agent, agent)
        want = name if name in FORMATS and path.name not in NO_SESSION else None
        assert recognise(path) == want, path


def test_every_generated_session_is_found_by_name_and_by_content(shared: Path) -> None:
    """What an agent's module finds by name below its folder is what its content says."""
    generated = shared / "data" / "transcripts" / "generated"
    by_content: dict[str, set[Path]] = {}
    for file in real_sessions(shared):
        if file.path.is_relative_to(generated) and "export-" not in file.path.name:
            by_content.setdefault(file.format_name, set()).add(file.path)
    assert by_content.keys() == FORMATS.keys() - {"goose", "openhands", "aider", "cursor", "plain"}
    for name, paths in by_content.items():
        folder = next((f for f, n in FOLDERS.items() if n == name), name)
        found = set(FORMATS[name].discover(generated / folder))
        empty = {p for p in found if p.is_file() and p.stat().st_size <= 1}  # made, and never written to
        assert found - empty - paths == set()
        assert {p for p in paths - found if p.is_relative_to(generated / folder)} == set()


def test_a_mixed_tree_in_any_nesting_is_sorted_out(shared: Path, tmp_path: Path) -> None:
    """All agents' files copied into one tree under odd names are told apart."""
    want = {}
    for n, file in enumerate(f for f in real_sessions(shared) if f.path.is_file()):
        if file.path.name.startswith(("api_conversation", ".aider")):
            continue  # these two are known by their name alone
        target = tmp_path / f"a {n % 3}" / "é" / f"copy-{n}{file.path.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file.path, target)
        want[target] = file.format_name
    got = {f.path: f.format_name for f in from_argument(f"path:{tmp_path}", {}, tmp_path)}
    assert got == want


def test_databases_are_known_by_their_tables(shared: Path, tmp_path: Path) -> None:
    """A database of any name gives the sessions in it, one path each."""
    samples = shared / "data" / "transcripts" / "samples"
    for name, script in (("opencode", "opencode/**/opencode.sql"), ("goose", "goose/**/goose.sql")):
        path = tmp_path / f"{name} copy.db"
        connection = sqlite3.connect(path)
        connection.executescript(next(samples.glob(script)).read_text())
        connection.close()
        (found,) = from_argument(f"path:{path}", {}, tmp_path)
        assert (found.format_name, found.path.parent) == (name, path)
        assert found.extent().size > 0
    (tmp_path / "other.db").write_bytes(b"x" * 5000)
    assert recognise(tmp_path / "other.db") is None
