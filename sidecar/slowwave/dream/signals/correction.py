"""A correction by word: the person finds fault with what was done. Engine 1."""

from slowwave.dream.candidate import Kind
from slowwave.dream.signals.heard import Heard

NAME = "correction by word"
KIND = Kind.CORRECTION


def speaks(heard: Heard) -> bool:
    """There is something it corrects."""
    return bool(heard.notions & {"rejects", "fault", "scolding"}) and "opening" not in heard.notions
