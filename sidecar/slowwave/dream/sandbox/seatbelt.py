"""The macOS profile: everything is denied that is not named. Written from its documentation; proven at start by
trying to get out, like every level, and never tried on a Mac.
"""

import json
import shutil
from collections.abc import Sequence

_SYSTEM = (
    "/usr/lib",
    "/usr/bin",
    "/bin",
    "/usr/share",
    "/System/Library",
    "/Library/Frameworks",
    "/private/var/db/dyld",
)


def found() -> str:
    """Where sandbox-exec is; "" where it is not."""
    return shutil.which("sandbox-exec", path="/usr/bin") or ""


def profile(*, read: Sequence[str], write: Sequence[str]) -> str:
    """The profile in the language of sandbox-exec."""
    readable = " ".join(f"(subpath {json.dumps(p)})" for p in (*_SYSTEM, *read, *write))
    writable = " ".join(f"(subpath {json.dumps(p)})" for p in write)
    return "\n".join(
        (
            "(version 1)",
            "(deny default)",
            "(allow process-fork)",
            f"(allow process-exec {' '.join(f'(subpath {json.dumps(p)})' for p in (*_SYSTEM, *read))})",
            f'(allow file-read* (literal "/") (literal "/dev/null") (literal "/dev/urandom") {readable})',
            "(allow file-read-metadata)",
            f'(allow file-write* (literal "/dev/null") {writable})',
            "(allow sysctl-read)",
        )
    )


def command(inner: Sequence[str], *, read: Sequence[str], write: Sequence[str]) -> list[str]:
    """The worker's command below sandbox-exec."""
    return [found(), "-p", profile(read=read, write=write), *inner]
