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
from contextlib import AbstractContextManager
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
account = sys.argv[2]
if sys.argv[1] == "get":
    sys.stdout.write(keyring.get_password({SERVICE!r}, account) or "")
else:
    value = sys.stdin.read()  # never an argument: every user of a machine can read those
    keyring.set_password({SERVICE!r}, account, value)
    sys.exit(0 if keyring.get_password({SERVICE!r}, account) == value else 4)
"""
_IN_KEYRING = "in the OS keyring"


@dataclass(frozen=True)
class Identity:
    """The instance id, and where it is kept: environment, keyring or file."""

    instance_id: str
    kept_in: str


def ask_keyring(verb: str, account: str, value: str = "") -> str | None:
    """Ask the keyring in a child process: `get` an entry ("" when there is none) or `set` it to `value`.

    None when it does not answer in time or is no real keyring.
    """
    env = {**os.environ, "PYTHONWARNINGS": "ignore"}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _CHILD, verb, account],
            env=env, capture_output=True, timeout=TIMEOUT_SECONDS, check=False, input=value.encode(),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def read_private(file: Path) -> str:
    """The text of a file of this user's own; "" when there is none."""
    try:
        return file.read_text("utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise IdentityError(f"{file}: cannot be read: {error}") from None


def write_private(file: Path, text: str) -> None:
    """Keep a line in a file that only this user can read, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(text + "\n")
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)


def _first_start(file: Path) -> AbstractContextManager[None]:
    """The right to make what `file` keeps."""
    return lock.held(file.with_name(f".{file.name}.lock"), "another first start", patience=15)


def identify(file: Path, env: Mapping[str, str], *, keep: bool = True) -> Identity:
    """Find this installation's instance id, making one at the first call.

    `file` is the 0600 file of the data folder: it holds the id where no keyring answers, else a note that
    the keyring has it. Without `keep` (a dry run) nothing is written, and a new id is for this call alone.
    Raises IdentityError when the note stands but the keyring does not answer.
    """
    if given := env.get("SLOWWAVE_INSTANCE_ID"):
        return Identity(_one_line(given, "SLOWWAVE_INSTANCE_ID"), "environment")
    noted = read_private(file)
    if noted and noted != _IN_KEYRING:
        return Identity(_one_line(noted, str(file)), f"file {file}")
    kept = ask_keyring("get", ACCOUNT)
    if kept:
        if keep and not noted:
            write_private(file, _IN_KEYRING)
        return Identity(kept, "keyring")
    if noted:
        state = "does not answer" if kept is None else "no longer has it"
        raise IdentityError(
            f"the instance id is kept in the OS keyring, and the keyring {state}",
            hint=f"unlock the keyring, or set SLOWWAVE_INSTANCE_ID; to start anew on purpose, delete {file}",
        )
    if not keep:
        return Identity(str(uuid.uuid4()), "nowhere: a dry run makes none that lasts")
    with _first_start(file):
        if read_private(file):  # another process was first
            return identify(file, env)
        fresh = str(uuid.uuid4())
        in_keyring = kept is not None and ask_keyring("set", ACCOUNT, fresh) is not None
        write_private(file, _IN_KEYRING if in_keyring else fresh)
        return Identity(fresh, "keyring" if in_keyring else f"file {file}")


def _one_line(text: str, where: str) -> str:
    """The id as it is. It stands in a trailer of every commit, where a line end would end it."""
    if not text.isprintable():
        raise IdentityError(f"{where}: an instance id is one line of printable characters")
    return text


def secret_key(file: Path) -> bytes:
    """This installation's own random key, made at the first call and readable by this user alone.

    It tags redacted secrets, so that the same one is recognisable without being readable. Of processes that
    start for the first time at once, one makes it and the others read what that one made: a key that was
    replaced would leave tags nobody recognises. Raises IdentityError when the file holds no key.
    """
    if not read_private(file):
        with _first_start(file):
            if not read_private(file):
                write_private(file, os.urandom(32).hex())
    try:
        return bytes.fromhex(read_private(file))
    except ValueError:
        raise IdentityError(
            f"{file}: holds no key", hint="delete it; secrets seen before then get new tags"
        ) from None
