"""Escapes that a worker tries at its start, with plain system calls and past its own guard.

The one who planted the bait judges by the bait, never by what the worker says: a file that was read, a file that was
changed, a listener that was reached. It runs in the worker; standard library only.
"""

import contextlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

TRIED = ("read outside", "write outside", "connect by TCP", "send by UDP", "connect to a unix socket")
_WRITTEN = b"the canary was here"


def attempt(secret: str, target: str, tcp: int, udp: int, path: str) -> str:
    """Try everything; returns what could be read of the secret ("" when nothing)."""
    with contextlib.suppress(OSError), open(target, "ab") as file:  # noqa: PTH123 - as plain as it gets
        file.write(_WRITTEN)
    for family, kind, address in (
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", tcp)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", udp)),
        (socket.AF_UNIX, socket.SOCK_STREAM, path),
    ):
        with contextlib.suppress(OSError), socket.socket(family, kind) as sent:
            sent.settimeout(1)
            sent.connect(address)
            sent.send(_WRITTEN)
    with contextlib.suppress(OSError):
        return Path(secret).read_text("utf-8", "replace")
    return ""


@dataclass(frozen=True, slots=True)
class Bait:
    """What was planted: a secret, a file, and three listeners."""

    secret: Path
    value: str
    target: Path
    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    path: Path

    @classmethod
    def plant(cls, folder: Path) -> Self:
        """Plant it in a folder that the worker has no right to."""
        value = os.urandom(16).hex()
        secret, target, path = folder / "secret", folder / "target", folder / "socket"
        secret.write_text(value)
        target.write_bytes(b"")
        tcp, udp, unix = (
            socket.socket(socket.AF_INET, socket.SOCK_STREAM),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        )
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        unix.bind(str(path))
        tcp.listen()
        unix.listen()
        for listener in (tcp, udp, unix):
            listener.setblocking(False)
        return cls(secret, value, target, tcp, udp, unix, path)

    def arguments(self) -> dict[str, Any]:
        """What the worker is told."""
        ports = {"tcp": self.tcp.getsockname()[1], "udp": self.udp.getsockname()[1]}
        return {"secret": str(self.secret), "target": str(self.target), "path": str(self.path), **ports}

    def escaped(self, answer: object) -> tuple[str, ...]:
        """Which of the escapes went through."""
        reached = (
            self.value in str(answer),
            self.target.read_bytes() != b"",
            _came(self.tcp),
            _came(self.udp),
            _came(self.unix),
        )
        return tuple(what for what, was in zip(TRIED, reached, strict=True) if was)

    def clear(self) -> None:
        """Close the listeners."""
        for listener in (self.tcp, self.udp, self.unix):
            listener.close()


def _came(listener: socket.socket) -> bool:
    """Whether somebody connected or sent."""
    try:
        if listener.type == socket.SOCK_DGRAM:
            return bool(listener.recv(64))
        listener.accept()[0].close()
    except OSError:
        return False
    return True
