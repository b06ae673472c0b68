"""The instance id: where it comes from, and that it is never lost or doubled."""

import subprocess
import sys
from pathlib import Path

import pytest

from slowwave.errors import IdentityError
from slowwave.identity import identify, secret_key


def test_the_environment_comes_first(tmp_path: Path) -> None:
    """SLOWWAVE_INSTANCE_ID is taken as it is and written nowhere."""
    found = identify(tmp_path / "instance-id", {"SLOWWAVE_INSTANCE_ID": "mine"})
    assert (found.instance_id, found.kept_in) == ("mine", "environment")
    assert not (tmp_path / "instance-id").exists()


def test_without_a_keyring_a_private_file_keeps_it(tmp_path: Path) -> None:
    """Where no keyring answers, the id is made once and kept in a file only this user can read."""
    file = tmp_path / "data" / "instance-id"
    first = identify(file, {})
    assert identify(file, {}) == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().strip() == first.instance_id


def test_a_silent_keyring_never_makes_a_second_id(tmp_path: Path) -> None:
    """When the id is known to be in the keyring and the keyring does not answer, that is an error."""
    file = tmp_path / "instance-id"
    file.write_text("in the OS keyring\n")
    with pytest.raises(IdentityError, match="does not answer") as caught:
        identify(file, {})
    assert "SLOWWAVE_INSTANCE_ID" in caught.value.hint
    assert file.read_text() == "in the OS keyring\n"


def test_an_unreadable_file_is_not_an_absent_one(tmp_path: Path) -> None:
    """A folder where the file should be is an error, not a reason to make a new id."""
    (tmp_path / "instance-id").mkdir()
    with pytest.raises(IdentityError):
        identify(tmp_path / "instance-id", {})


def test_the_key_of_an_installation_is_made_once_and_private(tmp_path: Path) -> None:
    """The same 32 bytes come back, from a file only this user can read."""
    file = tmp_path / "redaction.key"
    assert secret_key(file) == secret_key(file)
    assert len(secret_key(file)) == 32
    assert file.stat().st_mode & 0o777 == 0o600


def test_first_starts_at_once_share_one_key(tmp_path: Path) -> None:
    """Of eight processes that need the key before there is one, all have the key that stands in the file."""
    file, go = tmp_path / "data" / "redaction.key", tmp_path / "go"
    child = (
        "import sys, time, pathlib; from slowwave.identity import secret_key\n"
        "print('ready', flush=True)\n"
        "while not pathlib.Path(sys.argv[2]).exists(): pass\n"
        "print(secret_key(pathlib.Path(sys.argv[1])).hex())"
    )
    words = [sys.executable, "-c", child, str(file), str(go)]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    go.touch()
    keys = {process.communicate(timeout=60)[0].strip() for process in processes}
    assert keys == {file.read_text().strip()}


def test_a_file_without_a_key_is_an_error(tmp_path: Path) -> None:
    """A damaged key is told, with what to do; it is not replaced."""
    file = tmp_path / "redaction.key"
    file.write_text("no key\n")
    with pytest.raises(IdentityError, match="holds no key"):
        secret_key(file)
    assert file.read_text() == "no key\n"


def test_a_dry_run_keeps_no_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `keep` a keyring that answers is asked, and told nothing; no file is written."""
    kept = tmp_path / "keyring.txt"
    asked: list[tuple[str, ...]] = []

    def answer(*words: str) -> str:
        asked.append(words)
        return kept.read_text() if kept.exists() else ""

    monkeypatch.setattr("slowwave.identity.ask_keyring", answer)
    file = tmp_path / "data" / "instance-id"
    assert identify(file, {}, keep=False).instance_id
    kept.write_text("mine")
    assert identify(file, {}, keep=False).instance_id == "mine"
    assert [words[0] for words in asked] == ["get", "get"]
    assert not file.parent.exists()
