"""How the person wants work done. Engine 1."""

from slowwave.dream.candidate import Kind
from slowwave.dream.signals.heard import Heard

NAME = "explicit preference"
KIND = Kind.PREFERENCE


def speaks(heard: Heard) -> bool:
    """It says how work is done, or what the person likes."""
    return bool(
        heard.notions
        & {"policy", "likes", "replies", "works", "always", "forbid", "must", "instead", "every", "fault"}
    )
