"""Settings and homes: read once, checked at once, frozen afterwards.

A settings file with five mistakes gets one error with five lines, because fixing them one run at a
time is what makes people give up. Ground floor: imports only errors of the house. The library reads no
environment by itself; the fronts pass it in.
"""

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from slowwave.errors import ConfigError

# The agents known (tests hold it to the formats), so that settings are checked without loading the parsers.
SOURCE_NAMES = (
    "claude-code",
    "codex",
    "copilot",
    "pi",
    "qwen",
    "gemini",
    "opencode",
    "goose",
    "letta",
    "cline",
    "openhands",
    "aider",
    "cursor",
    "plain",
)
AUTOMATIC_TRIGGERS = ("step-count", "compaction-event")


@dataclass(frozen=True)
class DreamSettings:
    """When a dream starts by itself, and how."""

    triggers: tuple[str, ...] = AUTOMATIC_TRIGGERS
    step_count: int = 25
    context_pressure: float = 0.9
    quiet_seconds: float = 3.0
    reflector: str = "offline"
    merge: str = "auto"
    batch_tokens: int = 60_000
    batch_sessions: int = 10
    timeout_seconds: int = 1800
    loss_percent: int = 25
    window_loss_percent: int = 40
    window_days: int = 30

    @property
    def automatic(self) -> bool:
        """False when `off` was written: no dream starts by itself."""
        return "off" not in self.triggers and bool(self.triggers)


@dataclass(frozen=True)
class MemorySettings:
    """Where memory lives, and whose worktrees share it."""

    path: str = ""
    worktrees: str = "shared"


@dataclass(frozen=True)
class SandboxSettings:
    """What a model's worker may do besides its file tools: run a shell, read other folders."""

    shell: bool = False
    read: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecallSettings:
    """How memory is asked. `semantic` needs the extra of that name."""

    semantic: bool = False


@dataclass(frozen=True)
class SourceSettings:
    """Which agents are read, and where else their transcripts lie."""

    enabled: tuple[str, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class DaemonSettings:
    """How the daemon watches."""

    scan_seconds: float = 60.0


@dataclass(frozen=True)
class RetentionSettings:
    """How long a dream's own redacted copies of what it read are kept."""

    snapshot_days: int = 30


@dataclass(frozen=True)
class ModelSettings:
    """The model of the `anthropic` reflector: nothing is asked until `name` is set.

    base_url  an endpoint that speaks the Messages API; "" is Anthropic's own
    prices    US dollars per million tokens, by model, for models the table lacks or prices otherwise
    calls     the most questions of one pass over one batch
    """

    name: str = ""
    base_url: str = ""
    max_tokens: int = 16_000
    timeout_seconds: int = 300
    calls: int = 40
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentSettings:
    """The coding agent of the `agent-cli` reflector.

    program  "claude" or "codex", or a path that ends in one of them
    billing  "subscription" counts what it takes as paid for; "metered" counts the money by its own word or by price
    """

    program: str = ""
    model: str = ""
    billing: str = ""
    timeout_seconds: int = 900


@dataclass(frozen=True)
class BudgetSettings:
    """The most that models may cost, in US dollars and tokens. A day and a week are the last 24 hours and 7 days."""

    call_usd: float = 1.0
    run_usd: float = 2.0
    day_usd: float = 5.0
    week_usd: float = 20.0
    call_tokens: int = 300_000
    run_tokens: int = 3_000_000
    day_tokens: int = 6_000_000
    week_tokens: int = 30_000_000


@dataclass(frozen=True)
class Settings:
    """Every setting, with its default. Section by section as in the TOML file."""

    dream: DreamSettings = field(default_factory=DreamSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    sources: SourceSettings = field(default_factory=SourceSettings)
    daemon: DaemonSettings = field(default_factory=DaemonSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)


@dataclass(frozen=True)
class Homes:
    """The folders of this installation. `SLOWWAVE_HOME` holds them all, else the platform's own places."""

    config_file: Path
    data: Path
    state: Path
    runtime: Path
    memory: Path

    @classmethod
    def find(cls, env: Mapping[str, str]) -> "Homes":
        """Find the homes from the environment given."""
        if own := env.get("SLOWWAVE_HOME"):
            root = Path(own).expanduser().absolute()
            return cls(root / "config.toml", root / "data", root / "state", root / "run", root / "memory")
        import platformdirs  # only when needed: start-up time

        dirs = platformdirs.PlatformDirs("slowwave", appauthor=False)
        data, state = Path(dirs.user_data_dir), Path(dirs.user_state_dir)
        given = env.get("XDG_RUNTIME_DIR")  # where there is none, a folder of our own serves as well
        return cls(
            Path(dirs.user_config_dir) / "config.toml",
            data,
            state,
            Path(given) / "slowwave" if given else state / "run",
            data / "memory",
        )

    @property
    def database(self) -> Path:
        """The record store's one file."""
        return self.data / "slowwave.db"

    @property
    def recall_indexes(self) -> Path:
        """The folder of what recall makes from memory and records, and makes again when it is gone."""
        return self.state / "recall"

    @property
    def sandbox_proof(self) -> Path:
        """What was proven of the sandbox the last time."""
        return self.state / "sandbox.json"

    @property
    def model_key(self) -> Path:
        """The key of the model's endpoint, where no keyring keeps it."""
        return self.config_file.with_name("model.key")

    @property
    def agent(self) -> Path:
        """The home of the coding agent that reflects: below `state`, so that its sessions are known as ours."""
        return self.state / "agent"

    def batches(self, slug: str) -> Path:
        """What models made of a project's batches, while the dream they belong to has not ended."""
        return self.state / "batches" / slug

    @property
    def worktrees(self) -> Path:
        """The reflection worktrees of the dreams that are running."""
        return self.state / "worktrees"

    @property
    def runs(self) -> Path:
        """One folder per dream: the redacted copies of what it read."""
        return self.state / "runs"

    def make(self) -> None:
        """Create the folders, private to this user."""
        for folder in (self.data, self.state, self.runs, self.runtime):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)


# ---------------------------------------------------------------------- checks
Check = Callable[[Any], str | None]


def _number(kind: type, low: float, high: float) -> Check:
    word = "a whole number" if kind is int else "a number"

    def check(value: Any) -> str | None:
        fits = isinstance(value, int) or (kind is float and isinstance(value, float))
        if not fits or isinstance(value, bool) or not low <= value <= high:
            return f"must be {word} from {low:g} to {high:g}"
        return None

    return check


def _one_of(*allowed: str) -> Check:
    def check(value: Any) -> str | None:
        return None if value in allowed else f"must be one of {', '.join(map(repr, allowed))}"

    return check


def _list_of(*allowed: str) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, list) or any(not isinstance(v, str) for v in value):
            return "must be a list of strings"
        wrong = [v for v in value if allowed and v not in allowed]
        return (
            f"does not know {', '.join(map(repr, wrong))}; it knows {', '.join(allowed)}" if wrong else None
        )

    return check


def _switch(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) else "must be a string"


def _paths(value: Any) -> str | None:
    if not isinstance(value, dict) or any(_list_of()(v) for v in value.values()):
        return 'must be a table of lists, such as { claude-code = ["/another/place"] }'
    return None


def _url(value: Any) -> str | None:
    fits = isinstance(value, str) and (not value or value.startswith(("https://", "http://")))
    return None if fits else "must be an address that begins with https:// or http://"


_PRICES = ("input", "output", "cache_read", "cache_write")


def _prices(value: Any) -> str | None:
    wanted = (
        "must be a table such as { my-model = { input = 1.0, output = 5.0 } }, US dollars per million tokens"
    )
    if not isinstance(value, dict):
        return wanted
    for price in value.values():
        if not isinstance(price, dict) or not {"input", "output"} <= price.keys() <= set(_PRICES):
            return wanted
        if any(_number(float, 0, 10_000)(each) for each in price.values()):
            return wanted
    return None


_CHECKS: dict[str, Check] = {
    "dream.triggers": _list_of("off", *AUTOMATIC_TRIGGERS),
    "dream.step_count": _number(int, 1, 100_000),
    "dream.context_pressure": _number(float, 0.1, 1.0),
    "dream.quiet_seconds": _number(float, 0, 3600),
    "dream.reflector": _text,
    "dream.merge": _one_of("auto", "review"),
    "dream.batch_tokens": _number(int, 1000, 10_000_000),
    "dream.batch_sessions": _number(int, 1, 1000),
    "dream.timeout_seconds": _number(int, 10, 86_400),
    "dream.loss_percent": _number(int, 0, 100),
    "dream.window_loss_percent": _number(int, 0, 100),
    "dream.window_days": _number(int, 1, 3650),
    "memory.path": _text,
    "memory.worktrees": _one_of("shared", "separate"),
    "sandbox.shell": _switch,
    "sandbox.read": _list_of(),
    "recall.semantic": _switch,
    "sources.enabled": _list_of(),
    "sources.paths": _paths,
    "daemon.scan_seconds": _number(float, 1, 86_400),
    "retention.snapshot_days": _number(int, 0, 3650),
    "model.name": _text,
    "model.base_url": _url,
    "model.max_tokens": _number(int, 256, 128_000),
    "model.timeout_seconds": _number(int, 1, 3600),
    "model.calls": _number(int, 1, 500),
    "model.prices": _prices,
    "agent.program": _text,
    "agent.model": _text,
    "agent.billing": _one_of("", "subscription", "metered"),
    "agent.timeout_seconds": _number(int, 1, 3600),
    **{f"budget.{span}_usd": _number(float, 0, 100_000) for span in ("call", "run", "day", "week")},
    **{f"budget.{span}_tokens": _number(int, 0, 10**10) for span in ("call", "run", "day", "week")},
}


def _suggest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {k: _frozen(v) for k, v in value.items()}
    return value


def parse_settings(text: str, where: str, *, known: Mapping[str, tuple[str, ...]] | None = None) -> Settings:
    """Read settings from TOML text. `where` names the file in errors.

    `known` gives the allowed words of open lists that other rooms own, e.g. {"dream.reflector": names}.
    Raises ConfigError with every problem at once.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{where}: not valid TOML: {error}", hint="fix the line named, or move the file away"
        ) from None
    problems: list[str] = []
    sections: dict[str, Any] = {}
    hints = get_type_hints(Settings)
    for name, table in data.items():
        if name not in hints:
            problems.append(f"{where}: unknown section [{name}]{_suggest(name, list(hints))}")
        elif not isinstance(table, dict):
            problems.append(f"{where}: {name} must be a section, written [{name}]")
        else:
            section, wrong = _section(hints[name], name, table, known or {})
            problems += [f"{where}: {w}" for w in wrong]
            sections[name] = section
    if problems:
        raise ConfigError(*problems, hint="nothing was changed; every problem is listed above")
    return Settings(**sections)


def _section(
    kind: type, name: str, table: dict[str, Any], known: Mapping[str, tuple[str, ...]]
) -> tuple[Any, list[str]]:
    names = [f.name for f in fields(kind)]
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in table.items():
        full = f"{name}.{key}"
        if key not in names:
            problems.append(f"unknown setting {full}{_suggest(key, names)}")
            continue
        wrong = _CHECKS[full](value)
        if not wrong and (words := known.get(full)):
            wrong = _list_of(*words)(value if isinstance(value, list) else [value])
        if wrong:
            problems.append(f"{full} = {value!r} {wrong}")
        else:
            values[key] = _frozen(value)
    return kind(**values), problems


def load_settings(file: Path, *, known: Mapping[str, tuple[str, ...]] | None = None) -> Settings:
    """Read the settings file; the defaults when there is none. Raises ConfigError."""
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from None
    return parse_settings(text, str(file), known=known)
