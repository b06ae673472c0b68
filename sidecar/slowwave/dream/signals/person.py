"""Who the person is, and who does what. Engine 1."""

from slowwave.dream.candidate import Kind
from slowwave.dream.signals.heard import Heard

NAME = "personal fact"
KIND = Kind.PERSON


def speaks(heard: Heard) -> bool:
    """It speaks of the person, or of somebody in a role."""
    return bool(heard.notions & {"me", "role"})
