"""Procedures: ordered steps that a person says are how a thing is always done here.

Steps show by their build: a numbered list, a lead with a colon, words of sequence, arrows. That they are a standing
procedure and not today's errand shows by a lead ("to release", "wenn", "流程"), by a reason, or because the agent had
just asked how. Signal family of `wishes`. Engine 1.
"""

import re
from collections.abc import Callable

from slowwave.dream import lexicon, weights
from slowwave.dream.candidate import Candidate, Kind
from slowwave.dream.said import Said
from slowwave.dream.speech import Sentence, polish, sentences

_UNSURE_AGENT = re.compile(
    r"\?|\b(dont|don't|do not) know\b|\bnot sure\b|\bhow (do|should|is)\b|\bunclear\b|？", re.IGNORECASE
)
_STEP_BREAK = re.compile(
    r"(?:[,;.]\s+|\s+)(?:and\s+|et\s+|und\s+|y\s+|e\s+)?(?:(?<!by )(?<!until )(?<!than )then(?=[ ,:]+\S+ \S)|only after that|after that|followed by|puis|ensuite|dann|danach|anschließend|luego|después|depois|enfin|finally|finalmente|"
    r"por último|por fim|zum schluss|aí)\b[,:]?\s*"
    r"|[,;]\s+(?:and\s+|et\s+|und\s+)?|\.\s+|\s*(?:->|→|=>)\s*"
    r"|然后|接着|最后再?|再(?=\S)|[，；、]|\s+(?=\d[.)]\s)",
    re.IGNORECASE,
)
_LAST_AND = re.compile(r"^(.{4,}?\S) (?:and|und|y|et|e) (\S+ \S.*)$", re.IGNORECASE)
_NUMBER = re.compile(
    r"^\s*(?:\d{1,2}[.)]|[-*•])\s+|^(?:first(?:ly)?|zuerst|erst|primero|primeiro|dabord|d'abord|まず|先|次に|最後に|その後)[,:、]?\s*",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:only )?(?:when(?:ever)?|if|before|after|once|(?:every|each) time|(?:immer|jedes mal,?) wenn|wenn|falls|sobald|bevor|nachdem|si|cuando|cada vez que|siempre que|antes de|"
    r"después de|quand|lorsqu\w+|dès qu\w+|chaque fois qu\w+|avant (?:de|d)|après|quando|se|sempre que|toda vez que|assim que|depois de|"
    r"to (?!(?:fix|see|check|be|do|me|you|answer|clarify|avoid|reproduce)\b)(?=\w+)|um \w+|pour (?=\w+(?:er|ir|re)\b)|para (?=\w+[aei]r\b)|pra (?=\w+[aei]r\b)|(?:beim|zum|vor jedem|nach jedem) \w+)\b|如果|当|每次|"
    r".{1,10}(?:的时候|たら|ときは|場合は|前に|たびに)",
    re.IGNORECASE,
)
"""What a list of steps is for: a time, a condition or an aim."""
_CONDITION_SPAN = re.compile(
    r"(?=\S+ \S)(?:[^:,.，、：。]|\.(?=\S)){3,70}[:,，：]\s*|[^:,.，、：。]{2,20}[,，：、]\s*"
)
_RUNS_ON = re.compile(r"(?:if|wenn|falls|si|se)\b[^:：]*$", re.IGNORECASE)
"""After an "if" the first step often comes without a comma: "if it hangs kill it, …" is not cut."""
_THIS_ONE = re.compile(
    r"\b(?:this|that|it|these|dies\w*|das hier|est[ea]|est[ao]s|cette?|ces|ess[ea]|isso)\b|这|この",
    re.IGNORECASE,
)
"""Steps for one thing at hand are an errand."""
_NAMED_LIST = re.compile(
    r"^(?P<lead>(?:the |our |die |unsere |los |nuestros |les |nos |os |nossos )?(?:steps|order|sequence|procedure|schritte|reihenfolge|pasos|étapes|passos)\b[^:,]{0,60}?) (?:are|is|sind|ist|son|es|sont|est|são|é):? (?P<rest>\S.*)$"
    r"|^(?P<dash>.{0,12}(?:步骤|流程|顺序|手順|順番)).{0,6}?[是は：:]\s?(?P<after>\S.*)$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|\s)\d{1,2}[.)]\s+\S")
_LEAD = re.compile(
    r"^(?P<lead>(?:[^:：]|:(?=\S)){2,90}?)\s?(?::\s+|：\s*)(?P<rest>\S.*)$|^(?P<dash>[^-–]{8,60}?) [-–] (?P<after>\S.*)$"
)
_ASKED_ONESELF = re.compile(r"^\S+(?: \S+){0,3}[?？]$")
"""A question that the same breath answers ("new service? copy …") names what the steps are for."""
_IN_ORDER = 3
"""Steps without a word of sequence count as a list only when there are so many."""


def procedure(
    said: Said, own: tuple[Sentence, ...], usable: list[Sentence], gone: Callable[[str], tuple[str, ...]]
) -> Candidate | None:
    """The steps of a prompt with their trigger, None when it tells no standing procedure.

    `usable` are those of its own sentences that may be learned at all; `gone` names what a text declares past.
    """
    span = _span(usable)
    if not span:
        return None
    whole = " ".join(s.text for s in span)
    lead, rest = _led(whole)
    if not lead and (before := own[: own.index(span[0])]) and _ASKED_ONESELF.match(before[-1].text):
        lead = before[-1].text.rstrip("?？ ")
    steps = _steps(rest)
    sequenced = (
        any(lexicon.has(s.plain, "step") for s in span)
        or bool(_NUMBERED.search(whole))
        or "→" in whole
        or "->" in whole
    )
    if len(steps) < (2 if sequenced else _IN_ORDER) or not _standing(
        said, usable, span, lead, sequenced=sequenced
    ):
        return None
    trigger = _trigger(said, lead, span)
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    evidence = tuple(said.moment.cite(said.entry, s.text) for s in span[:3])
    return Candidate(
        Kind.PROCEDURE,
        f"{trigger}:\n{listed}",
        evidence,
        said.entry.at or said.moment.at,
        trigger=trigger,
        gone=gone(" ".join(s.plain for s in span)),
        signal=weights.PROCEDURE_SAID,
        score=weights.SHOWN[weights.PROCEDURE_SAID],
    )


def _span(usable: list[Sentence]) -> list[Sentence]:
    """The sentences that tell steps: from the first that leads or sequences to the last, with short ones before."""
    run = [s for s in usable if _tells_steps(s)]
    if not run:
        return []
    first, last = usable.index(run[0]), usable.index(run[-1])
    if (
        first
        and 0 < usable[first - 1].words <= 8
        and not usable[first - 1].bare
        and not lexicon.has(usable[first - 1].plain, "filler")
    ):
        first -= 1
    return usable[first : last + 1]


def _tells_steps(sentence: Sentence) -> bool:
    if lexicon.has(sentence.plain, "step") or _NUMBERED.search(sentence.text) or "→" in sentence.text:
        return True
    lead, rest = _led(sentence.text)
    return (bool(lead) or bool(_CONDITION.match(sentence.plain))) and len(_steps(rest)) >= _IN_ORDER


def _standing(
    said: Said, usable: list[Sentence], span: list[Sentence], lead: str, *, sequenced: bool
) -> bool:
    """True when the steps are how it is always done, and no choice or errand of today."""
    shown = frozenset[str]().union(*(lexicon.notions(s.plain) for s in span))
    if shown & {"chose", "unsure", "hypothetical", "one_off", "question"} - ({"chose"} if lead else set()):
        return False
    asked = bool(said.task) and bool(_UNSURE_AGENT.search(said.reply))
    led = bool(lead) and (bool(shown & {"ritual", "step"}) or lexicon.has(lead, "when"))
    beside = frozenset[str]().union(*(lexicon.notions(s.plain) for s in usable))
    told = (
        sequenced
        and bool((shown | beside & {"evermore"}) & {"ritual", "when", "always", "evermore"})
        and "errand" not in lexicon.notions(span[0].plain)
    )
    explained = sequenced and bool(said.task) and bool(shown & {"reason", "harm"})
    condition = _condition(span[0].text)
    conditioned = (
        bool(condition) and not _THIS_ONE.search(condition) and len(_steps(span[0].text)) >= _IN_ORDER
    )
    return led or told or conditioned or (asked and sequenced) or explained


def _led(text: str) -> tuple[str, str]:
    """The lead of a list of steps, and the list; "" when it has none."""
    found = _LEAD.match(text) or _NAMED_LIST.match(text)
    if not found:
        return "", text
    return (found["lead"], found["rest"]) if found["lead"] else (found["dash"], found["after"])


def _condition(text: str) -> str:
    """The words before the first step that say when or what for, with the mark that ends them; "" when none."""
    span = _CONDITION_SPAN.match(text) if _CONDITION.match(text) else None
    return span.group() if span else ""


def _steps(text: str) -> list[str]:
    """The steps of a text, cut at words of sequence and commas, never inside backticks, quotes or brackets."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match.group())
        return f"\ue000{len(held) - 1}\ue001"

    masked = re.sub(r"`[^`]*`|\"[^\"]*\"|\([^)]*\)", hold, text)
    masked = masked if _RUNS_ON.match(masked) else masked[len(_condition(masked)) :]
    parts = [
        re.sub(r"\ue000(\d+)\ue001", lambda m: held[int(m.group(1))], p)
        for p in _STEP_BREAK.split(masked)
        if p
    ]
    plain_list = len(parts) > 1 and not lexicon.has(text, "step")
    if plain_list and (last := _LAST_AND.match(parts[-1])):
        parts[-1:] = last.groups()
    polished = (polish(_NUMBER.sub("", part)) for part in parts)
    return [step for step in polished if step and len(step) > 2]


def _trigger(said: Said, lead: str, span: list[Sentence]) -> str:
    """What the steps are for: their own lead, their condition, or what the person had asked."""
    if lead and len(lead.split()) <= 12:
        return polish(lead).rstrip(".。")
    if stated := _condition(span[0].plain):
        return polish(stated).rstrip(".。:")
    task = next((p for s in sentences(said.task) if (p := polish(s.text))), "")
    return f"To {task[0].lower()}{task[1:].rstrip('.')}" if task else "In this order"
