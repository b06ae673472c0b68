"""A decision, with what speaks for it. Engine 1."""

from slowwave.dream.candidate import Kind
from slowwave.dream.signals.heard import Heard

NAME = "decision with reason"
KIND = Kind.DECISION


def speaks(heard: Heard) -> bool:
    """Something was chosen, or weighed against something."""
    return bool(heard.notions & {"chose", "tradeoff"})
