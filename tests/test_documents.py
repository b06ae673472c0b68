"""The documents say what the program does: every command, setting, room and exit code."""

import ast
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import click
import pytest

from slowwave import errors, verbs
from slowwave.cli import cli
from slowwave.config import Settings, parse_settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def commands(group: click.Command, prefix: str = "") -> dict[str, click.Command]:
    """Every visible command by its words."""
    if not isinstance(group, click.Group):
        return {prefix: group}
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        if not command.hidden:
            found |= commands(command, f"{prefix} {name}".strip())
    return found


@pytest.mark.parametrize("words", commands(cli))
def test_every_command_is_in_the_readme(words: str) -> None:
    """A command a person can type is described in the README."""
    first, _, rest = words.partition(" ")
    line = next((x for x in README.splitlines() if x.startswith(f"| `slowwave {first}")), "")
    assert line, f"slowwave {words}"
    assert not rest or f"`{rest}`" in line or f" {rest}`" in line


@pytest.mark.parametrize(("words", "command"), commands(cli).items())
def test_every_option_of_dream_is_in_the_readme_and_every_command_has_help(
    words: str, command: click.Command
) -> None:
    """No command is without a help text, and none of `dream`'s options is undocumented."""
    assert command.help
    if words == "dream":
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert any(f"`{o}" in README or f"{o}`" in README for o in parameter.opts), parameter.opts


def test_answers_come_as_json_and_changes_can_be_tried_first() -> None:
    """Every command but those that run or stop a daemon has --json; those that change memory have --dry-run."""
    found = {w: {o for p in c.params for o in p.opts} for w, c in commands(cli).items()}
    assert {w for w, o in found.items() if "--json" not in o} == {"daemon run", "daemon stop"}
    assert {w for w, o in found.items() if "--dry-run" in o} == {
        "dream", "merge", "discard", "undo", "remember", "forget", "pin", "restore", "reflect", "import",
    }  # fmt: skip


def test_every_verb_has_a_command() -> None:
    """What the Protocol names, the command line offers."""
    names = {n for n, v in vars(verbs.Verbs).items() if not n.startswith("_") and callable(v)}
    assert names <= set(commands(cli))


def test_the_settings_in_the_readme_are_the_defaults() -> None:
    """The TOML block of the README names every setting and says its default."""
    block = re.search(r"```toml\n(.*?)```", README, re.DOTALL)
    assert block
    text = block.group(1)
    shown = parse_settings(text.replace('paths = { claude-code = ["/somewhere/else"] }', ""), "README")
    assert shown == Settings()
    for section in fields(Settings):
        kind = getattr(Settings(), section.name)
        assert is_dataclass(kind)
        for setting in fields(kind):
            assert re.search(rf"^{setting.name} = ", text, re.MULTILINE), f"{section.name}.{setting.name}"


def test_every_module_is_in_the_architecture() -> None:
    """A newcomer finds every file of the house named in ARCHITECTURE.md."""
    missing = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "sidecar" / "slowwave").rglob("*.py")
        if not {"migrations", "formats"} & set(path.parts)
        and not path.stem.startswith("__")
        and not re.search(rf"\b{path.stem}\b", ARCHITECTURE)
    ]
    assert not missing


def test_exit_codes_are_one_story() -> None:
    """The codes of the error tree are those the README promises."""
    promised = {
        int(n) for n in re.findall(r"(\d+) (?:done|failed|usage|pending|busy|refused|interrupted)", README)
    }
    tree = ast.parse(Path(errors.__file__).read_text("utf-8"))
    used = {
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, int)
    }  # fmt: skip
    assert used <= promised
    assert promised == {0, 1, 2, 3, 4, 5, 130}


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    """Every relative link of a document names a file that exists."""
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text("utf-8")):
        assert (ROOT / target).exists(), target
