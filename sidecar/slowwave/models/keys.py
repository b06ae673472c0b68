"""Where the key of an endpoint comes from: the environment, then the OS keyring, then a file only this user can read.

`ANTHROPIC_API_KEY` is for Anthropic alone: set for other programs, it must not reach whatever host `model.base_url`
names. `SLOWWAVE_MODEL_KEY`, the keyring entry and the file are the person's word to us, and go to any endpoint.
Doorway 4.
"""

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from slowwave.errors import RefusedError
from slowwave.identity import ask_keyring, read_private, write_private
from slowwave.models.prices import on_this_machine

ACCOUNT = "model-key"
_NO_KEY = "none"  # local servers want a header and look at nothing in it


@dataclass(frozen=True, slots=True)
class Key:
    """A key and where it is kept. It is masked in `repr`."""

    value: str = field(repr=False)
    kept_in: str


def find_key(env: Mapping[str, str], file: Path, base_url: str) -> Key:
    """The key for an endpoint. Raises RefusedError when there is none, or when its file is open to others."""
    if own := env.get("SLOWWAVE_MODEL_KEY"):
        return Key(own, "environment (SLOWWAVE_MODEL_KEY)")
    host = urlsplit(base_url).hostname or "api.anthropic.com"
    anthropic = host == "api.anthropic.com" or host.endswith(".anthropic.com")
    if anthropic and (general := env.get("ANTHROPIC_API_KEY")):
        return Key(general, "environment (ANTHROPIC_API_KEY)")
    if on_this_machine(base_url) and not file.exists():
        return Key(_NO_KEY, "not needed on this machine")
    if kept := ask_keyring("get", ACCOUNT):
        return Key(kept, "OS keyring")
    if written := _from_file(file):
        return Key(written, f"file {file}")
    raise RefusedError(
        f"there is no key for {host}",
        hint="set SLOWWAVE_MODEL_KEY, or keep it with `slowwave key set`",
    )


def keep_key(value: str, file: Path) -> str:
    """Keep a key in the keyring, else in the file; answers where. An empty one removes both."""
    in_keyring = ask_keyring("set", ACCOUNT, value) is not None
    if in_keyring or not value:
        file.unlink(missing_ok=True)
        return "OS keyring"
    write_private(file, value)
    return f"file {file}"


def _from_file(file: Path) -> str:
    text = read_private(file)
    if text and stat.S_IMODE(file.stat().st_mode) & 0o077 and not file.drive:
        raise RefusedError(f"{file}: others can read this key", hint=f"chmod 600 {file}")
    return text
