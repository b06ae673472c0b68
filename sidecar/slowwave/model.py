"""The nouns of the house, frozen.

Every value that walks from one room to the next is here, in the order of the walk:
entry → turn → session → snapshot → learned line → hit. Values are immutable and carry
no behaviour beyond what can be computed from themselves. Ground floor: imports only the standard library.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Any


class Author(StrEnum):
    """Who produced an entry. Only `HUMAN` entries may found a preference or an instruction."""

    HUMAN = "human"
    AGENT = "agent"
    TOOL = "tool"
    HARNESS = "harness"
    SUBAGENT = "subagent"


class EntryKind(StrEnum):
    """What one normalised transcript record is."""

    PROMPT = "prompt"  # a person typed it
    TEXT = "text"  # the agent's visible words
    REASONING = "reasoning"  # the agent's thinking
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    COMPACTION = "compaction"  # the agent shortened its own context here
    STEP = "step"  # a completed step that left no visible block of its own (usage record)
    TURN_START = "turn_start"  # an explicit start mark (Codex `task_started`)
    TURN_END = "turn_end"  # an explicit end mark; see `Entry.ends`
    NOTICE = "notice"  # harness text, injected memory, summaries: never learned from


class TurnStatus(StrEnum):
    """How a turn stands. Only completed, interrupted and failed turns are closed."""

    OPEN = "open"
    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class SessionKind(StrEnum):
    """Whose conversation a transcript file is."""

    MAIN = "main"
    SUBAGENT = "subagent"
    OWN = "own"  # written by a dream of ours; never read


class Trigger(StrEnum):
    """Why a dream may start."""

    STEP_COUNT = "step_count"
    COMPACTION_EVENT = "compaction_event"
    MANUAL = "manual"
    SCHEDULE = "schedule"


class MemoryType(StrEnum):
    """The kinds of memory; the last three are durable and live as files."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    IDENTITY = "identity"


@dataclass(frozen=True, slots=True)
class Entry:
    """One normalised transcript record: one block of one row, already redacted and valid UTF-8.

    native_id   the source's own identity of the block (Claude: the row uuid of a prompt, `message.id#n` of a
                block; Codex: item or call id), else "generation:offset"; stable under copies of the history
    step_id     the model response it belongs to ("" for entries no model wrote)
    offset      byte offset of its line in the file; `length` counts the line with its newline
    at          the source's own time stamp, aware UTC, or None; never a cursor, never for ordering
    ok          tool results only: what the source itself says about success
    ends        turn-end marks only: how the turn ended
    joins       prompts only: typed while the agent was busy, so it belongs to the running turn
    context     (tokens used, window) after this step, when the source tells; window 0 = unknown
    damaged     its bytes were not valid UTF-8 or JSON and were repaired
    """

    kind: EntryKind
    author: Author
    text: str
    native_id: str
    offset: int
    length: int
    step_id: str = ""
    at: datetime | None = None
    tool: str = ""
    call_id: str = ""
    ok: bool | None = None
    ends: TurnStatus | None = None
    joins: bool = False
    context: tuple[int, int] | None = None
    truncated: bool = False
    damaged: bool = False


_ENTRY_FIELDS = tuple(f.name for f in fields(Entry))
_entry_values = attrgetter(*_ENTRY_FIELDS)


def altered(entry: Entry, **changes: Any) -> Entry:
    """The entry with other values in some fields: `dataclasses.replace`, cheap enough for every row there is."""
    return Entry(**(dict(zip(_ENTRY_FIELDS, _entry_values(entry), strict=True)) | changes))


@dataclass(frozen=True, slots=True)
class Turn:
    """A human entry and all that answers it (a turn may also start without one, e.g. by a shell line).

    number   1 for the first turn of its session; stable under rewrites of the file
    steps    completed assistant responses, with or without text
    start    byte offset of its first line; `end` is the offset just after its last line
    """

    number: int
    status: TurnStatus
    entries: tuple[Entry, ...]
    steps: int
    text_rows: int
    compactions: int
    start: int
    end: int

    @property
    def closed(self) -> bool:
        """True when nothing more is expected to join it."""
        return self.status is not TurnStatus.OPEN

    @property
    def prompts(self) -> tuple[Entry, ...]:
        """The human prompts in it, in file order."""
        return tuple(e for e in self.entries if e.kind is EntryKind.PROMPT)

    @property
    def context(self) -> tuple[int, int]:
        """The newest (tokens used, window) in it; (0, 0) when the source tells none."""
        return next((e.context for e in reversed(self.entries) if e.context), (0, 0))

    @property
    def started_at(self) -> datetime | None:
        """The first native time stamp in it."""
        return next((e.at for e in self.entries if e.at), None)

    @property
    def ended_at(self) -> datetime | None:
        """The last native time stamp in it."""
        return next((e.at for e in reversed(self.entries) if e.at), None)


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of one agent, as its file describes itself.

    created_at  when it was opened, where the source tells it apart from its rows (a fork's rows may be older)
    """

    source: str
    session_id: str
    path: Path
    kind: SessionKind = SessionKind.MAIN
    cwd: str = ""
    parent_session_id: str = ""
    git_branch: str = ""
    version: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Damage:
    """A place in a transcript that could not be read as what it should be; the rest was."""

    path: str
    offset: int
    length: int
    reason: str


@dataclass(frozen=True, slots=True)
class Project:
    """The repository a session worked in.

    key   the git common directory of the session's cwd, else the cwd itself (absolute, as text)
    slug  the folder name under `projects/`
    root  the checkout (the main one, for worktrees), for display
    """

    key: str
    slug: str
    root: str


@dataclass(frozen=True, slots=True)
class SourceRange:
    """The turns (from_turn, to_turn] of one session: the part of it one dream reads.

    Turns are numbered from 1, so `from_turn=0` means from the beginning. `digest` is the SHA-256 of the
    redacted snapshot, hex. `unfinished` counts the steps of its last turn when that turn had no end as it was
    read (its agent was killed, and may yet be resumed); None when it had one.
    """

    source: str
    session_id: str
    from_turn: int
    to_turn: int
    digest: str = ""
    unfinished: int | None = None

    def __str__(self) -> str:
        return f"{self.source} {self.session_id} {self.from_turn}..{self.to_turn} sha256:{self.digest}"

    def holds(self, source: str, session_id: str, turn: int) -> bool:
        """Whether a turn is in it."""
        same = (self.source, self.session_id) == (source, session_id)
        return same and self.from_turn < turn <= self.to_turn

    @classmethod
    def parse(cls, text: str) -> "SourceRange":
        """Read back what `str()` wrote. Raises ValueError when it is something else."""
        source, session_id, span, digest = text.split()
        start, end = span.split("..")
        return cls(source, session_id, int(start), int(end), digest.removeprefix("sha256:"))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An immutable redacted copy of one range of one session."""

    session: Session
    turns: tuple[Turn, ...]
    range: SourceRange

    @property
    def tokens(self) -> int:
        """Its size in tokens, estimated at four characters each (the usual rule of thumb)."""
        return sum(len(e.text) for t in self.turns for e in t.entries) // 4 + 1

    @property
    def steps(self) -> int:
        """Steps in it."""
        return sum(t.steps for t in self.turns)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a learned line comes from: the quoted span stands in that turn, written by that author."""

    source: str
    session_id: str
    turn: int
    role: Author
    quote: str


@dataclass(frozen=True, slots=True)
class Learned:
    """One line of the report of a dream: what changed in memory, and why."""

    path: str
    action: str  # created | updated | superseded | removed
    type: MemoryType
    text: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer of a model, each counted once: `input` is what was neither read from nor put into a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked answer of recall.

    score       0 to 1, as a share of what would be best in everything
    why         the words it holds and what else spoke for it
    stale       whether what it names is no longer in the repository; None when unchecked
    importance  0 to 1, as confidence is
    hidden      why it is not recalled unless asked for: superseded, expired, archived, untrusted; "" else
    parts       what each feature gave to the score
    """

    id: str
    path: str
    type: MemoryType
    text: str
    score: float
    why: tuple[str, ...]
    source: str
    updated_at: str
    stale: bool | None = None
    importance: float = 0.5
    confidence: float = 0.5
    hidden: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


# ---------------------------------------------------------------------- wire
def plain(value: Any) -> Any:
    """Turn a frozen value into JSON-ready dicts, lists, strings and numbers.

    Enums become their values, paths and times become text. Anything else is returned as it is.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {k: plain(v) for k, v in asdict(value).items()}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def digest(value: Any) -> str:
    """SHA-256 (hex) of a value's canonical JSON: the same value always has the same digest."""
    text = json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
