"""The same transcripts through slowwave and through other readers: time, and what each counts.

agent-trajectory (PyPI, starts Node 20) normalises transcripts into records; ccusage (npm) sums the tokens of
Claude Code's. Both run only where they are installed: SLOWWAVE_PEER_PYTHON names a Python that has
agent-trajectory, SLOWWAVE_CCUSAGE the command of ccusage. They do other work than ours (neither redacts, counts
turns nor keeps a place), so times stand beside each other and are no race. The sessions are the project's
fixtures with changing ids, and where the real clients' sessions are at hand (`../shared`) those with their truth.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.transcripts.samples import SHARED

from benchmarks.processes import environment, run
from benchmarks.read_speed import FIXTURES, write_copies
from benchmarks.tables import Row, Table
from benchmarks.worlds import Worlds
from slowwave.transcripts.discover import at
from slowwave.transcripts.listing import list_sessions

BYTES, QUICK = 100_000_000, 10_000_000
SOURCES = ("claude-code", "codex")
_TRUTH = SHARED / "data" / "transcripts" / "generated"

_TRAJECTORY = """
import json, sys, time
from pathlib import Path
from importlib.metadata import version
from trajectory import NormalizationError, normalize_many
source, paths = sys.argv[1], [p for p in sorted(Path(sys.argv[2]).rglob("*.jsonl")) if p.stat().st_size]
users = steps = refused = 0
begun = time.perf_counter()
def batch(texts):
    global users, steps, refused
    try:
        results = normalize_many([{"source": source, "transcript": t} for t in texts])
    except NormalizationError:
        if len(texts) == 1:
            refused += 1
            return
        for text in texts:
            batch([text])
        return
    for result in results:
        roles = [r.get("role") for r in result["records"]]
        users += roles.count("user")
        steps += roles.count("assistant")
for n in range(0, len(paths), 20):
    batch([p.read_text("utf-8", "replace") for p in paths[n : n + 20]])
told = {"seconds": time.perf_counter() - begun, "prompts": users, "steps": steps, "refused": refused}
print(json.dumps({**told, "version": version("agent-trajectory")}))
"""


def measure(worlds: Worlds) -> Table:
    """Write the files, then let each reader have them."""
    rows: list[Row] = []
    remarks: list[str] = []
    for source in SOURCES:
        folder = worlds.root / "peers" / source / "projects"
        fixtures = sorted((FIXTURES / source).rglob("*.jsonl"))
        write_copies(folder, fixtures, (QUICK if worlds.quick else BYTES) // len(SOURCES))
        size = sum(f.stat().st_size for f in folder.rglob("*.jsonl")) / 1e6
        env = environment(worlds.root, worlds.root / "peers-own")
        ours = json.loads(run([sys.executable, "-m", "benchmarks.peers", str(folder)], env).out)
        rows.append(_row(f"{source}: slowwave, counted", size, ours["seconds"], ours))
        peer = _trajectory(source, folder, env)
        if peer:
            what = f"{source}: agent-trajectory {peer['version']}"
            rows.append(_row(what, size, peer["seconds"], peer))
        if source == "claude-code" and (seconds := _ccusage(folder.parent, env)):
            rows.append(Row(f"{source}: ccusage, summed", (size / seconds,), "MB/s", beside="tokens only"))
        if (_TRUTH / source).is_dir():
            remarks.append(_truth(source, env))
    if not shutil.which("node") or not _has_trajectory(env):
        remarks.append("agent-trajectory or Node is not installed, so it is not beside it")
    if "SLOWWAVE_CCUSAGE" not in os.environ:
        remarks.append("ccusage is not installed, so it is not beside it")
    return Table("peers: the same transcripts through other readers", tuple(rows), tuple(remarks))


def _row(what: str, size: float, seconds: float, told: Mapping[str, Any]) -> Row:
    words = ("prompts", "steps") if "slowwave" in what else ("user records", "assistant records")
    beside = f"{size:.0f} MB: {told['prompts']:,} {words[0]}, {told['steps']:,} {words[1]}"
    return Row(what, (size / seconds,), "MB/s", beside=beside, more_is_better=True)


def _truth(source: str, env: Mapping[str, str]) -> str:
    """What each reader counts in the sessions of real clients, and what they really held."""
    truth = json.loads((_TRUTH / "GROUND_TRUTH.json").read_text("utf-8"))
    groups = {g: of for g, of in truth.items() if g.startswith(f"{source}/")}
    real = [sum(s[name] for of in groups.values() for s in of.values()) for name in ("prompts", "steps")]
    ours = [0, 0]
    for group in groups:
        for counts in list_sessions(at(_TRUTH / group)):
            if counts.kind == "main":
                ours = [ours[0] + counts.prompts, ours[1] + counts.steps]
    text = f"{source}, real sessions: {real[0]} prompts and {real[1]} steps were made; slowwave counts {ours[0]} and {ours[1]}"
    peers = [p for group in groups if (p := _trajectory(source, _TRUTH / group, env))]
    if peers:
        users, replies = (sum(p[n] for p in peers) for n in ("prompts", "steps"))
        text += f"; agent-trajectory gives {users} user and {replies} assistant records"
    return text


def _peer_python() -> str:
    return os.environ.get("SLOWWAVE_PEER_PYTHON", sys.executable)


def _has_trajectory(env: Mapping[str, str]) -> bool:
    command = [_peer_python(), "-c", "import trajectory"]
    return subprocess.run(command, env=dict(env), capture_output=True, check=False).returncode == 0


def _trajectory(source: str, folder: Path, env: Mapping[str, str]) -> dict[str, Any] | None:
    if not _has_trajectory(env):
        return None
    found: dict[str, Any] = json.loads(run([_peer_python(), "-c", _TRAJECTORY, source, str(folder)], env).out)
    return found


def _ccusage(config: Path, env: Mapping[str, str]) -> float | None:
    command = os.environ.get("SLOWWAVE_CCUSAGE")
    if not command:
        return None
    return run([command, "session", "--json", "--offline"], {**env, "CLAUDE_CONFIG_DIR": str(config)}).seconds


# ---------------------------------------------------------------------- in the child
def child(folder: Path) -> dict[str, Any]:
    """Seconds, prompts and steps, copies of history among them."""
    begun = time.perf_counter()
    counts = list_sessions(at(folder))
    return {
        "seconds": time.perf_counter() - begun,
        "prompts": sum(c.prompts + c.inherited.prompts for c in counts),
        "steps": sum(c.steps + c.inherited.steps for c in counts),
    }


if __name__ == "__main__":
    print(json.dumps(child(Path(sys.argv[1]))))
