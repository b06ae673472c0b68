"""The instance id in a real keyring: kept there, found again, and never doubled when the keyring is silent."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from .keyring import KeyringSession
from .process import call, environment

ASK = [sys.executable, "-m", "slowwave", "id", "--json"]


@pytest.fixture
def session(tmp_path: Path) -> KeyringSession:
    """A keyring of the test's own, empty."""
    return KeyringSession(tmp_path / "keyring é")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The home of one installation."""
    return tmp_path / "slowwave home é"


def identify(
    session: KeyringSession, own: Path, *, unlock: bool = True, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Ask for the id in a new process, on a new session bus."""
    return session.run(ASK, env={"SLOWWAVE_HOME": str(own)}, unlock=unlock, check=check)


def test_the_keyring_keeps_the_id(session: KeyringSession, own: Path) -> None:
    """The first process makes it, the second finds the same; the file holds a note, not the id."""
    first = json.loads(identify(session, own).stdout)
    assert str(uuid.UUID(first["instance_id"])) == first["instance_id"]
    assert first["kept_in"] == "keyring"
    assert json.loads(identify(session, own).stdout) == first
    note = own / "data" / "instance-id"
    assert first["instance_id"] not in note.read_text("utf-8")
    assert note.stat().st_mode & 0o777 == 0o600


def test_a_lost_home_finds_its_id_again(session: KeyringSession, tmp_path: Path) -> None:
    """The keyring outlives the folder: a new home of the same person has the same id."""
    first = json.loads(identify(session, tmp_path / "one").stdout)
    assert json.loads(identify(session, tmp_path / "two").stdout) == first


def test_a_locked_keyring_is_an_error_and_never_a_second_id(session: KeyringSession, own: Path) -> None:
    """After a reboot nobody unlocked it: exit 1, words and a hint, in seconds; unlocked, the same id is back."""
    first = json.loads(identify(session, own).stdout)
    locked = identify(session, own, unlock=False, check=False)
    assert locked.returncode == 1
    error = json.loads(locked.stdout)["error"]
    assert "keyring" in error["problems"][0]
    assert "SLOWWAVE_INSTANCE_ID" in error["hint"]
    assert "Traceback" not in locked.stderr
    assert json.loads(identify(session, own).stdout) == first


def test_the_checkup_names_a_locked_keyring(session: KeyringSession, own: Path) -> None:
    """`doctor` ends with 1 and says which part is broken."""
    identify(session, own)
    argv = [sys.executable, "-m", "slowwave", "doctor", "--json"]
    done = session.run(argv, env={"SLOWWAVE_HOME": str(own)}, unlock=False, check=False)
    assert done.returncode == 1
    problems = [f for f in json.loads(done.stdout)["findings"] if f["level"] == "problem"]
    assert [p["subject"] for p in problems] == ["identity"]


def test_an_id_in_the_file_stays_there(session: KeyringSession, own: Path) -> None:
    """Made where no keyring was, the id does not change when a keyring comes."""
    first = json.loads(call(ASK, env=_bare(session, own), cwd=session.home, seconds=30).stdout)
    assert first["kept_in"].startswith("file ")
    assert json.loads(identify(session, own).stdout) == first


def test_without_a_keyring_a_private_file_keeps_the_id(session: KeyringSession, own: Path) -> None:
    """On a headless machine the id is in a file only this user can read, the same every time."""
    first = json.loads(call(ASK, env=_bare(session, own), cwd=session.home, seconds=30).stdout)
    file = own / "data" / "instance-id"
    assert first["kept_in"] == f"file {file}"
    assert file.read_text("utf-8").strip() == first["instance_id"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(call(ASK, env=_bare(session, own), cwd=session.home, seconds=30).stdout) == first


def _bare(session: KeyringSession, own: Path) -> dict[str, str]:
    """The same person without a session bus."""
    return environment(session.home, {"SLOWWAVE_HOME": str(own)})


def test_the_keyring_keeps_the_key_of_a_model(session: KeyringSession, own: Path) -> None:
    """It is found again by another process, shown by none, and no file holds it."""
    slowwave = f"{sys.executable} -m slowwave"
    env = {"SLOWWAVE_HOME": str(own)}
    kept = session.run(["sh", "-c", f"echo s3cret-key | {slowwave} key set --json"], env=env)
    assert json.loads(kept.stdout) == {"kept_in": "OS keyring"}
    shown = session.run(["sh", "-c", f"{slowwave} key show --json"], env=env)
    assert json.loads(shown.stdout) == {"kept_in": "OS keyring"}
    assert not [f for f in own.rglob("*") if f.is_file() and b"s3cret-key" in f.read_bytes()]
    session.run(["sh", "-c", f"{slowwave} key set --remove --json"], env=env)
    gone = session.run(["sh", "-c", f"{slowwave} key show --json"], env=env, check=False)
    assert gone.returncode == 5
