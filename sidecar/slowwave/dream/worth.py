"""Whether a batch is worth a question that costs money: the offline rules look first, for nothing.

They need not find a line; a sentence with any word that speaks for it, or a failure that was mended, is enough. A
batch in which they see nothing at all is small talk and tool noise, and counts as read. Engine 1; pure.
"""

from collections.abc import Sequence

from slowwave.dream.extract import candidates
from slowwave.dream.wishes import judged
from slowwave.model import SessionKind, Snapshot

_ANY = 0.5
"""The sum of `weights` from which on a sentence shows something."""


def worth_asking(batch: Sequence[Snapshot]) -> bool:
    """Whether there is any signal in these sessions."""
    if candidates(batch):
        return True
    return any(
        not one.barred and one.score >= _ANY
        for snapshot in batch
        if snapshot.session.kind is SessionKind.MAIN
        for one in judged(snapshot)
    )
