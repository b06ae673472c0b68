"""What a million tokens cost, in US dollars. A model that is not here has no price, and is not asked until it has.

Read on 2026-12-01 from https://platform.claude.com/docs/en/about-claude/pricing and the model pages beside it.
The setting `model.prices` overrides the table and adds to it. A price may only be too high: where a page gives
two (long prompts), the dearer one stands here, and a cache read whose price has been cut keeps the older one.
Doorway 4; pure.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from slowwave.model import Usage

AS_OF = "2026-12-01"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. Cache writes are those of the five-minute cache."""

    input: float
    output: float
    cache_read: float
    cache_write: float

    def of(self, usage: Usage) -> float:
        """What this usage cost, in US dollars."""
        parts = (
            usage.input * self.input, usage.output * self.output,
            usage.cache_read * self.cache_read, usage.cache_write * self.cache_write,
        )  # fmt: skip
        return sum(parts) / _MILLION

    def at_most(self, input_tokens: int, output_tokens: int) -> float:
        """The most so many tokens can cost, whichever of them are cached."""
        dearest = max(self.input, self.cache_read, self.cache_write)
        return (input_tokens * dearest + output_tokens * self.output) / _MILLION


FREE = Price(0.0, 0.0, 0.0, 0.0)
TABLE: Mapping[str, Price] = {
    "claude-fable-5-1": Price(10.0, 50.0, 1.00, 12.50),
    "claude-fable-5": Price(10.0, 50.0, 1.00, 12.50),
    "claude-opus-5-5": Price(4.0, 20.0, 0.40, 5.00),
    "claude-opus-5": Price(5.0, 25.0, 0.50, 6.25),
    "claude-opus-4-8": Price(5.0, 25.0, 0.50, 6.25),
    "claude-opus-4-7": Price(5.0, 25.0, 0.50, 6.25),
    "claude-opus-4-6": Price(5.0, 25.0, 0.50, 6.25),
    "claude-opus-4-5": Price(5.0, 25.0, 0.50, 6.25),
    "claude-sonnet-5-5": Price(2.0, 10.0, 0.20, 2.50),
    "claude-sonnet-5": Price(2.0, 10.0, 0.20, 2.50),
    "claude-sonnet-4-6": Price(3.0, 15.0, 0.30, 3.75),
    "claude-sonnet-4-5": Price(3.0, 15.0, 0.30, 3.75),
    "claude-haiku-5-5": Price(0.50, 2.50, 0.05, 0.625),
    "claude-haiku-4-5": Price(1.0, 5.0, 0.10, 1.25),
}


def price_of(model: str, base_url: str, own: Mapping[str, Mapping[str, float]]) -> Price | None:
    """The price of a model: the person's own, the table's, nothing for this machine's endpoints, else unknown.

    A dated name (`claude-opus-4-5-20251101`) has the price of the name without the date.
    """
    if given := own.get(model):
        base = given["input"]
        return Price(
            base, given["output"], given.get("cache_read", base), given.get("cache_write", base * 1.25)
        )
    name, _, dated = model.rpartition("-")
    known = TABLE.get(model) or (TABLE.get(name) if dated.isdigit() and len(dated) == 8 else None)
    return known or (FREE if on_this_machine(base_url) else None)


def on_this_machine(base_url: str) -> bool:
    """Whether an endpoint is this machine itself."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
