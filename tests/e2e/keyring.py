"""A real keyring without a desktop: gnome-keyring on a private D-Bus session.

The secrets live in the folder of the session, under a password that protects nothing.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from .process import CACHE, CallFailed, call, environment, locked, network

_PROGRAMS = {
    "gnome-keyring-daemon": "gnome-keyring",
    "secret-tool": "libsecret-tools",
    "dbus-run-session": "dbus",
    "dbus-daemon": "dbus",
}
_UNLOCK = 'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null; exec "$@"'
_LEAVE_LOCKED = 'exec "$@"'


def ensure_installed() -> None:
    """The Debian packages are there, installed now if need be; the test is skipped, loudly, where they cannot be."""
    with locked(CACHE / "apt.lock"):
        packages = sorted(
            {package for program, package in _PROGRAMS.items() if shutil.which(program) is None}
        )
        if not packages:
            return
        if shutil.which("apt-get") is None or os.geteuid() != 0:
            pytest.skip(
                f"needs the Debian packages {' '.join(packages)}, and only root can apt-get install them"
            )
        env = environment(CACHE / "home", {**network(), "DEBIAN_FRONTEND": "noninteractive"})
        try:
            call(["apt-get", "update"], env=env, cwd=CACHE, seconds=120)
            argv = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
            call(argv, env=env, cwd=CACHE, seconds=240)
        except CallFailed as error:
            pytest.skip(f"apt-get could not install {' '.join(packages)}: {error}")


class KeyringSession:
    """A person's keyring in `folder`: what one command stores, the next one finds."""

    def __init__(self, folder: Path) -> None:
        ensure_installed()
        self.home = folder / "home"
        self._data = folder / "data"
        self._data.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        seconds: float = 30,
        unlock: bool = True,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Run one command on a session bus of its own, with the keyring unlocked, or locked as after a reboot."""
        with tempfile.TemporaryDirectory(prefix="sw-run-") as runtime:  # 0700, and short: it holds sockets
            own = {"XDG_RUNTIME_DIR": runtime, "XDG_DATA_HOME": str(self._data)}
            shell = ["bash", "-c", _UNLOCK if unlock else _LEAVE_LOCKED, "keyring"]
            return call(
                ["dbus-run-session", "--", *shell, *argv],
                env=environment(self.home, {**own, **(env or {})}),
                cwd=cwd or self.home,
                seconds=seconds,
                check=check,
            )
