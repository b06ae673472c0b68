"""The command line: words in, a verb, words or JSON out, and the exit codes everybody can rely on.

    0 done · 1 failed · 2 usage · 3 pending, a person must look · 4 busy · 5 refused · 130 interrupted

It holds no logic: each command reads its words, asks the service, and shows the answer. One module per family
of commands, on the same `frame`; a new family is one module and one line in `FAMILIES`. The one room that
imports click.
"""

import io
import sys

import click

from slowwave.cli import daemon, dream, finished, key, recall, records, standing, transcripts

FAMILIES = (
    dream.COMMANDS,
    finished.COMMANDS,
    recall.COMMANDS,
    records.COMMANDS,
    standing.COMMANDS,
    transcripts.COMMANDS,
    daemon.COMMANDS,
    key.COMMANDS,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="slowwave", prog_name="slowwave")
def cli() -> None:
    """Turn what your coding agents did into memory you can read, diff and undo.

    Memory is markdown in a git repository of your own. Nothing leaves this machine and no key is needed, unless you choose a model.
    """


for family in FAMILIES:
    for command in family:
        cli.add_command(command)


def main() -> None:
    """The program."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name the terminal's encoding lacks is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    cli(prog_name="slowwave")
