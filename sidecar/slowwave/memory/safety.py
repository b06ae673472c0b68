"""What every git call of ours runs with, so that nothing it meets can name a program to run.

Settings given on the command line win over the person's files; the environment closes the ways around them;
the private bare git directory has a config of ours and nothing else. Doorway 3, used by `repo` alone.
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

IDENTITY: Final = ("slowwave", "slowwave@localhost")

SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.quotePath=false",
    "core.fsync=committed,loose-object,reference,index",  # a power cut must not cost objects
    "core.filesRefLockTimeout=2000",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "merge.directoryRenames=false",  # a new file lands where it was written
    "protocol.allow=never",
    "submodule.recurse=false",
)
ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_AUTHOR_NAME": IDENTITY[0],
    "GIT_AUTHOR_EMAIL": IDENTITY[1],
    "GIT_COMMITTER_NAME": IDENTITY[0],
    "GIT_COMMITTER_EMAIL": IDENTITY[1],
    "LC_ALL": "C",
}
_PLUMBING_CONFIG: Final = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_popen_lock = threading.Lock()


@contextlib.contextmanager
def without_inherited_git() -> Iterator[None]:
    """Take every GIT_* out of our environment while the child starts: GitPython can add to it, not remove
    from it.
    """
    with _popen_lock:
        inherited = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GIT_")}
        try:
            yield
        finally:
            os.environ.update(inherited)


def make_plumbing(folder: Path) -> Path:
    """The private bare git directory: a fixed config, no hooks, no attributes; made again when it differs."""
    (folder / "refs").mkdir(parents=True, exist_ok=True)
    for name, text in (("HEAD", "ref: refs/heads/none\n"), ("config", _PLUMBING_CONFIG)):
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            beside = folder / f"{name}.{os.getpid()}"
            beside.write_text(text, encoding="utf-8")
            beside.replace(file)
    return folder


def borrowing(folder: Path, lender: Path) -> Path:
    """An object folder of its own that reads what another one has, and never writes there."""
    (folder / "info").mkdir(parents=True, exist_ok=True)
    (folder / "info" / "alternates").write_text(f"{lender.resolve()}\n", encoding="utf-8")
    return folder
