"""Resource limits of a worker, and the two flags that cannot be taken back. It runs in the worker."""

import contextlib
import ctypes
import os
import resource
import signal
from pathlib import Path

MEMORY_BYTES = 1 << 30
FILE_BYTES = 8 << 20
DESCRIPTORS = 128
CPU_SECONDS = 120
PROCESSES = 64
"""More than the person's own that run already: the limit counts all of a user's. It is void for root."""

NOBODY = 65534

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38


def close_descriptors() -> None:
    """Close everything inherited but the three standard streams."""
    held = Path("/proc/self/fd")
    numbers = [int(p.name) for p in held.iterdir()] if held.exists() else range(3, 1024)
    for number in numbers:
        if number > 2:
            with contextlib.suppress(OSError):
                os.close(number)


def become_nobody() -> None:
    """Root gives up being root, with all its rights, for good."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def confine() -> None:
    """Set the limits; die with the parent; gain no rights by running anything; leave no core."""
    os.umask(0o077)
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, PROCESSES + _own_processes()),
    ):
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (limit, limit))
    signal.signal(
        signal.SIGXFSZ, signal.SIG_IGN
    )  # too large a file is an error of the call, not of the worker
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no_new_privs refused")


def _own_processes() -> int:
    """How many threads this user runs now."""
    count, me = 0, os.getuid()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == me:
                count += sum(1 for _ in (entry / "task").iterdir())
    return count
