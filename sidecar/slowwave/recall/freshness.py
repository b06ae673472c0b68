"""Checks what a memory says against the repository it is about: does what it names still exist?

Only what can be decided by looking is decided: a path with a folder or a known extension, a target of `make`, a
script of npm, a definition said to be in a named file. A line that names nothing of the kind stays unchecked.
Bounded in time, since it stands between a question and its answer.
"""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

BUDGET_SECONDS = 0.05
READ_AT_MOST = 512 * 1024
"""Bytes of a named file that are searched for a definition."""

_PATH = re.compile(
    r"(?<![\w@:/.~$-])((?:[\w.-]+/)+(?:[\w.-]*\w)?|[\w-]+\.(?:py|ts|tsx|js|jsx|rs|go|rb|java|kt|swift|c|h|cc|cpp|cs|php|sh|sql|toml|yaml|yml|json|md|ini|cfg|lock|html|css|vue|proto|tf))(?!\w)"
)
_MAKE = re.compile(r"`make ([\w.-]+)")
_NPM = re.compile(r"`(?:npm run|pnpm run|yarn run|pnpm|yarn|npm) ([\w:.-]+)`")
_NPM_OWN = frozenset(
    [
        "install",
        "i",
        "ci",
        "add",
        "remove",
        "test",
        "start",
        "publish",
        "pack",
        "audit",
        "exec",
        "init",
        "link",
        "update",
        "dlx",
        "create",
    ]
)
_SYMBOL_IN = re.compile(r"`([A-Za-z_]\w{2,})(?:\(\))?` (?:in|of|from) `?([\w./-]+\.\w+)`?")


class Freshness:
    """Checks lines against the repository at `root`, all of them within one time budget."""

    def __init__(self, root: Path, budget_seconds: float = BUDGET_SECONDS) -> None:
        self._root = root
        self._until = time.monotonic() + budget_seconds

    def stale(self, text: str) -> bool | None:
        """True when something that the line names is not there; False when all is; None when nothing was checked."""
        held = [answer for answer in self._answers(text) if answer is not None]
        return not all(held) if held else None

    def _answers(self, text: str) -> Iterator[bool | None]:
        for check in (self._paths, self._targets, self._scripts, self._symbols):
            if time.monotonic() > self._until:
                return
            yield from check(text)

    def _paths(self, text: str) -> Iterator[bool | None]:
        for path in _PATH.findall(text):
            if "/" in path and not Path(path).suffix and not (self._root / path.split("/")[0]).exists():
                continue  # "and/or", "owner/name": no path of this repository
            yield self._there(path)

    def _there(self, path: str) -> bool | None:
        if ".." in path.split("/"):
            return None
        try:
            if (self._root / path).exists():
                return True
        except OSError:
            return None
        # A bare name may lie anywhere below; one level down is looked at, the rest is not decided.
        if "/" in path:
            return False
        return True if next(self._root.glob(f"*/{path}"), None) else None

    def _targets(self, text: str) -> Iterator[bool | None]:
        targets = _MAKE.findall(text)
        rules = self._read("Makefile") or self._read("makefile") or self._read("GNUmakefile")
        if not targets or rules is None or "include " in rules or "%" in rules:
            return
        for target in targets:
            yield bool(
                re.search(
                    rf"^[^\t#\n]*(?<![\w.-]){re.escape(target)}(?![\w.-])[^\n=]*:(?!=)", rules, re.MULTILINE
                )
            )

    def _scripts(self, text: str) -> Iterator[bool | None]:
        scripts = [s for s in _NPM.findall(text) if s not in _NPM_OWN]
        if not scripts or (manifest := self._read("package.json")) is None:
            return
        try:
            known = json.loads(manifest).get("scripts", {})
        except (ValueError, AttributeError):
            return
        for script in scripts:
            yield script in known

    def _symbols(self, text: str) -> Iterator[bool | None]:
        for symbol, path in _SYMBOL_IN.findall(text):
            if (content := self._read(path)) is not None:
                yield bool(re.search(rf"\b{re.escape(symbol)}\b", content))

    def _read(self, path: str) -> str | None:
        if ".." in path.split("/") or path.startswith("/"):
            return None
        try:
            with (self._root / path).open("rb") as file:
                return file.read(READ_AT_MOST).decode("utf-8", "replace")
        except OSError:
            return None
