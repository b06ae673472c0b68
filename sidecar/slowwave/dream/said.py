"""One prompt of a person, with what they were answering.

The noun between the transcripts and the families that read wishes out of them. Engine 1.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from slowwave.dream import cues
from slowwave.dream.candidate import Moment
from slowwave.dream.commands import Run, runs
from slowwave.dream.speech import sentences
from slowwave.model import Author, Entry, EntryKind, Snapshot

COMPLAINT = re.compile(
    r"^(you|u) (put|wrote|forgot|used|did|added|changed|left|made|broke)\b|^(t'?en as|me lo has|上次)|^who (asked|put|wrote|did)\b"
    r"|\b(that|the|those) [\w.-]+ you (put|wrote|used|added|left|made)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A prompt with what the person was answering."""

    moment: Moment
    entry: Entry
    refused: str  # what they had just stopped the agent from doing
    reply: str  # the agent's last words before
    task: str  # their own prompt before

    @property
    def complained(self) -> bool:
        """True when the prompt finds fault with what the agent did."""
        return any(COMPLAINT.search(s.plain) for s in sentences(self.entry.text))

    @property
    def day(self) -> date:
        """The day it was said."""
        return (self.entry.at or self.moment.at).date()


def prompts(snapshot: Snapshot) -> Iterator[Said]:
    """Every prompt of the person in one session."""
    refused = reply = task = ""
    for turn in snapshot.turns:
        moment = Moment(snapshot, turn)
        called = {run.result_id: run for run in runs(moment)}
        for entry in turn.entries:
            if entry.kind is EntryKind.PROMPT and entry.author is Author.HUMAN:
                yield Said(moment, entry, refused, reply, task)
                refused, task = "", entry.text
            elif entry.kind is EntryKind.TEXT and entry.author is Author.AGENT:
                reply = entry.text
            elif entry.kind is EntryKind.TOOL_RESULT:
                refused = _refusal(entry, called)


def _refusal(entry: Entry, called: dict[str, Run]) -> str:
    if not (cues.REFUSED.search(entry.text[:400]) and entry.ok is not True):
        return ""
    run = called.get(entry.native_id)
    return (run.command or run.target) if run else "the last step"
