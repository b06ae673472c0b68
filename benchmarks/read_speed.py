"""How fast transcripts are read: Claude Code and Codex sessions, half each, through the session reader.

Two cases. In the mix, rows are as big as in life (`benchmarks.life`): 1 GB, or `SLOWWAVE_BENCH_MB`. In small rows the
project's real fixtures are repeated with changing ids, one copy a file, a tenth as much. A child process of its own first does
the least that any reader must (read the bytes, split at newlines, decode each line with msgspec), then reads the
same files with `SessionReader`, with or without redaction. MB/s of both in the same process, their ratio, and the
resident peak of the process. Times are the processor's, so that
other work on the machine does not count. A gigabyte takes some minutes.
"""

import json
import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import life
from benchmarks.processes import ROOT, environment, memory_mb, run
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.reader import SessionReader
from slowwave.transcripts.redact import Redactor

MEGABYTES = 1000
SOURCES = ("claude-code", "codex")
TIMES = 3
STEP = 16 << 20  # bytes read at once, as when a person asks for a dream
FIXTURES = ROOT / "tests" / "transcripts" / "fixtures"
_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Unredacted(Redactor):
    """Lets everything through, to tell what redaction costs."""

    def redact(self, text: str) -> str:
        """The text as it is."""
        return text

    def spares(self, text: str, head: int, tail: int) -> bool:  # noqa: ARG002  the shape
        """Everything."""
        return True


def measure(worlds: Worlds) -> Table:
    """Write the files, then read them in children."""
    size = int(os.environ.get("SLOWWAVE_BENCH_MB", MEGABYTES)) * 1_000_000 // len(SOURCES)
    env = environment(worlds.root, worlds.root / "unused")
    rows: list[Row] = []
    for case in ("mix", "small rows"):
        folder = worlds.root / "read-speed" / case
        for source in SOURCES:
            if case == "mix":
                life.write(folder / source, source, size)
            else:
                write_copies(folder / source, sorted((FIXTURES / source).rglob("*.jsonl")), size // 10)
        for mode in ("unredacted", "redacted"):
            command = [sys.executable, "-m", "benchmarks.read_speed", str(folder), mode]
            told = [json.loads(run(command, env).out) for _ in range(TIMES)]
            name = f"{case}, {mode}"
            rows += [
                r for source in (*SOURCES, "all") for r in _rows(source, name, [t[source] for t in told])
            ]
            rows.append(
                Row(f"{name}: peak RSS", tuple(t["peak_mb"] for t in told), "MB", beside="whole process")
            )
        shutil.rmtree(folder)
    return Table(
        f"read_speed: {size * len(SOURCES) // 1_000_000} MB of sessions, and a tenth in small rows",
        tuple(rows),
    )


def _rows(source: str, mode: str, told: list[dict[str, float]]) -> list[Row]:
    bare = statistics.median(t["bare"] for t in told)
    ratio = statistics.median(t["bare"] / t["read"] for t in told)
    beside = f"bare decode {bare:.0f} MB/s, {ratio:.1f} times as fast"
    return [
        Row(f"{mode}: {source}", tuple(t["read"] for t in told), "MB/s", beside=beside, more_is_better=True)
    ]


def write_copies(folder: Path, fixtures: list[Path], size: int) -> None:
    """Copies of the fixtures, each with ids of its own, until `size` bytes are there."""
    texts = [(path.name, path.read_bytes()) for path in fixtures]
    if not texts:
        raise FileNotFoundError(f"no fixtures for {folder.name}")
    written = copy = 0
    while written < size:
        copy += 1
        below = folder / str(copy)
        below.mkdir(parents=True)
        for name, text in texts:
            (below / _renamed(name.encode(), copy).decode()).write_bytes(_renamed(text, copy))
            written += len(text)


def _renamed(text: bytes, copy: int) -> bytes:
    """The text with every id changed in the same way."""
    return _UUID.sub(lambda m: m[0][:-8] + b"%08x" % (int(m[0][-8:], 16) ^ copy), text)


# ---------------------------------------------------------------------- in the child
def _bare(files: Iterable[Path]) -> None:
    decoder = msgspec.json.Decoder(Any)
    for path in files:
        for line in path.read_bytes().split(b"\n"):
            if line:
                decoder.decode(line)


def _read(files: Iterable[Path], source: str, redactor: Redactor) -> None:
    for path in files:
        reader = SessionReader(path, FORMATS[source], redactor)
        while reader.read(budget=STEP).more:
            pass


def child(folder: Path, mode: str) -> dict[str, Any]:
    """Megabytes a second, bare and read, by source and over all, and the resident peak."""
    redactor = (Redactor if mode == "redacted" else Unredacted)(b"benchmark")
    told: dict[str, Any] = {}
    total = [0.0, 0.0, 0.0]
    for source in SOURCES:
        files = sorted((folder / source).rglob("*.jsonl"))
        megabytes = sum(f.stat().st_size for f in files) / 1e6
        at = [time.process_time()]
        _bare(files)
        at.append(time.process_time())
        _read(files, source, redactor)
        at.append(time.process_time())
        bare, read = at[1] - at[0], at[2] - at[1]
        told[source] = {"bare": megabytes / bare, "read": megabytes / read}
        total = [total[0] + megabytes, total[1] + bare, total[2] + read]
    told["all"] = {"bare": total[0] / total[1], "read": total[0] / total[2]}
    told["peak_mb"] = memory_mb("self", "VmHWM")
    return told


if __name__ == "__main__":
    print(json.dumps(child(Path(sys.argv[1]), sys.argv[2])))
