"""Runs shell commands as a model would, at one level of the sandbox: `python redteam.py PLAN.json`, answers as JSON.

A process of its own, so that it can be another user's; who started it judges by what changed on the host.
"""

import json
import os
import sys
from pathlib import Path

from slowwave.dream.sandbox.levels import Level
from slowwave.dream.sandbox.toolbox import ConfinedToolbox, confined
from slowwave.errors import RefusedError
from slowwave.memory.scope import Scope


def main() -> None:
    """Start, attack, say what came back."""
    plan = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    scope = Scope(Path(plan["worktree"]), ("system/",))
    said: dict[str, str] = {}
    left = dict(plan["attacks"])
    while left and "refused" not in said:  # an attack may end its own worker; the next one gets another
        try:
            with confined(scope, shell=True, levels=(Level(plan["level"]),)) as (tools, proof):
                assert isinstance(tools, ConfinedToolbox)
                said["level"] = str(proof.level)
                while left:
                    name = next(iter(left))
                    command = left.pop(name).replace("PARENT", str(os.getpid()))
                    said[name] = tools.bash(command)
        except RefusedError as error:
            said["ended" if "level" in said else "refused"] = str(error)
    print(json.dumps(said))  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
