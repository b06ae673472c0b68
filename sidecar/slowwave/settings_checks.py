"""What each setting may be: one check per setting, which says in words what is wrong with a value.

Ground floor: imports only the settings' constants.
"""

from collections.abc import Callable
from typing import Any

AUTOMATIC_TRIGGERS = ("step-count", "compaction-event")
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


def list_of(*allowed: str) -> Check:
    """A list of strings, of these where any are given."""

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
    if not isinstance(value, dict) or any(list_of()(v) for v in value.values()):
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


AGEING_TYPES = ("working", "episodic", "semantic", "procedural")


def _days_by_type(value: Any) -> str | None:
    if not isinstance(value, dict) or not value.keys() <= set(AGEING_TYPES):
        return f"must be a table of days for {', '.join(AGEING_TYPES)}, such as {{ working = 7 }}"
    wrong = [k for k, days in value.items() if _number(float, 0.01, 36_500)(days)]
    return f"must give days from 0.01 to 36500 for {', '.join(wrong)}" if wrong else None


def _decay_by_type(value: Any) -> str | None:
    if not isinstance(value, dict) or not value.keys() <= set(AGEING_TYPES):
        return f"must be a table for {', '.join(AGEING_TYPES)}"
    checks = {
        "days": _number(float, 0.01, 36_500),
        "step": _number(float, 0, 1),
        "floor": _number(float, 0, 1),
    }
    for kind, rule in value.items():
        if not isinstance(rule, dict) or not rule.keys() <= checks.keys():
            return (
                f"must have days, step and floor for {kind}, such as {{ days = 14, step = 0.1, floor = 0.1 }}"
            )
        for key, number in rule.items():
            if wrong := checks[key](number):
                return f"{kind}.{key} {wrong}"
    return None


def _timezone(value: Any) -> str | None:
    import zoneinfo  # read only where a time zone is set

    try:
        zoneinfo.ZoneInfo(value) if value else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        return 'must be the name of a time zone, such as "Europe/Berlin", or "" for this machine\'s'
    return None


CHECKS: dict[str, Check] = {
    "dream.triggers": list_of("off", *AUTOMATIC_TRIGGERS),
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
    "sandbox.read": list_of(),
    "recall.semantic": _switch,
    "sources.enabled": list_of(),
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
    "lifecycle.schedule": _one_of("manual", "daily", "weekly"),
    "lifecycle.timezone": _timezone,
    "lifecycle.window_hours": _number(float, 0.01, 87_600),
    "lifecycle.limit": _number(int, 1, 100_000),
    "lifecycle.min_group_size": _number(int, 1, 100_000),
    "lifecycle.promote_occurrences": _number(int, 2, 100_000),
    "lifecycle.promote_importance": _number(float, 0, 1),
    "lifecycle.promote_confidence": _number(float, 0, 1),
    "lifecycle.superseded_days": _number(float, 0.01, 36_500),
    "lifecycle.decay": _decay_by_type,
    "lifecycle.archive_days": _days_by_type,
}
