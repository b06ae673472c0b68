"""Aider: `<repository>/.aider.chat.history.md`, Markdown, degraded by its source.

One file holds every run in a repository, without ids or times of its messages: a run is a notice, the place is
the identity. A line that starts with `#### ` is a person's, `> ` is a tool's or the harness's, the rest is the
model's. Headings of that level in the model's own words cannot be told from a person's and count as prompts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from slowwave.model import Author, Entry, EntryKind, Session, TurnStatus
from slowwave.transcripts.decode import PlacedRow
from slowwave.transcripts.formats import documents, walk
from slowwave.transcripts.formats.protocol import Extent, Fidelity, Loaded, Parser, Place, Shape, text_of
from slowwave.transcripts.formats.rows import RowEntries
from slowwave.transcripts.tail import read_lines

NAME: str = "aider"
SHAPE: Shape = "whole"
FIDELITY: Fidelity = "degraded"
VERSIONS: tuple[str, ...] = ()

_NAME = ".aider.chat.history.md"
_RUN = "# aider chat started at "
_FAILED = re.compile(r"^(?:Did not apply|Error|.*(?:FAILED|exited with code [1-9]))", re.IGNORECASE)


def roots(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:  # noqa: ARG001  the shape
    """Only a file its own variable names: it writes into repositories, which are not searched."""
    named = env.get("AIDER_CHAT_HISTORY_FILE")
    return (Path(named),) if named else ()


def discover(root: Path) -> Iterator[Path]:
    """Histories below a folder, by name; a file that was named itself in any case."""
    return walk.files(root, lambda name: name == _NAME or (name == root.name and root.is_file()))


def recognises(path: Path, first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Its name, or a run's first line."""
    return path.name == _NAME or any(text_of(r.get("markdown")).startswith(_RUN) for r in first_records)


def parser(path: Path) -> Parser:
    """A fresh parser."""
    return AiderParser(path)


def extent(path: Path) -> Extent:
    """Its size and time."""
    return documents.extent(path)


def load(path: Path) -> Loaded:
    """Runs of lines of one kind, each a row."""
    known, rows = documents.extent(path), list[PlacedRow]()
    kind, parts, start, end = "", list[str](), 0, 0

    def close() -> None:
        text = "\n".join(parts).strip("\n")
        if text.strip():
            rows.append(PlacedRow({"kind": kind, "markdown": text}, start, end - start))

    for line in read_lines(path):
        raw = (line.data or b"").decode("utf-8", "replace").rstrip("\r")
        new, text = _kind(raw)
        if new and new != kind:
            close()
            kind, parts, start = new, [], line.offset
        parts.append(text)
        end = line.end
    close()
    return Loaded(tuple(rows), (), known)


def _kind(line: str) -> tuple[str, str]:
    """What a line is ("" for a blank one, which belongs to what it stands in), and its text."""
    if line.startswith(_RUN):
        return "run", line
    if line.startswith("####"):
        return "user", line[4:].removeprefix(" ")
    if line.startswith(">"):
        return "tool", line[1:].removeprefix(" ")
    return ("agent" if line.strip() else ""), line


class AiderParser:
    """One history file."""

    def __init__(self, path: Path) -> None:
        self.session = Session(NAME, path.parent.name or path.stem, path, cwd=str(path.parent))
        self._end: Entry | None = None

    def held(self) -> tuple[Entry, ...]:
        """The end the last reply may be."""
        return (self._end,) if self._end else ()

    def feed(self, record: Mapping[str, Any], place: Place) -> Iterator[Entry]:
        """The entries of one run of lines."""
        kind, text = text_of(record.get("kind")), text_of(record.get("markdown"))
        row = RowEntries(place)
        if kind in {"user", "run"} and self._end:
            yield self._end
            self._end = None
        if kind == "user":
            yield from row.prompt(text)
        elif kind == "run":
            yield row.notice(text)
        elif kind == "tool":
            ok = False if _FAILED.match(text) else None
            yield row.entry(EntryKind.TOOL_RESULT, Author.TOOL, text, ok=ok)
        elif kind == "agent":
            step = row.native_id
            yield row.entry(EntryKind.TEXT, Author.AGENT, text, step_id=step)
            self._end = row.end(TurnStatus.COMPLETED, step_id=step)
