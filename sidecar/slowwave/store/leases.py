"""Holding the lease while something works on memory: a dream, a maintenance pass, a recovery."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from slowwave.store import runs
from slowwave.store.database import Database


@contextmanager
def held(db: Database, owner: str, purpose: str, clock: Callable[[], float]) -> Iterator[None]:
    """Hold the lease, renewed by a heartbeat of its own connection, and give it back. Raises BusyError."""
    runs.take_lease(db, owner, purpose, clock())
    done = threading.Event()

    def beat() -> None:
        with Database(db.path) as own:
            while not done.wait(runs.HEARTBEAT_SECONDS):
                runs.keep_lease(own, owner, clock())

    heart = threading.Thread(target=beat, name="lease heartbeat", daemon=True)
    heart.start()
    try:
        yield
    finally:
        done.set()
        heart.join()
        runs.give_lease_back(db, owner)
