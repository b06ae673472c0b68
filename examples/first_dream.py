"""The main job on a fresh clone: dream over the person's own transcripts, else over the bundled example.

`make dream` runs this. The example gets a home of its own inside the clone (`.slowwave/`), so that it never
mixes with anybody's real memory.
"""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from slowwave.cli.frame import ends_well
from slowwave.service import Service

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "transcripts"


@ends_well
def main() -> int:
    """Dream, then show what memory holds and what to try next. The exit code is the dream's own.

    Without settings that can be read there is no dream: the problems are told as every command tells them.
    """
    env = dict(os.environ)
    found = Service(env, time.time).session_files()
    if found:
        print(f"found {len(found)} transcript files of your agents; dreaming over all of them\n", flush=True)
        words = ["dream", "--all", "--backfill"]
    else:
        print("no agent's transcripts found here; dreaming over the bundled example\n", flush=True)
        env["SLOWWAVE_HOME"] = str(ROOT / ".slowwave")
        words = ["dream", "--from", f"path:{EXAMPLE}"]
    done = subprocess.run([sys.executable, "-m", "slowwave", *words], env=env, check=False)
    service = Service(env, time.time)
    show_memory(service.homes.memory)
    show_next(env, own=bool(found))
    return done.returncode


def show_memory(memory: Path) -> None:
    """List the files of memory."""
    files = sorted(p for p in memory.rglob("*.md") if ".git" not in p.parts)
    if files:
        print(f"\n{memory} holds:")
    for file in files:
        print(f"  {file.relative_to(memory)}")


def show_next(env: dict[str, str], *, own: bool) -> None:
    """Commands that can be pasted as they are."""
    program = shlex.quote(str(Path(sys.executable).parent / "slowwave"))
    prefix = "" if own else f"SLOWWAVE_HOME={shlex.quote(env['SLOWWAVE_HOME'])} "
    print("\ntry next:")
    for words, what in (
        ("diff", "what the last dream changed"),
        ("recall tests", "ask memory"),
        ("log", "the dreams so far"),
        ("undo", "take the last dream back"),
        ("daemon run", "watch, and dream when it is time"),
    ):
        print(f"  {prefix}{program} {words:<14} # {what}")


if __name__ == "__main__":
    sys.exit(main())
