"""The command that puts a worker into namespaces of its own: no network, no other process, only the named folders."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")


def found() -> str:
    """Where bubblewrap is; "" where it is not."""
    return shutil.which("bwrap") or ""


def command(inner: Sequence[str], *, read: Sequence[str], write: Sequence[str]) -> list[str]:
    """The worker's command inside bubblewrap. Folders keep their paths."""
    made = [found(), "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if os.getuid() == 0:
        # A uid that is only mapped is root's outside, and limits on processes are void for root. So root's worker
        # keeps the two rights it needs to become nobody, which are gone with that (`limits.become_nobody`).
        made += [f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try")]
        made += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        made += ["--unshare-all", "--unshare-user"]
    made += ["--clearenv", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 - its own
    for path in _SYSTEM:
        if Path(path).is_symlink():
            made += ["--symlink", str(Path(path).readlink()), path]
        elif Path(path).is_dir():
            made += ["--ro-bind", path, path]
    for folder in _above((*read, *write)):  # else they are bubblewrap's alone, and closed to nobody
        made += ["--perms", "0755", "--dir", folder]
    for path in read:
        made += ["--ro-bind-try", path, path]
    for path in write:
        made += ["--bind", path, path]
    return [*made, "--", *inner]


def _above(paths: Sequence[str]) -> list[str]:
    """The folders that lead to these, outermost first, but for what is there already."""
    there = {"/", "/tmp", *_SYSTEM}  # noqa: S108 - its own
    found = {str(p) for path in paths for p in Path(path).parents}
    return sorted(f for f in found if f not in there and not f.startswith(tuple(f"{s}/" for s in _SYSTEM)))
