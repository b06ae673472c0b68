"""Damaged transcripts, 20,000 of them: reading returns, and loses no entry whose bytes are intact.

Each case takes a session of a real client where they are at hand (`../shared`), else one of the project's own
fixtures, and flips, cuts, inserts, swaps or blanks some bytes of it; what stands on untouched rows must still be
read. A case that takes longer than a few seconds loops. The seed of a case is its number, so each can be repeated.
"""

import tempfile
import time
from pathlib import Path

from tests.transcripts.damage import lost_by_damage
from tests.transcripts.samples import FIXTURES, SHARED, real_sessions

from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.transcripts.discover import SessionFile, from_argument

CASES, QUICK = 20_000, 2_000
SLOWEST = 5.0
_TOLD = 5


def measure(worlds: Worlds) -> Table:
    """Run the cases, one after the other."""
    files = sessions()
    cases = QUICK if worlds.quick else CASES
    raised, lost, seconds = list[str](), list[str](), list[float]()
    with tempfile.TemporaryDirectory(dir=worlds.root) as folder:
        for seed in range(cases):
            begun = time.perf_counter()
            try:
                file, gone = lost_by_damage(files, seed, Path(folder))
            except Exception as error:  # noqa: BLE001  whatever it raises is the finding
                raised.append(f"case {seed}: {type(error).__name__}: {error}")
            else:
                lost += [f"case {seed}: {sum(gone.values())} entries of {file.path.name}"] if gone else []
            seconds.append(time.perf_counter() - begun)
            for left in Path(folder).iterdir():
                left.unlink()
    formats = len({f.format_name for f in files})
    rows = (
        Row("cases that raise", (len(raised),), "", 0),
        Row("cases that lose an intact entry", (len(lost),), "", 0),
        Row("slowest case", (max(seconds),), "s", SLOWEST),
        Row(
            "cases a second",
            (cases / sum(seconds),),
            "",
            beside=f"{cases:,} cases, {len(files)} files, {formats} formats",
        ),
    )
    return Table("fuzz: damaged transcripts", rows, (*raised[:_TOLD], *lost[:_TOLD]))


def sessions() -> tuple[SessionFile, ...]:
    """The sessions that lie in one file each; Aider's has no rows that could be intact."""
    if SHARED.is_dir():
        found = real_sessions(SHARED)
    else:
        found = from_argument(f"path:{FIXTURES}", {}, Path("/nonexistent"))
    return tuple(f for f in found if f.path.is_file() and f.path.stat().st_size and f.format_name != "aider")
