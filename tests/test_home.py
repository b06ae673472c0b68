"""Where the user's home is, and what is said where there is none or nothing can be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from slowwave.cli import cli
from slowwave.errors import UsageError
from slowwave.home import expanded, user_home
from slowwave.service import Service

from .installation import WISH, Installation

ROOT = Path(__file__).resolve().parents[1]
EVERY = [
    *(
        [name, *("words" for p in command.params if p.param_type_name == "argument" and p.required)]
        for name, command in cli.commands.items()
        if not hasattr(command, "commands")
    ),
    *(["daemon", name] for name in ("run", "status", "stop")),
]
# The system knows no home of a user that is not in its database; the parent of this process is not touched.
_NOBODY = (
    "import os, pwd, runpy, sys\n"
    "def unknown(number): raise KeyError(number)\n"
    "pwd.getpwuid = unknown\n"
    "sys.argv[0] = 'slowwave'\n"
    "runpy.run_module('slowwave', run_name='__main__')\n"
)


def without_home(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run slowwave where there is no HOME and no entry in the password database."""
    return subprocess.run(
        [sys.executable, "-c", _NOBODY, *words], env={"PATH": os.environ["PATH"], **env}, cwd=env.get("AT"),
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_without_a_home_every_command_says_so(tmp_path: Path, words: list[str]) -> None:
    """No traceback, no folder named `~`: the words say that HOME is missing and to set it."""
    told = without_home(*words, AT=str(tmp_path))
    said = told.stdout + told.stderr
    assert told.returncode == (1 if words == ["doctor"] else 2), said
    assert "HOME is not set" in said
    assert "set HOME" in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["dream", "--all"], ["status"], ["doctor"], ["transcripts"]], ids=" ".join)
def test_a_home_of_slowwaves_own_does_not_hide_that_agents_have_none(
    tmp_path: Path, words: list[str]
) -> None:
    """With SLOWWAVE_HOME alone, what must look for agents says that HOME is missing; the rest works."""
    told = without_home(*words, SLOWWAVE_HOME=str(tmp_path / "own"), SLOWWAVE_INSTANCE_ID="x")
    said = told.stdout + told.stderr
    assert "Traceback" not in said
    if words != ["status"]:
        assert (told.returncode, "HOME is not set" in said) == (1 if words == ["doctor"] else 2, True), said


def test_an_empty_home_and_an_unknown_name_are_told(tmp_path: Path) -> None:
    """Neither is taken for the root folder or for a folder named `~`."""
    assert user_home({"HOME": str(tmp_path)}) == tmp_path
    with pytest.raises(UsageError, match="empty"):
        user_home({"HOME": ""})
    with pytest.raises(UsageError, match="no such home"):
        expanded("~nobody-of-this-name/memory")


def test_the_home_has_one_door() -> None:
    """Nothing but `home` asks the system where the user lives."""
    asking = {
        path.name
        for path in (ROOT / "sidecar").rglob("*.py")
        if any(word in path.read_text("utf-8") for word in (".expanduser(", "Path.home("))
    }
    assert asking == {"home.py"}


def test_a_relative_path_of_the_settings_starts_at_their_file(tmp_path: Path) -> None:
    """From two current folders memory and an agent's folder are the same ones, beside the settings."""
    machine = Installation(tmp_path)
    machine.settings('[memory]\npath = "notes"\n[sources]\npaths = { plain = ["talks"] }\n')
    machine.begin()
    machine.session("one").turn(WISH, steps=3)
    machine.run("dream")
    assert (machine.own / "notes" / ".git").is_dir()
    assert not (machine.work / "notes").exists()
    asked = machine.run("config", "--json", cwd=tmp_path)
    assert json.loads(asked.stdout)["homes"]["memory"] == str(machine.own / "notes")
    service = Service(machine.env, lambda: 0.0, cwd=tmp_path)
    assert service.extra_roots() == {"plain": (machine.own / "talks",)}


def test_a_place_that_cannot_be_made_comes_with_what_to_do(tmp_path: Path) -> None:
    """A file where a folder must be: the words name it and SLOWWAVE_HOME."""
    machine = Installation(tmp_path)
    machine.own.mkdir()
    (machine.own / "data").write_text("in the way")
    told = machine.run("dream", code=1)
    assert "cannot be made" in told.stderr
    assert "SLOWWAVE_HOME" in told.stderr


def test_the_first_dream_tells_broken_settings(tmp_path: Path) -> None:
    """What `make dream` runs ends like a command: the problem, exit code 2, no traceback."""
    machine = Installation(tmp_path)
    machine.settings("[dream]\nstep_count = 'many'\n")
    told = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "first_dream.py")], env=machine.env, cwd=machine.work,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (told.returncode, "Traceback" in told.stderr) == (2, False), told.stderr
    assert "dream.step_count" in told.stderr
