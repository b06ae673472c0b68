"""Money: nothing is asked that was not chosen, that could cost more than allowed, or that could not be written down."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from slowwave.config import BudgetSettings
from slowwave.dream.metered import POLICIES, MeteredModel, tokens_at_most
from slowwave.dream.reflectors import REFLECTORS
from slowwave.errors import BudgetError, InterruptedDreamError, ModelError, RefusedError
from slowwave.model import Trigger, Usage
from slowwave.models.prices import TABLE, Price, on_this_machine, price_of
from slowwave.models.protocol import Answer, Failure, FailureKind, Message, Request, Speaker, Text
from slowwave.models.scripted import ScriptedModel, says
from slowwave.report import Failed, Merged
from slowwave.store import ledger, runs
from slowwave.store.database import Database
from slowwave.verbs import DreamRequest, ignore_step
from tests.models.server import ModelServer, failing, text, tools
from tests.sessions import ClaudeSession

from .models import LINE, WISH, configure, dream, learn, memory, service

ASK = Request("tend it", (Message(Speaker.USER, (Text("hello"),)),), max_tokens=100)
PRICE = Price(input=2.0, output=10.0, cache_read=0.2, cache_write=2.5)
WIDE = BudgetSettings()


@pytest.fixture
def db(tmp_path: Path) -> Any:
    """A store."""
    with Database(tmp_path / "slowwave.db") as found:
        yield found


class Meter:
    """A metered model whose clock the test moves."""

    def __init__(self, db: Database, *script: Answer, budget: BudgetSettings = WIDE, run: str = "r1") -> None:
        self.now = 1_000_000.0
        self.slept = 0.0
        self.stopped = False
        self.model = ScriptedModel(script)
        self.meter = MeteredModel(
            self.model, PRICE, "scripted at here", db, run, budget, lambda: self.now, lambda: self.stopped,
            lambda text: text.replace("hunter2", "[redacted]"), sleep=self.sleep,
        )  # fmt: skip

    def sleep(self, seconds: float) -> None:
        """Time passes at once."""
        self.slept += seconds

    def ask(self) -> Any:
        """One question."""
        return self.meter.ask(ASK, "test")


def test_a_call_is_entered_before_and_settled_after(db: Database) -> None:
    """While the model answers the estimate stands in the ledger; afterwards what it took."""
    seen: list[ledger.Spent] = []
    meter = Meter(db)

    def play(request: Request) -> Answer:
        seen.append(ledger.spent(db))
        return says("hi", Usage(100, 20, 50, 10))

    meter.model._play = play
    meter.ask()
    assert seen[0].usd == pytest.approx(PRICE.at_most(tokens_at_most(ASK), 100))
    assert seen[0].tokens == tokens_at_most(ASK) + 100
    after = ledger.spent(db, run="r1")
    assert (after.calls, after.tokens) == (1, 180)
    assert after.usd == pytest.approx((100 * 2 + 20 * 10 + 50 * 0.2 + 10 * 2.5) / 1e6)
    assert after.usd < seen[0].usd


def test_a_killed_call_counts_with_its_estimate(tmp_path: Path) -> None:
    """The process dies while the model answers: its money is not forgotten."""
    code = (
        "import os\nfrom pathlib import Path\nfrom tests.dream.test_budget import *\n"
        f"db = Database(Path({str(tmp_path / 'slowwave.db')!r}))\nmeter = Meter(db)\n"
        "meter.model._play = lambda request: os._exit(9)\nmeter.ask()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 9
    with Database(tmp_path / "slowwave.db") as db:
        assert ledger.spent(db).usd == pytest.approx(PRICE.at_most(tokens_at_most(ASK), 100))


def limits(**given: float) -> BudgetSettings:
    """Budgets wide but for these."""
    return BudgetSettings(**{**dict.fromkeys(vars(WIDE), 10**9), **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("span", ["call", "run", "day", "week"])
@pytest.mark.parametrize("unit", ["usd", "tokens"])
def test_no_budget_is_ever_exceeded(span: str, unit: str, db: Database) -> None:
    """Whatever the model takes within the worst case, the sum stays within the budget, and the refusal names it."""
    most = {"usd": 0.0075, "tokens": 3000}[unit] if span != "call" else {"usd": 0.001, "tokens": 200}[unit]
    worst = says("x", Usage(tokens_at_most(ASK), 100))
    meter = Meter(db, *[worst] * 50, budget=limits(**{f"{span}_{unit}": most}))
    with pytest.raises(BudgetError, match=f"budget.{span}_{unit}"):
        all(meter.ask() for _ in range(50))
    spent = ledger.spent(db)
    assert (spent.usd if unit == "usd" else spent.tokens) <= most
    assert len(meter.model.asked) == spent.calls
    assert (spent.calls == 0) is (span == "call")


def test_a_day_and_a_week_are_rolling(db: Database) -> None:
    """What was spent a day ago no longer counts for the day, and still for the week."""
    each = PRICE.at_most(tokens_at_most(ASK), 100)
    full = says("x", Usage(tokens_at_most(ASK), 100))
    meter = Meter(db, *[full] * 50, budget=limits(day_usd=each * 1.5, week_usd=each * 3.5))
    meter.ask()
    for _ in range(2):
        with pytest.raises(BudgetError, match="day_usd"):
            meter.ask()
        meter.now += ledger.DAY_SECONDS + 1
        meter.ask()
    meter.now += ledger.DAY_SECONDS + 1
    with pytest.raises(BudgetError, match="week_usd"):
        meter.ask()
    meter.now += ledger.WEEK_SECONDS
    meter.ask()


@pytest.mark.parametrize("event", ["INSERT", "UPDATE"])
def test_a_ledger_that_cannot_be_written_stops_everything(event: str, db: Database) -> None:
    """Before the call nothing is sent; after it nothing more is."""
    db.execute(f"CREATE TRIGGER no BEFORE {event} ON calls BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    meter = Meter(db, says("a"), says("b"))
    with pytest.raises(RefusedError, match=r"ledger of model calls cannot be written.*disk full"):
        meter.ask()
    assert len(meter.model.asked) == (0 if event == "INSERT" else 1)
    if event == "UPDATE":
        assert ledger.spent(db).usd == pytest.approx(PRICE.at_most(tokens_at_most(ASK), 100))


@pytest.mark.parametrize(
    "kind", [k for k in FailureKind if k not in {FailureKind.CANCELLED, FailureKind.TOO_LONG}]
)
def test_a_door_shuts_longer_with_every_failure_and_opens_with_a_success(
    kind: FailureKind, db: Database
) -> None:
    """Each kind counts by itself, doubles from its first to its most, and survives the process."""
    policy = POLICIES[kind]
    waits = []
    for _ in range(20):
        meter = Meter(db, *[Failure(kind, "it says hunter2")] * 5)
        with pytest.raises(ModelError) as caught:
            meter.ask()
        assert caught.value.kind == kind
        assert "hunter2" not in str(caught.value)
        assert len(meter.model.asked) == policy.tries
        [breaker] = ledger.breakers(db, "scripted at here")
        assert "hunter2" not in breaker.text
        waits.append(breaker.until - meter.now)
    assert waits[:2] == [policy.first, policy.first * 2]
    assert waits == sorted(waits)
    assert waits[-1] == policy.most
    Meter(db, says("fine")).ask()
    assert ledger.breakers(db, "scripted at here") == ()


def test_a_long_retry_after_is_obeyed_by_the_next_dream(db: Database) -> None:
    """It is not waited for here, but no automatic dream asks before it is over."""
    meter = Meter(db, Failure(FailureKind.RATE_LIMIT, "later", retry_after=1800))
    with pytest.raises(ModelError):
        meter.ask()
    assert meter.slept == 0
    assert ledger.breakers(db, "scripted at here")[0].until == meter.now + 1800


def test_a_short_retry_after_is_waited_for(db: Database) -> None:
    """At least as long as it says."""
    meter = Meter(db, Failure(FailureKind.RATE_LIMIT, "later", retry_after=5), says("fine"))
    assert meter.ask().text == "fine"
    assert meter.slept == pytest.approx(5)


def test_a_stop_is_heard_while_waiting(db: Database) -> None:
    """A person's Ctrl-C does not wait for the other side."""
    meter = Meter(db, *[Failure(FailureKind.SERVER, "no")] * 5)

    def sleep(seconds: float) -> None:
        meter.stopped = True

    meter.meter.sleep = sleep
    with pytest.raises(InterruptedDreamError):
        meter.ask()
    assert len(meter.model.asked) == 1


# ---------------------------------------------------------------------- prices
def test_a_price_is_known_overridden_or_unknown() -> None:
    """The table, the person's own, nothing on this machine, else no price at all."""
    assert price_of("claude-sonnet-5-5", "", {}) == TABLE["claude-sonnet-5-5"]
    assert price_of("claude-opus-4-5-20251101", "", {}) == TABLE["claude-opus-4-5"]
    assert price_of("claude-sonnet-5-5", "", {"claude-sonnet-5-5": {"input": 1, "output": 2}}) == Price(
        1, 2, 1, 1.25
    )
    assert price_of("some-model", "https://example.org", {}) is None
    assert price_of("qwen3", "http://127.0.0.1:11434", {}) == Price(0, 0, 0, 0)
    assert price_of("claude-sonnet-5-5", "http://localhost:4000", {}) == TABLE["claude-sonnet-5-5"]


@pytest.mark.parametrize(
    ("url", "here"),
    [("http://127.0.0.1:1", True), ("http://[::1]:1", True), ("http://localhost", True), ("", False),
     ("https://localhost.example.org", False), ("http://127.0.0.1.example.org", False), ("http://10.0.0.1", False)],
)  # fmt: skip
def test_only_this_machine_is_this_machine(url: str, here: bool) -> None:
    """A name that merely looks like it is not."""
    assert on_this_machine(url) is here


# ---------------------------------------------------------------------- chosen or not
@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A person's home with one wish in it."""
    home = tmp_path / "user"
    ClaudeSession(home, "s1").turn(WISH)
    return home


CHOICES = {
    "no model": ('[dream]\nreflector = "anthropic"\n', "no model is chosen"),
    "no price": ('[dream]\nreflector = "anthropic"\n[model]\nname = "mystery"\nbase_url = "https://example.org"\n',
                 "price of mystery is not known"),
    "no agent": ('[dream]\nreflector = "agent-cli"\n', "no coding agent is chosen"),
    "no billing": ('[dream]\nreflector = "agent-cli"\n[agent]\nprogram = "claude"\n', "not known what claude costs"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_nothing_that_costs_money_runs_unless_everything_was_said(name: str, home: Path, user: Path) -> None:
    """What is missing is named, the dream is refused, its run has ended, and the turns are as new as before."""
    config, why = CHOICES[name]
    (home / "config.toml").write_text(config, "utf-8")
    own = service(home, user)
    report = dream(own)
    assert isinstance(report.outcome, Failed)
    assert why in report.outcome.error
    assert report.outcome.exit_code == 5
    assert runs.latest(own.db)[0].status == "failed"
    assert ledger.spent(own.db).calls == 0
    assert isinstance(dream(own, reflector="offline").outcome, Merged)
    own.close()


def test_a_key_for_anthropic_does_not_reach_another_host(home: Path, user: Path) -> None:
    """`ANTHROPIC_API_KEY` is for Anthropic; elsewhere the person's own word to us is needed."""
    more = '[model.prices]\n"m" = { input = 1.0, output = 1.0 }\n'
    configure(home, "https://gateway.example.org", more, model="m")
    own = service(home, user)
    own.env = {**own.env, "SLOWWAVE_MODEL_KEY": "", "ANTHROPIC_API_KEY": "sk-ant-general"}
    report = dream(own)
    assert isinstance(report.outcome, Failed)
    assert "there is no key for gateway.example.org" in report.outcome.error
    own.close()


def test_every_listed_reflector_can_be_made(home: Path, user: Path) -> None:
    """The list's names are the reflectors' own; those that cost money can be talked into something as well."""
    configure(home, "http://127.0.0.1:9", '[agent]\nprogram = "claude"\nbilling = "subscription"\n')
    (home / "bin").mkdir()
    (home / "bin" / "claude").write_text("#!/bin/sh\n")
    (home / "bin" / "claude").chmod(0o755)
    own = service(home, user)
    own.env = {**own.env, "PATH": str(home / "bin")}
    shop = own.workshop()
    dream(own, reflector="offline")
    [run] = runs.latest(own.db)
    made = {name: make(shop, run) for name, make in REFLECTORS.items()}
    assert {name: one.name for name, one in made.items()} == {name: name for name in REFLECTORS}
    assert {name for name, one in made.items() if one.costs_money} == {"anthropic", "agent-cli"}
    assert {name for name, one in made.items() if one.persuadable} == {"anthropic", "agent-cli"}
    own.close()


# ---------------------------------------------------------------------- the gate and the status
def test_a_shut_door_holds_the_daemon_and_lets_a_person_try_once(home: Path, user: Path) -> None:
    """`status` says why and until when; a person's dream asks once, and a success opens the door."""
    ClaudeSession(user, "s1").compaction()
    with ModelServer([failing(401, "authentication_error"), failing(500, "api_error")]).running() as server:
        configure(home, server.url)
        own = service(home, user)
        assert isinstance(dream(own).outcome, Failed)
        found = own.status(project="")
        assert "failed once (auth: " in found.refused
        assert found.model.startswith("claude-sonnet-5-5 at 127.0.0.1:")
        own.close()
        later = service(
            home, user, now=lambda: 1_800_000_000.0 + 1800
        )  # another process, after the run's own back-off
        [held] = later.status(project="").gates
        assert (held.decision, "failed once (auth" in held.reason) == ("hold", True)
        run = later.claim(1, Trigger.COMPACTION_EVENT, "anthropic", {})
        with pytest.raises(RefusedError, match="failed once"):
            later.run_claimed(run.id, ignore_step)
        assert len(server.bodies) == 1
        assert isinstance(dream(later).outcome, Failed)
        assert len(server.bodies) == 2
        [session] = [ClaudeSession(user, "s1")]
        server.play = lambda body: text("ok") if len(body["messages"]) > 1 else tools(learn(session, 1))
        assert isinstance(dream(later).outcome, Merged)
        assert later.status(project="").refused == ""
        assert LINE in "".join(memory(later).values())
        later.close()


def test_a_used_up_budget_holds_the_daemon_and_search_still_works(home: Path, user: Path) -> None:
    """Automatic dreams wait, the reason is in the status, the sums too; recall needs no model."""
    ClaudeSession(user, "s1").compaction()
    with ModelServer([text("nothing")]).running() as server:
        configure(home, server.url, "[budget]\nday_tokens = 60000\n")
        own = service(home, user)
        ledger.reserve(
            own.db, run="x", model="m", endpoint="e", purpose="p", at=own.clock(), tokens=60_000, usd=0.1
        )
        list(own.dream(DreamRequest(everything=True, dry_run=True), ignore_step))
        own.ingest.scan(own.session_files())
        [held] = own.status(project="").gates
        assert held.decision == "hold"
        assert "budget.day_tokens" in held.reason
        day = own.status(project="").budgets[0]
        assert (day.span, day.tokens, day.most_tokens, day.usd) == ("day", 60_000, 60_000, 0.1)
        report = dream(own)
        assert isinstance(report.outcome, Failed)
        assert report.outcome.exit_code == 5
        assert server.bodies == []
        assert list(own.recall("anything", project="", limit=3, type="", path="")) == []
        own.close()
