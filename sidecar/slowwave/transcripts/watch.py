"""A wake-up: something changed below these folders.

Step 1 of the walk, and the only importer of watchfiles. Events are a hint and never the truth: queues
overflow, and the first file of a new folder is often missed, so every tick wakes the scan as well. Where
events cannot be had (watch limits, network file systems) the ticks alone remain.
"""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

_DEBOUNCE_MS = 100
_STEP_MS = 50


class Changes(Iterator[frozenset[Path]]):
    """Yields changed paths as they come, and an empty set on every tick, until `stop` is set.

    mode  "events" while the system tells us, "ticks" when only the clock does; `why` then says what happened
    """

    def __init__(self, roots: Sequence[Path], stop: threading.Event, tick_seconds: float = 1.0) -> None:
        self.mode = "events"
        self.why = ""
        self._roots = tuple(roots)
        self._stop = stop
        self._tick = tick_seconds
        self._events = self._run()

    def __next__(self) -> frozenset[Path]:
        return next(self._events)

    def _run(self) -> Iterator[frozenset[Path]]:
        while not self._stop.is_set():
            present = tuple(r for r in self._roots if r.is_dir())
            if self.mode == "events" and present:
                try:
                    yield from self._watch(present)
                except FileNotFoundError:
                    continue  # a folder went between the look and the watch; look again
                except (OSError, RuntimeError) as exc:
                    # Out of watches, or a file system without events.
                    self.mode, self.why = "ticks", str(exc) or type(exc).__name__
            elif not self._stop.wait(self._tick):
                yield frozenset()

    def _watch(self, present: tuple[Path, ...]) -> Iterator[frozenset[Path]]:
        """Events below the folders that exist now, until another of them appears or one goes."""
        import watchfiles  # loads a native library: only a daemon needs it

        for changes in watchfiles.watch(
            *present,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=max(1, int(self._tick * 1000)),
            yield_on_timeout=True,
            raise_interrupt=True,
            ignore_permission_denied=True,
        ):
            if self._stop.is_set():
                return
            yield frozenset(Path(path) for _, path in changes)
            if tuple(r for r in self._roots if r.is_dir()) != present:
                return


def changes(roots: Sequence[Path], stop: threading.Event, tick_seconds: float = 1.0) -> Changes:
    """Watch the folders; those that do not exist yet are picked up when they appear."""
    return Changes(roots, stop, tick_seconds)
