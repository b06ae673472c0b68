"""`slowwave daemon`: run, status, stop."""

import os
import signal
import sys
import time
from contextlib import suppress

import click

from slowwave import terminal
from slowwave.cli.frame import ends_well, json_flag, service
from slowwave.errors import SlowwaveError, UsageError
from slowwave.stop import Stop


@click.group()
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


COMMANDS: tuple[click.Command, ...] = (daemon,)
