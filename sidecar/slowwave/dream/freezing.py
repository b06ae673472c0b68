"""Freezing: the unread turns of a project become snapshots, and what cannot be read is named.

One bad transcript never holds up the others. Turns whose file is gone, or no longer reaches them, are settled
as vanished (they come back with their file); turns of a file that cannot be read now stay new.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from slowwave.dream.workshop import Workshop
from slowwave.errors import InterruptedDreamError, TranscriptError, VanishedError
from slowwave.model import Snapshot
from slowwave.store import blocks, files, progress
from slowwave.store.progress import NewRange
from slowwave.store.runs import Run
from slowwave.transcripts import snapshot as snapshots
from slowwave.transcripts.formats import FORMATS
from slowwave.verbs import OnStep

_TELL_EVERY = 20  # sessions


@dataclass(frozen=True)
class Frozen:
    """What a dream is to read, and a line for every session of which it cannot read all.

    unread  how many of these lines speak of files that may be readable another time
    """

    snapshots: tuple[Snapshot, ...]
    problems: tuple[str, ...]
    unread: int


def freeze(shop: Workshop, run: Run, on_step: OnStep, *, save: bool = True) -> Frozen:
    """Freeze what this run is to read, keep a copy in the run's folder, and leave inherited history out."""
    request = run.request
    taken: list[Snapshot] = []
    missing: list[NewRange] = []
    problems: list[str] = []
    unread = 0
    ranges = progress.new_ranges(shop.db, run.project, request.get("paths"), request.get("since") or "")
    for number, wanted in enumerate(ranges, 1):
        if number % _TELL_EVERY == 0:
            on_step(f"snapshot {number}/{len(ranges)}")
        if shop.stop():
            raise InterruptedDreamError("stopped while reading transcripts")
        try:
            snapshot = _take(shop, wanted)
        except VanishedError as error:
            missing.append(wanted)
            problems.append(f"{_turns(wanted)} can no longer be read: {error}")
            continue
        except (TranscriptError, OSError) as error:
            unread += 1
            problems.append(f"{_turns(wanted)} will be tried again: {error}")
            continue
        if snapshot.range.to_turn < wanted.to_turn:
            rest = replace(wanted, from_turn=snapshot.range.to_turn)
            missing.append(rest)
            problems.append(f"{_turns(rest)} can no longer be read: {wanted.path} ends before")
        if snapshot.range.to_turn == wanted.from_turn:
            continue
        if save:
            snapshots.save(snapshot, shop.homes.runs / run.id)
        taken.append(snapshot)
    if missing:
        _vanish(shop, missing)
    return Frozen(tuple(taken), tuple(problems), unread)


def _take(shop: Workshop, wanted: NewRange) -> Snapshot:
    def inherited(native_id: str) -> bool:
        return blocks.is_inherited(shop.db, wanted.source, wanted.session_id, native_id)

    return snapshots.take(
        Path(wanted.path), FORMATS[wanted.source], shop.redactor, wanted.from_turn, wanted.to_turn,
        own_root=shop.homes.state.resolve(), skip=inherited, read_steps=wanted.read_steps,
    )  # fmt: skip


def _vanish(shop: Workshop, missing: list[NewRange]) -> None:
    """Settle them. A file that is gone must look new to the next scan when it comes back."""
    gone = {r.path for r in missing if not Path(r.path).is_file()}
    with shop.db.transaction():
        progress.vanish(shop.db, missing)
        files.mark_vanished(shop.db, gone, shop.now())


def _turns(wanted: NewRange) -> str:
    first, last = wanted.from_turn + 1, wanted.to_turn
    which = f"turn {first}" if first == last else f"turns {first} to {last}"
    return f"{which} of session {wanted.session_id}"
