"""Where a key comes from: the environment, the keyring, a private file; and where it never goes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from slowwave.errors import RefusedError
from slowwave.models import keys
from slowwave.models.keys import find_key, keep_key

HERE, THERE = "http://127.0.0.1:11434", "https://gateway.example.org"


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A keyring that answers."""
    entries: dict[str, str] = {}

    def ask(verb: str, account: str, value: str = "") -> str | None:
        if verb == "set":
            entries[account] = value
        return entries.get(account, "")

    monkeypatch.setattr(keys, "ask_keyring", ask)
    return entries


def test_the_order_is_environment_keyring_file(tmp_path: Path, ring: dict[str, str]) -> None:
    """Each is asked only when those before it have none."""
    file = tmp_path / "model.key"
    file.write_text("from-file\n")
    file.chmod(0o600)
    assert find_key({}, file, "").value == "from-file"
    ring[keys.ACCOUNT] = "from-ring"
    assert find_key({}, file, "").value == "from-ring"
    assert find_key({"ANTHROPIC_API_KEY": "general"}, file, "").value == "general"
    assert find_key({"ANTHROPIC_API_KEY": "general"}, file, "https://api.anthropic.com").value == "general"
    assert find_key({"ANTHROPIC_API_KEY": "general"}, file, THERE).value == "from-ring"
    assert (
        find_key({"ANTHROPIC_API_KEY": "general", "SLOWWAVE_MODEL_KEY": "ours"}, file, THERE).value == "ours"
    )


def test_a_host_that_merely_ends_like_anthropic_does_not_get_its_key(tmp_path: Path) -> None:
    """The name is compared at its dots."""
    for host in ("https://evilanthropic.com", "https://api.anthropic.com.evil.org"):
        with pytest.raises(RefusedError, match="there is no key for"):
            find_key({"ANTHROPIC_API_KEY": "general"}, tmp_path / "none", host)


def test_this_machine_needs_no_key(tmp_path: Path) -> None:
    """A server on loopback gets a word in the place of one, and never the general key."""
    found = find_key({"ANTHROPIC_API_KEY": "general"}, tmp_path / "none", HERE)
    assert (found.value, found.kept_in) == ("none", "not needed on this machine")


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """With what to do about it."""
    file = tmp_path / "model.key"
    file.write_text("k\n")
    file.chmod(0o644)
    with pytest.raises(RefusedError, match="others can read this key") as caught:
        find_key({}, file, "")
    assert "chmod 600" in caught.value.hint


def test_a_key_is_kept_in_the_keyring_else_in_a_private_file(tmp_path: Path, ring: dict[str, str]) -> None:
    """Moving it into the keyring removes the file; an empty one forgets it."""
    file = tmp_path / "x" / "model.key"
    file.parent.mkdir()
    file.write_text("old")
    assert keep_key("new", file) == "OS keyring"
    assert ring == {keys.ACCOUNT: "new"}
    assert not file.exists()
    keep_key("", file)
    assert ring == {keys.ACCOUNT: ""}


def test_without_a_keyring_the_file_is_readable_by_this_user_alone(tmp_path: Path) -> None:
    """0600, whole or not at all."""
    file = tmp_path / "model.key"
    assert keep_key("new", file) == f"file {file}"
    assert file.stat().st_mode & 0o777 == 0o600
    assert find_key({}, file, "").value == "new"
    keep_key("", file)
    assert not file.exists()


def test_a_key_is_masked_in_its_repr() -> None:
    """A log line cannot show it."""
    assert "s3cret" not in repr(keys.Key("s3cret", "x"))


def slowwave(home: Path, *words: str, given: str = "") -> tuple[int, Any]:
    """What the command line answers, as JSON, with its exit code."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "SLOWWAVE_HOME": str(home), "SLOWWAVE_INSTANCE_ID": "t",
           "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}  # fmt: skip
    argv = [sys.executable, "-m", "slowwave", *words, "--json"]
    done = subprocess.run(argv, input=given, capture_output=True, text=True, env=env, check=False)
    assert "s3cret" not in done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)


def test_the_commands_keep_a_key_and_never_show_it(home: Path) -> None:
    """It comes by standard input, so that no other user can read it among the processes."""
    code, said = slowwave(home, "key", "show")
    assert (code, said["error"]["problems"]) == (5, ["there is no key for api.anthropic.com"])
    code, said = slowwave(home, "key", "set", given="s3cret\n")
    assert (code, said["kept_in"]) == (0, f"file {home / 'model.key'}")
    assert slowwave(home, "key", "show") == (0, {"kept_in": f"file {home / 'model.key'}"})
    assert slowwave(home, "key", "set", given="two words\n")[0] == 2
    assert slowwave(home, "key", "set", "--remove")[0] == 0
    assert slowwave(home, "key", "show")[0] == 5
