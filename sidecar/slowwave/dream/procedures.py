"""Procedures: ordered steps that a person says are how a thing is always done here.

Signal family of `wishes`. Engine 1.
"""

import re
from collections.abc import Callable

from slowwave.dream import cues
from slowwave.dream.candidate import Candidate, Kind
from slowwave.dream.said import Said
from slowwave.dream.speech import Sentence, polish, sentences

_UNSURE_AGENT = re.compile(
    r"\?|\b(dont|don't|do not) know\b|\bnot sure\b|\bhow (do|should|is)\b|\bunclear\b", re.IGNORECASE
)
_HOW_IT_IS_DONE = re.compile(
    r"\b(thats|that's) how\b|\bdoes the rest\b|\bor \w+ rejects\b|\bsinon\b|\bsonst\b|\bgo through\b|\botherwise\b",
    re.IGNORECASE,
)
_STEP_BREAK = re.compile(
    r"(?:[,;.]\s+|\s+)(?:and\s+|et\s+|und\s+|y\s+|e\s+)?(?:then|after that|puis|ensuite|dann|danach|luego|después|depois)\b[,:]?\s*"
    r"|[,;]\s+(?:and\s+|et\s+|und\s+)?|\.\s+|\s*(?:->|→|=>)\s*|然后|再|[，；]",
    re.IGNORECASE,
)


def procedure(said: Said, usable: list[Sentence], gone: Callable[[str], tuple[str, ...]]) -> Candidate | None:
    """Ordered steps, when it is said or plain from the talk that this is how the thing is always done."""
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
        gone=gone(whole),
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


def _trigger(said: Said, condition: Sentence | None) -> str:
    if condition and (
        stated := re.match(
            r"(?:only )?(when|whenever|before|after|if)\b[^:,]{3,60}(?=[:,])", condition.plain, re.IGNORECASE
        )
    ):
        return polish(stated.group()).rstrip(".")
    task = next((p for s in sentences(said.task) if (p := polish(s.text))), "")
    return f"To {task[0].lower()}{task[1:].rstrip('.')}" if task else "In this order"
