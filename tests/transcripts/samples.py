"""What the tests of this folder share: the fixtures, a redactor, and how a session is counted."""

from collections.abc import Iterable
from pathlib import Path

from slowwave.model import EntryKind, Turn, TurnStatus
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.reader import Reading, SessionReader
from slowwave.transcripts.redact import Redactor

FIXTURES = Path(__file__).parent / "fixtures"
CLAUDE = FIXTURES / "claude-code" / "projects" / "-home-dev-work-demo"
CODEX = FIXTURES / "codex" / "sessions" / "2026" / "11" / "30"
REDACTOR = Redactor(b"test key")

CLAUDE_FILES = tuple(sorted(FORMATS["claude-code"].discover(CLAUDE)))
CODEX_FILES = tuple(sorted(FORMATS["codex"].discover(CODEX)))


def read(path: Path, source: str) -> Reading:
    """One reading of the whole file."""
    return SessionReader(path, FORMATS[source], REDACTOR).read()


def every_turn(reading: Reading) -> tuple[Turn, ...]:
    """Closed turns and the open one."""
    return (*reading.closed, reading.open) if reading.open else reading.closed


def count(turns: Iterable[Turn]) -> dict[str, object]:
    """The counts the ground truth is written in."""
    turns = tuple(turns)
    return {
        "prompts": sum(len(t.prompts) for t in turns),
        "steps": sum(t.steps for t in turns),
        "turns": sum(t.status is TurnStatus.COMPLETED for t in turns),
        "interrupted": sum(t.status is TurnStatus.INTERRUPTED for t in turns),
        "failed": sum(t.status is TurnStatus.FAILED for t in turns),
        "compactions": [e.text for t in turns for e in t.entries if e.kind is EntryKind.COMPACTION],
    }
