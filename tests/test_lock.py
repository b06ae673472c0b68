"""The lock of a process's life, with real processes."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from slowwave import lock
from slowwave.errors import BusyError

HOLD = "import sys, time\nfrom pathlib import Path\nfrom slowwave import lock\nwith lock.held(Path(sys.argv[1]), 'it'):\n    print('held', flush=True)\n    time.sleep(60)\n"


def test_a_killed_holder_gives_the_lock_back(tmp_path: Path) -> None:
    """While a process holds it a second one is told who; after SIGKILL it is free at once."""
    path = tmp_path / "run" / "daemon.lock"
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        assert lock.is_held(path)
        with pytest.raises(BusyError, match=str(child.pid)), lock.held(path, "a daemon"):
            pass
    finally:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
    assert not lock.is_held(path)
    with lock.held(path, "a daemon"):
        assert lock.is_held(path)


def test_patience_waits_for_a_short_holder(tmp_path: Path) -> None:
    """A lock that frees itself in time is had without an error."""
    path = tmp_path / "lock"
    code = HOLD.replace("60", "0.3")
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    start = time.monotonic()
    with lock.held(path, "it", patience=10):
        assert time.monotonic() - start < 10
    child.wait()
    child.stdout.close()
