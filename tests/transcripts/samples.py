"""What the tests of this folder share: the fixtures, a redactor, and how a session is counted."""

import json
from collections.abc import Iterable
from pathlib import Path

from slowwave.model import EntryKind, Turn, TurnStatus
from slowwave.transcripts.discover import SessionFile, from_argument
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.reader import Reading, SessionReader
from slowwave.transcripts.redact import Redactor

FIXTURES = Path(__file__).parent / "fixtures"
CLAUDE = FIXTURES / "claude-code" / "projects" / "-home-dev-work-demo"
CODEX = FIXTURES / "codex" / "sessions" / "2026" / "11" / "30"
REDACTOR = Redactor(b"test key")
SHARED = (Path(__file__).resolve().parents[3] / "shared").resolve()
_TRUTH = SHARED / "data" / "transcripts" / "generated" / "GROUND_TRUTH.json"
SHARED_TRUTH = (
    [(g, k) for g, of in json.loads(_TRUTH.read_text()).items() if isinstance(of, dict) for k in of]
    if _TRUTH.exists()
    else []
)

# The folder of an agent's real files → the name of its format, where they differ.
FOLDERS = {
    "copilot-cli": "copilot",
    "qwen-code": "qwen",
    "gemini-cli": "gemini",
    "letta-code": "letta",
    "roo": "cline",
}

CLAUDE_FILES = tuple(sorted(FORMATS["claude-code"].discover(CLAUDE)))
CODEX_FILES = tuple(sorted(FORMATS["codex"].discover(CODEX)))


def read(path: Path, source: str) -> Reading:
    """One reading of the whole file."""
    return SessionReader(path, FORMATS[source], REDACTOR).read()


def every_turn(reading: Reading) -> tuple[Turn, ...]:
    """Closed turns and the open one."""
    return (*reading.closed, reading.open) if reading.open else reading.closed


def merged(readings: list[Reading]) -> tuple[Turn, ...]:
    """The turns a consumer holds after these readings: later ones replace earlier ones of the same number."""
    turns = {t.number: t for r in readings for t in r.closed}
    last = readings[-1].open
    return (*turns.values(), last) if last else tuple(turns.values())


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


def real_sessions(shared: Path) -> tuple[SessionFile, ...]:
    """Every session that a real client wrote, and every sample, as a person would point at them."""
    data = shared / "data" / "transcripts"
    return tuple(
        f
        for folder in ("generated", "samples")
        for f in from_argument(f"path:{data / folder}", {}, Path("/nonexistent"))
    )
