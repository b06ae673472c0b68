"""The reflectors there are, by the name settings and the command line call them. Made at need: a model's
library must cost nothing where the offline reflector works.
"""

from collections.abc import Callable

from slowwave.dream.reflector import Reflector, ScriptedReflector


def _offline() -> Reflector:
    from slowwave.dream.offline import OfflineReflector  # its patterns are compiled at import

    return OfflineReflector()


REFLECTORS: dict[str, Callable[[], Reflector]] = {
    "offline": _offline,
    "scripted": ScriptedReflector,
}
