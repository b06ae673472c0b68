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

from slowwave.dream import cues, dates, signals, weights
from slowwave.dream.candidate import Candidate, Kind
from slowwave.dream.procedures import procedure
from slowwave.dream.said import COMPLAINT, Said, prompts
from slowwave.dream.speech import Sentence, polish, sentences, third_party
from slowwave.model import Evidence, Snapshot

_LONGEST = 320
_ENOUGH = 2

_GONE = (
    r"\b(?:dropped|killed|retired|ditched|replaced|switched from|moved from|moved away from|no more)\s+([\w`@./-]{2,})",
    r"([\w`@./-]{2,})\s+(?:is|are|got|was)\s+(?:gone|dead|retired|deprecated)\b",
    r"([\w`@./-]*\d[\w`@./-]*)\s+\w+\s+(?:is|are|got|was)\s+(?:gone|dead|retired|deprecated)\b",
    r"\b(?:swapped|replaced)\s+(?:all |the |our )*(\w{2,}?)s?\s+(?:for|by|with)\b",
    r"\b(?:statt|kein|anstelle von)\s+(\w{2,})\s+mehr\b|\b(\w+) (?:cerramos|está cerrado|est mort)\b",
)
_DEADLINE = re.compile(
    r"\b(by|until|till|before|due|deadline|frozen|freeze|has to|have to|must|lands?|arrives?|launch\w*|release|demo|from|"
    r"bis|vor dem|até|antes|avant|listo|eingefroren|go(es)? (out|in|live)|handed in|starts?|commence|freeze|moved|revision|audit|"
    r"review|abstract|geht|muss|vence|tem que|tiene que|doit|fällig|abgabe|échéance|cutting|ends?|revisión|entrega)\b"
    r"|前|まで|凍結|リリース|締切|截止|上线|下线",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(was|were|happened|did|used to|yesterday)\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"(?:no|nope|sorry|oh|nein|non|não|perdón|ah)[,.]? (?:wait|sorry|actually|halt|warte|attends|espera|scratch)\b|scratch that|correction[:,]"
    r"|不对|等等|いや|違った",
    re.IGNORECASE,
)
_VALUE = re.compile(r"`[^`]+`|\b\d[\d.,:]*\w*\b|\b\w+[_/.=-]\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\b|@\w+")
_ACCUSES = re.compile(r"^(you|u|who) ", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\b(other|others|else|either|too|it|them|that|those)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Judged:
    sentence: Sentence
    kind: Kind | None
    barred: bool


@dataclass(frozen=True, slots=True)
class Weighed:
    """One sentence as it was judged, learned or not. `barred`: it is said not to last, whatever its weights."""

    evidence: Evidence
    kind: Kind
    signals: tuple[tuple[str, float], ...]
    barred: bool

    @property
    def score(self) -> float:
        """The sum of its weights."""
        return sum(weight for _, weight in self.signals)


def wishes(snapshot: Snapshot) -> Iterator[Candidate]:
    """What the person of one session wants remembered, in the order it was said."""
    for said in prompts(snapshot):
        yield from _from_prompt(said)


def weighed(snapshot: Snapshot) -> Iterator[Weighed]:
    """Every own sentence of the person with what speaks for and against it."""
    for said in prompts(snapshot):
        own = sentences(said.entry.text)
        for one in own:
            judged = _judge(one, said, own)
            found = signals_of(one, said)
            kind = judged.kind or _best(found)
            yield Weighed(
                said.moment.cite(said.entry, one.text), kind, weights.weighed(found), barred=judged.barred
            )


def _from_prompt(said: Said) -> list[Candidate]:
    own = sentences(said.entry.text)
    if cues.AIMED_AT_AGENTS.search(said.entry.text) or any(third_party(s) for s in own):
        return []
    if any(cues.SARCASM.search(s.plain) for s in own):
        return []
    usable = [s for s in own if not _barred(s, own)]
    if steps := procedure(said, usable, _gone):
        rest = [s for s in own if s.text not in steps.evidence[0].quote and cues.STANDING.search(s.plain)]
        return [steps, *_lines(said, [_judge(s, said, own) for s in rest])]
    return _lines(said, [_judge(s, said, own) for s in own])


# ------------------------------------------------------------------ one sentence
def _judge(sentence: Sentence, said: Said, own: tuple[Sentence, ...]) -> _Judged:
    if _barred(sentence, own):
        return _Judged(sentence, None, barred=True)
    return _Judged(sentence, _kind(sentence, said), barred=False)


def _barred(sentence: Sentence, own: tuple[Sentence, ...]) -> bool:
    plain = sentence.plain
    if any(c.search(plain) for c in (cues.HYPOTHETICAL, cues.ONE_OFF, cues.NOT_MEANT)):
        return True
    if cues.SECRET.search(sentence.text) or _taken_back(sentence, own):
        return True
    if cues.QUESTION.search(plain):
        return not (cues.REQUEST.search(plain) and (cues.TALK.search(plain) or cues.STANDING.search(plain)))
    near = any(cues.ONE_OFF.search(s.plain) for s in own)
    return near and not cues.STANDING.search(plain)


def _taken_back(sentence: Sentence, own: tuple[Sentence, ...]) -> bool:
    """True when the next breath corrects it ("no, wait, …")."""
    after = own[own.index(sentence) + 1 :][:1]
    return any(_TAKES_BACK.match(s.text) for s in after)


def _kind(sentence: Sentence, said: Said) -> Kind | None:
    plain = sentence.plain
    standing, weight = cues.STANDING.search(plain), _weight(plain)
    if not plain or (sentence.words < (2 if standing else 3) and not said.refused):
        return None
    if _DEADLINE.search(plain) and not _PAST.search(plain) and dates.find(plain, said.day):
        return Kind.DEADLINE
    if cues.PERSON.search(plain):
        return Kind.PERSON
    if cues.DECISION.search(plain):
        return Kind.DECISION
    if said.refused and (standing or weight or sentence.words <= 8):
        return Kind.CORRECTION
    if said.complained and not COMPLAINT.search(plain) and sentence.words >= 4:
        return Kind.CORRECTION
    if cues.TALK.search(plain) and standing:
        return Kind.PREFERENCE
    found = signals_of(sentence, said)
    if weights.score(found) < weights.ENOUGH and not (weight >= _ENOUGH and standing):
        return None
    return _best(found)


def signals_of(sentence: Sentence, said: Said) -> frozenset[str]:
    """Every class of words that speaks for or against the sentence, with those of the talk around it."""
    around = {"refused": bool(said.refused), "opening": not said.task}
    found = {name for name, holds in around.items() if holds}
    named = {"standing": cues.STANDING, "shift": cues.SHIFT, "house": cues.HOUSE}
    found |= {name for name, cue in named.items() if cue.search(sentence.plain)}
    return signals.of(sentence.plain) | found


def _best(found: frozenset[str]) -> Kind:
    """The kind its classes point to."""
    if "rejects" in found:
        return Kind.CORRECTION
    if "role" in found:
        return Kind.PERSON
    if "chose" in found and found & {"reason", "instead", "value"}:
        return Kind.DECISION
    if found & {"standing", "must", "forbid", "always", "replies", "instead"}:
        return Kind.PREFERENCE
    return Kind.FACT


def _weight(plain: str) -> int:
    strong = bool(cues.SHIFT.search(plain)) + bool(cues.HOUSE.search(plain))
    return 2 * strong + min(len({m.group().lower() for m in cues.WEAK.finditer(plain)}), 2) * bool(
        _VALUE.search(plain)
    )


# ------------------------------------------------------------------ lines
def _lines(said: Said, judged: list[_Judged]) -> list[Candidate]:
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
        or COMPLAINT.search(earlier[-1].sentence.plain if earlier else "")
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
    return one.kind is not None or (one.sentence.words >= 2 and not COMPLAINT.search(one.sentence.plain))


def _line(said: Said, group: list[_Judged]) -> Candidate | None:
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
        kind,
        text,
        _cited(said, group),
        said.entry.at or said.moment.at,
        everywhere,
        gone=_gone(plain),
        signals=weights.weighed(signals_of(first.sentence, said)),
    )


def _cited(said: Said, group: list[_Judged]) -> tuple[Evidence, ...]:
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
    names = [
        next(filter(None, m.groups())).strip("`.").lower()
        for p in _GONE
        for m in re.finditer(p, plain, re.IGNORECASE)
    ]
    return tuple(
        n for n in dict.fromkeys(names) if n not in {"it", "that", "this", "the", "to", "our", "all"}
    )


def _named(refused: str) -> str:
    """The refused act, short enough to stand in a sentence."""
    line = refused.split("\n", maxsplit=1)[0]
    return f"`{line if len(line) <= 60 else line[:57] + '…'}`" if line != "the last step" else line
