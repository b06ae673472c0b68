"""The command that counts what the agents' transcripts hold."""

import sys
from pathlib import Path

import click

from slowwave import terminal
from slowwave.cli.frame import ends_well, json_flag, service

_SHOWN = 50  # sessions in a table, unless another number is asked for


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--limit", type=click.IntRange(0), help="Only the newest; 0 is all (default: 50, all in JSON).")
@json_flag
@ends_well
def transcripts(paths: tuple[Path, ...], limit: int | None, as_json: bool) -> None:
    """Count what is in transcripts: files or folders of any agent, or all that are found.

    The format is recognised by content, in any nesting. What a session copied from another is counted apart.
    Exit 1 when one could not be read; the others are counted all the same.
    """
    with service() as verbs, terminal.progress() as on_step:
        found, problems = verbs.transcripts(paths, on_step)
    if limit is None:
        limit = 0 if as_json else _SHOWN
    newest = found[::-1][: limit or None]
    if as_json:
        terminal.show_json({"sessions": newest})
    else:
        terminal.show_sessions(newest, len(found) - len(newest))
    problems = (*problems, *(s.problem for s in found if s.problem))
    for problem in problems:
        click.echo(f"slowwave: {problem}", err=True)
    sys.exit(1 if problems else 0)


COMMANDS: tuple[click.Command, ...] = (transcripts,)
