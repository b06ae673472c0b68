"""What one turn was about, in a few lines: the episode that is kept of it.

Step 5 of the walk. Small and redacted, so that it may stay when the transcript is gone.
"""

import json
from collections.abc import Iterable
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Turn

_CHARACTERS = 600


def episode(turn: Turn) -> dict[str, Any]:
    """What one turn was about: what was asked, what was done, how it ended, with which files and commands."""
    said = [e.text for e in turn.entries if e.kind is EntryKind.TEXT and e.author is Author.AGENT]
    calls = [_arguments(e) for e in turn.entries if e.kind is EntryKind.TOOL_CALL]
    ended = turn.ended_at
    return {
        "asked": _short(" / ".join(p.text for p in turn.prompts)),
        "done": _short(said[-1] if said else ""),
        "outcome": str(turn.status),
        "files": _distinct(c.get(k) for c in calls for k in ("file_path", "path", "filePath")),
        "commands": _distinct(c.get(k) for c in calls for k in ("command", "cmd")),
        "occurred_at": ended.isoformat() if ended else None,
    }


def _arguments(call: Entry) -> dict[str, Any]:
    try:
        value = json.loads(call.text)
    except (ValueError, RecursionError):
        return {}  # free-form or cut arguments name no file
    return value if isinstance(value, dict) else {}


def _distinct(values: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(_short(v) for v in values if isinstance(v, str) and v))[:20]


def _short(text: str) -> str:
    return text if len(text) <= _CHARACTERS else text[: _CHARACTERS - 1] + "…"
