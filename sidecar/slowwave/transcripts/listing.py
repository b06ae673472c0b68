"""What happened in which session: counts, with inherited history counted apart.

A fork, and in old versions every resume, copies the history into a new file. Counting files would count it
again, so every block belongs to the session that had it first in time; in all others it is inherited. Blocks
are known by native ids; an identity that is only a place in a file says nothing about copies.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from slowwave.errors import TranscriptError
from slowwave.model import EntryKind, Session, SessionKind, Turn, TurnStatus
from slowwave.transcripts.discover import SessionFile, first_rows
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.formats.protocol import Fidelity, time_of
from slowwave.transcripts.reader import SessionReader
from slowwave.transcripts.redact import Redactor

_BUDGET = 16 << 20
_PLACE = re.compile(r"^(?:run:)?\d+:\d+")
_LATE = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a session copied from earlier ones."""

    prompts: int = 0
    steps: int = 0
    turns: int = 0
    compactions: int = 0


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """One session in numbers; what it inherited is not in them but apart.

    project    the working directory its rows tell, "" when they tell none
    text_rows  rows of the agent's visible words (a response may have none, or several)
    damage     places that could not be read as what they should be
    problem    why it could not be read at all, "" when it was
    """

    source: str
    session_id: str
    path: Path
    kind: SessionKind
    project: str
    prompts: int
    steps: int
    text_rows: int
    turns_completed: int
    turns_interrupted: int
    turns_failed: int
    compactions: int
    inherited: Inherited
    damage: int
    fidelity: Fidelity
    problem: str = ""


@dataclass(slots=True)
class _Read:
    """One session as it was read: of its turns only what counting needs."""

    session: Session
    fidelity: Fidelity
    began: datetime
    place: int
    turns: dict[int, "_Blocks"] = field(default_factory=dict)
    damage: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The identities in one turn."""

    status: TurnStatus
    prompts: tuple[str, ...]
    steps: tuple[str, ...]
    texts: tuple[str, ...]  # the step of each text row
    compactions: tuple[str, ...]


def list_sessions(
    files: Iterable[SessionFile], redactor: Redactor, own_root: Path | None
) -> Iterator[SessionCounts]:
    """Every session of these files in numbers, in the order they began. Our own dreams are left out."""
    read = [_read(file, place, redactor, own_root) for place, file in enumerate(files)]
    owners: dict[tuple[str, str], tuple[str, Path]] = {}
    for one in sorted(read, key=lambda r: (r.began, r.place)):
        if one.session.kind is not SessionKind.OWN:
            yield _counts(one, owners)


def _read(file: SessionFile, place: int, redactor: Redactor, own_root: Path | None) -> _Read:
    fmt = FORMATS[file.format_name]
    reader = SessionReader(file.path, fmt, redactor, own_root=own_root)
    found = _Read(reader.session, fmt.FIDELITY, _LATE, place)
    more, firsts = True, list[datetime]()
    try:
        while more:
            reading = reader.read(budget=_BUDGET)
            more = reading.more
            found.damage += len(reading.damage)
            for turn in (*reading.closed, *([reading.open] if reading.open else [])):
                found.turns[turn.number] = _blocks(turn)
                firsts.extend([turn.started_at] if turn.started_at else [])
        found.began = _began(file) or min(firsts, default=_LATE)
    except TranscriptError as exc:
        found.problem = str(exc)
    found.session = reader.session
    return found


def _began(file: SessionFile) -> datetime | None:
    """The first time stamp any row of a file has; copied history may come after it and be older."""
    if FORMATS[file.format_name].SHAPE != "lines":
        return None
    try:
        rows = first_rows(file.path)
    except FileNotFoundError:
        return None
    return next(filter(None, (time_of(row.get("timestamp")) for row in rows)), None)


def _blocks(turn: Turn) -> _Blocks:
    said: dict[str, list[str]] = {}
    for entry in turn.entries:
        if entry.step_id and entry.kind is not EntryKind.TURN_END:
            said.setdefault(entry.step_id, []).append(entry.text)
    steps = {step: _named(step, *texts) for step, texts in said.items()}
    return _Blocks(
        turn.status,
        tuple(_named(p.native_id, p.text) for p in turn.prompts),
        tuple(steps.values()),
        tuple(steps[e.step_id] for e in turn.entries if e.kind is EntryKind.TEXT and e.step_id),
        tuple(_named(e.native_id) for e in turn.entries if e.kind is EntryKind.COMPACTION),
    )


def _named(native_id: str, *texts: str) -> str:
    """A block's identity: its id and what it says, for ids of eight digits or of a test server do repeat."""
    if _PLACE.match(native_id):
        return ""
    return f"{native_id} {hashlib.sha256(chr(0).join(texts).encode('utf-8', 'replace')).hexdigest()[:16]}"


def _counts(one: _Read, owners: dict[tuple[str, str], tuple[str, Path]]) -> SessionCounts:
    session = one.session
    me = (session.session_id, session.path)

    def foreign(name: str) -> bool:
        return bool(name) and owners.setdefault((session.source, name), me) != me

    own = dict.fromkeys(("prompts", "steps", "texts", "compactions"), 0)
    old = dict.fromkeys(("prompts", "steps", "turns", "compactions"), 0)
    ends = dict.fromkeys(TurnStatus, 0)
    for blocks in one.turns.values():
        copied = [step for step in blocks.steps if foreign(step)]
        # Old versions gave a copied prompt a new id; what answers it tells where it is from.
        answered_before = bool(blocks.steps) and len(copied) == len(blocks.steps)
        prompts = sum([foreign(p) or answered_before for p in blocks.prompts])
        known = answered_before or (not blocks.steps and bool(prompts) and prompts == len(blocks.prompts))
        compactions = sum([foreign(c) for c in blocks.compactions])
        own["prompts"] += len(blocks.prompts) - prompts
        own["steps"] += len(blocks.steps) - len(copied)
        own["texts"] += sum(step not in copied for step in blocks.texts)
        own["compactions"] += len(blocks.compactions) - compactions
        old["prompts"] += prompts
        old["steps"] += len(copied)
        old["turns"] += known and blocks.status is TurnStatus.COMPLETED
        old["compactions"] += compactions
        ends[blocks.status] += not known
    return SessionCounts(
        source=session.source,
        session_id=session.session_id,
        path=session.path,
        kind=session.kind,
        project=session.cwd,
        prompts=own["prompts"],
        steps=own["steps"],
        text_rows=own["texts"],
        turns_completed=ends[TurnStatus.COMPLETED],
        turns_interrupted=ends[TurnStatus.INTERRUPTED],
        turns_failed=ends[TurnStatus.FAILED],
        compactions=own["compactions"],
        inherited=Inherited(old["prompts"], old["steps"], old["turns"], old["compactions"]),
        damage=one.damage,
        fidelity=one.fidelity,
        problem=one.problem,
    )
