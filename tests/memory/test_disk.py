"""A disk that is full or read-only is told in plain words, and costs nothing that was there.

Both are real: mounts in a private mount namespace, which needs the right to make one (root, or `unshare`).
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.memory.repo import MemoryRepository

Git = Callable[..., str]


def _in_namespace(setup: str, code: str, *args: str) -> str:
    """Run Python code behind some mounts only it can see; skips when this machine allows none."""
    for options in (["-m"], ["-r", "-m"]):
        probe = ["unshare", *options, "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"]
        try:
            allowed = subprocess.run(probe, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            break
        if allowed:
            script = f'set -e; {setup}; exec "$PYTHON" -c "$CODE" "$@"'
            command = [
                "unshare",
                *options,
                "env",
                f"PYTHON={sys.executable}",
                f"CODE={code}",
                "sh",
                "-c",
                script,
            ]
            done = subprocess.run([*command, "sh", *args], capture_output=True, check=False)
            assert done.returncode == 0, done.stderr.decode()
            return done.stdout.decode()
    pytest.skip("NOT TESTED HERE: no private mount namespace, so no full or read-only disk")


_READ_ONLY = """
import sys
from pathlib import Path
from slowwave.errors import MemoryRepositoryError
from slowwave.memory import importer
from slowwave.memory.publish import publish, reflection_ref, recover
from slowwave.memory import shape
from slowwave.memory.repo import MemoryRepository
repo = shape.open_(Path(sys.argv[1]))
files = importer.presentable(repo, "HEAD")
assert files and repo.log() and repo.diff("HEAD", "HEAD") == ""
def create(): shape.create(repo.path / "other")
def write(): importer.commit(repo, repo.head(), reflection_ref("new"), {**files, "new.md": b"x"}, "m")
def land(): publish(repo, reflection_ref("r1"), "m")
def start(): recover(repo)
for act in (create, write, land, start):
    try:
        act()
    except MemoryRepositoryError as error:
        print(error.hint)
    else:
        print("no error from", act.__name__)
"""


@pytest.mark.parametrize("used_before", [True, False])
def test_a_read_only_disk_can_be_read_and_says_so(
    repo: MemoryRepository, reflect: Callable[..., str], git: Git, used_before: bool
) -> None:
    """On a read-only mount memory is read as ever; every write is a clear error with a hint."""
    head = repo.head()
    reflect({"new.md": b"x"})
    if not used_before:
        subprocess.run(["rm", "-rf", str(repo.own_dir)], check=True)
    setup = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"'
    said = _in_namespace(setup, _READ_ONLY, str(repo.path)).splitlines()
    assert said == ["The memory folder is on a read-only disk."] * 4
    assert repo.head() == head
    assert git("status", "--porcelain") == ""


_FULL = """
import os, sys
from pathlib import Path
from slowwave.errors import MemoryRepositoryError
from slowwave.memory import importer
from slowwave.memory.publish import Landed, publish, reflection_ref, recover
from slowwave.memory import shape
from slowwave.memory.repo import MemoryRepository

root = Path(sys.argv[1])
repo = shape.create(root / "memory")
base, files = repo.head(), importer.presentable(repo, "HEAD")
big = {f"reference/{n}.md": os.urandom(15_000).hex().encode() for n in range(12)}
importer.commit(repo, base, reflection_ref("r1"), {**files, **big, "README.txt": b"dreamt"}, "m")

def fill(leave):
    with (root / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - leave))

def attempt(on_step=lambda _: None):
    try:
        return publish(repo, reflection_ref("r1"), "m", on_step)
    except MemoryRepositoryError as error:
        assert "full" in error.hint, error
        return None

# 1. full from the start, and with a little room left: nothing lands, nothing changes
for leave in (0, 4096, 16384, 65536, 131072, 262144):
    fill(leave)
    outcome = attempt()
    if outcome is None:
        print("refused")
        assert repo.head() == base and (repo.path / "README.txt").read_bytes() == files["README.txt"]
        assert not (repo.git_dir / "index.lock").exists()
    (root / "ballast").unlink()
    if outcome is not None:
        break
else:
    # 2. the disk fills up in the middle, after the reference moved
    outcome = attempt(lambda step: fill(0) if step.startswith("file:reference/0") else None)
    (root / "ballast").unlink()
    if outcome is None:
        assert repo.head() != base
        assert recover(repo).finished == repo.head()
        outcome = attempt()
assert isinstance(outcome, Landed), outcome
assert len(repo.commits_since(base)) == 1
for path, entry in repo.tree("HEAD").items():
    assert repo.raw_hash(path) == entry.oid, path
assert (repo.staged()) == {p: e.oid for p, e in repo.tree("HEAD").items()}
assert not list(repo.own_dir.glob("journal*"))
print("landed")
"""


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """On a 2 MB disk without room nothing lands and the error says why; with room again it lands once."""
    setup = 'mount -t tmpfs -o size=2m none "$1"'
    said = _in_namespace(setup, _FULL, str(tmp_path)).splitlines()
    assert said.count("refused") >= 2
    assert said[-1] == "landed"
