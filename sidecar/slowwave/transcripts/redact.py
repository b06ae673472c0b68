"""Secrets out of text, before anything is stored, sent or logged.

One policy for every exit, and the only importer of google-re2, whose matching time is linear in the text: a
transcript is written by others and may hold anything. Two kinds of rule: values that look like a known kind
of key wherever they stand, and values that stand where a secret stands (`PASSWORD=`, `Authorization:`).
There is no entropy rule, because hashes, UUIDs and images are as random as keys and far more common.

A placeholder names the kind and carries a tag made with the installation's own key, so the same secret can be
recognised again without being readable.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass

import re2

from slowwave.transcripts import anchors
from slowwave.transcripts.spoken import SPOKEN, is_said_secret
from slowwave.transcripts.written import CONTEXTS, VALUES

_REACH = 700  # no rule but those with runs of one word, and keys over several lines, spans so many characters
_ROOM = re2.Options()
_ROOM.max_mem = 24 << 20  # the sliding windows of what is said fill 8 MiB of the matcher again and again
_ANY, _WRITTEN, _SAID = re2.compile(anchors.ANY), re2.compile(anchors.WRITTEN), re2.compile(anchors.SAID)
_SPOKEN = tuple((kind, re2.compile(p, _ROOM), strong) for kind, p, strong in SPOKEN)
_WORDS_BEFORE = 8  # more than any rule with a run of one word has words: `authorization : bearer …` is four
_PLACEHOLDER = re2.compile(r"\[redacted:[a-z0-9\-]+:[0-9a-f]{8}\]")
_ALL_VALUES = re2.compile("|".join(f"(?:{p})" for p in VALUES.values()))
_EACH_VALUE = {kind: re2.compile(p) for kind, p in VALUES.items()}
_EACH_CONTEXT = tuple(
    (kind, re2.compile(opening), re2.compile(p), loose)
    for opening, (kind, p, loose) in zip(anchors.CONTEXTS, CONTEXTS, strict=True)
)

# The standard library is enough for short values that are already cut out.
# Words count at a word's beginning only, or a random key that happens to hold `xxx` would pass for a stand-in.
_NOT_A_SECRET = re.compile(
    r"(?<![a-z0-9])(?:your|example|placeholder|change.?me|dummy|redacted|process\.env|os\.environ|environ"
    r"|getenv|secrets\.|vault\.)|^x{3,}|x{6,}|\*\*\*|\.\.\.|…|<|\$|%\(|\{\{"
    r"|^(?:none|null|nil|true|false|undefined|string|bytes|required|optional)\b",
    re.IGNORECASE,
)
_DIGEST = re.compile(r"^(?:sha(?:1|224|256|384|512)|md5)[-:]|^v?\d+(?:\.\d+)+|^\d+$", re.IGNORECASE)
# Each part of a path is a word or a name; base64 with a slash in it has parts that are neither.
_PART = r"(?:[a-z0-9._@~-]*|[A-Z]?[a-z._-]+(?:[A-Z][a-z._-]+)*[0-9]*|[A-Z_.-]+)"
_PATH = re.compile(rf"^(?:[A-Za-z]+:)?{_PART}(?:/{_PART})+$")
_WORDS = re.compile(r"^[A-Za-z]+(?:[_.\-/:]+[A-Za-z]+)*[_.\-/:!?]*$")
_CAMEL = re.compile(r"^[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*$")
_TYPE = re.compile(r"^(?:[A-Z][a-z]+[0-9]{0,5}){2,5}T?$")  # `Ed25519PrivateKey`, in an annotation
_CODE = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret in a text: its kind and its place, in characters."""

    kind: str
    start: int
    end: int


class Redactor:
    """Replaces secrets by placeholders; `key` is the installation's own, and never leaves it."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "Redactor(key=…)"

    def findings(self, text: str) -> tuple[Finding, ...]:
        """Every secret in the text, in order, none overlapping another."""
        data = _encode(text)
        return tuple(
            Finding(kind, len(data[:a].decode("utf-8", "replace")), len(data[:b].decode("utf-8", "replace")))
            for kind, a, b in _find(data)
        )

    def redact(self, text: str) -> str:
        """The text with every secret replaced. Doing it twice changes nothing."""
        data = _encode(text)
        if not (spans := _find(data)) and text.isascii():
            return text
        while spans:
            # A replaced secret can leave another in plain view (a password before a key), so look again. Each
            # pass turns bytes outside placeholders into placeholders, so this ends.
            parts, at = [], 0
            for kind, a, b in spans:
                parts += [data[at:a], f"[redacted:{kind}:{self._tag(data[a:b])}]".encode()]
                at = b
            data = b"".join([*parts, data[at:]])
            spans = _find(data)
        return data.decode("utf-8", "replace")

    def spares(self, text: str, head: int, tail: int) -> bool:
        """True when redaction surely changes neither the first `head` nor the last `tail` characters.

        What is cut to its ends afterwards need not be searched in the middle. A secret that touches an end starts
        or stops within `_REACH` of it; one that could be longer is a key over several lines, or one word.
        """
        if len(text) <= head + tail + 2 * _REACH or "-----BEGIN" in text:
            return False
        before = text[-tail - _REACH : -tail]
        if len(before.split()) < _WORDS_BEFORE:
            return False
        return not any(_may_hold(_encode(end)) for end in (text[: head + _REACH], text[-tail - _REACH :]))

    def _tag(self, secret: bytes) -> str:
        return hmac.new(self._key, secret, hashlib.sha256).hexdigest()[:8]


def _encode(text: str) -> bytes:
    # Bytes throughout: re2 works on UTF-8, and mapping offsets back for every match would be quadratic.
    return text.encode("utf-8", "replace")


def _may_hold(data: bytes) -> bool:
    return bool(_ANY.search(data) and (_WRITTEN.search(data) or _SAID.search(data)))


def _find(data: bytes) -> list[tuple[str, int, int]]:
    """Spans (kind, start, end) in bytes, merged where they overlap; the first kind names the whole."""
    if not _ANY.search(data):
        return []
    spans: list[tuple[str, int, int]] = []
    if _WRITTEN.search(data):
        spans = [(_kind(data[m.start() : m.end()]), m.start(), m.end()) for m in _ALL_VALUES.finditer(data)]
        for kind, opening, pattern, loose in _EACH_CONTEXT:
            for m in pattern.finditer(data) if opening.search(data) else ():
                a, b = m.span(1)  # `s`: re2 wants the number
                if loose and (
                    data[b : b + 1] == b"(" or not _plausible(data[a:b].decode("utf-8", "replace"))
                ):
                    continue  # a call, a name or a word, not a value
                spans.append((kind, a, b))
    if _SAID.search(data):
        for kind, pattern, strong in _SPOKEN:
            for m in pattern.finditer(data):
                a, b = m.span(1) if m.group(1) is not None else m.span(2)
                if is_said_secret(data[a:b].decode("utf-8", "replace"), strong=strong):
                    spans.append((kind, a, b))
    if not spans:
        return []
    placed = [(m.start(), m.end()) for m in _PLACEHOLDER.finditer(data)]
    merged: list[tuple[str, int, int]] = []
    for kind, a, b in sorted(spans, key=lambda s: (s[1], -s[2])):
        if any(a < end and start < b for start, end in placed):
            continue
        if merged and a < merged[-1][2]:
            merged[-1] = (merged[-1][0], merged[-1][1], max(b, merged[-1][2]))
        else:
            merged.append((kind, a, b))
    return merged


def _kind(secret: bytes) -> str:
    return next((k for k, p in _EACH_VALUE.items() if p.match(secret)), "secret")


def _plausible(value: str) -> bool:
    """Whether a value that stands where a secret stands can be one, not a word, path, name or stand-in."""
    value = value.lstrip("_")
    if len(set(value)) < 5 or _TYPE.match(value) or _NOT_A_SECRET.search(value) or _DIGEST.match(value):
        return False
    if _PATH.match(value) or _CODE.match(value):
        return False
    if any(c.isdigit() for c in value):
        return True
    if _WORDS.match(value) or _CAMEL.match(value):
        # Letters only: a long unbroken run of mixed case is a key, everything else is prose or a name.
        return len(value) >= 20 and value.isalpha() and not _CAMEL.match(value) and not value.isupper()
    return True
