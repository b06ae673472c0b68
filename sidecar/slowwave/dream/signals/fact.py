"""What is so in this project. Engine 1."""

from slowwave.dream.candidate import Kind
from slowwave.dream.signals.heard import Heard

NAME = "stated fact"
KIND = Kind.FACT


def speaks(heard: Heard) -> bool:
    """Anything that lasts may be a fact."""
    return bool(heard.notions)
