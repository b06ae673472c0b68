"""The reflectors there are, by the name settings and the command line call them.

Made at need: a model's library must cost nothing where the offline reflector works. A reflector that costs money is
made only when the person chose it and named its model; what is missing is said before anything is read.
"""

from collections.abc import Callable

from slowwave.dream.reflector import Reflector, ScriptedReflector
from slowwave.dream.workshop import Workshop
from slowwave.store.runs import Run


def _offline(shop: Workshop, run: Run) -> Reflector:
    del shop, run
    from slowwave.dream.offline import OfflineReflector  # its patterns are compiled at import

    return OfflineReflector()


def _scripted(shop: Workshop, run: Run) -> Reflector:
    del shop, run
    return ScriptedReflector()


def _anthropic(shop: Workshop, run: Run) -> Reflector:
    from slowwave.dream import choice

    return choice.anthropic(shop, run)


def _agent_cli(shop: Workshop, run: Run) -> Reflector:
    from slowwave.dream import choice

    return choice.agent_cli(shop, run)


REFLECTORS: dict[str, Callable[[Workshop, Run], Reflector]] = {
    "offline": _offline,
    "anthropic": _anthropic,
    "agent-cli": _agent_cli,
    "scripted": _scripted,
}
