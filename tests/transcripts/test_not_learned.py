"""What is nobody's words is skipped for every agent: our own dreams, recalled memory, summaries of compactions."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from slowwave.model import Entry, EntryKind, SessionKind
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.reader import SessionReader

from .samples import REDACTOR, SHARED, every_turn, read, real_sessions

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="real transcripts are not here")
GENERATED = SHARED / "data" / "transcripts" / "generated"
AGENTS = ["claude-code", "cline", "codex", "copilot", "gemini", "letta", "opencode", "pi", "qwen"]
COMPACTING = ["claude-code", "codex", "copilot", "gemini", "opencode", "pi", "qwen"]
SPOKEN = {EntryKind.PROMPT, EntryKind.TEXT, EntryKind.REASONING, EntryKind.TOOL_CALL, EntryKind.TOOL_RESULT}
MEMORY = "<slowwave-memory>The person likes purple tabs.</slowwave-memory>"


@cache
def sessions(name: str) -> tuple[SessionFile, ...]:
    """The real sessions of an agent; none of its exports."""
    return tuple(
        f
        for f in real_sessions(SHARED)
        if f.format_name == name and f.path.is_relative_to(GENERATED) and "export-" not in f.path.name
    )


def entries(path: Path, name: str) -> list[Entry]:
    """Every entry of a session."""
    return [e for t in every_turn(read(path, name)) for e in t.entries]


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_below_our_own_home_has_no_turns(name: str) -> None:
    """A dream that runs an agent works below our home: its session is known as ours, whichever agent it was."""
    seen = 0
    for file in sessions(name):
        cwd = read(file.path, name).session.cwd
        if not cwd:
            continue  # Letta's store and a log without a header tell no folder
        reader = SessionReader(file.path, FORMATS[name], REDACTOR, own_root=Path(cwd).parent)
        reading = reader.read()
        assert reading.session.kind is SessionKind.OWN, file.path
        assert every_turn(reading) == ()
        seen += 1
    assert seen or name == "letta"


def planted(file: SessionFile, folder: Path, change: Callable[[bytes], bytes]) -> Path:
    """A copy of the session with its text changed, in the agent's own way of storing it."""
    if file.path.parent.is_file():  # a session in a database
        target = folder / file.path.parent.name
        shutil.copyfile(file.path.parent, target)
        with closing(sqlite3.connect(target)) as db:
            for own, data in db.execute("SELECT id, data FROM part").fetchall():
                db.execute("UPDATE part SET data = ? WHERE id = ?", (change(data.encode()).decode(), own))
            db.commit()
        return target / file.path.name
    target = folder / file.path.parent.name / file.path.name
    target.parent.mkdir(parents=True)
    target.write_bytes(change(file.path.read_bytes()))
    return target


@pytest.mark.parametrize("name", AGENTS)
def test_recalled_memory_is_no_prompt(name: str, tmp_path: Path) -> None:
    """What our hook added before the typed words is a notice; the words are the prompt, as they would be without."""
    for n, file in enumerate(sessions(name)):
        before = [e.text for e in entries(file.path, name) if e.kind is EntryKind.PROMPT]
        folder = tmp_path / f"{n}"
        folder.mkdir()
        path = planted(file, folder, lambda data: data.replace(b"SCRIPT:", f"{MEMORY}SCRIPT:".encode()))
        after = entries(path, name)
        assert [e.text for e in after if e.kind is EntryKind.PROMPT] == before
        assert not [e for e in after if e.kind in SPOKEN and "purple" in e.text], file.path
        if before:
            assert [e for e in after if e.kind is EntryKind.NOTICE and "purple" in e.text], file.path


@pytest.mark.parametrize("name", COMPACTING)
def test_a_compactions_summary_is_no_words_of_anybody(name: str) -> None:
    """The text that replaced the history is a notice or nothing; no prompt, reply or thought holds it."""
    marks = 0
    for file in sessions(name):
        found = entries(file.path, name)
        marks += sum(e.kind is EntryKind.COMPACTION for e in found)
        spoken = "\n".join(e.text for e in found if e.kind in SPOKEN)
        for sign in (
            "This session is being continued", "<state_snapshot>", "<summary>", "FAKE SUMMARY", "Compact task completed",
            "Continue if you have next steps", "Continue from where you left off", "No response requested",
            "Got it. Thanks for the additional context", "Another language model started",
        ):  # fmt: skip
            assert sign not in spoken, (file.path, sign)
    assert marks
