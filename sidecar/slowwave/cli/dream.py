"""`slowwave dream`, and what finishes a killed one."""

import sys
from typing import Any

import click

from slowwave import terminal
from slowwave.cli.frame import dry_run_flag, ends_well, json_flag, project_option, service
from slowwave.errors import InterruptedDreamError
from slowwave.report import dreams_as_json, worst_exit_code
from slowwave.stop import Stop
from slowwave.verbs import DreamRequest


@click.command()
@project_option
@click.option("--all", "everything", is_flag=True, help="Every project with something new.")
@click.option(
    "--from", "sources", multiple=True, metavar="SOURCE[:PATH]",
    help="Only these transcripts, with their history: claude-code, codex, claude-code:DIR, or path:DIR to"
    " recognise the format.",
)  # fmt: skip
@click.option("--backfill", is_flag=True, help="Also what agents did before slowwave first started.")
@click.option(
    "--since", default="", metavar="WHEN", help="Leave out turns that ended before this date or time."
)
@click.option("--reflector", default="", metavar="NAME", help="Which reflector (default: dream.reflector).")
@click.option(
    "--instruction", default="", metavar="TEXT", help="What to look for, for reflectors that read it."
)
@click.option("--review", is_flag=True, help="Keep the result pending until you merge it.")
@click.option(
    "--explain", is_flag=True,
    help="Show the signals behind every line that would be learned and every near miss; write nothing.",
)  # fmt: skip
@click.option("--run", "run_id", default="", hidden=True)
@dry_run_flag
@json_flag
@ends_well
def dream(run_id: str, as_json: bool, **words: Any) -> None:
    """Reflect on what happened and turn it into memory, now."""
    stop = Stop()
    with stop.on_signals(), service(stop) as verbs, terminal.progress() as on_step:
        try:
            if run_id:
                reports = [verbs.run_claimed(run_id, on_step)]
                verbs.warm_up()  # nobody waits for this process
            else:
                reports = list(verbs.dream(DreamRequest(**words), on_step))
        except KeyboardInterrupt:
            raise InterruptedDreamError("interrupted; what was read will be read again") from None
        memory = str(verbs.homes.memory)
    if as_json:
        terminal.show_json(dreams_as_json(reports))
    else:
        terminal.show_dreams(reports, memory)
    sys.exit(worst_exit_code(reports))


@click.command(hidden=True)
@ends_well
def recover() -> None:
    """Finish what a killed process left behind; the daemon runs it at its start."""
    with service() as verbs:
        verbs.recover()


COMMANDS: tuple[click.Command, ...] = (dream, recover)
