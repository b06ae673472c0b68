"""One transcript file, read as it grows: lines, rows, entries, turns, with secrets out and sizes capped.

Steps 2 to 4 of the walk joined. A reader keeps its place between calls, so a daemon pays for new bytes only;
it keeps no closed turn. After a restart a new reader goes on at the start of the first turn that can still
change. How the bytes arrive makes no difference to the turns that come out.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from slowwave.model import Entry, Session, SessionKind, Turn
from slowwave.transcripts.decode import PlacedRow, RowDecoder, decode
from slowwave.transcripts.formats import Format, Place
from slowwave.transcripts.formats.protocol import is_state
from slowwave.transcripts.reading import Reading, Restart, known_as, tidy
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.state import StateReader
from slowwave.transcripts.tail import PARSER, Rewritten, Vanished, check, mark, read_lines
from slowwave.transcripts.turns import TurnBuilder

__all__ = ["Reading", "Restart", "SessionReader"]


class SessionReader:
    """Reads one session. `own_root` is our own home: sessions that work below it are dreams, and never read."""

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
        self._known: tuple[Session, Session] | None = None  # as found, as known; asked for every row
        self._mark = restart.mark if restart else None
        self._generation = self._mark.generation if self._mark else 0
        self._state = (
            StateReader(path, format, redactor, own_root=own_root, restart=restart)
            if is_state(format)
            else None
        )
        self._begin(restart)

    def _begin(self, restart: Restart | None) -> None:
        self._parser = self._format.parser(self._path)
        if restart:
            self._parser.session = restart.session
        self._rows = RowDecoder(str(self._path), getattr(self._format, "FIELDS", None))
        self._turns = TurnBuilder(restart.turn_number if restart else 1)
        self._offset = restart.offset if restart else 0
        self._last_line = self._offset
        self._told: Turn | None = None
        self._last_id = restart.mark.last_id if restart and restart.mark else ""

    @property
    def session(self) -> Session:
        """The session as far as it is known."""
        if self._state:
            return self._state.session
        found = self._parser.session
        if self._known is None or self._known[0] is not found:
            self._known = found, known_as(found, self._own_root)
        return self._known[1]

    def read(self, until: int | None = None, budget: int | None = None) -> Reading:
        """Read what is new, up to byte `until`, at most about `budget` bytes of it.

        A session that is a state is always loaded whole, whatever the budget.
        """
        if self._state:
            return self._state.read(until)
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

    def rest(self) -> Reading:
        """What stands at the end of a file of lines, read as if nothing followed: a row without its newline counts
        when it is whole, and broken lines no longer wait for their rest. For who only looks: the reader is spent.
        """
        closed: list[Turn] = []
        for line in read_lines(self._path, self._offset, keep_partial=True):
            rows, damage = decode(line)
            for row in () if damage else rows:
                closed.extend(self._turns_of(PlacedRow(row, line.offset, line.length)))
        self._rows.finish()
        return self._reading(closed, rewritten=False, more=False)

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
        last = current or (closed[-1] if closed else None)
        if self._mark:
            known = last.entries[-1].native_id if last else self._last_id
            self._last_id, self._mark = known, replace(self._mark, last_id=known, parser=PARSER)
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
        return tidy(entry, self._redactor)
