"""A model behind a meter: no question without a place in the ledger, none that could cost more than is allowed.

In order: is the door open, does the worst case fit every budget, is it written down; then ask; then write down what
it took. What each kind of failure means for the next try stands in one table. Short waits happen here; longer ones
are left to the store, so that a restart does not forget them. Engine 1.
"""

import json
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from slowwave.config import BudgetSettings, Settings
from slowwave.errors import BudgetError, InterruptedDreamError, ModelError, RefusedError, StoreError
from slowwave.model import plain
from slowwave.models.agent_cli import program_name
from slowwave.models.anthropic import endpoint_of
from slowwave.models.prices import Price
from slowwave.models.protocol import Failure, FailureKind, Model, Reply, Request
from slowwave.store import ledger
from slowwave.store.database import Database
from slowwave.store.ledger import Breaker

BYTES_PER_TOKEN = 2
"""At most one token for two bytes: dense text (hashes, CJK) comes near it, prose takes four. Tokenisers of 2026."""
_WAIT_MOST = 20.0  # seconds waited for here; a dream holds the lease meanwhile
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Policy:
    """What a kind of failure means: tries at once, then seconds until the next dream may ask, doubling each time."""

    tries: int
    first: float
    most: float
    advice: str = ""


_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0
POLICIES: dict[FailureKind, Policy] = {
    FailureKind.RATE_LIMIT: Policy(3, _MINUTE, _HOUR),
    FailureKind.OVERLOADED: Policy(3, _MINUTE, _HOUR),
    FailureKind.SERVER: Policy(3, _MINUTE, 6 * _HOUR),
    FailureKind.NETWORK: Policy(3, _MINUTE, _HOUR, "is the endpoint running, and model.base_url right?"),
    FailureKind.TIMEOUT: Policy(2, 5 * _MINUTE, 6 * _HOUR, "model.timeout_seconds sets how long it may take"),
    FailureKind.CUT: Policy(2, 5 * _MINUTE, 6 * _HOUR),
    FailureKind.AUTH: Policy(1, _HOUR, _DAY, "is the key right? `slowwave key show` says which one is used"),
    FailureKind.BILLING: Policy(1, _HOUR, _DAY, "the account of this key has no credit"),
    FailureKind.NO_MODEL: Policy(1, _HOUR, _DAY, "does this endpoint have the model?"),
    FailureKind.TOO_LONG: Policy(1, 0.0, 0.0, "a smaller dream.batch_tokens makes shorter questions"),
    FailureKind.BAD_REQUEST: Policy(1, _HOUR, _DAY),
    FailureKind.REFUSAL: Policy(1, _HOUR, _DAY),
    FailureKind.UNREADABLE: Policy(2, 5 * _MINUTE, 6 * _HOUR),
    FailureKind.CANCELLED: Policy(1, 0.0, 0.0),
}


def tokens_at_most(request: Request) -> int:
    """The most input tokens a question can be."""
    return (
        len(json.dumps(plain(request), ensure_ascii=False).encode("utf-8", "replace")) // BYTES_PER_TOKEN
        + 500
    )


def door_of(name: str, endpoint: str) -> str:
    """The name of a door: a model, and where it is asked."""
    return f"{name} at {endpoint}"


def door_in(settings: Settings) -> str:
    """The door that automatic dreams go through by the settings, "" when they ask no model."""
    match settings.dream.reflector:
        case "anthropic":
            return door_of(settings.model.name, endpoint_of(settings.model.base_url))
        case "agent-cli":
            program = program_name(settings.agent.program)
            return door_of(settings.agent.model or program, program)
        case _:
            return ""


def refusal(db: Database, settings: Settings, now: float) -> tuple[str, float | None]:
    """Why an automatic dream may ask no model now, and when time alone helps; ("", None) when it may."""
    door = door_in(settings)
    if not door:
        return "", None
    if shut := [b for b in ledger.breakers(db, door) if b.until > now]:
        return shut_reason(shut[0], now), shut[0].until
    return refused_by_budget(db, settings.budget, now), None


def shut_reason(breaker: Breaker, now: float) -> str:
    """Why a door is shut, in words."""
    times = "once" if breaker.failures == 1 else f"{breaker.failures} times"
    return (
        f"{breaker.door} failed {times} ({breaker.kind}: {breaker.text}); next try in {breaker.until - now:.0f} s,"
        " or at once by `slowwave dream`"
    )


def refused_by_budget(db: Database, limits: BudgetSettings, now: float) -> str:
    """Why no call at all may be made now, "" when one may: the day's or the week's budget is used up."""
    for span, seconds in (("day", ledger.DAY_SECONDS), ("week", ledger.WEEK_SECONDS)):
        spent = ledger.spent(db, since=now - seconds)
        for unit, used in (("usd", spent.usd), ("tokens", spent.tokens)):
            most = getattr(limits, f"{span}_{unit}")
            if used >= most:
                return f"the budget is used up: {_amount(used, unit)} of budget.{span}_{unit} = {_amount(most, unit)}"
    return ""


def _amount(value: float, unit: str) -> str:
    return f"${value:.4f}" if unit == "usd" else f"{value:,.0f} tokens"


@dataclass
class MeteredModel:
    """A model whose every question is within the budgets and in the ledger.

    redact    takes secrets out of what a failure says before it is kept
    patient   whether failures are waited out here; a person's own try at a shut door is one try
    deadline  when the dream's time is over (POSIX seconds); no question outlasts it
    """

    model: Model
    price: Price
    door: str
    db: Database
    run: str
    budget: BudgetSettings
    clock: Callable[[], float]
    stop: Callable[[], bool]
    redact: Callable[[str], str]
    patient: bool = True
    deadline: float = math.inf
    sleep: Callable[[float], None] = time.sleep

    def ask(self, request: Request, purpose: str) -> Reply:
        """An answer that came whole.

        Raises BudgetError before anything is sent, ModelError when no answer came, InterruptedDreamError.
        """
        tries = 0
        while True:
            if self.stop():
                raise InterruptedDreamError("stopped before a question to the model")
            left = self.deadline - self.clock()
            if left <= 0:
                raise BudgetError("the dream has taken as long as dream.timeout_seconds allows")
            answer = self._once(replace(request, timeout_seconds=min(request.timeout_seconds, left)), purpose)
            if isinstance(answer, Reply):
                ledger.open_door(self.db, self.door)
                return answer
            tries += 1
            policy = POLICIES[answer.kind]
            wait = answer.retry_after if answer.retry_after is not None else _pause(tries)
            if not self.patient or tries >= policy.tries or wait > _WAIT_MOST:
                self._give_up(answer, policy)
            self._wait(wait)

    def _once(self, request: Request, purpose: str) -> Reply | Failure:
        tokens = tokens_at_most(request)
        most = self.price.at_most(tokens, request.max_tokens)
        self._require_room(tokens + request.max_tokens, most)
        try:
            call = ledger.reserve(
                self.db, run=self.run, model=self.model.name, endpoint=self.model.endpoint, purpose=purpose,
                at=self.clock(), tokens=tokens + request.max_tokens, usd=most,
            )  # fmt: skip
        except StoreError as error:
            raise _unwritten(error) from error
        answer = self.model.ask(request, self.stop)
        cost = self._cost(answer)
        failure = answer.kind if isinstance(answer, Failure) else ""
        unknown = isinstance(answer, Failure) and not answer.known
        try:
            ledger.settle(self.db, call, None if unknown else answer.usage, cost, failure)
        except StoreError as error:
            raise _unwritten(error) from error
        return answer

    def _cost(self, answer: Reply | Failure) -> float:
        said = answer.cost_usd if isinstance(answer, Reply) else None
        return self.price.of(answer.usage) if said is None else said

    def _require_room(self, tokens: int, usd: float) -> None:
        """Refuse a question whose worst case does not fit; every budget it breaks is named."""
        now = self.clock()
        spans = {
            "call": ledger.Spent(),
            "run": ledger.spent(self.db, run=self.run),
            "day": ledger.spent(self.db, since=now - ledger.DAY_SECONDS),
            "week": ledger.spent(self.db, since=now - ledger.WEEK_SECONDS),
        }
        broken = []
        for span, spent in spans.items():
            for unit, used, more in (("usd", spent.usd, usd), ("tokens", spent.tokens, tokens)):
                most = getattr(self.budget, f"{span}_{unit}")
                if used + more > most:
                    broken.append(
                        f"the next question to {self.model.name} can take {_amount(more, unit)}; "
                        f"{_amount(used, unit)} of budget.{span}_{unit} = {_amount(most, unit)} are used"
                    )
        if broken:
            raise BudgetError(
                *broken, hint="nothing was sent; raise the budget, or make dream.batch_tokens smaller"
            )

    def _give_up(self, failure: Failure, policy: Policy) -> None:
        if failure.kind is FailureKind.CANCELLED:
            raise InterruptedDreamError("stopped while the model was answering")
        text = self.redact(failure.text)[:500]
        before = next((b for b in ledger.breakers(self.db, self.door) if b.kind == failure.kind), None)
        count = (before.failures if before else 0) + 1
        shut = min(policy.first * 2 ** (count - 1), policy.most)
        shut = max(shut, min(failure.retry_after or 0.0, _DAY))
        if shut:
            ledger.trip(self.db, Breaker(self.door, str(failure.kind), count, self.clock() + shut, text))
        raise ModelError(f"{failure.kind}: {text}", kind=str(failure.kind), hint=policy.advice)

    def _wait(self, seconds: float) -> None:
        left = seconds
        while left > 0 and not self.stop():
            self.sleep(min(left, _LOOK_SECONDS))
            left -= _LOOK_SECONDS


def _pause(tries: int) -> float:
    """1, 2, 4 … seconds, each up to a half longer, so that many clients do not come back at once."""
    return 2.0 ** (tries - 1) * (1 + random.random() / 2)  # noqa: S311 - no secret


def _unwritten(error: StoreError) -> RefusedError:
    return RefusedError(
        f"the ledger of model calls cannot be written, so no model is asked: {error}", hint=error.hint
    )
