"""Who this installation is: the instance id.

The order is: `SLOWWAVE_INSTANCE_ID`, the OS keyring if it answers, a file only this user can read. Keyrings
hang (a missing D-Bus, a locked collection), so they are asked in a subprocess with a three-second limit, and
never with a prompt. A new id is never made because a keyring failed: the id names this installation's
commits, and two ids would split its history. Ground floor; the one importer of keyring.
"""

import os
import subprocess
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from slowwave import lock
from slowwave.errors import IdentityError

SERVICE = "slowwave"
ACCOUNT = "instance-id"
TIMEOUT_SECONDS = 3.0
# The null backend loses what it is given and the plaintext ones store it openly: neither is a keyring.
_REFUSED_BACKENDS = ("keyring.backends.null", "keyring.backends.fail", "keyrings.alt")
_CHILD = f"""
import sys
import keyring
backend = type(keyring.get_keyring()).__module__
if backend.startswith({_REFUSED_BACKENDS!r}):
    sys.exit(3)
if sys.argv[1] == "get":
    sys.stdout.write(keyring.get_password({SERVICE!r}, {ACCOUNT!r}) or "")
else:
    keyring.set_password({SERVICE!r}, {ACCOUNT!r}, sys.argv[2])
    sys.exit(0 if keyring.get_password({SERVICE!r}, {ACCOUNT!r}) == sys.argv[2] else 4)
"""
_IN_KEYRING = "in the OS keyring"


@dataclass(frozen=True)
class Identity:
    """The instance id, and where it is kept: environment, keyring or file."""

    instance_id: str
    kept_in: str


def _ask_keyring(*args: str) -> str | None:
    """Ask the keyring in a child process; None when it does not answer in time or is no real keyring."""
    env = {**os.environ, "PYTHONWARNINGS": "ignore"}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _CHILD, *args],
            env=env, capture_output=True, timeout=TIMEOUT_SECONDS, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise IdentityError(f"{file}: cannot be read: {error}") from None


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(text + "\n")
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)


def identify(file: Path, env: Mapping[str, str]) -> Identity:
    """Find this installation's instance id, making one at the first call.

    `file` is the 0600 file of the data folder: it holds the id where no keyring answers, else a note that
    the keyring has it. Raises IdentityError when the note stands but the keyring does not answer.
    """
    if given := env.get("SLOWWAVE_INSTANCE_ID"):
        return Identity(_one_line(given, "SLOWWAVE_INSTANCE_ID"), "environment")
    noted = _read(file)
    if noted and noted != _IN_KEYRING:
        return Identity(_one_line(noted, str(file)), f"file {file}")
    kept = _ask_keyring("get")
    if kept:
        if not noted:
            _write(file, _IN_KEYRING)
        return Identity(kept, "keyring")
    if noted:
        state = "does not answer" if kept is None else "no longer has it"
        raise IdentityError(
            f"the instance id is kept in the OS keyring, and the keyring {state}",
            hint=f"unlock the keyring, or set SLOWWAVE_INSTANCE_ID; to start anew on purpose, delete {file}",
        )
    with lock.held(file.with_name(f".{file.name}.lock"), "another first start", patience=15):
        if _read(file):  # another process was first
            return identify(file, env)
        fresh = str(uuid.uuid4())
        in_keyring = kept is not None and _ask_keyring("set", fresh) is not None
        _write(file, _IN_KEYRING if in_keyring else fresh)
        return Identity(fresh, "keyring" if in_keyring else f"file {file}")


def _one_line(text: str, where: str) -> str:
    """The id as it is. It stands in a trailer of every commit, where a line end would end it."""
    if not text.isprintable():
        raise IdentityError(f"{where}: an instance id is one line of printable characters")
    return text


def secret_key(file: Path) -> bytes:
    """This installation's own random key, made at the first call and readable by this user alone.

    It tags redacted secrets, so that the same one is recognisable without being readable.
    """
    if not _read(file):
        _write(file, os.urandom(32).hex())
    return bytes.fromhex(_read(file))
