"""What is due, and when. Engine 1."""

from slowwave.dream.candidate import Kind
from slowwave.dream.signals.heard import Heard

NAME = "deadline"
KIND = Kind.DEADLINE


def speaks(heard: Heard) -> bool:
    """It names a day to come; what is over is no deadline."""
    return "dated" in heard.notions and bool(heard.notions & {"due", "must", "changed"})
