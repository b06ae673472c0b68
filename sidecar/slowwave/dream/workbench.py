"""Where a reflector works: our own rules in the worktree itself, a model in a confined worker before it.

What was proven of the walls the last time is kept in a small file, so that `status` can say it at once.
"""

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from slowwave.dream.reflector import Reflector, Toolbox
from slowwave.dream.sandbox import toolbox as sandbox
from slowwave.dream.sandbox.levels import Level, Proof
from slowwave.dream.toolbox import WorktreeToolbox, scope_of
from slowwave.dream.workshop import Workshop
from slowwave.home import expanded
from slowwave.memory.scope import Scope


@contextmanager
def workbench(
    shop: Workshop, reflector: Reflector, worktree: Path, slug: str
) -> Iterator[tuple[Toolbox, Level]]:
    """The toolbox of a dream of one project, with the level it works at.

    Whatever a confined worker started is dead when the block ends, so what is imported then stands still.
    Raises RefusedError when the person wants a shell and no wall holds here.
    """
    settings = shop.settings.sandbox
    scope = scope_of(worktree, slug, tuple(expanded(p) for p in settings.read))
    if not reflector.costs_money:
        yield WorktreeToolbox(scope), Level.L0
        return
    with sandbox.confined(scope, shell=settings.shell) as (tools, proof):
        keep_proof(shop.homes.sandbox_proof, proof)
        yield tools, proof.level


def prove(folder: Path) -> Proof:
    """Try the walls of this machine in an empty folder below `folder`."""
    worktree = folder / "worktree"
    worktree.mkdir()
    with sandbox.confined(Scope(worktree)) as (_, proof):
        return proof


def keep_proof(path: Path, proof: Proof) -> None:
    """Remember a proof; a disk that takes none costs no dream."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(proof)), "utf-8")


def last_level(path: Path) -> str:
    """The level proven the last time, in words; "not tried yet" when there is none."""
    try:
        level = Level(json.loads(path.read_text("utf-8"))["level"])
    except (OSError, ValueError, KeyError, TypeError):
        return "not tried yet; `slowwave doctor` does"
    return f"{level}: {level.what}"
