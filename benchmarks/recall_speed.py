"""How fast memory answers: 100,000 synthetic records in twenty projects, asked two to eight words at a time.

Beside it stand plain full text over the same rows, and what people do without us: `grep -r` over one file per
record. `SLOWWAVE_BENCH_RECORDS` sets another size (1000000 takes some minutes and 2 GB of disk).
"""

import bisect
import itertools
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.processes import SLOWWAVE, environment, run
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.recall import fast, search, words
from slowwave.recall.answers import ignore_progress
from slowwave.recall.search import Question
from slowwave.store import documents
from slowwave.store.database import Database
from slowwave.store.documents import RECORD, Document

RECORDS = int(os.environ.get("SLOWWAVE_BENCH_RECORDS", "100000"))
PROJECTS = 20
VOCABULARY = 60_000
QUESTIONS = 200
GREPPED = 20_000
"""Files that are grepped at most: the figure is scaled to the number of records, since grep reads every byte."""
NOW = datetime(2026, 2, 1, tzinfo=UTC)
# The most that a 95th percentile may be, in milliseconds, by number of records.
WARM = {100_000: 6.0, 1_000_000: 15.0}
PLAIN = {100_000: 74.0, 1_000_000: 848.0}
GREP_RATIO = 100.0


def measure(shared: Worlds) -> Table:
    """Build, ask warm, ask from the command line, write and ask."""
    folder = shared.root / "recall"
    folder.mkdir()
    draw = _Draw(1)
    index = documents.open_index(folder / "recall.db")
    begun = time.monotonic()
    for batch in _batches(draw):
        with index.transaction():
            documents.add(index, batch)
    filled = time.monotonic() - begun
    begun = time.monotonic()
    fast.build(index, folder / "fast", ignore_progress)
    built = time.monotonic() - begun
    warm = fast.open_fast(folder / "fast")
    assert warm is not None
    questions = [" ".join(draw.words(draw.random.randint(2, 8))) for _ in range(QUESTIONS)]
    size = f"{RECORDS:,} records"
    asked = _times(questions, lambda q: search.search(index, Question(q, project="p3"), NOW, fast=warm))
    plain = _times(questions[:30], lambda q: search.search(index, Question(q, project="p3"), NOW))
    written = [_write_and_ask(index, warm, n) for n in range(50)]
    grep = _grep(folder / "files", questions[:5], draw)
    rows = (
        Row(f"warm, own project, p50, {size}", (_at(asked, 0.5),), "ms"),
        Row(f"warm, own project, p95, {size}", (_at(asked, 0.95),), "ms", WARM.get(RECORDS)),
        Row(f"full text in SQLite alone, p95, {size}", (_at(plain, 0.95),), "ms", PLAIN.get(RECORDS)),
        Row("a write is visible to recall, p95", (_at(written, 0.95),), "ms", 5.0),
        Row("grep -r over the same as files, p50", (grep,), "ms", None, "what people do without us"),
        Row(
            "warm recall against grep -r",
            (grep / _at(asked, 0.5),),
            "times faster",
            None,
            f"at least {GREP_RATIO:.0f}",
            more_is_better=True,
        ),
        Row("filling the index", (filled,), "s"),
        Row("building the fast index", (built,), "s"),
        Row("peak memory", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,), "MB"),
        *_command_line(shared.root, index, folder),
    )
    index.close()
    return Table(f"recall speed: {size} in {PROJECTS} projects", rows)


class _Draw:
    """Words as in life: few are frequent, many are rare."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._sums = list(itertools.accumulate(1 / n**1.05 for n in range(1, VOCABULARY + 1)))

    def words(self, count: int) -> list[str]:
        """Some words."""
        picks = (bisect.bisect(self._sums, self.random.random() * self._sums[-1]) for _ in range(count))
        return [f"wo{chr(97 + n % 26)}{n}" for n in picks]

    def text(self) -> str:
        """A record's text, 39 words on average."""
        return " ".join(self.words(self.random.randint(8, 70)))


def _batches(draw: _Draw, step: int = 20_000) -> Iterator[list[Document]]:
    for start in range(0, RECORDS, step):
        yield [_record(n, draw.text()) for n in range(start, min(RECORDS, start + step))]


def _record(n: int, text: str) -> Document:
    author = "user" if n % 2 else "assistant"
    return Document(
        *(
            RECORD,
            f"r{n}",
            "",
            "",
            "episodic",
            text,
            "",
            "2026-01-02",
            f"p{n // 20 % PROJECTS}",
            f"s{n // 20}",
        ),
        *(n % 20, author, 0.5, 0.5, "", ""),
        words=words.indexed(author, text),
    )


def _times(questions: list[str], ask: Callable[[str], object]) -> list[float]:
    found = []
    for question in questions:
        begun = time.perf_counter()
        ask(question)
        found.append(1000 * (time.perf_counter() - begun))
    return sorted(found)


def _at(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)]


def _write_and_ask(index: Database, warm: fast.FastIndex, n: int) -> float:
    begun = time.perf_counter()
    with index.transaction():
        documents.add(index, [_record(10_000_000 + n, f"zebra quagga{n}")])
    hits = search.search(index, Question(f"quagga{n}"), NOW, fast=warm)
    assert hits[0].document.ref == f"r{10_000_000 + n}"
    return 1000 * (time.perf_counter() - begun)


def _grep(folder: Path, questions: list[str], draw: _Draw) -> float:
    count = min(RECORDS, GREPPED)
    for n in range(count):
        part = folder / str(n % 200)
        part.mkdir(parents=True, exist_ok=True)
        (part / f"{n}.md").write_text(draw.text())

    def ask(question: str) -> object:
        return subprocess.run(
            ["grep", "-riE", "|".join(question.split()), str(folder)], capture_output=True, check=False
        )

    return _at(_times(questions, ask), 0.5) * RECORDS / count


def _command_line(root: Path, index: Database, folder: Path) -> Iterator[Row]:
    """The whole process, with the index in the place where the command line looks for it."""
    home = root / "recall-home"
    (home / "state" / "recall").mkdir(parents=True)
    (home / "memory" / "system").mkdir(parents=True)
    index.copy_to(home / "state" / "recall" / "recall.db")
    (folder / "fast").rename(home / "state" / "recall" / "fast")
    env = environment(root, home)
    command = [*SLOWWAVE, "recall", "--all", *_Draw(2).words(4)]
    run(command, env)
    times = []
    for _ in range(7):
        begun = time.perf_counter()
        run(command, env)
        times.append(1000 * (time.perf_counter() - begun))
    bare = []
    for _ in range(7):
        begun = time.perf_counter()
        run([sys.executable, "-c", ""], env)
        bare.append(1000 * (time.perf_counter() - begun))
    yield Row(
        f"`slowwave recall`, whole process, {RECORDS:,} records",
        tuple(times),
        "ms",
        120.0 if RECORDS <= 100_000 else None,
    )
    yield Row("a Python that does nothing", tuple(bare), "ms", None, "peer")
