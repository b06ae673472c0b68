"""Settings and homes: read once, checked at once, frozen afterwards.

A settings file with five mistakes gets one error with five lines, because fixing them one run at a
time is what makes people give up. Ground floor: imports only errors and the home of the house. The library reads no
environment by itself; the fronts pass it in.
"""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from slowwave.errors import ConfigError, SlowwaveError
from slowwave.home import expanded, user_home
from slowwave.settings_checks import AUTOMATIC_TRIGGERS, CHECKS, list_of

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
WRITABLE = "make that place writable for you, or set SLOWWAVE_HOME to a folder that is"


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
class LifecycleSettings:
    """How memories age, and when a pass over them starts by itself.

    `decay` and `archive_days` name only what differs from the shipped table (`lifecycle/policy.py`), by memory
    type. `timezone` is the owner's ("" = this machine's).
    """

    schedule: str = "manual"
    timezone: str = ""
    window_hours: float = 24
    limit: int = 500
    min_group_size: int = 2
    promote_occurrences: int = 3
    promote_importance: float = 0.35
    promote_confidence: float = 0.6
    superseded_days: float = 30
    decay: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    archive_days: Mapping[str, float] = field(default_factory=dict)


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
    lifecycle: LifecycleSettings = field(default_factory=LifecycleSettings)


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
        """Find the homes from the environment given. Raises UsageError where the user has no home."""
        if own := env.get("SLOWWAVE_HOME"):
            root = expanded(own).absolute()
            return cls(root / "config.toml", root / "data", root / "state", root / "run", root / "memory")
        user_home(env)  # platformdirs does not say what to do without one
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
        """Create the folders, private to this user. Raises SlowwaveError where that cannot be done."""
        for folder in (self.data, self.state, self.runs, self.runtime):
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError as error:
                raise SlowwaveError(f"{folder}: cannot be made: {error.strerror}", hint=WRITABLE) from None


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
        wrong = CHECKS[full](value)
        if not wrong and (words := known.get(full)):
            wrong = list_of(*words)(value if isinstance(value, list) else [value])
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
