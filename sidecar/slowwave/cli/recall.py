"""The commands that ask memory: recall, context, and the index they ask."""

import click

from slowwave import terminal
from slowwave.cli.frame import ends_well, json_flag, project_option, service


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="WORDS...")
@project_option
@click.option("--limit", default=8, show_default=True, type=click.IntRange(1, 200))
@click.option("--type", "kind", default="", help="Only this memory type (semantic, procedural, …).")
@click.option("--path", default="", metavar="GLOB", help="Only memory files whose path matches.")
@click.option("--all", "everywhere", is_flag=True, help="Every project's memory, not only this one's.")
@click.option("--hidden", is_flag=True, help="Also what is superseded, expired, archived or quarantined.")
@click.option("--explain", is_flag=True, help="Show what each feature gave to the score.")
@json_flag
@ends_well
def recall(
    query: tuple[str, ...],
    project: str,
    limit: int,
    kind: str,
    path: str,
    everywhere: bool,
    hidden: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Ask memory: this project's first, then what holds everywhere."""
    with service() as verbs:
        hits = verbs.recall(
            " ".join(query),
            project=project,
            limit=limit,
            type=kind,
            path=path,
            everywhere=everywhere,
            hidden=hidden,
        )
    if as_json:
        terminal.show_json({"hits": hits})
    else:
        terminal.show_hits(hits, explain=explain, everywhere=everywhere)


@click.command()
@project_option
@click.option("--tokens", default=2000, show_default=True, type=click.IntRange(1), help="The budget.")
@json_flag
@ends_well
def context(project: str, tokens: int, as_json: bool) -> None:
    """Print what an agent should know at the start of its work."""
    with service() as verbs:
        found = verbs.context(project=project, token_budget=tokens)
    if as_json:
        terminal.show_json(found)
        return
    terminal.say(found.text or "no memory for this project yet")
    for left in found.left_out:
        click.echo(f"slowwave: left out for lack of room: {left}", err=True)


@click.command()
@json_flag
@ends_well
def reindex(as_json: bool) -> None:
    """Drop the recall indexes and build them anew from memory."""
    with service() as verbs, terminal.counting("indexing") as on_progress:
        count = verbs.reindex(on_progress)
    if as_json:
        terminal.show_json({"files": count})
    else:
        terminal.say(f"indexed {count} memory files")


COMMANDS: tuple[click.Command, ...] = (recall, context, reindex)
