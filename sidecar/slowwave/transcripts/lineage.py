"""What a block is known by when history is copied: forks, resumes into new files, history sent again.

Beside the walk, for everybody who must tell news from copies. A block is known by the source's own id and by
what it says: ids of eight digits, of local model servers or of a clock that starts anew do repeat. Where only
some blocks of a turn have an id, the others are known by it; where none has, as in old rollouts, by the session
the history began in, the number of the turn, and the words.
"""

import hashlib
import re
from dataclasses import dataclass

from slowwave.model import EntryKind, Session, SessionKind, Turn

# "0:1234" is a place in a file, which any other file has too.
_PLACE = re.compile(r"^(?:run:)?\d+:\d+")
# Pi gives rows new ids when it rewrites an old file; the time behind the sign stays.
_GIVEN_ANEW = re.compile(r"^[0-9a-f]{8}(?=@)")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one turn's blocks.

    prompts      by the native ids of the entries
    steps        by step ids
    compactions  by the native ids of the entries
    native       whether the source itself gave every step, or every prompt of a turn without steps, an identity
    """

    prompts: dict[str, str]
    steps: dict[str, str]
    compactions: dict[str, str]
    native: bool

    @property
    def deciding(self) -> tuple[str, ...]:
        """By these a turn is recognised: its steps, else its prompts. Old versions gave copied prompts new ids and
        kept those of the steps.
        """
        return tuple((self.steps or self.prompts).values())

    @property
    def spoken(self) -> tuple[str, ...]:
        """The names of steps and prompts."""
        return (*self.prompts.values(), *self.steps.values())


def names_of(turn: Turn, session: Session) -> Names:
    """The names of a turn of this session; the same in every copy of it."""
    said: dict[str, list[str]] = {}
    for entry in turn.entries:
        if entry.step_id and entry.kind is not EntryKind.TURN_END:
            said.setdefault(entry.step_id, []).append(entry.text)
    prompts = {e.native_id: e.text for e in turn.prompts}
    marks = [e.native_id for e in turn.entries if e.kind is EntryKind.COMPACTION]
    own = next((i for i in (*said, *prompts) if not _PLACE.match(i)), "") or _place(turn, session)

    def named(native_id: str, n: int, *texts: str) -> str:
        known = f"{own} {n}" if _PLACE.match(native_id) else _GIVEN_ANEW.sub("", native_id)
        told = "\0".join(texts).encode("utf-8", "replace")
        return f"{known} {hashlib.sha256(told).hexdigest()[:16]}"

    return Names(
        prompts={i: named(i, n, text) for n, (i, text) in enumerate(prompts.items())},
        steps={i: named(i, n, *texts) for n, (i, texts) in enumerate(said.items())},
        compactions={i: named(i, n) for n, i in enumerate(marks)},
        native=not any(map(_PLACE.match, said or prompts)),
    )


def _place(turn: Turn, session: Session) -> str:
    """A turn's place in the history it belongs to: forks begin with the turns of what they were made from."""
    forked = session.kind is SessionKind.MAIN and session.parent_session_id
    return f"{forked or session.session_id}/{turn.number}"
