"""What any front may ask for: one Protocol, and the frozen values it speaks in.

The command line, the language server, the MCP server and the local API offer these verbs and nothing else;
`service` answers them in process. Ground floor: imports only nouns.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from slowwave.errors import UsageError
from slowwave.model import Hit, MemoryType
from slowwave.report import DreamReport

OnStep = Callable[[str], None]


def ignore_step(step: str) -> None:
    """The listener of a caller that shows no progress."""


@dataclass(frozen=True)
class DreamRequest:
    """What to dream about.

    project      a folder; "" with `everything` false means the current folder's project
    everything   every project with something new
    sources      `SOURCE[:PATH]` words: only these files, their history included
    backfill     history from before the first start too
    since        ISO date or time: leave out sessions that last changed before it
    trigger      set by the daemon; a person's dream is manual
    explain      a dry run that says what speaks for each line; the offline reflector can
    """

    project: str = ""
    everything: bool = False
    sources: tuple[str, ...] = ()
    backfill: bool = False
    since: str = ""
    reflector: str = ""
    instruction: str = ""
    review: bool = False
    dry_run: bool = False
    explain: bool = False


def when(text: str) -> str:
    """An ISO date or time as UTC text. Raises UsageError."""
    if not text:
        return ""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--since {text!r} is no date or time", hint="write it as 2026-01-31 or 2026-01-31T14:00"
        ) from None
    return (at if at.tzinfo else at.astimezone()).astimezone(UTC).isoformat()


REFLECT_ACTIONS = ("summarize", "promote", "expire", "decay", "archive")


@dataclass(frozen=True)
class ReflectRequest:
    """What a pass is about. Times in microseconds; None is the policy's number.

    since, until   the window of episodes to summarize; they replace the last `time_window_hours`
    limit          the most episodes to summarize, the newest first
    path_filter    a GLOB over the record's path; the other filters are exact
    scheduled      the due moment a scheduled pass answers for
    """

    actions: tuple[str, ...] = REFLECT_ACTIONS
    dry_run: bool = False
    since: int | None = None
    until: int | None = None
    time_window_hours: float | None = None
    limit: int | None = None
    scope: str | None = None
    bucket: str | None = None
    team: str | None = None
    path_filter: str | None = None
    owner_filter: str | None = None
    min_group_size: int | None = None
    scheduled: int | None = None


@dataclass(frozen=True)
class RememberRequest:
    """What is to be remembered, redacted already. None leaves a known record's number as it is."""

    text: str
    type: MemoryType = MemoryType.SEMANTIC
    path: str = ""
    owner: str = ""
    bucket: str = ""
    scope: str = ""
    team: str = ""
    session: str = ""
    importance: float | None = None
    confidence: float | None = None
    semantic_key: str = ""
    promotion_key: str = ""
    expires_at: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    dry_run: bool = False


@dataclass(frozen=True)
class Change:
    """The change one dream made or would make. `commit` is "" for a plan."""

    dream_id: str
    status: str
    commit: str
    text: str
    reason: str = ""


@dataclass(frozen=True)
class LogLine:
    """One dream in the log."""

    dream_id: str
    at: str
    project: str
    status: str
    trigger: str
    reflector: str
    learned: int
    commit: str
    reason: str
    tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True)
class Budget:
    """What models took in a span of time, of what they may."""

    span: str
    usd: float
    most_usd: float
    tokens: int
    most_tokens: int


@dataclass(frozen=True)
class GateStatus:
    """One project's gate: each trigger's value, and what the decision would be now."""

    project: str
    root: str
    steps: int
    needs_steps: int
    compaction_marks: int
    new_turns: int
    open_turns: int
    decision: str
    reason: str
    last_dream: str
    last_success: str


@dataclass(frozen=True)
class Status:
    """Everything a person asks when nothing seems to happen.

    model, refused  who reflects and where ("" = no model), and why it may not be asked now
    """

    daemon: str
    triggers: tuple[str, ...]
    gates: tuple[GateStatus, ...]
    dreaming: str
    pending: tuple[LogLine, ...]
    memory: str
    reflector: str
    sandbox_level: str
    watched_files: int
    damaged_files: int
    last_failure: str
    budgets: tuple[Budget, ...] = ()
    model: str = ""
    refused: str = ""
    maintenance: str = ""


@dataclass(frozen=True)
class Finding:
    """One line of `doctor`. `level` is ok, note or problem."""

    level: str
    subject: str
    text: str


@dataclass(frozen=True)
class Checkup:
    """What `doctor` found: the findings, and each agent with its transcripts."""

    findings: tuple[Finding, ...]
    agents: tuple[dict[str, Any], ...]
    sandbox: dict[str, Any]

    @property
    def healthy(self) -> bool:
        """Whether nothing is broken."""
        return all(f.level != "problem" for f in self.findings)


class Verbs(Protocol):
    """The verbs every front offers."""

    def recall(
        self,
        query: str,
        *,
        project: str = "",
        limit: int = 8,
        type: str = "",  # noqa: A002
        path: str = "",
        everywhere: bool = False,
        hidden: bool = False,
    ) -> Sequence[Hit]:
        """Ranked hits from memory: of the project at the folder `project` and of the person, or from everywhere.

        `type` and `path` (a glob) narrow it; `hidden` adds what is superseded, expired, archived or quarantined.
        """
        ...

    def dream(self, request: DreamRequest, on_step: OnStep) -> Sequence[DreamReport]:
        """Turn what happened into memory now; one report per project."""
        ...

    def diff(self, dream_id: str) -> Change:
        """The change of one dream ("" = the last)."""
        ...

    def merge(self, dream_id: str, *, prefer: str, dry_run: bool) -> Change:
        """Land a pending dream without reflecting again."""
        ...

    def discard(self, dream_id: str, *, dry_run: bool) -> Change:
        """Drop a pending dream; its turns count as read."""
        ...

    def undo(self, dream_id: str, *, dry_run: bool) -> Change:
        """Take back a merged dream by one commit ("" = the last)."""
        ...

    def log(self, *, limit: int) -> Sequence[LogLine]:
        """The dreams, newest first."""
        ...

    def status(self, *, project: str) -> Status:
        """What is going on, and why nothing happens when nothing happens."""
        ...

    def context(self, *, project: str, token_budget: int) -> Any:
        """What an agent should know at the start of its work."""
        ...

    def remember(self, request: RememberRequest) -> Mapping[str, Any]:
        """Remember something; secrets are taken out first."""
        ...

    def forget(self, record: str, *, how: str, dry_run: bool) -> Mapping[str, Any]:
        """Forget a record: `how` is soft, hard or redact."""
        ...

    def pin(self, record: str, *, pinned: bool, dry_run: bool) -> Mapping[str, Any]:
        """Pin a record, or let it go again."""
        ...

    def restore(self, record: str, *, dry_run: bool) -> Mapping[str, Any]:
        """Bring an archived record back."""
        ...

    def explain(self, record: str) -> Mapping[str, Any]:
        """Why a record is there, what happened to it, and what will."""
        ...

    def reflect(self, request: ReflectRequest, on_step: OnStep) -> Any:
        """Run a maintenance pass, or show what one would do."""
        ...
