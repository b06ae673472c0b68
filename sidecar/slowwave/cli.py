"""The command line: words in, a verb, words or JSON out, and the exit codes everybody can rely on.

    0 done · 1 failed · 2 usage · 3 pending, a person must look · 4 busy · 5 refused · 130 interrupted

It holds no logic: each command reads its words, asks the service, and shows the answer. The one importer of
click.
"""

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any, TypeVar

import click

from slowwave import __version__, terminal
from slowwave.errors import InterruptedDreamError, SlowwaveError, UsageError
from slowwave.report import dreams_as_json, worst_exit_code
from slowwave.service import Service
from slowwave.stop import Stop
from slowwave.verbs import Change, DreamRequest

F = TypeVar("F", bound=Callable[..., Any])

json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of words.")
dry_run_flag = click.option("--dry-run", is_flag=True, help="Show what would happen and write nothing.")
project_option = click.option(
    "--project", default="", metavar="DIR", help="The project of this folder (default: of the current one)."
)


@contextmanager
def service(stop: Callable[[], bool] = lambda: False) -> Iterator[Service]:
    """The verbs over this process's environment."""
    own = Service(os.environ, time.time, stop=stop)
    try:
        yield own
    finally:
        own.close()


def ends_well(command: F) -> F:
    """Turn errors of the house into their words, JSON and exit code."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        failed: SlowwaveError
        try:
            with terminal.heard():
                return command(*args, **kwargs)
        except SlowwaveError as error:
            failed = error
        except KeyboardInterrupt:
            failed = InterruptedDreamError("interrupted")
        except OSError as error:  # a folder in the way, a disk: the system's own words say it best
            failed = SlowwaveError(str(error))
        with terminal.heard():
            _tell(failed, as_json=bool(kwargs.get("as_json")))
            sys.exit(failed.exit_code)

    return run  # type: ignore[return-value]


def _tell(error: SlowwaveError, *, as_json: bool) -> None:
    if as_json:
        body = {"problems": error.problems, "hint": error.hint, "exit_code": error.exit_code}
        terminal.show_json({"error": body})
    for problem in error.problems:
        click.echo(f"slowwave: {problem}", err=True)
    if error.hint:
        click.echo(f"  {error.hint}", err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="slowwave")
def cli() -> None:
    """Turn what your coding agents did into memory you can read, diff and undo.

    Memory is markdown in a git repository of your own. Nothing leaves this machine and no key is needed.
    """


# ---------------------------------------------------------------------- dream
@cli.command()
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


# ---------------------------------------------------------------------- a finished dream
def _answer(change: Change, *, as_json: bool) -> None:
    if as_json:
        terminal.show_json(change)
    else:
        terminal.show_change(change)


@cli.command()
@click.argument("dream_id", default="")
@json_flag
@ends_well
def diff(dream_id: str, as_json: bool) -> None:
    """Show what a dream changed (default: the last one that changed something)."""
    with service() as verbs:
        _answer(verbs.diff(dream_id), as_json=as_json)


@cli.command()
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


@cli.command()
@click.argument("dream_id", default="")
@dry_run_flag
@json_flag
@ends_well
def discard(dream_id: str, dry_run: bool, as_json: bool) -> None:
    """Drop a pending dream. What it read counts as read."""
    with service() as verbs:
        _answer(verbs.discard(dream_id, dry_run=dry_run), as_json=as_json)


@cli.command()
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


@cli.command()
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1))
@json_flag
@ends_well
def log(limit: int, as_json: bool) -> None:
    """List the dreams, newest first."""
    with service() as verbs:
        lines = verbs.log(limit=limit)
    if as_json:
        terminal.show_json({"dreams": lines})
    else:
        terminal.show_log(lines)


# ---------------------------------------------------------------------- recall
@cli.command()
@click.argument("query", nargs=-1, required=True)
@project_option
@click.option("--limit", default=8, show_default=True, type=click.IntRange(1, 200))
@click.option("--type", "kind", default="", help="Only this memory type (semantic, procedural, …).")
@click.option("--path", default="", metavar="GLOB", help="Only memory files whose path matches.")
@json_flag
@ends_well
def recall(query: tuple[str, ...], project: str, limit: int, kind: str, path: str, as_json: bool) -> None:
    """Ask memory."""
    with service() as verbs:
        hits = verbs.recall(" ".join(query), project=project, limit=limit, type=kind, path=path)
    if as_json:
        terminal.show_json({"hits": hits})
    else:
        terminal.show_hits(hits)


@cli.command()
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


@cli.command()
@json_flag
@ends_well
def reindex(as_json: bool) -> None:
    """Drop the index of memory files and build it anew from the files."""
    with service() as verbs:
        count = verbs.reindex()
    if as_json:
        terminal.show_json({"files": count})
    else:
        terminal.say(f"indexed {count} memory files")


# ---------------------------------------------------------------------- status
@cli.command()
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


@cli.command()
@json_flag
@ends_well
def doctor(as_json: bool) -> None:
    """Check everything slowwave stands on. Exit 1 when something is broken."""
    from slowwave import doctor as checks  # looks at git, keyring and parsers: too slow for start-up

    checkup = checks.examine(os.environ, time.time)
    if as_json:
        terminal.show_json(checkup)
    else:
        terminal.show_checkup(checkup)
    sys.exit(0 if checkup.healthy else 1)


@cli.command("id")
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


@cli.command()
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


# ---------------------------------------------------------------------- daemon
@cli.group()
def daemon() -> None:
    """Watch the agents' transcripts and dream when it is time."""


@daemon.command("run")
@ends_well
def daemon_run() -> None:
    """Run the daemon in this terminal until Ctrl-C or SIGTERM."""
    from slowwave.daemon import Daemon  # the parsers and the watcher

    stop = Stop()

    def tell(line: str) -> None:
        with suppress(OSError):  # a full disk or a closed pipe below the log does not end the watching
            click.echo(f"{time.strftime('%H:%M:%S')} {line}")

    with stop.on_signals(), service(stop) as verbs:
        Daemon(verbs, stop.event, tell).run()


@daemon.command("status")
@json_flag
@ends_well
def daemon_status(as_json: bool) -> None:
    """Say whether a daemon is running. Exit 1 when none is."""
    from slowwave import lock

    with service() as verbs:
        running, pid = verbs.daemon_runs(), lock.holder(verbs.daemon_lock)
    if as_json:
        terminal.show_json({"running": running, "pid": pid if running else None})
    else:
        terminal.say(f"running (process {pid})" if running else "not running")
    sys.exit(0 if running else 1)


@daemon.command("stop")
@ends_well
def daemon_stop() -> None:
    """Ask the daemon to end, and wait until it has."""
    from slowwave import lock

    with service() as verbs:
        pid = lock.holder(verbs.daemon_lock)
        if not verbs.daemon_runs() or not pid:
            raise UsageError("no daemon is running")
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + 30
        while verbs.daemon_runs():
            if time.monotonic() > deadline:
                raise SlowwaveError(f"the daemon (process {pid}) has not ended after 30 s")
            time.sleep(0.1)
    terminal.say("stopped")


@cli.command(hidden=True)
@ends_well
def recover() -> None:
    """Finish what a killed process left behind; the daemon runs it at its start."""
    with service() as verbs:
        verbs.recover()


def main() -> None:
    """The program."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name the terminal's encoding lacks is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    cli(prog_name="slowwave")
