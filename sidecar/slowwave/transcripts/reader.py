"""One transcript file, read as it grows: lines, rows, entries, turns, with secrets out and sizes capped.

Steps 2 to 4 of the walk joined. A reader keeps its place between calls, so a daemon pays for new bytes only;
it keeps no closed turn. After a restart a new reader goes on at the start of the first turn that can still
change. How the bytes arrive makes no difference to the turns that come out.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from slowwave.model import Author, Damage, Entry, EntryKind, Session, SessionKind, Turn
from slowwave.transcripts.decode import PlacedRow, RowDecoder
from slowwave.transcripts.formats import Format, Place, injected
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.tail import FileMark, Rewritten, Vanished, check, mark, read_lines
from slowwave.transcripts.turns import TurnBuilder

# Characters kept of an entry. Results are long and mostly noise; arguments hold whole files.
_CAPS = {EntryKind.TOOL_RESULT: 2_500, EntryKind.TOOL_CALL: 1_000, EntryKind.NOTICE: 2_500}
_CAP = 20_000
_MARGIN = 8  # redaction sees this many times the cap from each end, so no secret is cut before it is seen


@dataclass(frozen=True, slots=True)
class Restart:
    """Where a new reader of a known file goes on: before turn `turn_number`, at byte `offset`.

    mark    what was known of the file, so that a rewrite in between is noticed
    """

    session: Session
    offset: int
    turn_number: int
    mark: FileMark | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one read brought.

    closed     turns that have their end since the last read. A turn whose response goes on after its end mark
               (a second text block) comes again, with the same number: the later one replaces the earlier
    open       the turn still running, if any. Where a source writes no end marks it may already be COMPLETED:
               believe that once the session has been quiet for a while
    rewritten  the file was replaced by another content and read from the beginning; turns are numbered anew
    vanished   the file is gone; nothing was read
    more       the budget was used up before the end of the file
    """

    session: Session
    closed: tuple[Turn, ...]
    open: Turn | None
    damage: tuple[Damage, ...]
    mark: FileMark | None
    restart: Restart
    rewritten: bool = False
    vanished: bool = False
    more: bool = False

    @property
    def complete(self) -> tuple[Turn, ...]:
        """The closed turns, and the open one when it looks finished."""
        return (*self.closed, self.open) if self.open and self.open.closed else self.closed


_PLAIN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")


class SessionReader:
    """Reads one file. `own_root` is our own home: sessions that work below it are dreams, and never read."""

    def __init__(
        self,
        path: Path,
        format: Format,  # noqa: A002  the word of the house for it
        redactor: Redactor,
        *,
        own_root: Path | None = None,
        restart: Restart | None = None,
    ) -> None:
        self._path = path
        self._format = format
        self._redactor = redactor
        self._own_root = own_root
        self._mark = restart.mark if restart else None
        self._generation = self._mark.generation if self._mark else 0
        self._begin(restart)

    def _begin(self, restart: Restart | None) -> None:
        self._parser = self._format.parser(self._path)
        if restart:
            self._parser.session = restart.session
        self._rows = RowDecoder(str(self._path))
        self._turns = TurnBuilder(restart.turn_number if restart else 1)
        self._offset = restart.offset if restart else 0
        self._last_line = self._offset
        self._told: Turn | None = None

    @property
    def session(self) -> Session:
        """The session as far as it is known."""
        found = self._parser.session
        if not _PLAIN_ID.fullmatch(found.session_id):
            # It stands in trailers, evidence and file names: what is no plain word is known by its hash.
            digest = hashlib.sha256(found.session_id.encode("utf-8", "surrogatepass")).hexdigest()
            found = replace(found, session_id=f"odd-{digest[:32]}")
        if self._own_root and found.cwd and PurePath(found.cwd).is_relative_to(self._own_root):
            return replace(found, kind=SessionKind.OWN)
        return found

    def read(self, until: int | None = None, budget: int | None = None) -> Reading:
        """Read the whole lines that are new, up to byte `until`, at most about `budget` bytes of them."""
        state = check(self._path, self._mark) if self._mark else None
        if isinstance(state, Vanished):
            return self._vanished()
        rewritten = isinstance(state, Rewritten)
        if rewritten:
            self._generation += 1
            self._begin(None)
        stop = None if budget is None else self._offset + budget
        closed: list[Turn] = []
        more = False
        try:
            for line in read_lines(self._path, self._offset, until):
                self._offset, self._last_line = line.end, line.offset
                for row in self._rows.feed(line):
                    closed.extend(self._turns_of(row))
                if stop is not None and self._offset >= stop:
                    more = True
                    break
            self._mark = mark(self._path, self._offset, self._last_line, self._generation)
        except FileNotFoundError:
            return self._vanished()
        return self._reading(closed, rewritten=rewritten, more=more)

    def _vanished(self) -> Reading:
        restart = Restart(self.session, self._offset, self._turns.next_number, self._mark)
        return Reading(self.session, (), None, (), self._mark, restart, vanished=True)

    def _turns_of(self, row: PlacedRow) -> Iterator[Turn]:
        place = Place(row.offset, row.length, self._generation, row.damaged)
        for entry in self._parser.feed(row.row, place):
            if self.session.kind is SessionKind.OWN:
                continue
            sealed = self._turns.feed(self._tidy(entry))
            if sealed and sealed != self._told:
                yield sealed

    def _reading(self, closed: list[Turn], *, rewritten: bool, more: bool) -> Reading:
        current = self._turns.current
        if current and current.closed:
            if current != self._told:
                closed.append(current)
            self._told = current
            current = None
        held = self._parser.held()
        if held and self.session.kind is not SessionKind.OWN:
            current = self._with(held) or current
        starts = [
            s for s in (self._turns.start, self._rows.held_from, *(e.offset for e in held)) if s is not None
        ]
        restart = Restart(self.session, min([self._offset, *starts]), self._turns.next_number, self._mark)
        return Reading(
            self.session,
            tuple(closed),
            current,
            self._rows.take_damage(),
            self._mark,
            restart,
            rewritten=rewritten,
            more=more,
        )

    def _with(self, held: tuple[Entry, ...]) -> Turn | None:
        """The last turn as it would be if the entries held back came now."""
        ahead = self._turns.copy()
        for entry in held:
            ahead.feed(self._tidy(entry))
        return ahead.current

    def _tidy(self, entry: Entry) -> Entry:
        """Redact, then cut to head and tail."""
        cap = _CAPS.get(entry.kind, _CAP)
        text = entry.text.replace("\0", "")
        if entry.kind is not EntryKind.NOTICE and entry.author is not Author.HUMAN:
            text = injected.without_memory(text)
        size, cut = len(text), False
        wide = cap * _MARGIN
        if size > 2 * wide:
            text, cut = f"{text[:wide]}\n…\n{text[-wide:]}", True
        text = self._redactor.redact(text)
        if len(text) > cap:
            head = cap * 2 // 3
            text, cut = f"{text[:head]}\n… {size - cap} characters left out …\n{text[head - cap :]}", True
        return replace(entry, text=text, truncated=entry.truncated or cut)
