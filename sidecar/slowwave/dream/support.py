"""Whether a line of memory says what its evidence says, and nothing that only an untrusted text said.

A quote that exists proves little: whoever was talked into something cites the person's last "ok" and writes what a web
page wanted. So the words of the line itself are looked at. They are compared, not understood: a line that is a free
paraphrase, or in another language than its evidence, is refused as well, and the prompt asks for lines close to their
evidence. Only a reflector that can be talked into something is judged by this. Pure; engine 1.

From published figures: filters on what goes into a model leave most attacks alive, gating what comes out of it by the
source of each text stops them (arXiv 2605.08442).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from slowwave.dream.likeness import negated, words
from slowwave.memory import layout
from slowwave.model import Author, Entry, EntryKind, Evidence, Snapshot

UNTRUSTED = "untrusted/"
_QUOTED_INSTRUCTION, _QUOTED_FACT = 0.5, 0.34
"""The part of a line's words that its quotes must hold; the rest is grammar and paraphrase."""
_FOREIGN = 0.34
"""The part of a line's words that may stand in untrusted texts alone: a third is what common words make up."""
_FEW = 2
"""So many foreign words are chance, in a line that has many others."""

_OH_NO = re.compile(r"^\s*(?:no|nope|nah|nein|nee|non|n[aã]o)\s*[,;:!–—-]", re.IGNORECASE)
_END = re.compile(r"[.!?;。！？；](?=\s|$)|\n|[。！？；]")


def in_quarantine(path: str) -> bool:
    """Whether a path lies in the quarantine of what nobody vouches for."""
    where = layout.place(path)
    return where is not None and where.section == "reference" and where.rest.startswith(UNTRUSTED)


def instructs(path: str) -> bool:
    """Whether agents act on what lies there: always in their context, or a skill."""
    where = layout.place(path)
    return where is not None and where.section in {"system", "skills"}


@dataclass(frozen=True)
class Sources:
    """The words of everything a reflector has read, by who vouches for them, and the texts its quotes are cut from."""

    person: frozenset[str]
    agent: frozenset[str]
    untrusted: frozenset[str]
    texts: Mapping[tuple[str, int, Author], str]

    @classmethod
    def of(cls, snapshots: Sequence[Snapshot], memory: Mapping[str, str]) -> "Sources":
        """From the sessions read and the memory as it was; the quarantine counts as untrusted."""
        said: dict[Author, set[str]] = {Author.HUMAN: set(), Author.AGENT: set(), Author.TOOL: set()}
        texts: dict[tuple[str, int, Author], str] = {}
        for session, turn, entry in _entries(snapshots):
            said.setdefault(entry.author, set()).update(words(entry.text))
            place = (session, turn, entry.author)
            texts[place] = f"{texts.get(place, '')}\n{entry.text}"
        remembered: dict[str, set[str]] = {"acted on": set(), "known": set(), "untrusted": set()}
        for path, text in memory.items():
            kind = "untrusted" if in_quarantine(path) else "acted on" if instructs(path) else "known"
            remembered[kind].update(words(text))
        others = set().union(*(said[a] for a in said if a not in {Author.HUMAN, Author.AGENT}))
        return cls(
            frozenset(said[Author.HUMAN] | remembered["acted on"]),
            frozenset(said[Author.AGENT] | remembered["known"]),
            frozenset(others | remembered["untrusted"]),
            texts,
        )

    def sentence(self, evidence: Evidence) -> str:
        """The whole sentence a quote is cut from: "push to main" may be the end of "never push to main"."""
        text = self.texts.get((evidence.session_id, evidence.turn, evidence.role), "")
        start = text.find(evidence.quote)
        if start < 0:
            return evidence.quote
        end = start + len(evidence.quote)
        before = max((m.end() for m in _END.finditer(text, 0, start)), default=0)
        after = _END.search(text, max(end - 1, start))
        return _OH_NO.sub("", text[before : max(after.start(), end) if after else len(text)])

    def foreign(self, text: str, *, agent_vouches: bool) -> frozenset[str]:
        """The words of a text that stand in untrusted texts and that nobody who vouches has said."""
        vouched = self.person | self.agent if agent_vouches else self.person
        return (words(text) & self.untrusted) - vouched


def _entries(snapshots: Sequence[Snapshot]) -> Iterator[tuple[str, int, Entry]]:
    for snapshot in snapshots:
        for turn in snapshot.turns:
            for entry in turn.entries:
                if entry.kind is not EntryKind.NOTICE:
                    yield snapshot.session.session_id, turn.number, entry


def persons_lines_gone(before: str, after: str) -> Iterator[str]:
    """The lines and paragraphs of a memory file that a person wrote or changed and that are not there any more."""
    old, new = layout.parse("", before).body, layout.parse("", after).body
    entries, left = layout.items(old), {item.raw for item in layout.items(new)}
    yield from (item.text for item in entries if not item.untouched and item.raw not in left)
    prose = set(layout.paragraphs(new, layout.items(new)))
    yield from (text for text in layout.paragraphs(old, entries) if text not in prose)


def flaws(text: str, evidence: Sequence[Evidence], path: str, sources: Sources) -> Iterator[str]:
    """What is wrong with a line at its place, in words that follow the line."""
    if in_quarantine(path):
        return
    if any(e.role is Author.TOOL for e in evidence):
        yield "cites tool output, which belongs below reference/untrusted/"
    if instructs(path) and {e.role for e in evidence} - {Author.HUMAN}:
        yield "lies where agents act on it and cites others than the person"
    own, said = words(text), words(" ".join(e.quote for e in evidence))
    needed = _QUOTED_INSTRUCTION if instructs(path) else _QUOTED_FACT
    if evidence and len(own & said) < needed * len(own):
        yield "says more than its quotes do"
    if evidence and instructs(path) and negated(text) not in {negated(sources.sentence(e)) for e in evidence}:
        yield "has a `not` that what was said lacks, or lacks one it has"
    yield from repeats(text, path, sources)


def repeats(text: str, path: str, sources: Sources) -> Iterator[str]:
    """Whether a text says what untrusted texts alone have said; for heads, headings and names as well as lines."""
    own = words(text)
    foreign = sources.foreign(text, agent_vouches=not instructs(path))
    share = len(foreign) / max(len(own), 1)
    if share >= 0.5 or (
        share > _FOREIGN and len(foreign) > _FEW
    ):  # half of a line is no chance, however short
        yield f"repeats what only tool output or quarantined memory says ({', '.join(sorted(foreign)[:4])})"
