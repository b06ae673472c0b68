"""The instance id: where it comes from, and that it is never lost or doubled."""

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
