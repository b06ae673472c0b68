"""CORRIDOR in: whole new lines of the agents' files become progress and episodes, one transaction a batch.

The file's restart point, the turns, the marks and the episodes of a batch land together, so a kill at any
moment loses nothing and counts nothing twice: the next start reads again from the restart point, and turns
already known keep their fate.

Old files: a file that was last written before slowwave's first start is history. It is not even opened; its
size is its baseline, and turns that end before the baseline (or before the first start, wherever they stand) are
dreamed only when a backfill asks for it. A time in the future (a clock was wrong) counts as now.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from slowwave.config import Settings
from slowwave.errors import MemoryRepositoryError, SlowwaveError, TranscriptError
from slowwave.model import EntryKind, Session, SessionKind, Turn, TurnStatus, plain
from slowwave.projects import project_of
from slowwave.store import blocks, episodes, files, progress
from slowwave.store.database import Database
from slowwave.store.files import FileState
from slowwave.transcripts.discover import SessionFile
from slowwave.transcripts.episode import episode
from slowwave.transcripts.formats import FORMATS
from slowwave.transcripts.lineage import names_of
from slowwave.transcripts.reader import Reading, Restart, SessionReader
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.tail import PARSER, FileMark, Grown, Same, check

CHUNK_BYTES = 16 << 20  # read this much of a file between two transactions
_READERS_KEPT = 128
_TELL_EVERY = 100  # files
_ABANDONED_SECONDS = 6 * 3600.0  # an open turn this old was killed: its agent will not finish it


Tell = Callable[[str], None]


def _silent(_: str) -> None:
    """The listener of a caller that shows no progress."""


def _now_and_then(tell: Tell, number: int, of: int) -> None:
    if number % _TELL_EVERY == 0:
        tell(f"{number}/{of}")


@dataclass(frozen=True)
class Ingested:
    """What one pass did."""

    files: int = 0
    turns: int = 0
    steps: int = 0
    damage: int = 0
    problems: tuple[str, ...] = ()

    def __add__(self, other: "Ingested") -> "Ingested":
        return Ingested(
            self.files + other.files, self.turns + other.turns, self.steps + other.steps,
            self.damage + other.damage, self.problems + other.problems,
        )  # fmt: skip


class Ingest:
    """Reads what has grown. Keeps the readers of recently active files, so that each byte is read once."""

    def __init__(
        self,
        db: Database,
        redactor: Redactor,
        settings: Settings,
        own_root: Path,
        clock: Callable[[], float],
        stop: Callable[[], bool] = lambda: False,
        owners: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """`owners` says which project key each slug of memory belongs to (see `progress.ensure_project`)."""
        self._db = db
        self._owners = owners
        self._redactor = redactor
        self._settings = settings
        self._own_root = own_root
        self._clock = clock
        self._stop = stop
        self._readers: OrderedDict[str, SessionReader] = OrderedDict()
        self._names: dict[tuple[str, str], str] | None = None  # for one pass: where each file was last
        self._first_start = self._remember_first_start()

    def scan(
        self, present: Iterable[SessionFile], *, complete: bool = True, tell: Tell = _silent
    ) -> Ingested:
        """Look at every file's size and time, and read those that changed. Ends early when asked to stop.

        `complete` says that `present` is all there is, so that files known but not listed have vanished.
        `tell` hears how far it is, now and then, when there is much to read.
        """
        known = files.sizes(self._db) if complete else {}
        seen, old = set[str](), list[FileState]()
        self._names = None
        nameable, total = _nameable(present)
        for number, file in enumerate(nameable, 1):
            if self._stop():
                return total
            _now_and_then(tell, number, len(nameable))
            path = str(file.path)
            seen.add(path)
            try:
                extent = file.extent()
            except FileNotFoundError:
                continue
            except (TranscriptError, OSError) as error:
                total += Ingested(problems=(_problem(path, error),))
                continue
            size = known.get(path) if complete else files.size(self._db, path)
            if size == (extent.size, extent.mtime_ns):
                continue
            if size is not None:
                total += self._ingest(file, None)
                continue
            last_known = self._last_known(file)
            state = files.get(self._db, path) if last_known else None
            moved = self._moved(file, last_known) if last_known and not state else None
            if moved and not moved.read and extent.size <= moved.baseline:
                old.append(replace(moved, size=extent.size, mtime_ns=extent.mtime_ns))
            elif extent.mtime_ns / 1e9 <= self._first_start and not state and not moved:
                old.append(self._history(file, extent.size, extent.mtime_ns))
            else:
                total += self._ingest(file, state or moved)
        gone = known.keys() - seen
        if old or gone:
            with self._db.transaction():
                for state in old:
                    files.save(self._db, state)
                files.mark_vanished(self._db, gone, self._now())
        return total

    def read(self, file: SessionFile) -> Ingested:
        """Read one file that may have grown."""
        self._names = None
        state = files.get(self._db, str(file.path)) or self._moved(file, self._last_known(file))
        return self._ingest(file, state)

    def backfill(self, wanted: Sequence[SessionFile], *, tell: Tell = _silent) -> Ingested:
        """Read history too, of files never opened before. Its turns stay history until `progress.uncover`."""
        total = self.scan(wanted, complete=False, tell=tell)
        nameable, _ = _nameable(wanted)
        for number, file in enumerate(nameable, 1):
            if self._stop():
                return total
            _now_and_then(tell, number, len(nameable))
            state = files.get(self._db, str(file.path))
            if state is not None and not state.read:
                total += self._ingest(file, state)
        return total

    def close_abandoned(self) -> None:
        """Let turns whose agent was killed long ago count as interrupted, so that they can be dreamed."""
        limit = self._clock() - _ABANDONED_SECONDS
        rows = self._db.rows(
            "SELECT s.path, s.source FROM sessions s WHERE s.turn_open AND s.last_growth < ?", (limit,)
        )
        for row in rows:
            self._ingest(SessionFile(Path(row["path"]), row["source"]), None, abandon=True)

    def _last_known(self, file: SessionFile) -> str:
        """Where this file was last, also if it was packed (`.zst`) or in another folder then; "" for a new one."""
        if self._names is None:
            self._names = files.names(self._db)
        return self._names.get((file.format_name, files.name_of(str(file.path))), "")

    def _moved(self, file: SessionFile, last_known: str) -> FileState | None:
        """What is known of a new path's file from where it was, when it is there no more and what was read stands."""
        state, path = files.get(self._db, last_known), str(file.path)
        if state is None or FORMATS[file.format_name].SHAPE == "database":
            return None
        try:
            stands = not state.mark or isinstance(check(file.path, _mark(state)), Same | Grown)
            if Path(last_known).exists() or not stands:
                return None
        except (TranscriptError, OSError):
            return None  # reading it tells what is wrong
        if state.session is not None:
            progress.moved(self._db, state.session, path)
        return replace(state, path=path, size=-1, damaged=0)

    # ------------------------------------------------------------------ one file
    def _ingest(self, file: SessionFile, state: FileState | None, *, abandon: bool = False) -> Ingested:
        path = str(file.path)
        state = _for_this_parser(state or files.get(self._db, path) or self._history(file, 0, 0))
        total = Ingested(files=1)
        try:
            extent = file.extent()
            state = replace(state, size=extent.size, mtime_ns=extent.mtime_ns, problem="")
            if state.kind is not SessionKind.MAIN and state.read:
                return self._save(state, Ingested())
            reader, more = self._reader(file, state), True
            while more and not self._stop():
                reading = reader.read(budget=CHUNK_BYTES)
                if reading.vanished:
                    return total
                more = reading.more
                state, done = self._record(
                    state, reading, min(extent.mtime_ns / 1e9, self._clock()), abandon=abandon and not more
                )
                total += done
            self._keep(path, reader)
        except FileNotFoundError:
            return total
        except (TranscriptError, MemoryRepositoryError, OSError) as error:
            # A failed read is never taken for an empty file: it is named, and tried again at the next scan.
            problem = _problem(path, error)
            return self._save(replace(state, size=-1, problem=problem), Ingested(problems=(problem,)))
        return total

    def _save(self, state: FileState, done: Ingested) -> Ingested:
        with self._db.transaction():
            files.save(self._db, state)
        return done

    def _reader(self, file: SessionFile, state: FileState) -> SessionReader:
        """The reader of a file, taken out: a reader whose turns were not recorded is never used again."""
        reader = self._readers.pop(state.path, None)
        if reader is None:
            restart = None
            if state.session is not None and state.mark:
                session = self._session(file, state)
                restart = Restart(session, state.restart_offset, state.restart_turn, _mark(state))
            reader = SessionReader(
                file.path,
                FORMATS[file.format_name],
                self._redactor,
                own_root=self._own_root,
                restart=restart,
            )
        return reader

    def _keep(self, path: str, reader: SessionReader) -> None:
        self._readers[path] = reader
        if len(self._readers) > _READERS_KEPT:
            self._readers.popitem(last=False)

    def _session(self, file: SessionFile, state: FileState) -> Session:
        row = self._db.row("SELECT * FROM sessions WHERE id = ?", (state.session,))
        if row is None:
            raise TranscriptError(f"{state.path}: its session is missing from the store")
        return Session(
            row["source"], row["session_id"], file.path, state.kind, row["cwd"], "", row["git_branch"],
            row["version"],
        )  # fmt: skip

    # ------------------------------------------------------------------ one transaction
    def _record(
        self, state: FileState, reading: Reading, mtime: float, *, abandon: bool
    ) -> tuple[FileState, Ingested]:
        session, last = reading.session, reading.open
        restart = reading.restart
        state = replace(
            state, kind=session.kind, read=True, mark=json.dumps(plain(reading.mark)) if reading.mark else "",
            damaged=state.damaged + len(reading.damage), restart_offset=restart.offset,
            restart_turn=restart.turn_number,
        )  # fmt: skip
        # A file read in part must not look unchanged to the scan of the next process.
        saved = replace(state, size=-1) if reading.more else state
        first = f"offset {reading.damage[0].offset}: {reading.damage[0].reason}" if reading.damage else ""
        finished = reading.complete
        reached = max([restart.turn_number - 1, *(t.number for t in finished)])
        going_on = bool(last and not last.closed and (last.prompts or last.steps))
        if abandon and last and going_on:
            finished, going_on = (*finished, replace(last, status=TurnStatus.INTERRUPTED)), False
        steps = 0
        with self._db.transaction():
            if session.kind is SessionKind.MAIN and (finished or last):
                row = self._session_row(session, reached)
                state, saved = replace(state, session=row), replace(saved, session=row)
                steps = self._turns(row, session, finished, state.baseline)
                for turn in (*reading.closed, *([last] if last else [])):
                    self._marks(row, session, turn)
                open_steps = last.steps if last and going_on else 0
                progress.note_growth(self._db, row, open_steps=open_steps, turn_open=going_on, at=mtime)
            if state.session is not None:
                progress.found_again(self._db, state.session, reached)
            files.save(self._db, saved, first)
        return state, Ingested(turns=len(finished), steps=steps, damage=len(reading.damage))

    def _session_row(self, session: Session, reached: int) -> int:
        cwd = session.cwd or str(session.path.parent)
        separate = self._settings.memory.worktrees == "separate"
        project = progress.ensure_project(
            self._db, project_of(cwd, separate_worktrees=separate), self._now(), self._owners
        )
        return progress.ensure_session(self._db, session, project, reached)

    def _turns(self, row: int, session: Session, turns: Sequence[Turn], baseline: int) -> int:
        """Record closed turns; how many new steps they have."""
        states: list[str] = []
        anew: list[bool] = []
        counted: list[Turn] = []
        known = progress.last_turn(self._db, row)
        for turn in turns:
            names = names_of(turn, session)
            claimed = blocks.claim(self._db, session.source, row, names.spoken)
            deciding = names.deciding
            inherited = bool(deciding) and claimed.foreign.issuperset(deciding)
            # A turn behind the last one known whose every block this session had before was sent again.
            sent_again = (
                names.native and bool(deciding) and not {*deciding} & (claimed.fresh | claimed.foreign)
            )
            copied = inherited or (sent_again and turn.number > known)
            # Resumed or forked history stands in a young file, but its own times tell.
            ended = turn.ended_at
            old = turn.end <= baseline or bool(ended and ended.timestamp() < self._first_start)
            states.append("inherited" if copied else "baseline" if old else "new")
            # A rewritten file may hold other turns under known numbers (a revert, then new work).
            anew.append(bool(deciding) and claimed.fresh.issuperset(names.spoken))
            foreign = 0 if copied else len(claimed.foreign.intersection(names.steps.values()))
            counted.append(replace(turn, steps=turn.steps - foreign))
        progress.add_turns(self._db, row, counted, states, anew)
        for turn, state in zip(counted, states, strict=True):
            if state != "inherited":
                episodes.add(self._db, row, turn.number, episode(turn), self._now())
        return sum(t.steps for t, s in zip(counted, states, strict=True) if s == "new")

    def _marks(self, row: int, session: Session, turn: Turn) -> None:
        names = names_of(turn, session).compactions
        copied = blocks.claim(self._db, session.source, row, names.values()).foreign
        begun = False
        epoch = "the start"
        for entry in turn.entries:
            if entry.kind is EntryKind.COMPACTION and names[entry.native_id] not in copied:
                about = turn.number if begun else turn.number - 1
                progress.add_mark(
                    self._db, row, entry.native_id, "compaction", about, entry.text, self._now()
                )
                epoch = entry.native_id
            begun = begun or entry.kind is EntryKind.PROMPT or bool(entry.step_id)
        used, window = turn.context
        if window and used / window >= self._settings.dream.context_pressure:
            # Once until the next compaction: the pressure stays high in every turn after the first.
            progress.add_mark(
                self._db, row, f"pressure since {self._epoch(row) or epoch}", "pressure", turn.number,
                f"{used} of {window} tokens", self._now(),
            )  # fmt: skip

    def _epoch(self, row: int) -> str:
        found = self._db.value(
            "SELECT native_id FROM marks WHERE session = ? AND kind = 'compaction' ORDER BY turn DESC LIMIT 1",
            (row,),
        )
        return str(found or "")

    # ------------------------------------------------------------------ small facts
    def _history(self, file: SessionFile, size: int, mtime_ns: int) -> FileState:
        return FileState(
            str(file.path), file.format_name, None, SessionKind.MAIN, size, mtime_ns,
            baseline=size, read=False, restart_offset=0, restart_turn=1, mark="", damaged=0,
        )  # fmt: skip

    def _remember_first_start(self) -> float:
        with self._db.transaction():
            self._db.execute(
                "INSERT INTO meta (name, value) VALUES ('first_start', ?) ON CONFLICT DO NOTHING",
                (repr(self._clock()),),
            )
        return float(self._db.value("SELECT value FROM meta WHERE name = 'first_start'"))

    def _now(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")


def _mark(state: FileState) -> FileMark:
    return FileMark(**json.loads(state.mark))


def _for_this_parser(state: FileState) -> FileState:
    """What another parser has read is read again from the beginning; its turns are known, so none is news."""
    if not state.mark or _mark(state).parser == PARSER:
        return state
    return replace(state, restart_offset=0, restart_turn=1, damaged=0)


def _problem(path: str, error: SlowwaveError | OSError) -> str:
    return str(error) if isinstance(error, SlowwaveError) else f"{path}: {error.strerror or error}"


def _nameable(wanted: Iterable[SessionFile]) -> tuple[list[SessionFile], Ingested]:
    """The files whose paths are text, and the others as problems: the store keeps paths as UTF-8."""
    good, bad = list[SessionFile](), list[str]()
    for file in wanted:
        try:
            str(file.path).encode()
        except UnicodeEncodeError:
            bad.append(f"{str(file.path)!r}: its name is no UTF-8 text, so it cannot be kept")
        else:
            good.append(file)
    return good, Ingested(problems=tuple(bad))
