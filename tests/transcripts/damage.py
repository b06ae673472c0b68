"""Damage done to transcripts on purpose, and what must survive it: shared by the tests and the fuzz benchmark."""

import random
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from slowwave.model import Entry, EntryKind
from slowwave.transcripts.discover import SessionFile

from .samples import every_turn, read

SPOKEN = {EntryKind.PROMPT, EntryKind.TEXT, EntryKind.TOOL_CALL, EntryKind.TOOL_RESULT}


class Damaged(NamedTuple):
    """Damaged bytes, and the part of the old ones, from the front and the back, that was not touched."""

    data: bytes
    head: int
    tail: int


def damage(data: bytes, rng: random.Random) -> Damaged:
    """One flip, cut, insertion or swap at a random place."""
    at, size = rng.randrange(len(data)), rng.choice([1, 1, 2, 7, 60, 900])
    end = min(len(data), at + size)
    kind = rng.choice(["flip", "cut", "insert", "swap", "newline", "nul"])
    middle = data[at:end]
    if kind == "flip":
        middle = bytes(b ^ (1 << rng.randrange(8)) for b in middle)
    elif kind == "cut":
        middle = b""
    elif kind == "insert":
        middle = rng.randbytes(size) + middle
    elif kind == "newline":
        middle = b"\n" + middle
    elif kind == "nul":
        middle = b"\0" * len(middle)
    else:
        middle = middle[::-1]
    return Damaged(data[:at] + middle + data[end:], at, len(data) - end)


def said(entries: Sequence[Entry]) -> Counter[tuple[str, str]]:
    """Entries by what they say; ids may shift when a neighbour is lost."""
    return Counter((e.kind, e.text) for e in entries if e.kind in SPOKEN)


@lru_cache(maxsize=4096)
def entries_of(file: SessionFile) -> list[Entry]:
    """Every entry of an undamaged session."""
    return [e for t in every_turn(read(file.path, file.format_name)) for e in t.entries]


def lost_by_damage(
    files: Sequence[SessionFile], seed: int, folder: Path
) -> tuple[SessionFile, Counter[tuple[str, str]]]:
    """Damage one of the files as the seed says, read it, and tell which entries on untouched rows are gone.

    Whatever reading raises passes: it should raise nothing.
    """
    rng = random.Random(seed)
    name = rng.choice(sorted({f.format_name for f in files}))
    file = rng.choice([f for f in files if f.format_name == name])
    original = file.path.read_bytes()
    hurt = damage(original, rng)
    target = folder / file.path.name
    target.write_bytes(hurt.data)
    for beside in file.path.parent.glob("*.json"):
        if beside != file.path and beside.stat().st_size < 1 << 20:
            shutil.copy(beside, folder / beside.name)
    reading = read(target, name)
    got = said([e for t in every_turn(reading) for e in t.entries])
    # A row is intact when neither it nor the newlines around it were touched.
    safe_tail = len(original) - hurt.tail
    intact = [e for e in entries_of(file) if e.offset + e.length <= hurt.head or e.offset > safe_tail]
    lost = said(intact) - got
    if reading.open is None:
        # A result whose prompt and step are lost waits for the turn it will lead.
        lost = Counter({key: n for key, n in lost.items() if key[0] != EntryKind.TOOL_RESULT})
    return file, lost
