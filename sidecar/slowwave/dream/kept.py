"""Batches a model has been paid for, until the dream they belong to has ended: a killed dream does not pay twice.

What one pass made of memory is kept under a digest of everything that went into it: the turns, memory as it was, the
instruction, the model and its prompt. The next dream over the same takes it and asks nobody; any difference is another
digest. A dream that lands, or whose result is refused, forgets them. Engine 1.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from slowwave.dream.reflector import learned_from
from slowwave.model import Learned, Snapshot, digest, plain


@dataclass(frozen=True)
class Kept:
    """The kept batches of one project, in a folder only this user can read."""

    folder: Path

    def key(self, batch: Sequence[Snapshot], memory: Mapping[str, str], *conditions: str) -> str:
        """The digest of what goes into a pass."""
        return digest([[plain(s.range) for s in batch], dict(memory), list(conditions)])

    def take(self, key: str) -> tuple[dict[str, str], tuple[Learned, ...]] | None:
        """Memory after the pass, and what it learned; None when there is none, or it is damaged."""
        try:
            found = json.loads((self.folder / f"{key}.json").read_text("utf-8"))
            return {str(k): str(v) for k, v in found["memory"].items()}, tuple(
                map(learned_from, found["learned"])
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # then it is asked again: dearer, and never wrong

    def put(self, key: str, memory: Mapping[str, str], learned: Sequence[Learned]) -> None:
        """Keep a pass, whole or not at all. A disk that is full costs a killed dream its money, not this one."""
        fresh = self.folder / f".{key}"
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                json.dump({"memory": dict(memory), "learned": plain(list(learned))}, out, ensure_ascii=False)
            fresh.replace(self.folder / f"{key}.json")

    def forget(self) -> None:
        """The dream has ended: nothing of it is needed again."""
        shutil.rmtree(self.folder, ignore_errors=True)
