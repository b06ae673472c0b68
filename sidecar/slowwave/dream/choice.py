"""The model a person chose, as a reflector: from the settings, behind its meter.

Nothing that costs money is made unless everything about it was said: which model, where its key is, what it costs.
What is missing is named at once, before anything is read. Engine 1.
"""

from collections.abc import Mapping

from slowwave.config import Homes, Settings
from slowwave.dream.kept import Kept
from slowwave.dream.metered import MeteredModel, door_of, shut_reason
from slowwave.dream.mind import ModelReflector
from slowwave.dream.workshop import Workshop
from slowwave.errors import RefusedError
from slowwave.model import Trigger
from slowwave.models.agent_cli import AgentModel
from slowwave.models.anthropic import AnthropicModel
from slowwave.models.keys import Key, find_key
from slowwave.models.prices import FREE, Price, price_of
from slowwave.models.protocol import Model
from slowwave.store import ledger, progress
from slowwave.store.runs import Run


def anthropic(shop: Workshop, run: Run) -> ModelReflector:
    """The model of the Messages API. Raises RefusedError when something about it was not said."""
    wanted = shop.settings.model
    price, key = price_and_key(shop.settings, shop.env, shop.homes)
    model = AnthropicModel(wanted.name, key.value, wanted.base_url)
    return model_reflector("anthropic", model, price, shop, run)


def price_and_key(settings: Settings, env: Mapping[str, str], homes: Homes) -> tuple[Price, Key]:
    """What the model of the Messages API costs and which key it is asked with. Raises RefusedError."""
    wanted = settings.model
    if not wanted.name:
        raise RefusedError(
            "no model is chosen, and none is asked unless you choose it",
            hint="set model.name in the settings (`slowwave config` names the file)",
        )
    price = price_of(wanted.name, wanted.base_url, wanted.prices)
    if price is None:
        raise RefusedError(
            f"the price of {wanted.name} is not known, so its cost cannot be limited",
            hint='set it: [model] prices = { "NAME" = { input = …, output = … } }, in US dollars per million tokens',
        )
    return price, find_key(env, homes.model_key, wanted.base_url)


def model_reflector(
    name: str, model: Model, price: Price, shop: Workshop, run: Run, *, timeout_seconds: float = 0
) -> ModelReflector:
    """A model as a reflector of this dream, behind its meter. A person's own dream may try a shut door, once."""
    wanted = shop.settings.model
    door = door_of(model.name, model.endpoint)
    shut = [b for b in ledger.breakers(shop.db, door) if b.until > shop.clock()]
    if shut and run.trigger is not Trigger.MANUAL:
        raise RefusedError(shut_reason(shut[0], shop.clock()))
    meter = MeteredModel(
        model, price, door, shop.db, run.id, shop.settings.budget, shop.clock, shop.stop, shop.redactor.redact,
        patient=not shut, deadline=shop.clock() + shop.settings.dream.timeout_seconds,
    )  # fmt: skip
    return ModelReflector(
        name,
        meter,
        shop.redactor.redact,
        wanted.max_tokens,
        timeout_seconds or wanted.timeout_seconds,
        Kept(shop.homes.batches(progress.project_by_id(shop.db, run.project).slug)),
        wanted.calls,
        shell=shop.settings.sandbox.shell,
    )


def agent_cli(shop: Workshop, run: Run) -> ModelReflector:
    """The coding agent. Raises RefusedError when something about it was not said."""
    price, model = price_and_agent(shop.settings, shop.env, shop.homes)
    seconds = shop.settings.agent.timeout_seconds
    return model_reflector("agent-cli", model, price, shop, run, timeout_seconds=seconds)


def price_and_agent(settings: Settings, env: Mapping[str, str], homes: Homes) -> tuple[Price, AgentModel]:
    """What the coding agent costs, and the agent. Raises RefusedError."""
    wanted = settings.agent
    if not wanted.program:
        raise RefusedError(
            "no coding agent is chosen, and none is asked unless you choose it",
            hint='set [agent] program = "claude" or "codex" in the settings',
        )
    if not wanted.billing:
        raise RefusedError(
            f"it is not known what {wanted.program} costs, so its cost cannot be limited",
            hint='set [agent] billing = "subscription" (already paid for) or "metered" (with a price, or its own word)',
        )
    metered = wanted.billing == "metered"
    price = price_of(wanted.model, "", settings.model.prices) if metered else FREE
    if price is None:
        raise RefusedError(
            f"the price of {wanted.model or 'its model'} is not known, so its cost cannot be limited",
            hint="name the model ([agent] model) and, when the table lacks it, its price ([model] prices)",
        )
    return price, AgentModel(wanted.program, homes.agent, env, wanted.model, tells_cost=metered)
