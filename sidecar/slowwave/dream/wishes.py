"""What the person asked for: every sentence that lasts, as a line of its kind.

Only entries a human typed are read, and only their own sentences. Each is heard with the notions it shows, weighed,
and given to the signal that fits it best; what is quoted, secret, taken back or said for this once is left out. A
rule and the reason beside it become one line.

Signal family of `extract`. Engine 1.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from slowwave.dream import cues, weights
from slowwave.dream.candidate import Candidate, Kind
from slowwave.dream.procedures import procedure
from slowwave.dream.said import COMPLAINT, Said, prompts
from slowwave.dream.signals import strongest
from slowwave.dream.signals.heard import Heard, hear
from slowwave.dream.speech import Sentence, polish, sentences, third_party
from slowwave.dream.superseding import gone
from slowwave.model import Evidence, Snapshot

_LONGEST = 320
_FEWEST = 2
"""Words of a sentence that says something by itself; after a refusal one is enough."""
_TAKES_BACK = re.compile(
    r"(?:no|nope|sorry|oh|nein|non|não|perdón|ah)[,.]? (?:wait|sorry|actually|halt|warte|attends|espera|scratch)\b|scratch that|correction[:,]"
    r"|不对|等等|いや|違った",
    re.IGNORECASE,
)
_BY_THEN = re.compile(
    r"\b(?:(?:by|until|till|before) (?:then|that)|bis dahin|(?:antes|hasta) de? ?(?:eso|entonces)|para entonces|dici là|avant ça|até lá|antes disso)\b|在那之前|それまで",
    re.IGNORECASE,
)
_ACCUSES = re.compile(r"^(you|u|who) ", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\b(other|others|else|either|too|it|them|that|those)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    """One own sentence as it was judged. `barred`: it is said not to last, whatever its weights; `kind` None: too light."""

    heard: Heard
    kind: Kind | None
    barred: bool
    signal: str = ""

    @property
    def sentence(self) -> Sentence:
        """The sentence."""
        return self.heard.sentence

    @property
    def score(self) -> float:
        """What its notions add up to."""
        return weights.lasting(self.heard.notions)

    @property
    def cited(self) -> Evidence:
        """Where it was said."""
        return self.heard.said.moment.cite(self.heard.said.entry, self.sentence.text)


def wishes(snapshot: Snapshot) -> Iterator[Candidate]:
    """What the person of one session wants remembered, in the order it was said."""
    for said in prompts(snapshot):
        yield from _from_prompt(said)


def judged(snapshot: Snapshot) -> Iterator[Judged]:
    """Every own sentence of the person with what speaks for and against it."""
    for said in prompts(snapshot):
        yield from _judge(said, sentences(said.entry.text))


def _from_prompt(said: Said) -> list[Candidate]:
    own = sentences(said.entry.text)
    if cues.AIMED_AT_AGENTS.search(said.entry.text) or any(third_party(s) for s in own):
        return []
    verdicts = _judge(said, own)
    if any("sarcasm" in each.heard.notions for each in verdicts):
        return []
    steps = procedure(
        said, own, [j.sentence for j in verdicts if not j.barred and j.kind is not Kind.DEADLINE], gone
    )
    if steps is None:
        return _lines(said, verdicts)
    told = {e.quote for e in steps.evidence}
    return [
        steps,
        *_lines(said, [j for j in verdicts if j.kind and not any(j.sentence.text[:60] in q for q in told)]),
    ]


# ------------------------------------------------------------------ one sentence
def _judge(said: Said, own: tuple[Sentence, ...]) -> list[Judged]:
    heard = [hear(sentence, said) for sentence in own]
    passing = any("one_off" in each.notions for each in heard)
    return [_verdict(each, own, passing=passing) for each in heard]


def _verdict(heard: Heard, own: tuple[Sentence, ...], *, passing: bool) -> Judged:
    """`passing`: another sentence beside it says that all this is for once."""
    sentence, shown = heard.sentence, heard.notions
    if cues.SECRET.search(sentence.text) or _taken_back(sentence, own) or weights.barred(shown):
        return Judged(heard, None, barred=True)
    if "asks" in shown:
        return Judged(heard, None, barred=True)
    if passing and not shown & {"always", "forbid"}:
        return Judged(heard, None, barred=True)
    wordless = not sentence.plain or (sentence.words < _FEWEST and "refused" not in shown)
    if wordless or weights.lasting(shown) < weights.ENOUGH:
        return Judged(heard, None, barred=False)
    signal = strongest(heard)
    return Judged(heard, signal.KIND, barred=False, signal=signal.NAME)


def _taken_back(sentence: Sentence, own: tuple[Sentence, ...]) -> bool:
    """True when the next breath corrects it ("no, wait, …")."""
    after = own[own.index(sentence) + 1 :][:1]
    return any(_TAKES_BACK.match(s.text) for s in after)


# ------------------------------------------------------------------ lines
def _lines(said: Said, verdicts: list[Judged]) -> list[Candidate]:
    """Join a rule with the reason beside it; a new kind of thing begins a new line."""
    groups: list[list[Judged]] = []
    for at, one in enumerate(verdicts):
        if one.barred:
            continue
        joined = groups[-1] if groups and at and verdicts[at - 1] in groups[-1] else None
        if one.kind is not None and (joined is None or _apart(one, joined)):
            groups.append([*_before(one, verdicts[:at], groups), one])
        elif joined is not None and _explains(one) and sum(len(j.sentence.text) for j in joined) < _LONGEST:
            joined.append(one)
    return [line for group in groups if (line := _line(said, group))]


def _apart(one: Judged, joined: list[Judged]) -> bool:
    """True when a sentence begins a line of its own beside the line before it."""
    before = next(j.kind for j in joined if j.kind)
    if before is Kind.DEADLINE and _BY_THEN.search(one.sentence.plain):
        return False
    return one.kind is not before and bool({one.kind, before} & {Kind.DEADLINE, Kind.PERSON})


def _before(one: Judged, earlier: list[Judged], groups: list[list[Judged]]) -> list[Judged]:
    """The sentences just before that say what this one speaks of; short ones are taken together."""
    needed = (
        one.sentence.bare
        or _POINTS_BACK.search(one.sentence.plain)
        or COMPLAINT.search(earlier[-1].sentence.plain if earlier else "")
    )
    taken: list[Judged] = []
    for each in reversed(earlier if needed and (one.kind is not Kind.DEADLINE or one.sentence.bare) else []):
        said_before = any(each in group for group in groups)
        if said_before or cues.SECRET.search(each.sentence.text):
            break
        if (each.barred or "request" in each.heard.notions) and not one.sentence.bare:
            break
        taken.insert(0, each)
        if sum(j.sentence.words for j in taken) >= 3:
            break
    return taken


def _explains(one: Judged) -> bool:
    return one.kind is not None or (one.sentence.words >= 2 and not COMPLAINT.search(one.sentence.plain))


def _line(said: Said, group: list[Judged]) -> Candidate | None:
    first = next(j for j in group if j.kind)
    kind = first.kind or Kind.FACT
    told = [j for j in group if not _ACCUSES.match(j.sentence.plain)] or group  # the fault is in the quote
    text = " ".join(p for j in told if (p := polish(j.sentence.text)))
    if not text or told[0].sentence.bare:  # what "it" is, nobody said
        return None
    if kind is Kind.DEADLINE:
        text = _dated(text, [day for j in group for day in j.heard.days])
    if kind is Kind.CORRECTION and said.refused:
        text = f"{text.rstrip('.')} (not {_named(said.refused)})."
    return Candidate(
        kind,
        text,
        _cited(said, group),
        said.entry.at or said.moment.at,
        _everywhere(first),
        gone=gone(" ".join(j.sentence.plain for j in group)),
        signal=first.signal,
        score=first.score,
        signals=weights.weighed(first.heard.notions),
    )


def _everywhere(one: Judged) -> bool:
    """True when it is about the person and not about this project: who they are, how to talk to them."""
    if one.kind is Kind.PERSON:
        return "me" in one.heard.notions
    shown = one.heard.notions
    talk = "replies" in shown and bool(shown & {"likes", "policy"}) and "works" not in shown
    return talk or "prefers" in shown


def _cited(said: Said, group: list[Judged]) -> tuple[Evidence, ...]:
    """The spans, as one quote when they stand side by side."""
    text = said.entry.text
    start = text.find(group[0].sentence.text)
    last = group[-1].sentence.text
    end = text.find(last, start) + len(last)
    whole = text[start:end]
    if len(whole) <= _LONGEST and "\n" not in whole:
        return (said.moment.cite(said.entry, whole),)
    return tuple(j.cited for j in group[:2])


def _dated(text: str, days: list[date]) -> str:
    new = [day for day in dict.fromkeys(d.isoformat() for d in days) if day not in text]
    return f"{text.rstrip('.')} ({', '.join(new)})." if new else text


def _named(refused: str) -> str:
    """The refused act, short enough to stand in a sentence."""
    line = refused.split("\n", maxsplit=1)[0]
    return f"`{line if len(line) <= 60 else line[:57] + '…'}`" if line != "the last step" else line
