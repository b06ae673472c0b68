"""Stopping when asked: Ctrl-C and SIGTERM set a flag that long work looks at between two steps.

A dream interrupted by an exception could be anywhere; one that looks at a flag ends where nothing is
half-done. A second signal ends the program at once, and the next start recovers. Ground floor.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Stop:
    """Set by the first SIGINT or SIGTERM; a second one ends the program at once."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.event.is_set()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Listen while the block runs."""

        def note(number: int, frame: object) -> None:
            if self.event.is_set():
                raise KeyboardInterrupt
            self.event.set()

        old = {s: signal.signal(s, note) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
