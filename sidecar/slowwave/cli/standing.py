"""The commands that say how things stand: status, doctor, id, config."""

import os
import sys
import time

import click

from slowwave import terminal
from slowwave.cli.frame import ends_well, json_flag, service


@click.command()
@click.option("--project", default="", metavar="DIR", help="Only the project of this folder.")
@json_flag
@ends_well
def status(project: str, as_json: bool) -> None:
    """Show what is going on, and why nothing happens when nothing happens."""
    with service() as verbs:
        found = verbs.status(project=project)
    if as_json:
        terminal.show_json(found)
    else:
        terminal.show_status(found)


@click.command()
@click.option(
    "--all", "everything", is_flag=True, help="Read every transcript, not only each agent's newest."
)
@json_flag
@ends_well
def doctor(everything: bool, as_json: bool) -> None:
    """Check everything slowwave stands on. Exit 1 when something is broken."""
    from slowwave import doctor as checks  # looks at git, keyring and parsers: too slow for start-up

    with terminal.progress() as on_step:
        checkup = checks.examine(os.environ, time.time, on_step, everything=everything)
    if as_json:
        terminal.show_json(checkup)
    else:
        terminal.show_checkup(checkup)
    sys.exit(0 if checkup.healthy else 1)


@click.command("id")
@json_flag
@ends_well
def identity(as_json: bool) -> None:
    """Print this installation's instance id and where it is kept."""
    from slowwave.identity import identify

    with service() as verbs:
        found = identify(verbs.homes.data / "instance-id", os.environ)
    if as_json:
        terminal.show_json(found)
    else:
        terminal.say(f"{found.instance_id} (kept in {found.kept_in})")


@click.command()
@json_flag
@ends_well
def config(as_json: bool) -> None:
    """Print the settings in force, and the file they may be changed in."""
    with service() as verbs:
        settings, homes = verbs.settings, verbs.homes
    if as_json:
        terminal.show_json({"file": homes.config_file, "settings": settings, "homes": homes})
    else:
        terminal.show_settings(settings, homes)


COMMANDS: tuple[click.Command, ...] = (status, doctor, identity, config)
