"""How soon a finished turn is in the store, with the daemon running beside 5,000 known files.

A whole turn is written 20 times to one existing session, and 20 times to a new session in a folder that did not
exist. Measured from the last byte written until a reader of the database sees the turn; the reader asks every
2 ms on a read-only connection of its own. The turns come at uneven moments, so that no clock of the daemon helps.
Beside it, what the daemon's reading costs: its CPU time while an agent writes a row every 0.1 s for ten seconds, and
while another program does the same to a file that is no session.
"""

import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from tests.sessions import ClaudeSession

from benchmarks.processes import BenchmarkError, cpu_seconds, daemon
from benchmarks.tables import Row, Table
from benchmarks.worlds import FILES, Worlds, write_session

LIMIT = 1.0
TIMES = 20
BUSY_SECONDS = 10.0
_PATIENCE = (
    120.0  # beyond the scan that comes every minute: a missed event shows as a bad number, not as a failure
)
_QUESTION = (
    "SELECT 1 FROM turns t JOIN sessions s ON s.id = t.session WHERE s.session_id = ? AND t.number = ?"
)


def measure(worlds: Worlds) -> Table:
    """Write turns, and wait for each."""
    env = worlds.settled
    database = Path(env["SLOWWAVE_HOME"]) / "data" / "slowwave.db"
    chance = random.Random(7)
    with daemon(env) as process, closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        time.sleep(2)
        grown = write_session(worlds.home, "grown", "/home/dev/project-1")
        _wait(db, grown)
        existing, brand_new = [], []
        for n in range(TIMES):
            time.sleep(chance.uniform(0.2, 1.2))
            grown.turn("and now the other file", steps=3)
            existing.append(_wait(db, grown))
            time.sleep(chance.uniform(0.2, 1.2))
            fresh = ClaudeSession(worlds.home, f"new-{n}", f"/home/dev/new-place-{n}")
            brand_new.append(_wait(db, fresh.turn("begin here", steps=3)))
        busy = _cpu_while_writing(process.pid, grown.path, grown)
        other = _cpu_while_writing(process.pid, grown.path.with_name("journal.jsonl"), grown)
    rows = [
        *_rows("turn added to a known session", existing),
        *_rows("first turn of a new session in a new folder", brand_new),
        Row("CPU while a session grows by 10 rows a second", (busy,), "%", beside="reading is work"),
        Row("CPU while a file that is no session does", (other,), "%", beside="nothing to read"),
    ]
    return Table(f"ingest_latency: from the last byte to the store, {FILES:,} files known", tuple(rows))


def _rows(what: str, samples: list[float]) -> list[Row]:
    return [
        Row(f"{what}: median", tuple(samples), "s", LIMIT),
        Row(f"{what}: worst", (max(samples),), "s", LIMIT),
    ]


def _cpu_while_writing(pid: int, path: Path, session: ClaudeSession) -> float:
    """The CPU time of the daemon in percent while `path` grows by rows of an unfinished turn."""
    step = session.path.read_text("utf-8").splitlines()[1]
    begun, before = time.perf_counter(), cpu_seconds(pid)
    while time.perf_counter() - begun < BUSY_SECONDS:
        with path.open("a", encoding="utf-8") as file:
            file.write(step + "\n")
        time.sleep(0.1)
    return 100 * (cpu_seconds(pid) - before) / (time.perf_counter() - begun)


def _wait(db: sqlite3.Connection, session: ClaudeSession) -> float:
    """Seconds from now, when the last byte has just been written, until the session's last turn is in the store."""
    begun = time.perf_counter()
    while not db.execute(_QUESTION, (session.session_id, session.turns)).fetchone():
        if time.perf_counter() - begun > _PATIENCE:
            raise BenchmarkError(f"turn {session.turns} of {session.path} never came into the store")
        time.sleep(0.002)
    return time.perf_counter() - begun
