"""A correction by deed: the person has just stopped the agent. Engine 1."""

from slowwave.dream.candidate import Kind
from slowwave.dream.signals.heard import Heard

NAME = "correction by deed"
KIND = Kind.CORRECTION


def speaks(heard: Heard) -> bool:
    """A tool call was refused right before, and this is no question."""
    return bool(heard.said.refused) and not heard.notions & {"asks", "question"}
