"""What the person asked for: preferences, corrections, facts, decisions, procedures, deadlines, and who they are.

Only entries a human typed are read, and only their own sentences. A sentence must carry a cue that it lasts; one
that is a question, a supposition, a one-off, irony, a secret or somebody else's words is left out, whatever else
it says. What follows a refused tool call is a correction, because the person has just stopped the agent.

Signal family of `extract`. Engine 1.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from slowwave.dream import cues, dates
from slowwave.dream.candidate import Candidate, Kind, Moment
from slowwave.dream.commands import Run, runs
from slowwave.dream.speech import Sentence, polish, sentences, third_party
from slowwave.model import Author, Entry, EntryKind, Evidence, Snapshot

_LONGEST = 320
_ENOUGH = 2

_GONE = (
    r"\b(?:dropped|killed|retired|ditched|replaced|switched from|moved from|moved away from|no more)\s+([\w`@./-]{2,})",
    r"([\w`@./-]{2,})\s+(?:is|are|got|was)\s+(?:gone|dead|retired|deprecated)\b",
)
_DEADLINE = re.compile(
    r"\b(by|until|till|before|due|deadline|frozen|freeze|has to|have to|must|lands?|arrives?|launch\w*|release|demo|from|"
    r"bis|vor dem|até|antes|avant|listo|eingefroren)\b|前|まで|凍結|リリース",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(was|were|happened|did|used to|yesterday)\b", re.IGNORECASE)
_UNSURE_AGENT = re.compile(
    r"\?|\b(dont|don't|do not) know\b|\bnot sure\b|\bhow (do|should|is)\b|\bunclear\b", re.IGNORECASE
)
_HOW_IT_IS_DONE = re.compile(
    r"\b(thats|that's) how\b|\bdoes the rest\b|\bor \w+ rejects\b|\bsinon\b|\bsonst\b|\bgo through\b|\botherwise\b",
    re.IGNORECASE,
)
_VALUE = re.compile(r"`[^`]+`|\b\d[\d.,:]*\w*\b|\b\w+[_/.=-]\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\b|@\w+")
_COMPLAINT = re.compile(
    r"^(you|u) (put|wrote|forgot|used|did|added|changed|left|made|broke)\b|^(t'?en as|me lo has|上次)|^who (asked|put|wrote|did)\b"
    r"|\b(that|the|those) [\w.-]+ you (put|wrote|used|added|left|made)\b",
    re.IGNORECASE,
)
_ACCUSES = re.compile(r"^(you|u|who) ", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\b(other|others|else|either|too|it|them|that|those)\b", re.IGNORECASE)
_STEP_BREAK = re.compile(
    r"(?:[,;.]\s+|\s+)(?:and\s+|et\s+|und\s+|y\s+|e\s+)?(?:then|after that|puis|ensuite|dann|danach|luego|después|depois)\b[,:]?\s*"
    r"|[,;]\s+(?:and\s+|et\s+|und\s+)?|\.\s+|\s*(?:->|→|=>)\s*|然后|再|[，；]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Said:
    """A prompt with what the person was answering."""

    moment: Moment
    entry: Entry
    refused: str  # what they had just stopped the agent from doing
    reply: str  # the agent's last words before
    task: str  # their own prompt before

    @property
    def complained(self) -> bool:
        """True when the prompt finds fault with what the agent did."""
        return any(_COMPLAINT.search(s.plain) for s in sentences(self.entry.text))

    @property
    def day(self) -> date:
        return (self.entry.at or self.moment.at).date()


@dataclass(frozen=True, slots=True)
class _Judged:
    sentence: Sentence
    kind: Kind | None
    barred: bool


def wishes(snapshot: Snapshot) -> Iterator[Candidate]:
    """What the person of one session wants remembered, in the order it was said."""
    for said in _prompts(snapshot):
        yield from _from_prompt(said)


def _prompts(snapshot: Snapshot) -> Iterator[_Said]:
    refused = reply = task = ""
    for turn in snapshot.turns:
        moment = Moment(snapshot, turn)
        called = {run.result_id: run for run in runs(moment)}
        for entry in turn.entries:
            if entry.kind is EntryKind.PROMPT and entry.author is Author.HUMAN:
                yield _Said(moment, entry, refused, reply, task)
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


def _from_prompt(said: _Said) -> list[Candidate]:
    own = sentences(said.entry.text)
    if cues.AIMED_AT_AGENTS.search(said.entry.text) or any(third_party(s) for s in own):
        return []
    if any(cues.SARCASM.search(s.plain) for s in own):
        return []
    if steps := _procedure(said, own):
        rest = [s for s in own if s.text not in steps.evidence[0].quote and cues.STANDING.search(s.plain)]
        return [steps, *_lines(said, [_judge(s, said, own) for s in rest])]
    return _lines(said, [_judge(s, said, own) for s in own])


# ------------------------------------------------------------------ one sentence
def _judge(sentence: Sentence, said: _Said, own: tuple[Sentence, ...]) -> _Judged:
    if _barred(sentence, own):
        return _Judged(sentence, None, barred=True)
    return _Judged(sentence, _kind(sentence, said), barred=False)


def _barred(sentence: Sentence, own: tuple[Sentence, ...]) -> bool:
    plain = sentence.plain
    if any(c.search(plain) for c in (cues.HYPOTHETICAL, cues.ONE_OFF, cues.NOT_MEANT)):
        return True
    if cues.SECRET.search(sentence.text):
        return True
    if cues.QUESTION.search(plain):
        return not (cues.REQUEST.search(plain) and (cues.TALK.search(plain) or cues.STANDING.search(plain)))
    near = any(cues.ONE_OFF.search(s.plain) for s in own)
    return near and not cues.STANDING.search(plain)


def _kind(sentence: Sentence, said: _Said) -> Kind | None:
    plain = sentence.plain
    standing, weight = cues.STANDING.search(plain), _weight(plain)
    if not plain or (sentence.words < (2 if standing else 3) and not said.refused):
        return None
    if dates.find(plain, said.day) and _DEADLINE.search(plain) and not _PAST.search(plain):
        return Kind.DEADLINE
    if cues.PERSON.search(plain):
        return Kind.PERSON
    if cues.DECISION.search(plain):
        return Kind.DECISION
    if said.refused and (standing or weight or sentence.words <= 8):
        return Kind.CORRECTION
    if said.complained and not _COMPLAINT.search(plain) and sentence.words >= 4:
        return Kind.CORRECTION
    if standing or cues.TALK.search(plain):
        return Kind.PREFERENCE
    return Kind.FACT if weight >= _ENOUGH else None


def _weight(plain: str) -> int:
    strong = bool(cues.SHIFT.search(plain)) + bool(cues.HOUSE.search(plain))
    return 2 * strong + min(len({m.group().lower() for m in cues.WEAK.finditer(plain)}), 2) * bool(
        _VALUE.search(plain)
    )


# ------------------------------------------------------------------ lines
def _lines(said: _Said, judged: list[_Judged]) -> list[Candidate]:
    """Join a rule with the reason beside it; a new kind of thing begins a new line."""
    groups: list[list[_Judged]] = []
    for at, one in enumerate(judged):
        if one.barred:
            continue
        joined = groups[-1] if groups and at and judged[at - 1] in groups[-1] else None
        if one.kind is not None and (joined is None or Kind.DEADLINE in {one.kind, joined[0].kind}):
            groups.append([*_before(one, judged[:at], groups), one])
        elif joined is not None and _explains(one) and sum(len(j.sentence.text) for j in joined) < _LONGEST:
            joined.append(one)
    return [line for group in groups if (line := _line(said, group))]


def _before(one: _Judged, earlier: list[_Judged], groups: list[list[_Judged]]) -> list[_Judged]:
    """The sentences just before that say what this one speaks of; short ones are taken together."""
    needed = (
        one.sentence.bare
        or _POINTS_BACK.search(one.sentence.plain)
        or _COMPLAINT.search(earlier[-1].sentence.plain if earlier else "")
    )
    taken: list[_Judged] = []
    for each in reversed(earlier if needed and one.kind is not Kind.DEADLINE else []):
        said_before = any(each in group for group in groups)
        if said_before or cues.SECRET.search(each.sentence.text) or cues.REQUEST.search(each.sentence.plain):
            break
        if each.barred and not one.sentence.bare:
            break
        taken.insert(0, each)
        if sum(j.sentence.words for j in taken) >= 3:
            break
    return taken


def _explains(one: _Judged) -> bool:
    return one.kind is not None or (one.sentence.words >= 2 and not _COMPLAINT.search(one.sentence.plain))


def _line(said: _Said, group: list[_Judged]) -> Candidate | None:
    first = next(j for j in group if j.kind)
    kind = first.kind or Kind.FACT
    told = [j for j in group if not _ACCUSES.match(j.sentence.plain)] or group  # the fault is in the quote
    text = " ".join(p for j in told if (p := polish(j.sentence.text)))
    if not text or told[0].sentence.bare:  # what "it" is, nobody said
        return None
    if kind is Kind.DEADLINE:
        text = _dated(text, " ".join(j.sentence.plain for j in group), said.day)
    if kind is Kind.CORRECTION and said.refused:
        text = f"{text.rstrip('.')} (not {_named(said.refused)})."
    plain = " ".join(j.sentence.plain for j in group)
    everywhere = kind is Kind.PERSON or bool(cues.TALK.search(plain))
    return Candidate(
        kind, text, _cited(said, group), said.entry.at or said.moment.at, everywhere, gone=_gone(plain)
    )


def _cited(said: _Said, group: list[_Judged]) -> tuple[Evidence, ...]:
    """The spans, as one quote when they stand side by side."""
    text = said.entry.text
    start = text.find(group[0].sentence.text)
    last = group[-1].sentence.text
    end = text.find(last, start) + len(last)
    whole = text[start:end]
    if len(whole) <= _LONGEST and "\n" not in whole:
        return (said.moment.cite(said.entry, whole),)
    return tuple(said.moment.cite(said.entry, j.sentence.text) for j in group[:2])


def _dated(text: str, plain: str, day: date) -> str:
    found = [d.isoformat() for d in dates.find(plain, day)]
    new = [d for d in found if d not in text]
    return f"{text.rstrip('.')} ({', '.join(new)})." if new else text


def _gone(plain: str) -> tuple[str, ...]:
    if not cues.SHIFT.search(plain):
        return ()
    names = [m.group(1).strip("`.").lower() for p in _GONE for m in re.finditer(p, plain, re.IGNORECASE)]
    return tuple(
        n for n in dict.fromkeys(names) if n not in {"it", "that", "this", "the", "to", "our", "all"}
    )


def _named(refused: str) -> str:
    """The refused act, short enough to stand in a sentence."""
    line = refused.split("\n", maxsplit=1)[0]
    return f"`{line if len(line) <= 60 else line[:57] + '…'}`" if line != "the last step" else line


# ------------------------------------------------------------------ procedures
def _procedure(said: _Said, own: tuple[Sentence, ...]) -> Candidate | None:
    """Ordered steps, when it is said or plain from the talk that this is how the thing is always done."""
    usable = [s for s in own if not _barred(s, own)]
    run = [s for s in usable if cues.STEP.search(s.plain) or (cues.CONDITION.search(s.plain) and s.words > 6)]
    if not run:
        return None
    first, last = usable.index(run[0]), usable.index(run[-1])
    if first and _is_step(usable[first - 1]):
        first -= 1
    span = usable[first : last + 1]
    whole = " ".join(s.text for s in span)
    condition = next((s for s in span if cues.CONDITION.search(s.plain)), None)
    asked = bool(said.task) and bool(_UNSURE_AGENT.search(said.reply))
    if not (condition or asked or (_HOW_IT_IS_DONE.search(said.entry.text) and said.task)):
        return None
    steps = _steps(whole)
    if len(steps) < 2 or any(cues.DECISION.search(s.plain) for s in span):
        return None
    trigger = _trigger(said, condition)
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    evidence = tuple(said.moment.cite(said.entry, s.text) for s in span[:3])
    return Candidate(
        Kind.PROCEDURE,
        f"{trigger}:\n{listed}",
        evidence,
        said.entry.at or said.moment.at,
        trigger=trigger,
        gone=_gone(whole),
    )


def _is_step(sentence: Sentence) -> bool:
    return 0 < sentence.words <= 8 and not sentence.bare


def _steps(text: str) -> list[str]:
    """The steps of a sentence, cut at "then" and commas, never inside backticks or quotes."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match.group())
        return f"\ue000{len(held) - 1}\ue001"

    masked = re.sub(r"`[^`]*`|\"[^\"]*\"|\([^)]*\)", hold, text)
    masked = re.sub(
        r"^(only )?(when|whenever|before|after) [^:,]{3,60}[:,]\s*", "", masked, flags=re.IGNORECASE
    )
    parts = [
        re.sub(r"\ue000(\d+)\ue001", lambda m: held[int(m.group(1))], p)
        for p in _STEP_BREAK.split(masked)
        if p
    ]
    return [polished for part in parts if (polished := polish(part))]


def _trigger(said: _Said, condition: Sentence | None) -> str:
    if condition and (
        stated := re.match(
            r"(?:only )?(when|whenever|before|after|if)\b[^:,]{3,60}(?=[:,])", condition.plain, re.IGNORECASE
        )
    ):
        return polish(stated.group()).rstrip(".")
    task = next((p for s in sentences(said.task) if (p := polish(s.text))), "")
    return f"To {task[0].lower()}{task[1:].rstrip('.')}" if task else "In this order"
