"""What a person said in a prompt, sentence by sentence, without what they pasted or quoted.

A prompt is chat around other people's text: logs, pages, code, somebody's mail. Only the person's own sentences
may become memory, each an exact span of the prompt so that it can be cited, and each rewritten as memory is
written: no greeting, no "please", the person as "the user". Engine 1, imports `cues` only.
"""

import re
from dataclasses import dataclass

from slowwave.dream import cues

_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_QUOTED = re.compile(r"[\"“„«「『]([^\"“”„«»「」『』\n]{1,600})[\"”“»」』]")
_PASTED_LINE = re.compile(
    r"^(\s{2,}\S|\t|>|\||[A-Z_]{3,}=|-----BEGIN|\S+:\d+(:\d+)?: |\s*(error|warning|fatal|traceback|note|panic|exception)\b"
    r"\s*[:\[(]|at \S+\(|\[\d{4}|\d{4}-\d\d-\d\d[T ]\d\d:|<[a-zA-Z/!][^>]*>|(AI|ATTENTION|IMPORTANT|NOTE|WARNING)\b.*:)",
    re.IGNORECASE,
)
_END = re.compile(r"(?:[.!?…]+[\"')]?(?=\s|$))|[。！？]+|\n+")
_NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|ca|z\.B|bzw|ex|dr|mr|ms)|\b\d{1,2})\.$", re.IGNORECASE)
_APOSTROPHES = re.compile("['’‘`]")
_LEAD = re.compile(
    # These open a sentence with or without a comma …
    r"^(?:(?:ok(?:ay)?|k|yes|yep|yea|yeah|ya(?! no\b)|oh|ah|ahh|hm+|hey|hi|hello|so|and|also|but|btw|by the way|fyi|heads up|ugh|ew|dude|"
    r"please|pls|thanks|thx|sorry|lol|um|uh|anyway|und|übrigens|bitte|ach|oye|bueno|vale|porfa|ah oui|salut|oui|alors|bon|beleza|tá|aliás|né|"
    r"嗯|好的|好|还有|对了|另外|あ|あと|えっと|はい|なるほど)(?:[,:!.、，]+\s*|\s+|(?=$))"
    # … and these only before one: without it they belong to what is said ("no printf here", "just use tabs").
    r"|(?:no|nope|nono|nah|nice|good|great|cool|right|well|actually|remember|stop|wait|true|context|one thing|note|listen|look|"
    r"morning|honestly|seriously|frankly|for the last time|ehrlich|im ernst|zum letzten mal|franchement|pour la dernière fois|en serio|por última vez|sinceramente|pela última vez|sure|perfect|correct|halt|ja|nein|gut|sí|et|non|y|e|oi)[,:!.]+(?:\s+|(?=$)))+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]*(?:\b(?:please|pls|plz|thanks|thx|dude|man|lol|haha|ok|okay|right|eh|hein|stp|né|porfa|got it|you know|dumme?|as well)"
    r"|:-?\)|;-?\)|记一下|頼む)[\s.!]*$",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(it|its|they|theyre|that|thats|this|these|those|them|he|she|same|both|ours|yours)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the person's own.

    text    the exact span of the prompt
    plain   what cues are matched on: quotes masked, apostrophes dropped, lead-ins gone
    quotes  it holds somebody's words in quotation marks
    """

    text: str
    plain: str
    quotes: bool

    @property
    def bare(self) -> bool:
        """True when it opens with a pronoun that only the sentence before explains."""
        return bool(_BARE.match(self.plain)) and not re.search(r"[\"`]", self.text)

    @property
    def words(self) -> int:
        """How many words it has; two characters of a script without spaces count as one."""
        wide = len(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]", self.text))
        return len(re.findall(r"[^\W\u3040-\u30ff\u4e00-\u9fff]+", self.text)) + wide // 2


def sentences(prompt: str) -> tuple[Sentence, ...]:
    """The person's own sentences, in order. Code, logs and pasted lines are not theirs."""
    found: list[Sentence] = []
    for start, end in _own_spans(prompt):
        found.extend(_cut(prompt[start:end]))
    return tuple(found)


def third_party(sentence: Sentence) -> bool:
    """True when the sentence passes on what somebody else said."""
    longest = max((len(m.group(1).split()) for m in _QUOTED.finditer(sentence.text)), default=0)
    if longest >= 12:
        return True
    reported = bool(cues.REPORTED.search(sentence.plain)) or bool(re.search(r":\s*[\"“„«「]", sentence.text))
    return longest >= 4 and reported


def _own_spans(prompt: str) -> list[tuple[int, int]]:
    """Stretches of whole lines that are neither fenced nor pasted."""
    fenced = [m.span() for m in _FENCED.finditer(prompt)]
    spans, at = [], 0
    for line in prompt.split("\n"):
        end = at + len(line)
        inside = any(a <= at < b or a < end <= b for a, b in fenced)
        if line.strip() and not inside and not _PASTED_LINE.match(line):
            spans.append((at, end))
        at = end + 1
    return spans


def _cut(line: str) -> list[Sentence]:
    found, start = [], 0
    masked = _QUOTED.sub(lambda m: m.group()[0] + "_" * (len(m.group()) - 2) + m.group()[-1], line)
    masked = re.sub(r"`[^`]*`", lambda m: "`" + "_" * (len(m.group()) - 2) + "`", masked)
    for match in [*_END.finditer(masked), None]:
        end = match.end() if match else len(line)
        if match and _NO_END.search(masked[start:end].rstrip()) and end < len(line):
            continue
        text = line[start:end].strip()
        start = end
        if re.search(r"\w", text):
            found.append(_sentence(text))
    return found


def _sentence(text: str) -> Sentence:
    quotes = bool(_QUOTED.search(text))
    masked = _QUOTED.sub('"…"', text)
    return Sentence(text, _LEAD.sub("", _APOSTROPHES.sub("", masked)).strip(), quotes)


# ------------------------------------------------------------------ as memory is written
_REWRITES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), to)
    for pattern, to in (
        (r"\b(can|could|would) you (please )?(?=\w)", ""),
        (r"\bdont\b", "do not"),
        (r"\bdoesnt\b", "does not"),
        (r"\bcant\b", "cannot"),
        (r"\bthats\b", "that is"),
        (r"\btheres\b", "there is"),
        (r"\btheyre\b", "they are"),
        (r"\bits (?=all|xcode|now|not|only|always|a\b|the\b)", "it is "),
        (r"^i (really |strongly )?(prefer)\b", "Prefer"),
        (r"^i (really )?(hate|dislike) (it )?when\b", "Avoid this:"),
        (r"^i (really )?(hate|dislike)\b", "Avoid"),
        (r"\b(i'm|i am|im)\b", "the user is"),
        (r"\bi've\b", "the user has"),
        (r"\bi said (it|that|this)( in review)?( to \w+( \w+){0,2})?( like)?( \w+ times)?( as well)?", ""),
        (r"\bi use\b", "the user uses"),
        (r"\bi want\b", "the user wants"),
        (r"\bi like\b", "the user likes"),
        (r"(?<![/\w])i(?![/\w'.-])", "the user"),
        (r"\bto me\b", "to the user"),
        (r"\btell me\b", "tell the user"),
        (r"\bmy\b", "the user's"),
        (r"\bwe're\b", "the team is"),
        (r"\bwe've\b", "the team has"),
        (r"\b(we all|we)\b", "the team"),
        (r"\byou (put|wrote|forgot|used|did|added|changed|left|made|broke)\b", r"the agent \1"),
        (r"\bdude\b,?\s?", ""),
    )
)
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def polish(text: str) -> str:
    """One sentence as memory is written: no lead-in, no chat, the person by name of role, a full stop."""
    line = re.sub(r"\s+", " ", text).strip()
    line = _LEAD.sub("", line)
    for _ in range(2):
        line = _TAIL.sub("", line)
    if line.isascii():
        line = _rewritten(line)
    line = re.sub(r"[?!.。！？,，;:\s]+$", "", line).strip()
    line = re.sub(r"\s{2,}", " ", line)
    if not line:
        return ""
    first = line if line[0] in "`@" or _is_name(line) else line[0].upper() + line[1:]
    return first + ("。" if _WIDE.search(first[-2:]) else ".")


def _rewritten(line: str) -> str:
    """English only, and never inside backticks or quotation marks: those are names."""
    parts = re.split(r"(`[^`]*`|\"[^\"]*\")", line)
    for number in range(0, len(parts), 2):
        for pattern, to in _REWRITES:
            parts[number] = pattern.sub(to, parts[number])
    return "".join(parts)


def _is_name(line: str) -> bool:
    """A first word such as `eu-central-1`, `lib/x` or `viewModel` keeps its spelling."""
    return bool(re.match(r"^\S*[a-z][A-Z/_.=(-]\S*", line.split(" ", maxsplit=1)[0]))
