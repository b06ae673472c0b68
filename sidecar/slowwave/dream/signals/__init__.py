"""The signals by which a sentence shows what it is: one module each behind one Protocol, listed here.

`lexicon` says what a sentence shows, `weights` what that counts; a signal adds what its kind cannot do without (a
deadline a date, a correction something to correct). Engine 1.
"""

from typing import Protocol

from slowwave.dream import weights
from slowwave.dream.candidate import Kind
from slowwave.dream.signals import correction, deadline, decision, deed, fact, person, preference
from slowwave.dream.signals.heard import Heard


class Signal(Protocol):
    """One way in which a sentence shows that it lasts.

    NAME    as an explanation calls it
    KIND    what a sentence is that shows it most
    speaks  whether it may speak for this sentence at all
    """

    @property
    def NAME(self) -> str:  # noqa: N802
        """As an explanation calls it."""

    @property
    def KIND(self) -> Kind:  # noqa: N802
        """What it makes of a sentence."""

    def speaks(self, heard: Heard) -> bool:
        """What must be there, whatever the weights."""
        ...


SIGNALS: tuple[Signal, ...] = (deed, correction, deadline, decision, person, preference, fact)


def strongest(heard: Heard) -> Signal:
    """The signal that fits the sentence best; a fact is what nothing else is."""
    if deed.speaks(heard):  # who stops the agent corrects it, whatever the words
        return deed
    speaking = [signal for signal in SIGNALS if signal.speaks(heard)]
    return max(speaking, key=lambda signal: weights.fits(signal.KIND, heard.notions))
