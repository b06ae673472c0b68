"""Which file names memory may have: one policy, asked by the guard while a worker writes and by the importer
after.

A name is refused when some machine that may hold a clone of the memory would read it as something else: git's
own files under any spelling, names Windows reserves or trims, options, dotfiles (settings of other programs),
and characters a person cannot see. Doorway 3; imports only the standard library.
"""

import re
import unicodedata
from typing import Final

LONGEST_NAME: Final = 200  # bytes; below every file system's 255, with room for a suffix

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\/]')
_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(1, 10)), *(f"lpt{i}" for i in range(1, 10))}
)


def fold(path: str) -> str:
    """The spelling under which two paths are one file somewhere (case and Unicode form ignored)."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def name_problem(name: str) -> str | None:
    """Why this one name (a file's or a folder's) is refused, or None."""
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return "name is not valid UTF-8"
    if not name or name in {".", ".."}:
        return "name is empty or walks up"
    if size > LONGEST_NAME:
        return f"name is longer than {LONGEST_NAME} bytes"
    if _FORBIDDEN.search(name):
        return "name has a control or reserved character"
    if not name.isprintable():  # bidirectional controls, zero widths, odd blanks, unassigned code points
        return "name has an invisible or bidirectional character"
    if name != name.strip() or name.endswith("."):
        return "name begins or ends with a blank, or ends with a dot"
    plain = fold(name)
    if plain.startswith((".", "git~")):
        return "name is a dotfile or a git file"
    if plain.split(".")[0] in _RESERVED:
        return "name is reserved on Windows"
    if plain.startswith("-"):
        return "name looks like an option"
    return None


def path_problem(path: str) -> str | None:
    """Why this relative path is refused, or None. The first part at fault decides."""
    if path.startswith("/") or "\\" in path:
        return "path is absolute or has a backslash"
    return next((problem for part in path.split("/") if (problem := name_problem(part))), None)
