"""Runs the benchmarks, all or those named: `python -m benchmarks [NAME…] [--quick] [--json FILE]`.

Exit 0 whatever the verdicts are: a busy machine is no broken build. They stand in the table and in the JSON.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    daemon_idle,
    dream_time,
    dreambench,
    fuzz,
    ingest_latency,
    large_files,
    lifecycle_speed,
    model_nights,
    model_overhead,
    peers,
    phrasings,
    read_speed,
    recall,
    recall_speed,
    scan,
    secrets_corpus,
    status_latency,
)
from benchmarks.tables import ABOVE, BELOW, Table, show
from benchmarks.worlds import Worlds, worlds

BENCHMARKS: dict[str, Callable[[Worlds], Table]] = {
    "daemon_idle": daemon_idle.measure,
    "ingest_latency": ingest_latency.measure,
    "status_latency": status_latency.measure,
    "dreambench": dreambench.measure,
    "phrasings": phrasings.measure,
    "read_speed": read_speed.measure,
    "dream_time": dream_time.measure,
    "recall": recall.measure,
    "recall_speed": recall_speed.measure,
    "scan": scan.measure,
    "large_files": large_files.measure,
    "secrets": secrets_corpus.measure,
    "fuzz": fuzz.measure,
    "peers": peers.measure,
    "model_overhead": model_overhead.measure,
    "model_nights": model_nights.measure,
    "lifecycle": lifecycle_speed.measure,
}


def main() -> None:
    """Measure what is asked for, and print it as it comes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure slowwave.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers here")
    parser.add_argument("--quick", action="store_true", help="smaller sizes where a benchmark has them")
    given = parser.parse_args()
    if unknown := [n for n in given.names if n not in BENCHMARKS]:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    machine = (
        f"Python {platform.python_version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    )
    print(machine)
    tables: dict[str, Table] = {}
    begun = time.monotonic()
    with worlds(quick=given.quick) as shared:
        for name in given.names or BENCHMARKS:
            tables[name] = BENCHMARKS[name](shared)
            show(tables[name])
    above = [f"{n}: {r.what}" for n, t in tables.items() for r in t.rows if r.verdict in {ABOVE, BELOW}]
    print(f"\n{time.monotonic() - begun:.0f} s; {len(above)} outside their limit")
    for line in above:
        print(f"  outside: {line}")
    if given.json:
        body = {"machine": machine, "tables": {n: t.as_json() for n, t in tables.items()}, "above": above}
        given.json.write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
