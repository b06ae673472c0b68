"""A kill between any two writes of a pass leaves it whole or not at all, and the next start says which.

The process is real and kills itself with SIGKILL, at a step of the pass, at a step of the landing, or before the
n-th statement that writes to the store.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from slowwave.lifecycle.maintenance import reflect
from slowwave.lifecycle.remember import remember
from slowwave.store import passes
from slowwave.verbs import ReflectRequest, RememberRequest

from .bench import NOW, World, days, world

_CHILD = """
import os, signal, sys
from pathlib import Path
from slowwave.lifecycle import maintenance
from slowwave.memory import publish
from slowwave.verbs import ReflectRequest
from slowwave.store.database import Database
from tests.lifecycle.bench import world

folder, kind, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
count = 0

def tick(what):
    global count
    count += 1
    if count == number:
        os.kill(os.getpid(), signal.SIGKILL)

if kind == "landing":
    real = publish.land
    publish.land = lambda repo, ready, on_step: real(repo, ready, tick)
if kind == "statement":
    run, many = Database._run, Database.many
    def counted(self, sql, parameters=()):
        if not sql.startswith(("SELECT", "PRAGMA")):
            tick(sql)
        return run(self, sql, parameters)
    def counted_many(self, sql, each):
        tick(sql)
        return many(self, sql, each)
    Database._run, Database.many = counted, counted_many
with world(folder, on_step=tick if kind == "step" else None) as w:
    w.clock.at += int(sys.argv[4])
    maintenance.reflect(w.bench, ReflectRequest())
print("ended", count)
"""
ROOT = Path(__file__).resolve().parents[2]
WAIT = days(40)


def _fill(w: World, *, files: bool) -> None:
    """Something for each action to do."""
    if files:
        for n in range(3):
            w.add(id=f"e{n}", at=NOW + WAIT - days(0.5))
        remember(w.bench, RememberRequest("over soon", expires_at=NOW + days(1)))
    w.add(id="fades", at=NOW + WAIT - days(20))
    w.add(id="leaves", at=NOW - days(1))
    w.add(id="ends", at=NOW + WAIT - days(1), expires_at=NOW + WAIT)


def _truth(w: World) -> dict[str, tuple[str, float, str]]:
    rows = w.db.rows("SELECT id, status, importance, superseded_by FROM records")
    return {r["id"]: (r["status"], r["importance"], r["superseded_by"]) for r in rows}


def _memory(w: World) -> dict[str, bytes]:
    root = w.bench.memory
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*.md")} if root.exists() else {}


def _killed(folder: Path, kind: str, number: int) -> bool:
    """Run a pass in a process that kills itself; False when it ended before."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(folder), kind, str(number), str(WAIT)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return done.returncode != 0


@pytest.mark.parametrize(
    ("kind", "files"),
    [("step", False), ("statement", False), ("step", True), ("statement", True), ("landing", True)],
)
def test_a_killed_pass_is_whole_or_not_at_all(kind: str, files: bool, tmp_path: Path) -> None:
    """Killed at any point, a pass has changed everything or nothing, after recovery rows and files agree, and the
    audit says which; then a pass brings memory to where an undisturbed one does.
    """
    with world(tmp_path / "whole") as w:
        _fill(w, files=files)
        w.clock.at += WAIT
        reflect(w.bench, ReflectRequest())
        whole, whole_memory = _truth(w), set(_memory(w))
    words: set[str] = set()
    number = 1
    while True:
        folder = tmp_path / str(number)
        with world(folder) as w:
            _fill(w, files=files)
            before, before_memory = _truth(w), _memory(w)
        if not _killed(folder, kind, number):
            break
        with world(folder) as w:
            w.clock.at += WAIT + 3_600_000_000
            begun = passes.unfinished(w.db)
            at_rest = _truth(w)
            assert at_rest in (before, whole)
            nothing = reflect(w.bench, ReflectRequest((), dry_run=False))
            assert set(nothing.recovered) == {pass_id for pass_id, _, _ in begun}
            assert (_truth(w), set(_memory(w))) in ((before, set(before_memory)), (whole, whole_memory))
            for pass_id, word in nothing.recovered.items():
                words.add(word)
                assert (word == "completed after it was cut short") is (_truth(w) == whole)
                assert w.db.value("SELECT reason FROM audit WHERE subject = ?", (f"pass {pass_id}",)) == word
            w.clock.at = NOW + WAIT
            reflect(w.bench, ReflectRequest())
            assert {k: v[0] for k, v in _truth(w).items()} == {k: v[0] for k, v in whole.items()}
            assert set(_memory(w)) == whole_memory
        number += 1
    assert number > (3 if kind == "landing" else 4)
    if files:
        assert "completed after it was cut short" in words
