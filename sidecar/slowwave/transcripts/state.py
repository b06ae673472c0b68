"""A session that is a state: a file written anew each time, a patch log, rows of another program's database.

Steps 2 to 4 of the walk for what is not appended line by line. Any part may have changed since the last read,
so it is loaded whole and turned into turns from the beginning every time; what was told before is told again
only if it changed. A turn is known by the ids of its first prompt and step: when a turn that was told now has
others, or is gone, the state was replaced (a revert, another content) and turns are numbered anew.
"""

import hashlib
from pathlib import Path

from slowwave.model import Damage, EntryKind, Session, SessionKind, Turn
from slowwave.transcripts.formats import Place
from slowwave.transcripts.formats.protocol import Extent, Loaded, Parser, StateFormat
from slowwave.transcripts.reading import Reading, Restart, known_as, tidy
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.tail import PARSER, FileMark
from slowwave.transcripts.turns import TurnBuilder


class StateReader:
    """Reads one session of a `StateFormat`; the counterpart of reading lines."""

    def __init__(
        self,
        path: Path,
        format: StateFormat,  # noqa: A002  the word of the house for it
        redactor: Redactor,
        *,
        own_root: Path | None,
        restart: Restart | None,
    ) -> None:
        self._path = path
        self._format = format
        self._redactor = redactor
        self._own_root = own_root
        self._parser: Parser = format.parser(path)
        if restart:
            self._parser.session = restart.session
        self._mark = restart.mark if restart else None
        self._generation = self._mark.generation if self._mark else 0
        self._first = restart.turn_number if restart and restart.mark else 1
        self._told: dict[int, tuple[str, int]] = {}  # number → (key, hash) of the closed turns told
        self._extent: Extent | None = None
        self._last: Reading | None = None

    @property
    def session(self) -> Session:
        """The session as far as it is known."""
        return known_as(self._parser.session, self._own_root)

    def read(self, until: int | None) -> Reading:
        """What is new in the state, among the rows that end at or before `until`."""
        try:
            if until is None and self._last and self._format.extent(self._path) == self._extent:
                return self._again(self._last)
            loaded = self._format.load(self._path)
        except FileNotFoundError:
            return self._vanished()
        turns, last = self._turns(loaded, until)
        rewritten = self._replaced(turns)
        if rewritten and loaded.damage:
            # Half of a state is no revert: agents are met while they write. The last good one stands.
            return self._half(loaded.damage)
        if rewritten:
            self._generation, self._told, self._first = self._generation + 1, {}, 1
            turns, last = self._turns(loaded, until)
        reading = self._reading(turns, last, loaded, rewritten=rewritten, until=until)
        self._extent = loaded.extent if until is None else None
        self._last = reading
        return reading

    def _turns(self, loaded: Loaded, until: int | None) -> tuple[dict[int, Turn], TurnBuilder]:
        """Every closed turn of the state by number, and the builder as the last row left it."""
        self._parser = self._format.parser(self._path)
        builder, turns = TurnBuilder(), dict[int, Turn]()
        for row in loaded.rows:
            if until is not None and row.offset + row.length > until:
                continue
            place = Place(row.offset, row.length, self._generation, row.damaged)
            for entry in self._parser.feed(row.row, place):
                sealed = builder.feed(tidy(entry, self._redactor))
                if sealed:
                    turns[sealed.number] = sealed
        if self.session.kind is SessionKind.OWN:
            return {}, TurnBuilder()
        current = builder.current
        if current and current.closed:
            turns[current.number] = current
        return turns, builder

    def _replaced(self, turns: dict[int, Turn]) -> bool:
        if self.session.kind is SessionKind.OWN:
            return False
        if any(n not in turns or key_of(turns[n]) != key for n, (key, _) in self._told.items()):
            return True
        if self._mark is None or self._first == 1 or self._told:
            return False
        known = [turns[n] for n in range(1, self._first) if n in turns]
        return len(known) != self._first - 1 or keys_of(known) != self._mark.tail_hash

    def _reading(
        self,
        turns: dict[int, Turn],
        builder: TurnBuilder,
        loaded: Loaded,
        *,
        rewritten: bool,
        until: int | None,
    ) -> Reading:
        closed = []
        for number, turn in sorted(turns.items()):
            told = (key_of(turn), hash(turn))
            if number >= self._first and self._told.get(number) != told:
                closed.append(turn)
                self._told[number] = told
        current = builder.current
        if current and current.closed:
            current = None
        held = () if self.session.kind is SessionKind.OWN else self._parser.held()
        if held:
            ahead = builder.copy()
            for entry in held:
                ahead.feed(tidy(entry, self._redactor))
            current = ahead.current or current
        ends = [r.offset + r.length for r in loaded.rows if until is None or r.offset + r.length <= until]
        end = max(ends, default=0)
        number = builder.next_number
        settled = [t for n, t in sorted(turns.items()) if n < number]
        last = current or (settled[-1] if settled else None)
        self._mark = FileMark(
            0, 0, loaded.extent.size, loaded.extent.mtime_ns, end, "", keys_of(settled), 0, self._generation,
            last.entries[-1].native_id if last else "", PARSER,
        )  # fmt: skip
        starts = [s for s in (builder.start, *(e.offset for e in held)) if s is not None]
        restart = Restart(self.session, min([end, *starts]), number, self._mark)
        return Reading(
            self.session, tuple(closed), current, loaded.damage, self._mark, restart, rewritten=rewritten
        )

    def _again(self, last: Reading) -> Reading:
        return Reading(last.session, (), last.open, (), last.mark, last.restart)

    def _vanished(self) -> Reading:
        restart = self._last.restart if self._last else Restart(self.session, 0, self._first, self._mark)
        return Reading(self.session, (), None, (), self._mark, restart, vanished=True)

    def _half(self, damage: tuple[Damage, ...]) -> Reading:
        restart = self._last.restart if self._last else Restart(self.session, 0, self._first, self._mark)
        current = self._last.open if self._last else None
        return Reading(self.session, (), current, damage, self._mark, restart)


def key_of(turn: Turn) -> str:
    """What a turn is known by: its first prompt, and the first step where it has none."""
    prompts = (e.native_id for e in turn.entries if e.kind is EntryKind.PROMPT)
    steps = (e.step_id for e in turn.entries if e.step_id)
    return next(prompts, "") or next(steps, "") or turn.entries[0].native_id


def keys_of(turns: list[Turn]) -> str:
    """One hash over what these turns are known by."""
    return hashlib.sha256("\n".join(map(key_of, turns)).encode("utf-8", "replace")).hexdigest()
