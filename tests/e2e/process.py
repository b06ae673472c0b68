"""How a test starts another program: a rebuilt environment, a time limit, and nothing left behind."""

import contextlib
import fcntl
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".e2e"  # ignored by git; may be deleted at any time
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")


class CallFailed(AssertionError):  # noqa: N818 - it reads as what happened, and is a failed assertion
    """Another program ended badly or too late; the message holds the end of what it said."""


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """PATH, language and `home` only, plus `extra`: nothing of the person's own settings gets through."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {"LANG": "C.UTF-8", **kept, "HOME": str(home), **(extra or {})}


def network() -> dict[str, str]:
    """What a package manager needs to reach its registry from here: proxies, certificates, npm's variables."""
    certificates = ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR")
    return {
        name: value
        for name, value in os.environ.items()
        if name in certificates or name.lower().startswith("npm_config_") or name.lower().endswith("_proxy")
    }


def call(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path,
    seconds: float,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; after `seconds` it and its process group are ended.

    What it prints goes through files, not pipes: a daemon it leaves behind cannot keep the test waiting.
    """
    words = [str(word) for word in argv]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        late = False
        with subprocess.Popen(
            words,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        ) as process:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                late = True
            finally:
                end_group(process)
        done = subprocess.CompletedProcess(words, process.returncode, _read(out), _read(err))
    if late:
        raise CallFailed(f"not done after {seconds:g} s: {_tail(done)}")
    if check and done.returncode:
        raise CallFailed(f"exit code {done.returncode}: {_tail(done)}")
    return done


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process of ours that was started with `start_new_session`, and its group.

    Asked first, killed after three seconds: Claude Code's shells have sessions of their own, and only it can end them.
    """
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:  # once it is reaped, its number may be somebody else's
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(3)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Only one process of this machine is inside at a time; the lock dies with its holder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "backslashreplace")


def _tail(done: subprocess.CompletedProcess[str]) -> str:
    words = " ".join(done.args)
    return f"{words[:400]}\n--- stdout\n{done.stdout[-2000:]}\n--- stderr\n{done.stderr[-2000:]}"
