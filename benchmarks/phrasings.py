"""How people say such things: short prompts by kind and language, and how many of them are understood.

`phrasings/LANGUAGE.txt` has a line `kind|prompt|words that must be learned[|date]`, or `neg|prompt|why not`; every
prompt is said on Monday 2026-03-02, as the second of a session. Half of the lines, told by a checksum, may be used
to fit weights and to find words (`TUNING`); the other half is only counted.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.dream.extract import plan
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
)

FOLDER = Path(__file__).parent / "phrasings"
KINDS = {
    "pref": "preference", "corr": "correction", "fact": "fact", "proc": "procedure", "deci": "decision",
    "pers": "person", "dead": "deadline",
}  # fmt: skip
_MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
_PROJECT = Project("/srv/harbor/.git", "harbor", "/srv/harbor")


@dataclass(frozen=True)
class Phrasing:
    """One prompt. `kind` is "" for what must not be learned; `tuning`: it may be used to fit."""

    language: str
    kind: str
    prompt: str
    words: str
    day: str
    tuning: bool


def phrasings() -> Iterator[Phrasing]:
    """Every line of every language."""
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            kind, prompt, words, *day = line.split("|")
            tuning = zlib.crc32(line.encode()) % 2 == 0
            yield Phrasing(path.stem, KINDS.get(kind, ""), prompt, words, "".join(day), tuning)


def said(prompt: str) -> Snapshot:
    """A session of two prompts, this one the second."""
    talk = (
        [(EntryKind.PROMPT, Author.HUMAN, "can you look at the parser"), (EntryKind.TEXT, Author.AGENT, "Done.")],
        [(EntryKind.PROMPT, Author.HUMAN, prompt), (EntryKind.TEXT, Author.AGENT, "ok")],
    )  # fmt: skip
    turns = tuple(
        Turn(
            number,
            TurnStatus.COMPLETED,
            tuple(
                Entry(kind, who, text, f"p:{number}:{place}", place, 1, at=_MONDAY + timedelta(minutes=number))
                for place, (kind, who, text) in enumerate(lines)
            ),
            1, 1, 0, 0, len(lines),
        )
        for number, lines in enumerate(talk, 1)
    )  # fmt: skip
    session = Session("claude-code", "p", Path("p.jsonl"), SessionKind.MAIN, "/srv/harbor")
    return Snapshot(session, turns, SourceRange("claude-code", "p", 0, len(turns)))


def understood(one: Phrasing) -> bool:
    """True when it is learned as it should be, or not at all when it should not."""
    lines = [x.text for x in plan([said(one.prompt)], {}, _PROJECT).learned]
    if not one.kind:
        return not lines
    return any(re.search(re.escape(one.words), line, re.IGNORECASE) and one.day in line for line in lines)


def measure(_: Worlds) -> Table:
    """The share understood, by kind and by language; the half that was used to fit stands beside."""
    shares: dict[str, dict[bool, list[bool]]] = defaultdict(lambda: {True: [], False: []})
    for one in phrasings():
        right = understood(one)
        group = one.kind or "not to be learned"
        for name in (group, *([f"language {one.language}"] if one.kind else [])):
            shares[name][one.tuning].append(right)
    rows = [
        Row(f"{name} ({len(halves[False])})", (_share(halves[False]),), "", beside=f"{_share(halves[True]):.2f} tuning half")
        for name, halves in sorted(shares.items())
    ]  # fmt: skip
    return Table(
        "phrasings: share of prompts understood, of the half that nothing was fitted to", tuple(rows)
    )


def _share(right: list[bool]) -> float:
    return sum(right) / len(right) if right else 0.0
