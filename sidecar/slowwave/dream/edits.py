"""An edit of one file, however a source spells it: JSON with the old and the new text, or a patch.

The same act told by two agents must read the same. Engine 1, ground only.
"""

import json
import re
from dataclasses import dataclass

_PATCH = re.compile(r"\*\*\* Begin Patch\n(.*?)(?:\*\*\* End Patch|\Z)", re.DOTALL)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    """One edited file: its name without folders, and the lines that are new in it."""

    file: str
    fresh: tuple[str, ...]

    @property
    def named(self) -> str:
        """The act in two words."""
        return f"Edit {self.file}"


def read_edit(arguments: object) -> Edit | None:
    """The edit that a call's arguments describe, None when they describe none.

    `arguments` is a decoded JSON object, or the text of a command or a patch.
    """
    if isinstance(arguments, str):
        return _patch(arguments)
    if not isinstance(arguments, dict):
        return None
    path = arguments.get("file_path", arguments.get("path"))
    new = arguments.get("new_string", arguments.get("content"))
    if isinstance(path, str) and isinstance(new, str):
        known = set(_unescaped(str(arguments.get("old_string", ""))))
        return Edit(_name(path), tuple(x for x in _unescaped(new) if x not in known))
    patch = next((v for v in arguments.values() if isinstance(v, str) and _PATCH.search(v)), "")
    return _patch(patch)


def _patch(text: str) -> Edit | None:
    found = _PATCH.search(text)
    file = _PATCHED.search(text)
    if not found or not file:
        return None
    lines = found.group(1).split("\n")
    gone = {line[1:] for line in lines if line.startswith("-")}
    return Edit(_name(file.group(1)), tuple(x[1:] for x in lines if x.startswith("+") and x[1:] not in gone))


def _name(path: str) -> str:
    return path.strip().replace("\\", "/").rsplit("/", 1)[-1]


def _unescaped(text: str) -> list[str]:
    return text.replace("\\n", "\n").split("\n")


def decoded(text: str) -> object:
    """A call's arguments as JSON when they are, else as the text they are."""
    try:
        return json.loads(text)
    except ValueError:
        return text
