"""What happened in which session: counts, with inherited history counted apart.

A fork, and in old versions every resume, copies the history into a new file. Counting files would count it
again, so every block belongs to the session that had it first in time; in all others it is inherited, and what
one session holds twice counts once. A session that lies in several places (an export, a packed twin, a backup)
is one session.

Nothing read here is kept or shown but numbers, so it is not redacted, and neither the store nor a key is needed.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from slowwave.errors import TranscriptError
from slowwave.model import Damage, EntryKind, Session, SessionKind, Turn, TurnStatus
from slowwave.transcripts.discover import SessionFile, first_rows
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.formats.protocol import Fidelity, fidelity_of, is_state, time_of
from slowwave.transcripts.lineage import names_of
from slowwave.transcripts.reader import Reading, SessionReader
from slowwave.transcripts.redact import Redactor

_BUDGET = 16 << 20
_PLACES = 20  # of damage, kept of one session; the rest is counted
_LATE = datetime.max.replace(tzinfo=UTC)

Tell = Callable[[int, int], None]


def _silent(done: int, of: int) -> None:
    """The listener of a caller that shows no progress."""


class _Unredacted(Redactor):
    """Lets text through: it is hashed and forgotten."""

    def __init__(self) -> None:
        super().__init__(b"")

    def redact(self, text: str) -> str:
        """The text as it is."""
        return text


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

    project            the working directory its rows tell, "" when they tell none
    text_rows          rows of the agent's visible words (a response may have none, or several)
    turns_interrupted  turns with a mark that they were broken off; the turn of an agent that was killed has
                       none, never ended, and is in none of the three
    damage             places that could not be read as what they should be; `damaged` has the first of them
    copies             other places where the same session lies, with nothing that is not in this one
    problem            why it could not be read at all, "" when it was
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
    version: str = ""
    damaged: tuple[Damage, ...] = ()
    copies: int = 0
    problem: str = ""


@dataclass(slots=True)
class _Read:
    """One session as it was read: of its turns only what counting needs."""

    session: Session
    began: datetime
    place: int
    turns: dict[int, "_Blocks"] = field(default_factory=dict)
    damage: int = 0
    damaged: tuple[Damage, ...] = ()
    problem: str = ""

    @property
    def order(self) -> tuple[datetime, datetime, int]:
        """By the first row, and where a fork kept the times of what it copied by its own."""
        return self.began, self.session.created_at or self.began, self.place

    @property
    def preference(self) -> tuple[int, int, bool]:
        """Among places of one session: what holds most, is least damaged, and has the session's own name."""
        blocks = sum(len(b.prompts) + len(b.steps) for b in self.turns.values())
        return -blocks, self.damage, self.session.session_id not in str(self.session.path)


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The names in one turn, each as a number."""

    status: TurnStatus
    interrupted: bool
    native: bool
    prompts: tuple[int, ...]
    steps: tuple[int, ...]
    texts: tuple[int, ...]  # the place among `steps` of each text row
    compactions: tuple[int, ...]


def list_sessions(
    files: Sequence[SessionFile], own_root: Path | None = None, tell: Tell = _silent
) -> tuple[SessionCounts, ...]:
    """Every session of these files in numbers, in the order they began. Our own dreams are left out.

    `tell` hears after each file how many are done.
    """
    redactor, read = _Unredacted(), list[_Read]()
    for place, file in enumerate(files):
        read.append(_read(file, place, redactor, own_root))
        tell(place + 1, len(files))
    places: dict[tuple[str, str], list[_Read]] = {}
    for one in sorted(read, key=lambda r: r.order):
        if one.session.kind is not SessionKind.OWN:
            places.setdefault((one.session.source, one.session.session_id), []).append(one)
    owners: dict[tuple[str, int], tuple[str, Path]] = {}
    return tuple(counts for same in places.values() for counts in _of_one(same, owners))


def _of_one(places: list[_Read], owners: dict[tuple[str, int], tuple[str, Path]]) -> list[SessionCounts]:
    """One session that lies in these places: the fullest, and others as far as they hold more."""
    first, *others = (_counts(one, owners) for one in sorted(places, key=lambda r: r.preference))
    apart = [counts for counts in others if _has_news(counts)]
    return [replace(first, copies=len(others) - len(apart)), *apart]


def _has_news(counts: SessionCounts) -> bool:
    own = counts.prompts or counts.steps or counts.text_rows or counts.compactions
    return bool(own or counts.damage or counts.problem)


def _read(file: SessionFile, place: int, redactor: Redactor, own_root: Path | None) -> _Read:
    fmt = FORMATS[file.format_name]
    reader = SessionReader(file.path, fmt, redactor, own_root=own_root)
    found = _Read(reader.session, _LATE, place)
    firsts: list[datetime] = []
    try:
        for reading in _readings(reader, lines=not is_state(fmt)):
            if reading.vanished:
                found.problem = f"{file.path}: it is gone"
            found.damage += len(reading.damage)
            found.damaged = (*found.damaged, *reading.damage)[:_PLACES]
            for turn in (*reading.closed, *([reading.open] if reading.open else [])):
                found.turns[turn.number] = _blocks(turn, reading.session)
                firsts.extend([turn.started_at] if turn.started_at else [])
        found.began = _began(file) or min(firsts, default=_LATE)
    except (TranscriptError, OSError) as exc:
        found.problem = str(exc)
    found.session = reader.session
    return found


def _readings(reader: SessionReader, *, lines: bool) -> Iterator[Reading]:
    more = True
    while more:
        reading = reader.read(budget=_BUDGET)
        more = reading.more
        yield reading
    if lines and not reading.vanished:
        yield reader.rest()


def _began(file: SessionFile) -> datetime | None:
    """The first time stamp any row of a file has; copied history may come after it and be older."""
    if FORMATS[file.format_name].SHAPE != "lines":
        return None
    try:
        rows = first_rows(file.path)
    except FileNotFoundError:
        return None
    return next(filter(None, (time_of(row.get("timestamp")) for row in rows)), None)


def _blocks(turn: Turn, session: Session) -> _Blocks:
    names = names_of(turn, session)
    places = {step: n for n, step in enumerate(names.steps)}
    texts = (e.step_id for e in turn.entries if e.kind is EntryKind.TEXT and e.step_id)
    return _Blocks(
        turn.status,
        any(e.ends is TurnStatus.INTERRUPTED for e in turn.entries),
        names.native,
        tuple(map(_short, names.prompts.values())),
        tuple(map(_short, names.steps.values())),
        tuple(places[step] for step in texts),
        tuple(map(_short, names.compactions.values())),
    )


def _short(name: str) -> int:
    """A name as a number of eight bytes: there may be millions."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _tally(
    one: _Read, owners: dict[tuple[str, int], tuple[str, Path]]
) -> tuple[Counter[str], Counter[str], Counter[TurnStatus]]:
    """What is a session's own, what it has from earlier ones, and how its own turns ended."""
    session = one.session
    me = (session.session_id, session.path)
    mine: set[int] = set()

    def foreign(name: int) -> bool:
        return owners.setdefault((session.source, name), me) != me

    own: Counter[str] = Counter()
    old: Counter[str] = Counter()
    ends: Counter[TurnStatus] = Counter()
    for blocks in one.turns.values():
        deciding = set(blocks.steps or blocks.prompts)
        if blocks.native and deciding and deciding <= mine:
            continue  # sent again
        copied = {n for n, step in enumerate(blocks.steps) if foreign(step)}
        # Old versions gave a copied prompt a new id; what answers it tells where it is from.
        answered_before = bool(blocks.steps) and len(copied) == len(blocks.steps)
        prompts = sum([foreign(p) or answered_before for p in blocks.prompts])
        known = answered_before or (not blocks.steps and bool(prompts) and prompts == len(blocks.prompts))
        marks = [c for c in blocks.compactions if c not in mine]
        mine.update(blocks.prompts, blocks.steps, marks)
        compactions = sum([foreign(c) for c in marks])
        own["prompts"] += len(blocks.prompts) - prompts
        own["steps"] += len(blocks.steps) - len(copied)
        own["text_rows"] += sum(step not in copied for step in blocks.texts)
        own["compactions"] += len(marks) - compactions
        old["prompts"] += prompts
        old["steps"] += len(copied)
        old["turns"] += known and blocks.status is TurnStatus.COMPLETED
        old["compactions"] += compactions
        ended = blocks.status is not TurnStatus.INTERRUPTED or blocks.interrupted
        ends[blocks.status] += ended and not known
    return own, old, ends


def _counts(one: _Read, owners: dict[tuple[str, int], tuple[str, Path]]) -> SessionCounts:
    own, old, ends = _tally(one, owners)
    session = one.session
    return SessionCounts(
        source=session.source,
        session_id=session.session_id,
        path=session.path,
        kind=session.kind,
        project=session.cwd,
        prompts=own["prompts"],
        steps=own["steps"],
        text_rows=own["text_rows"],
        turns_completed=ends[TurnStatus.COMPLETED],
        turns_interrupted=ends[TurnStatus.INTERRUPTED],
        turns_failed=ends[TurnStatus.FAILED],
        compactions=own["compactions"],
        inherited=Inherited(old["prompts"], old["steps"], old["turns"], old["compactions"]),
        damage=one.damage,
        fidelity=fidelity_of(FORMATS[session.source], session.version),
        version=session.version,
        damaged=one.damaged,
        problem=one.problem,
    )
