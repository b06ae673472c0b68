"""How long a dream takes as there is more to dream about: 10, 100 and 1,000 sessions in one project.

Each size is one `slowwave dream --from` in a home of its own, as a whole process. A session has four turns; every
fifth holds a wish worth learning that no other holds, so that memory grows with the sessions. Seconds per session
that do not rise say that it is linear. The resident peak is of the dreaming process itself, git not counted.
"""

import json
from pathlib import Path

from benchmarks.processes import SLOWWAVE, environment, run_watched
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds, write_session

SIZES = (10, 100, 1000)
_FIRST = ("bar", "cor", "del", "fen", "gal", "hol", "jun", "kem", "lor", "mar")
_SECOND = ("ada", "ebo", "ica", "odo", "uma", "ente", "osta", "ilde", "arno", "ulti")


def measure(worlds: Worlds) -> Table:
    """Dream at each size."""
    rows: list[Row] = []
    remarks: list[str] = []
    per_session: list[float] = []
    for size in SIZES:
        home = worlds.root / f"dream-{size}"
        _write(home, size)
        env = environment(home, home / "slowwave")
        ran = run_watched([*SLOWWAVE, "dream", "--from", f"claude-code:{home}", "--json"], env)
        report = json.loads(ran.out)
        per_session.append(ran.seconds / size)
        rows += [
            Row(f"{size} sessions: whole command", (ran.seconds,), "s"),
            Row(f"{size} sessions: each", (1000 * ran.seconds / size,), "ms", beside=_growth(per_session)),
            Row(f"{size} sessions: peak RSS", (ran.peak_mb,), "MB"),
        ]
        remarks.append(
            f"{size} sessions: {report['outcome']}, {report['batches']} batches, {len(report['learned'])} learned"
        )
    return Table(
        "dream_time: one offline dream over a growing number of sessions", tuple(rows), tuple(remarks)
    )


def _growth(per_session: list[float]) -> str:
    if len(per_session) == 1:
        return "start-up included"
    return f"{per_session[-1] / per_session[-2]:.2f} of the size before"


def _write(home: Path, size: int) -> None:
    for n in range(size):
        session = write_session(home, f"dreamed-{size}-{n}", "/home/dev/harbor")
        if n % 5:
            session.turn("thanks, that works", steps=1)
        else:
            wish = f"From now on always run `{_name(n)} {_name(n + 1)}` before you touch {_name(n + 2)}."
            session.turn(wish, steps=2, answer="Understood.")


def _name(n: int) -> str:
    """A name that nothing else has: lines that share most of their words count as one."""
    return f"{_FIRST[n % 10]}{_SECOND[n // 10 % 10]}{_FIRST[n // 100 % 10]}{_SECOND[n // 1000 % 10]}"
