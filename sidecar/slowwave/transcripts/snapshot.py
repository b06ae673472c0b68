"""A range of one session, frozen: what a dream reads, and the proof of what it read.

Step 8 of the walk. A dream runs for minutes while the agent goes on writing, so it works on a copy: redacted,
cut to its turns, with a digest that goes into the merge commit. The copy can be written down and handed to
another process; loading it checks the digest.
"""

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from slowwave.errors import TranscriptError, VanishedError
from slowwave.model import (
    Author,
    Entry,
    EntryKind,
    Session,
    SessionKind,
    Snapshot,
    SourceRange,
    Turn,
    TurnStatus,
    digest,
    plain,
)
from slowwave.transcripts.formats import Format
from slowwave.transcripts.lineage import names_of
from slowwave.transcripts.reader import Restart, SessionReader
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.turns import assemble

_VERSION = 1
_BUDGET = 16 << 20  # bytes read before turns outside the range are let go


def take(
    path: Path,
    format: Format,  # noqa: A002  the word of the house for it
    redactor: Redactor,
    from_turn: int,
    to_turn: int,
    own_root: Path | None = None,
    skip: Callable[[str], bool] | None = None,
    *,
    restart: Restart | None = None,
    read_steps: int | None = None,
) -> Snapshot:
    """The turns (from_turn, to_turn] of a session, as far as the file has them: the range ends at the last.

    A last turn without an end is taken as interrupted: the caller asks only for turns it knows to be over.
    Raises VanishedError when the file is gone, TranscriptError when it cannot be read.

    skip     says of a block's name (see `lineage`) that another session had it first: it is inherited, no news
    restart  a place at or before turn `from_turn` + 1, so that a long file is not read from its beginning
    read_steps  steps of the first turn that were read before it went on: only what follows them is news. None
                when nothing of it was read
    """
    if path.is_symlink():
        raise VanishedError(f"cannot read {path}: a symbolic link stands in its place")
    reader = SessionReader(path, format, redactor, own_root=own_root, restart=restart)
    turns: dict[int, Turn] = {}
    more = True
    while more:
        reading = reader.read(budget=_BUDGET)
        if reading.vanished:
            raise VanishedError(f"cannot read {path}: it is gone")
        for turn in (*reading.closed, *([reading.open] if reading.open and not reading.more else [])):
            if from_turn < turn.number <= to_turn:
                turns[turn.number] = turn
        more = reading.more and reading.restart.turn_number <= to_turn
    kept = [_over(turns[n]) for n in sorted(turns)]
    last = kept[-1] if kept else None
    ended = last is None or last.status is not TurnStatus.INTERRUPTED
    if read_steps is not None and kept and kept[0].number == from_turn + 1:
        rest = _after(kept[0], read_steps)
        kept[:1] = [rest] if rest else []
    if skip:
        kept = [t for t in (_without(turn, reader.session, skip) for turn in kept) if t]
    session = reader.session
    span = SourceRange(
        session.source, session.session_id, from_turn, last.number if last else from_turn, digest(kept),
        None if ended or last is None else last.steps,
    )  # fmt: skip
    return Snapshot(session, tuple(kept), span)


def _over(turn: Turn) -> Turn:
    return turn if turn.closed else replace(turn, status=TurnStatus.INTERRUPTED)


def _after(turn: Turn, steps: int) -> Turn | None:
    """What a turn holds behind its first `steps` steps (behind its prompt, for none); None when nothing."""
    known = set(list(dict.fromkeys(e.step_id for e in turn.entries if e.step_id))[:steps])
    places = [n for n, e in enumerate(turn.entries) if e.step_id in known]
    prompts = [n for n, e in enumerate(turn.entries) if e.kind is EntryKind.PROMPT]
    last = places[-1] if places else prompts[0] if prompts else -1
    return _of(turn, turn.entries[last + 1 :])


def _without(turn: Turn, session: Session, skip: Callable[[str], bool]) -> Turn | None:
    """The turn without inherited prompts and steps, and the results of these steps; None when nothing is left."""
    names = names_of(turn, session)
    steps = {step for step, name in names.steps.items() if skip(name)}
    prompts = {own for own, name in names.prompts.items() if skip(name)}
    if not steps and not prompts:
        return turn
    calls = {e.call_id for e in turn.entries if e.step_id in steps and e.call_id}
    kept = tuple(
        e
        for e in turn.entries
        if e.step_id not in steps
        and not (e.kind is EntryKind.PROMPT and e.native_id in prompts)
        and not (e.kind is EntryKind.TOOL_RESULT and e.call_id in calls)
    )
    return _of(turn, kept)


def _of(turn: Turn, kept: tuple[Entry, ...]) -> Turn | None:
    """The turn with these entries only; None when nothing happens in them."""
    if len(kept) == len(turn.entries):
        return turn
    if not any(e.kind is EntryKind.PROMPT or e.step_id for e in kept):
        return None
    return replace(assemble(turn.number, turn.status, kept), start=turn.start, end=turn.end)


def save(snapshot: Snapshot, folder: Path) -> Path:
    """Write it down as JSON lines that only the owner can read: a header, then one line per turn."""
    r = snapshot.range
    name = re.sub(
        r"[^A-Za-z0-9._-]", "_", f"{r.source}-{r.session_id}-{r.from_turn}-{r.to_turn}-{r.digest[:12]}"
    )
    target = folder / f"{name}.jsonl"
    header = {"slowwave_snapshot": _VERSION, "session": plain(snapshot.session), "range": plain(r)}
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd, temporary = tempfile.mkstemp(dir=folder, prefix=".snapshot-")  # mkstemp makes it 0600
        with os.fdopen(fd, "w", encoding="utf-8", newline="\n") as file:
            for value in (header, *map(plain, snapshot.turns)):
                file.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")
        Path(temporary).replace(target)
    except OSError as exc:
        raise TranscriptError(f"cannot write the snapshot {target}: {exc.strerror}") from exc
    return target


def load(path: Path) -> Snapshot:
    """Read it back. A TranscriptError when it is not what was saved."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        header = json.loads(lines[0])
        if header["slowwave_snapshot"] != _VERSION:
            raise TranscriptError(
                f"the snapshot {path} has version {header['slowwave_snapshot']}, not {_VERSION}"
            )
        session, span = _session(header["session"]), SourceRange(**header["range"])
        turns = tuple(_turn(json.loads(line)) for line in lines[1:] if line)
    except OSError as exc:
        raise TranscriptError(f"cannot read the snapshot {path}: {exc.strerror}") from exc
    except (ValueError, KeyError, TypeError) as exc:
        raise TranscriptError(f"the snapshot {path} is damaged: {exc}") from exc
    if digest(turns) != span.digest:
        raise TranscriptError(f"the snapshot {path} is not what was saved: its digest differs")
    return Snapshot(session, turns, span)


def _session(value: Mapping[str, Any]) -> Session:
    created = value.get("created_at")
    return Session(
        **{
            **value,
            "path": Path(value["path"]),
            "kind": SessionKind(value["kind"]),
            "created_at": datetime.fromisoformat(created) if created else None,
        }
    )


def _turn(value: Mapping[str, Any]) -> Turn:
    entries = tuple(map(_entry, value["entries"]))
    return Turn(**{**value, "status": TurnStatus(value["status"]), "entries": entries})


def _entry(value: Mapping[str, Any]) -> Entry:
    at, ends, context = value["at"], value["ends"], value["context"]
    return Entry(
        **{
            **value,
            "kind": EntryKind(value["kind"]),
            "author": Author(value["author"]),
            "at": datetime.fromisoformat(at) if at else None,
            "ends": TurnStatus(ends) if ends else None,
            "context": tuple(context) if context else None,
        }
    )
