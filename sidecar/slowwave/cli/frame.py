"""What every command stands in: the service, the shared options, and an end by the exit codes of the house."""

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import click

from slowwave import terminal
from slowwave.config import WRITABLE
from slowwave.errors import InterruptedDreamError, SlowwaveError
from slowwave.service import Service

_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS)

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
            failed = SlowwaveError(str(error), hint=WRITABLE if error.errno in _NOT_OURS else "")
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
