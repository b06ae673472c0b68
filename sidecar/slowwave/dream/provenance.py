"""Whether evidence holds: the cited span stands in that turn, and its author may vouch for such a line.

Who may found what: a preference, an instruction or a skill only the person; a fact also the agent, when it speaks
of what a result showed; what only a tool's output says stays below `reference/`, and what came from outside the
project (a web page, another server) below `reference/untrusted/`. Pure; engine 1.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence

from slowwave.memory import layout
from slowwave.memory.layout import Item
from slowwave.model import Author, Entry, EntryKind, Evidence, MemoryType, Snapshot

_INSTRUCTING = frozenset({MemoryType.PROCEDURAL, MemoryType.IDENTITY})
_FROM_OUTSIDE = re.compile(r"web|fetch|browser|http|search|mcp", re.IGNORECASE)
_NOT_VOUCHING = frozenset({Author.HARNESS, Author.SUBAGENT})
_ACTION = re.compile(r"https?://[^\s`\"')>]+|`([^`\n]+ [^`\n]+)`")
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp"})
_MARKUP = re.compile(r"^\s*(#|[-*_=]{3,}\s*$|<!--)")


def flaws(
    evidence: Sequence[Evidence],
    kind: MemoryType,
    path: str,
    snapshots: Sequence[Snapshot],
    known: Collection[Evidence] = (),
) -> Iterator[str]:
    """What is wrong with the evidence of one line, in words that follow the line.

    Evidence that memory held already (`known`) is not looked up again: its session need not be read now.
    """
    authors = {e.role for e in evidence}
    for each in evidence:
        if each not in known and (problem := _missing(each, snapshots)):
            yield problem
    if authors & _NOT_VOUCHING:
        yield "cites the harness or a subagent, which vouch for nothing"
    if kind in _INSTRUCTING and authors - {Author.HUMAN}:
        yield "is an instruction and cites others than the person"
    where = layout.place(path)
    below = f"{where.section}/{where.rest}" if where else ""
    if authors == {Author.TOOL}:
        if not below.startswith("reference/"):
            yield "comes from tool output only and does not lie below reference/"
        elif not below.startswith("reference/untrusted/") and _from_outside(evidence, snapshots):
            yield "comes from outside the project and does not lie below reference/untrusted/"


_INSTRUCTIONS = re.compile(r"(?:preferences|user)(?:-\d+)?\.md")


def type_of(path: str) -> MemoryType:
    """The type a line has by its place alone: skills and preferences instruct, whatever a head says."""
    where = layout.place(path)
    instructs = where and (where.section == "skills" or _INSTRUCTIONS.fullmatch(path.rsplit("/", 1)[-1]))
    return MemoryType.PROCEDURAL if instructs else MemoryType.SEMANTIC


def _missing(evidence: Evidence, snapshots: Sequence[Snapshot]) -> str:
    """Why the cited span cannot be found, "" when it stands where it is said to."""
    cited = [
        s for s in snapshots
        if (s.session.source, s.session.session_id) == (evidence.source, evidence.session_id)
    ]  # fmt: skip
    if not cited:
        return f"cites session {evidence.session_id}, which this dream did not read"
    if not any(turn.number == evidence.turn for s in cited for turn in s.turns):
        return f"cites turn {evidence.turn}, which this dream did not read"
    if not evidence.quote.strip() or not any(
        evidence.quote in entry.text for entry in _entries(evidence, cited)
    ):
        return f"quotes what the {layout.ROLE_WORDS[evidence.role]} did not say in turn {evidence.turn}"
    return ""


def _entries(evidence: Evidence, snapshots: Sequence[Snapshot]) -> Iterator[Entry]:
    """Entries of that turn by that author. What a subagent's tool call brought back is the subagent's."""
    for snapshot in snapshots:
        for turn in snapshot.turns:
            if turn.number == evidence.turn and snapshot.session.session_id == evidence.session_id:
                yield from (
                    e for e in turn.entries
                    if e.author is evidence.role and e.kind is not EntryKind.NOTICE
                )  # fmt: skip


def _from_outside(evidence: Sequence[Evidence], snapshots: Sequence[Snapshot]) -> bool:
    for each in evidence:
        for entry in _entries(each, snapshots):
            if each.quote in entry.text and _FROM_OUTSIDE.search(_tool_of(entry, each, snapshots)):
                return True
    return False


def _tool_of(result: Entry, evidence: Evidence, snapshots: Sequence[Snapshot]) -> str:
    """The tool whose result this is, with what it was called with: `curl` in a shell is outside too."""
    for snapshot in snapshots:
        for turn in snapshot.turns:
            if turn.number == evidence.turn and snapshot.session.session_id == evidence.session_id:
                for call in turn.entries:
                    if call.kind is EntryKind.TOOL_CALL and call.call_id == result.call_id:
                        fetched = re.search(r"\b(curl|wget)\b|https?://", call.text)
                        return f"{call.tool} http" if fetched else call.tool
    return result.tool


def unvouched(item: Item, snapshots: Sequence[Snapshot]) -> Iterator[str]:
    """URLs and commands of a line that only tool output said: no person typed them, no agent ran them."""
    said = {Author.HUMAN: "", Author.AGENT: "", Author.TOOL: ""}
    for each in item.evidence:
        for snapshot in snapshots:
            for turn in snapshot.turns:
                if (snapshot.session.session_id, turn.number) == (each.session_id, each.turn):
                    for entry in turn.entries:
                        if entry.author in said and entry.kind is not EntryKind.NOTICE:
                            said[entry.author] += "\n" + entry.text
    for match in _ACTION.finditer(item.text):
        span = match.group(1) or match.group()
        vouched = span in said[Author.HUMAN] or span in said[Author.AGENT].replace('\\"', '"')
        url = span.startswith(("http://", "https://"))
        if span in said[Author.TOOL] and not (span in said[Author.HUMAN] if url else vouched):
            yield span


def hidden(text: str) -> bool:
    """True when the text holds what a person cannot see: controls, zero widths, bidirectional marks, tags."""
    return any(unicodedata.category(c) in _UNSEEN and c not in "\n\t\r" for c in text)


def prose(body: str) -> tuple[str, ...]:
    """The paragraphs of a body that are neither entries nor headings."""
    return tuple(text for text in layout.paragraphs(body, layout.items(body)) if not _MARKUP.match(text))
