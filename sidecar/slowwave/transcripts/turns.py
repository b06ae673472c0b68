"""Turns out of entries: a prompt and all that answers it.

Step 4 of the walk. A plain fold over entries in file order, which is the only total order transcripts have.
Between two turns there is no gap: what comes after an end (a compaction, a shell line, harness text) leads
the next turn, so nothing is lost and nothing already closed changes its meaning.
"""

from dataclasses import replace

from slowwave.model import Entry, EntryKind, Turn, TurnStatus

_STEP_KINDS = frozenset({EntryKind.TEXT, EntryKind.REASONING, EntryKind.TOOL_CALL, EntryKind.STEP})


class TurnBuilder:
    """Feed it entries; it hands back turns once nothing more can join them.

    A turn ended by a step (its stop reason) is not handed back at once: a response is written block by block,
    each row with the same stop reason, so rows of that step may still follow; `current` shows it meanwhile.
    A turn ended by a mark of its own (Codex `task_complete`, an interruption) is handed back with the mark.
    """

    def __init__(self, next_number: int = 1) -> None:
        self.next_number = next_number
        self._entries: list[Entry] = []
        self._steps: set[str] = set()
        self._last_step = ""
        self._sealed_step = ""  # the last step of the turn handed back last
        self._has_prompt = False
        self._status = TurnStatus.OPEN

    def copy(self) -> "TurnBuilder":
        """An independent builder in the same state."""
        twin = TurnBuilder(self.next_number)
        twin._entries = list(self._entries)
        twin._steps = set(self._steps)
        twin._last_step = self._last_step
        twin._sealed_step = self._sealed_step
        twin._has_prompt = self._has_prompt
        twin._status = self._status
        return twin

    @property
    def ended(self) -> bool:
        """True when the current turn has its end mark."""
        return self._status is not TurnStatus.OPEN

    @property
    def start(self) -> int | None:
        """Where the current turn starts, when anything is in it."""
        return self._entries[0].offset if self._entries else None

    @property
    def current(self) -> Turn | None:
        """The last turn as it stands, or None when it holds no prompt, no step and no compaction."""
        if self._substance or any(e.kind is EntryKind.COMPACTION for e in self._entries):
            return self._turn(self._status)
        return None

    def feed(self, entry: Entry) -> Turn | None:
        """Take the next entry; the turn it seals, if any."""
        sealed = None
        if self.ended:
            if entry.step_id and entry.step_id == self._last_step:
                self._entries.append(entry)
                return None
            if entry.kind is EntryKind.TURN_END:
                # Said twice, by a stop reason and then by the duration row: now nothing can follow.
                return None if entry.step_id else self._seal(self._status)
            sealed = self._seal(self._status)
        elif self._substance and self._opens(entry):
            # Killed or replaced: the turn before it never got its end.
            sealed = self._seal(TurnStatus.INTERRUPTED)
        self._take(entry)
        if self.ended and not entry.step_id:
            return self._seal(self._status)
        return sealed

    @staticmethod
    def _opens(entry: Entry) -> bool:
        return entry.kind is EntryKind.TURN_START or (entry.kind is EntryKind.PROMPT and not entry.joins)

    @property
    def _substance(self) -> bool:
        return self._has_prompt or bool(self._steps)

    def _take(self, entry: Entry) -> None:
        if entry.kind is EntryKind.TURN_END:
            if not self._substance:
                return  # a `/compact` or `!command` task: a pair of marks around no turn
            self._status = entry.ends or TurnStatus.COMPLETED
        if entry.step_id and entry.step_id == self._sealed_step:
            entry = replace(entry, step_id="")  # a straggler of a closed turn is no new step
        self._entries.append(entry)
        self._has_prompt = self._has_prompt or entry.kind is EntryKind.PROMPT
        if entry.step_id and entry.kind in _STEP_KINDS:
            self._steps.add(entry.step_id)
            self._last_step = entry.step_id

    def _turn(self, status: TurnStatus) -> Turn:
        return assemble(self.next_number, status, tuple(self._entries))

    def _seal(self, status: TurnStatus) -> Turn:
        turn = self._turn(status)
        self.next_number += 1
        self._sealed_step = self._last_step
        self._entries, self._steps, self._has_prompt = [], set(), False
        self._status = TurnStatus.OPEN
        return turn


def assemble(number: int, status: TurnStatus, entries: tuple[Entry, ...]) -> Turn:
    """A turn with its counts, from its entries (at least one).

    Entries of an inlined subagent carry no step id and count neither as steps nor as text rows.
    """
    own = [e for e in entries if e.step_id and e.kind in _STEP_KINDS]
    return Turn(
        number=number,
        status=status,
        entries=entries,
        steps=len({e.step_id for e in own}),
        text_rows=sum(e.kind is EntryKind.TEXT for e in own),
        compactions=sum(e.kind is EntryKind.COMPACTION for e in entries),
        start=entries[0].offset,
        end=max(e.offset + e.length for e in entries),
    )
