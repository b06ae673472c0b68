"""The headless keyring is a real one: the library slowwave uses keeps and finds a value there."""

import sys
from pathlib import Path

import pytest

from .keyring import KeyringSession

STORE = "import keyring; keyring.set_password('slowwave-e2e', 'instance', 'vàlue 1')"
READ = "import keyring; print(keyring.get_password('slowwave-e2e', 'instance'))"
BACKEND = "import keyring; print(type(keyring.get_keyring()).__module__)"


@pytest.fixture
def session(tmp_path: Path) -> KeyringSession:
    """A keyring of the test's own, empty."""
    return KeyringSession(tmp_path / "keyring é")


def test_a_value_survives_the_session_that_stored_it(session: KeyringSession) -> None:
    """One process stores, another one on a later bus reads; both meet the Secret Service, no fallback."""
    assert session.run([sys.executable, "-c", BACKEND]).stdout.strip() == "keyring.backends.SecretService"
    session.run([sys.executable, "-c", STORE])
    assert session.run([sys.executable, "-c", READ]).stdout.strip() == "vàlue 1"


def test_two_persons_have_two_keyrings(tmp_path: Path, session: KeyringSession) -> None:
    """What one session stores is absent from another folder's."""
    session.run([sys.executable, "-c", STORE])
    assert KeyringSession(tmp_path / "other").run([sys.executable, "-c", READ]).stdout.strip() == "None"


def test_a_locked_keyring_refuses_at_once(session: KeyringSession) -> None:
    """After a reboot nobody unlocked it: the library raises, without a window and without hanging."""
    session.run([sys.executable, "-c", STORE])
    done = session.run([sys.executable, "-c", READ], unlock=False, check=False, seconds=10)
    assert done.returncode == 1
    assert "KeyringLocked" in done.stderr
    assert session.run([sys.executable, "-c", READ]).stdout.strip() == "vàlue 1"
