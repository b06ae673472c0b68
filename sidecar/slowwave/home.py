"""The one door to the user's home: nothing else asks the system for it.

A service or a container may run without HOME and without an entry in the password database. There the standard
library raises a RuntimeError (pathlib) or gives `~` back unchanged (os.path), which would be a folder of that
name. Ground floor: imports only errors of the house.
"""

from collections.abc import Mapping
from pathlib import Path

from slowwave.errors import UsageError

_HINT = "set HOME to your home folder"


def user_home(env: Mapping[str, str]) -> Path:
    """The user's home: HOME of the environment given, else what the system knows. UsageError when there is none."""
    given = env.get("HOME")
    if given == "":
        raise UsageError("HOME is empty, so there is no home folder", hint=_HINT)
    try:
        return Path(given) if given else Path.home()
    except RuntimeError:
        raise UsageError("HOME is not set, and the system knows no home of this user", hint=_HINT) from None


def expanded(path: str | Path) -> Path:
    """A path a person wrote, `~` and `~name` replaced by that home. UsageError when it has none."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UsageError(f"{path}: there is no such home folder", hint="write the whole path") from None
