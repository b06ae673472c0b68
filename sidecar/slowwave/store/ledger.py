"""The ledger of model calls: what each was expected to cost at most, what it cost, and which doors are shut.

A call is entered before it is made, with the most it can cost, and settled after. A process that dies in between
leaves the estimate standing, so money is never forgotten; a ledger that cannot be written stops the next call. The
day and the week are rolling windows: there is no midnight after which everything may be spent again.
"""

from dataclasses import dataclass

from slowwave.model import Usage
from slowwave.store.database import Database

DAY_SECONDS = 86_400.0
WEEK_SECONDS = 7 * DAY_SECONDS
OPEN, DONE, FAILED = "open", "done", "failed"


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum over calls."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Breaker:
    """A door that is shut after failures of one kind, until `until` (POSIX seconds)."""

    door: str
    kind: str
    failures: int
    until: float
    text: str


def reserve(
    db: Database, *, run: str, model: str, endpoint: str, purpose: str, at: float, tokens: int, usd: float
) -> int:
    """Enter a call that is about to be made, with the most it can take. Raises StoreError."""
    with db.transaction():
        return db.insert(
            "INSERT INTO calls (run, model, endpoint, purpose, at, state, expected_tokens, expected_usd)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (run, model, endpoint, purpose, at, OPEN, tokens, usd),
        )


def settle(db: Database, call: int, usage: Usage | None, usd: float, failure: str = "") -> None:
    """Say what a call took. Without a usage (the other side never said) the estimate stands. Raises StoreError."""
    state = FAILED if failure else DONE
    with db.transaction():
        if usage is None:
            db.execute("UPDATE calls SET state = ?, failure = ? WHERE id = ?", (state, failure, call))
            return
        db.execute(
            "UPDATE calls SET state = ?, failure = ?, input = ?, output = ?, cache_read = ?, cache_write = ?,"
            " usd = ? WHERE id = ?",
            (state, failure, usage.input, usage.output, usage.cache_read, usage.cache_write, usd, call),
        )


def spent(db: Database, *, run: str = "", since: float = 0.0) -> Spent:
    """What the calls of a run, or of all runs since a time, have taken or may still take."""
    row = db.row(
        "SELECT count(*), coalesce(sum(coalesce(input + output + cache_read + cache_write, expected_tokens)), 0),"
        " round(coalesce(sum(coalesce(usd, expected_usd)), 0.0), 9) FROM calls WHERE at > ? AND (? = '' OR run = ?)",
        (since, run, run),
    )
    return Spent(*row) if row else Spent()


def usage_of(db: Database, run: str) -> Usage:
    """The tokens of a run's settled calls."""
    row = db.row(
        "SELECT coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0),"
        " coalesce(sum(cache_write), 0) FROM calls WHERE run = ?",
        (run,),
    )
    return Usage(*row) if row else Usage()


# ---------------------------------------------------------------------- doors
def trip(db: Database, breaker: Breaker) -> None:
    """Shut a door, or keep it shut longer."""
    with db.transaction():
        db.execute(
            "INSERT OR REPLACE INTO breakers (door, kind, failures, until, text) VALUES (?, ?, ?, ?, ?)",
            (breaker.door, breaker.kind, breaker.failures, breaker.until, breaker.text),
        )


def breakers(db: Database, door: str) -> tuple[Breaker, ...]:
    """Every kind of failure a door has met since its last success, the one that keeps it shut longest first."""
    rows = db.rows(
        "SELECT door, kind, failures, until, text FROM breakers WHERE door = ? ORDER BY until DESC", (door,)
    )
    return tuple(Breaker(*row) for row in rows)


def open_door(db: Database, door: str) -> None:
    """A call succeeded: forget what had failed before."""
    if breakers(db, door):
        with db.transaction():
            db.execute("DELETE FROM breakers WHERE door = ?", (door,))
