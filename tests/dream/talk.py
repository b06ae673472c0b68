"""Sessions written by hand: a turn is a few lines of talk, each with its speaker."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from slowwave.dream.extract import plan
from slowwave.dream.offline import OfflineReflector
from slowwave.dream.reflector import Reflection, ReflectionContext
from slowwave.dream.toolbox import InMemoryToolbox
from slowwave.memory import layout
from slowwave.model import (
    Author,
    Entry,
    EntryKind,
    Project,
    Session,
    SessionKind,
    Snapshot,
    SourceRange,
    Turn,
    TurnStatus,
)  # fmt: skip

PROJECT = Project("/srv/harbor/.git", "harbor", "/srv/harbor")
MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
WHO = {
    "user": (EntryKind.PROMPT, Author.HUMAN),
    "agent": (EntryKind.TEXT, Author.AGENT),
    "call": (EntryKind.TOOL_CALL, Author.AGENT),
    "ok": (EntryKind.TOOL_RESULT, Author.TOOL),
    "bad": (EntryKind.TOOL_RESULT, Author.TOOL),
    "harness": (EntryKind.NOTICE, Author.HARNESS),
    "sub": (EntryKind.TEXT, Author.SUBAGENT),
}
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def session(
    *turns: list[tuple[str, str]],
    name: str = "s1",
    days: int = 0,
    kind: SessionKind = SessionKind.MAIN,
    tool: str = "Bash",
) -> Snapshot:
    """A session of turns; `call` is a shell command, `ok` and `bad` are its results."""
    built = []
    for number, lines in enumerate(turns, 1):
        at = MONDAY + timedelta(days=days, minutes=number)
        entries = []
        for place, (who, text) in enumerate(lines):
            what, author = WHO[who]
            calls = sum(w == "call" for w, _ in lines[: place + 1])
            entries.append(
                Entry(
                    what,
                    author,
                    text,
                    f"{name}:{number}:{place}",
                    place,
                    1,
                    at=at,
                    tool=tool if who == "call" else "",
                    call_id=f"{number}.{calls}",
                    ok={"ok": True, "bad": False}.get(who),
                )
            )
        built.append(Turn(number, TurnStatus.COMPLETED, tuple(entries), 1, 1, 0, 0, len(lines)))
    who_and_where = Session("claude-code", name, Path(f"{name}.jsonl"), kind, "/srv/harbor")
    return Snapshot(who_and_where, tuple(built), SourceRange("claude-code", name, 0, len(built)))


def says(*prompts: str, name: str = "s1", days: int = 0) -> Snapshot:
    """A session in which only the person says something."""
    return session(*([("user", p)] for p in prompts), name=name, days=days)


def memory_of(*snapshots: Snapshot, files: Mapping[str, str] | None = None) -> dict[str, str]:
    """Memory after the offline reflector has read these sessions in one batch."""
    return dreamt(*snapshots, files=files)[0]


def dreamt(*snapshots: Snapshot, files: Mapping[str, str] | None = None) -> tuple[dict[str, str], Reflection]:
    """Memory and report after one pass of the offline reflector."""
    toolbox = InMemoryToolbox(files)
    context = ReflectionContext(PROJECT, snapshots, MONDAY)
    reflection = OfflineReflector().reflect(context, toolbox)
    return toolbox.files, reflection


def lines_of(files: Mapping[str, str]) -> list[str]:
    """The text of every entry of memory."""
    return [
        item.text for path in sorted(files) for item in layout.items(layout.parse(path, files[path]).body)
    ]


def learned_from(*snapshots: Snapshot) -> list[str]:
    """What would be learned, as texts."""
    return [x.text for x in plan(snapshots, {}, PROJECT).learned]
