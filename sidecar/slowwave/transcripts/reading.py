"""What one read of a session brings, and the last thing done to an entry before anyone sees it.

Between the readers and their callers: the same for rows of a growing file, for a file that is written anew and
for rows of another program's database.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from slowwave.model import Author, Damage, Entry, EntryKind, Session, SessionKind, Turn, altered
from slowwave.transcripts.formats import injected
from slowwave.transcripts.redact import Redactor
from slowwave.transcripts.tail import FileMark

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


def tidy(entry: Entry, redactor: Redactor) -> Entry:
    """The entry with secrets out, then cut to head and tail."""
    cap = _CAPS.get(entry.kind, _CAP)
    text = entry.text.replace("\0", "")
    if entry.kind is not EntryKind.NOTICE and entry.author is not Author.HUMAN:
        text = injected.without_memory(text)
    size, head, cut = len(text), cap * 2 // 3, False
    if not redactor.spares(text, head, cap - head):
        wide = cap * _MARGIN
        if size > 2 * wide:
            text, cut = f"{text[:wide]}\n…\n{text[-wide:]}", True
        text = redactor.redact(text)
    if len(text) > cap:
        text, cut = f"{text[:head]}\n… {size - cap} characters left out …\n{text[head - cap :]}", True
    truncated = entry.truncated or cut
    if truncated is entry.truncated and text == entry.text:
        return entry
    return altered(entry, text=text, truncated=truncated)


_PLAIN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")


def known_as(found: Session, own_root: Path | None) -> Session:
    """The session as the house knows it: with a plain id, and as our own when it works below our home."""
    if not _PLAIN_ID.fullmatch(found.session_id):
        # It stands in trailers, evidence and file names: what is no plain word is known by its hash.
        digest = hashlib.sha256(found.session_id.encode("utf-8", "surrogatepass")).hexdigest()
        found = replace(found, session_id=f"odd-{digest[:32]}")
    if own_root and found.cwd and PurePath(found.cwd).is_relative_to(own_root):
        return replace(found, kind=SessionKind.OWN)
    return found
