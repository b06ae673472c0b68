"""What a model is asked and what it may answer, in frozen values.

An expected failure (too many requests, a refusal, a stream that ends early) is a value as well, because the engine
must decide what each kind means for the dream, the ledger and the next try. Doorway 4; imports the ground only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from slowwave.model import Usage


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model wants a tool. `problem` says why its input could not be read ("" when it could)."""

    id: str
    name: str
    input: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call."""

    call_id: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block only the model understands (its thinking). It goes back exactly as it came."""

    value: Mapping[str, Any]


Block = Text | ToolCall | ToolResult | Opaque


class Speaker(StrEnum):
    """Whose message it is."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    speaker: Speaker
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the model may call; `schema` is the JSON Schema of its input."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One question. `system` and `tools` are the same for a whole pass, so they can be cached.

    max_tokens       the most the answer may take
    timeout_seconds  the most the answer may take, from the first byte sent
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    max_tokens: int = 16_000
    timeout_seconds: float = 300.0


class Stop(StrEnum):
    """Why an answer ended."""

    END = "end"
    TOOLS = "tools"
    MAX_TOKENS = "max_tokens"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that came whole. `cost_usd` is what the answerer itself says it cost, when it says so."""

    blocks: tuple[Block, ...]
    stop: Stop
    usage: Usage
    cost_usd: float | None = None

    @property
    def text(self) -> str:
        """Its words."""
        return "\n".join(b.text for b in self.blocks if isinstance(b, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools it wants."""
        return tuple(b for b in self.blocks if isinstance(b, ToolCall))


class FailureKind(StrEnum):
    """The ways an answer does not come. What each means for the next try stands in the engine, in one table."""

    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    NETWORK = "network"
    TIMEOUT = "timeout"
    CUT = "cut"
    AUTH = "auth"
    BILLING = "billing"
    NO_MODEL = "no_model"
    TOO_LONG = "too_long"
    BAD_REQUEST = "bad_request"
    REFUSAL = "refusal"
    UNREADABLE = "unreadable"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that did not come.

    retry_after  seconds the other side asked to be left alone, when it did
    usage        what was used before it failed; `known` is false when the other side did not say
    """

    kind: FailureKind
    text: str
    retry_after: float | None = None
    usage: Usage = field(default_factory=Usage)
    known: bool = True


Answer = Reply | Failure


class Model(Protocol):
    """Whoever answers."""

    @property
    def name(self) -> str:
        """The model's name, as prices and the ledger know it."""
        ...

    @property
    def endpoint(self) -> str:
        """Where it is asked, for people: a host, or a program."""
        ...

    @property
    def converses(self) -> bool:
        """Whether a tool's result can be answered by a further question; else all calls come in one answer."""
        ...

    def ask(self, request: Request, cancelled: Callable[[], bool]) -> Answer:
        """Ask once. `cancelled` is looked at while waiting. Raises nothing that a network or a model can cause."""
        ...
