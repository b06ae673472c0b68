"""What a dream learns: dreambench's labelled projects, told as Claude Code and as Codex sessions.

The scorer beside the data runs `slowwave dream --from SOURCE:DIR` once per project, each in a home of its own,
and scores the markdown it leaves. Its two baselines (every sentence with a trigger word; every prompt word for
word) stand beside. The data is no part of the project: without it this module says so and measures nothing.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT, SLOWWAVE, environment, run
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds

SHARED = ROOT.parent / "shared"
DATA = SHARED / "data" / "dreambench" / "dev"
SCORER = SHARED / "tools" / "score_dream.py"
SOURCES = ("claude-code", "codex")
BASELINES = ("keyword", "dump")


def measure(worlds: Worlds) -> Table:
    """Score both sources and both baselines."""
    title = "dreambench: what a dream learns of labelled sessions"
    if not (DATA.is_dir() and SCORER.is_file()):
        return Table(title, (), (f"NOT MEASURED: the labelled sessions are not at {DATA}",))
    wrapper = f"{sys.executable} -m benchmarks.dreambench {{source}} {{dir}} {{memory}}"
    rows: list[Row] = []
    remarks: list[str] = []
    baselines = {name: _score(worlds.root, ["--baseline", name])["total"] for name in BASELINES}
    for source in SOURCES:
        scored = _score(worlds.root, ["--run", wrapper, "--source", source])
        rows += _rows(f"slowwave, {source}", scored["total"], "")
        rows += _parts(source, scored["total"], baselines)
        remarks += _remarks(source, scored)
    for name, total in baselines.items():
        rows += _rows(f"baseline {name}", total, "peer")
    return Table(title, tuple(rows), tuple(remarks))


def _score(folder: Path, arguments: list[str]) -> dict[str, Any]:
    result = folder / "dreambench.json"
    result.unlink(missing_ok=True)
    env = environment(folder, folder / "unused")
    # The scorer ends with 1 when a command failed; its result tells which, and the rest still counts.
    command = [sys.executable, str(SCORER), str(DATA), "--json", str(result), *arguments]
    run(["sh", "-c", '"$@" || test -s "$0"', str(result), *command], env)
    scored: dict[str, Any] = json.loads(result.read_text("utf-8"))
    return scored


def _rows(who: str, total: dict[str, Any], beside: str) -> list[Row]:
    forbid = total["forbid"]
    leaks = f"of {forbid} that must not be kept"
    return [
        *(
            Row(f"{who}: {k}", (total[k] or 0.0,), "", beside=beside)
            for k in ("recall", "precision", "f1", "score")
        ),
        Row(f"{who}: leaks", (total["leaks"],), "", beside=leaks),
    ]


def _parts(source: str, total: dict[str, Any], baselines: dict[str, dict[str, Any]]) -> list[Row]:
    """Recall by kind and by language, each beside what the baselines reach."""
    rows = []
    for part in ("kind", "language"):
        for name, share in total[f"recall_by_{part}"].items():
            peers = ", ".join(
                f"{peer} {baseline[f'recall_by_{part}'].get(name) or 0.0:.2f}"
                for peer, baseline in baselines.items()
            )
            rows.append(Row(f"{source}: recall, {part} {name}", (share or 0.0,), "", beside=peers))
    return rows


def _remarks(source: str, scored: dict[str, Any]) -> list[str]:
    total = scored["total"]
    precision = ", ".join(f"{k} {v}" for k, v in total["precision_by_language"].items())
    why = ", ".join(f"{k} {v}" for k, v in total["leaks_by_why"].items())
    return [
        f"{source}: precision by language: {precision}",
        (
            f"{source}: leaks by kind: {why or 'none'}; stale {total['stale']} of {total['superseded']},"
            f" duplicates {total['duplicates']}, routing {total['routing']}, top-5 {total['queries_top5']}"
        ),
        *(f"{source}: FAILED {project}: {reason}" for project, reason in scored["failures"]),
    ]


def dream(source: str, folder: str, memory: Path) -> None:
    """Dream one project in a home of its own, and lay its markdown into `memory`."""
    with tempfile.TemporaryDirectory(prefix="slowwave-dreambench-") as name:
        own = Path(name)
        env = environment(own, own / "slowwave")
        run([*SLOWWAVE, "dream", "--from", f"{source}:{folder}", "--json"], env)
        kept = own / "slowwave" / "memory"
        if kept.is_dir():
            shutil.copytree(kept, memory, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))


if __name__ == "__main__":
    dream(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
