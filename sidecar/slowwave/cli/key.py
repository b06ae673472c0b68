"""The commands for the key of a model's endpoint: keep it, and say where it is kept. It is never shown."""

import os
import sys

import click

from slowwave import terminal
from slowwave.cli.frame import ends_well, json_flag, service
from slowwave.errors import UsageError


@click.group()
def key() -> None:
    """Keep the key of the model's endpoint where only you can read it."""


@key.command("set")
@click.option("--remove", is_flag=True, help="Forget the key that is kept.")
@json_flag
@ends_well
def key_set(remove: bool, as_json: bool) -> None:
    """Read a key (hidden, or from standard input) and keep it in the OS keyring, else in a private file."""
    from slowwave.models.keys import keep_key

    given = "" if remove else _read()
    with service() as verbs:
        where = keep_key(given, verbs.homes.model_key)
    if as_json:
        terminal.show_json({"kept_in": None if remove else where})
    else:
        terminal.say("forgotten" if remove else f"kept in {where}")


@key.command("show")
@json_flag
@ends_well
def key_show(as_json: bool) -> None:
    """Say where the key for the endpoint of the settings comes from."""
    from slowwave.models.keys import find_key

    with service() as verbs:
        found = find_key(os.environ, verbs.homes.model_key, verbs.settings.model.base_url)
    if as_json:
        terminal.show_json({"kept_in": found.kept_in})
    else:
        terminal.say(found.kept_in)


def _read() -> str:
    """A key is one line of printable characters. Raises UsageError."""
    given = click.prompt("key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    text = str(given).strip()
    if not text or not text.isprintable() or " " in text:
        raise UsageError("a key is one word on one line", hint="nothing was kept")
    return text


COMMANDS: tuple[click.Command, ...] = (key,)
