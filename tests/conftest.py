"""What every test stands on: no test can reach the person's home, keyring or network.

A test that wants a home asks for `home`; one that forgets it meets a folder that does not exist.
"""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

SHARED = (Path(__file__).resolve().parents[2] / "shared").resolve()
_FORBIDDEN = "a test tried to leave the machine"


@pytest.fixture(autouse=True)
def _no_way_out(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Home points at nothing, the keyring raises, the network is loopback only."""
    nowhere = tmp_path_factory.mktemp("nowhere") / "home-that-does-not-exist"
    for name in list(os.environ):
        if name.startswith(("SLOWWAVE_", "GIT_", "CLAUDE_", "CODEX_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(nowhere))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(nowhere / "run"))
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    real_connect = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            raise AssertionError(_FORBIDDEN)
        real_connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A slowwave home of the test's own; the instance id is fixed."""
    folder = tmp_path / "slowwave home é"  # spaces and non-ASCII letters are ordinary
    folder.mkdir()
    monkeypatch.setenv("SLOWWAVE_HOME", str(folder))
    monkeypatch.setenv("SLOWWAVE_INSTANCE_ID", "test-instance")
    return folder


@pytest.fixture
def shared() -> Path:
    """The folder of real transcripts beside the checkout; the test is skipped, loudly, when it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"real transcripts are not at {SHARED}")
    return SHARED
