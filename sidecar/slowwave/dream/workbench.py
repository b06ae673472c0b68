"""Where a reflector works: our own rules in the worktree itself, a model in a confined worker before it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slowwave.dream.reflector import Reflector, Toolbox
from slowwave.dream.sandbox import toolbox as sandbox
from slowwave.dream.sandbox.levels import Level, Proof, keep_proof
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
