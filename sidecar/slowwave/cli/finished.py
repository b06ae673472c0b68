"""The commands over finished dreams: diff, log, merge, discard, undo."""

import sys

import click

from slowwave import terminal
from slowwave.cli.frame import dry_run_flag, ends_well, json_flag, service
from slowwave.verbs import Change


def _answer(change: Change, *, as_json: bool) -> None:
    if as_json:
        terminal.show_json(change)
    else:
        terminal.show_change(change)


@click.command()
@click.argument("dream_id", default="")
@json_flag
@ends_well
def diff(dream_id: str, as_json: bool) -> None:
    """Show what a dream changed (default: the last one that changed something)."""
    with service() as verbs:
        _answer(verbs.diff(dream_id), as_json=as_json)


@click.command()
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1))
@click.option("--audit", "audited", is_flag=True, help="Who changed what, when and why, instead of dreams.")
@json_flag
@ends_well
def log(limit: int, audited: bool, as_json: bool) -> None:
    """List the dreams, or with --audit every change of memory, newest first."""
    if audited:
        with service() as verbs:
            found = verbs.audit_log(limit=limit)
        if as_json:
            terminal.show_json({"audit": found})
        for each in () if as_json else found:
            terminal.say(
                f"{each['id']} {each['at']} {each['actor']}: {each['action']} {each['subject']} {each['reason']}"
            )
        return
    with service() as verbs:
        lines = verbs.log(limit=limit)
    if as_json:
        terminal.show_json({"dreams": lines})
    else:
        terminal.show_log(lines)


@click.command()
@click.argument("dream_id", default="")
@click.option("--prefer", type=click.Choice(["person", "dream"]),
              help="Whose whole file wins where both changed the same lines.")  # fmt: skip
@dry_run_flag
@json_flag
@ends_well
def merge(dream_id: str, prefer: str | None, dry_run: bool, as_json: bool) -> None:
    """Land a pending dream, without reflecting again."""
    with service() as verbs:
        change = verbs.merge(dream_id, prefer=prefer or "", dry_run=dry_run)
    _answer(change, as_json=as_json)
    sys.exit(3 if change.status == "pending" else 0)


@click.command()
@click.argument("dream_id", default="")
@dry_run_flag
@json_flag
@ends_well
def discard(dream_id: str, dry_run: bool, as_json: bool) -> None:
    """Drop a pending dream. What it read counts as read."""
    with service() as verbs:
        _answer(verbs.discard(dream_id, dry_run=dry_run), as_json=as_json)


@click.command()
@click.argument("dream_id", default="")
@dry_run_flag
@json_flag
@ends_well
def undo(dream_id: str, dry_run: bool, as_json: bool) -> None:
    """Take back a merged dream (default: the last) by one commit."""
    with service() as verbs:
        change = verbs.undo(dream_id, dry_run=dry_run)
    _answer(change, as_json=as_json)
    sys.exit(3 if change.status == "pending" else 0)


COMMANDS: tuple[click.Command, ...] = (diff, log, merge, discard, undo)
