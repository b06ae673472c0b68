"""Launches a claimed dream as a process of its own, so that the daemon's memory and fate are not tied to it."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_GRACE_SECONDS = 20.0


def launch(arguments: list[str], log: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start `slowwave ARGUMENTS` with its output in a log only this user can read.

    It gets a session of its own: a Ctrl-C meant for the daemon does not kill a dream half-way, the daemon
    asks it to stop instead.
    """
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "slowwave", *arguments],
            stdin=subprocess.DEVNULL, stdout=descriptor, stderr=descriptor, env=dict(env),
            start_new_session=os.name == "posix", close_fds=True,
        )  # fmt: skip
    finally:
        os.close(descriptor)


def stop(process: subprocess.Popen[bytes]) -> int:
    """Ask a dream to stop, wait for it, and end it by force when it does not listen. Its exit code."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()
