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

from slowwave.transcripts.spoken import HINT, SPOKEN, is_said_secret

_PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"

# Kind → pattern. Word bounds on the left, because a base64 blob may contain any four letters.
_VALUES: dict[str, str] = {
    "private-key": rf"{_PEM}[^\[\]]*?{_PEM_END}|{_PEM}(?:(?:\s|\\r|\\n)+[A-Za-z0-9+/=]{{16,100}})+",
    "aws-key-id": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    "github-token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b",
    "gitlab-token": r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_\-]{20,64}",
    "slack-token": r"\bxox[abcdeoprs]-[A-Za-z0-9\-]{10,250}|\bxapp-[0-9]-[A-Za-z0-9\-]{20,250}"
    r"|hooks\.slack\.com/services/T[A-Za-z0-9]{6,12}/B[A-Za-z0-9]{6,12}/[A-Za-z0-9]{16,32}",
    "stripe-key": r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}|\bwhsec_[A-Za-z0-9+/=]{24,100}",
    "anthropic-key": r"\bsk-ant-[A-Za-z0-9_\-]{20,250}",
    "openai-key": r"\bsk-(?:proj|svcacct|admin|or-v1|None)-[A-Za-z0-9_\-]{20,250}"
    r"|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}\b|\bsk-[A-Za-z0-9]{32,64}\b",
    "google-key": r"\bAIza[0-9A-Za-z_\-]{35}|\bya29\.[0-9A-Za-z_\-]{20,250}|\bGOCSPX-[A-Za-z0-9_\-]{28}",
    "npm-token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "pypi-token": r"\bpypi-AgE[A-Za-z0-9_\-]{50,400}",
    "jwt": r"\beyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}",
    "telegram-token": r"[0-9]{8,10}:AA[A-Za-z0-9_\-]{33}\b",
    "sendgrid-key": r"\bSG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}",
    "twilio-key": r"\bSK[0-9a-f]{32}\b",
    "huggingface-token": r"\bhf_[A-Za-z0-9]{34,40}\b",
    "digitalocean-token": r"\bdo[opr]_v1_[a-f0-9]{64}\b",
    "age-key": r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b",
    "groq-key": r"\bgsk_[A-Za-z0-9]{40,64}\b",
    "xai-key": r"\bxai-[A-Za-z0-9]{60,100}\b",
    "databricks-token": r"\bdapi[a-f0-9]{32}(?:-[0-9])?\b",
    "linear-key": r"\blin_api_[A-Za-z0-9]{40}\b",
    "vault-token": r"\bhv[sbr]\.[A-Za-z0-9_\-]{24,200}",
    "things-network-key": r"\bNNSXS\.[A-Z0-9]{10,}\.[A-Z0-9]{10,}",
    "shopify-token": r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b",
}

_NAME = (
    r"(?i:passw(?:or)?d|passphrase|pwd|pw|secret|token|credentials?"
    r"|(?:api|access|account|auth|private|secret|encryption|signing|shared|master|session|client)[_.\- ]?key)"
)
_SUFFIX = r"(?:_?[0-9]{1,2}|[_\-](?i:prod|production|dev|test|staging|live|value|base64))?"
_KEY = rf"[A-Za-z0-9_.\-]{{0,60}}{_NAME}{_SUFFIX}"
_ASSIGN = r"[ \t]{0,4}(?::=|=>|==?|:)[ \t]{0,4}"
_QUOTE = r"\\{0,3}[\"'`]"
_BARE = r"[^\s'\"`\\,;(){}\[\]<>$|&]"

# Kind → pattern with the secret in its group `s`; `loose` values are looked at again by `_plausible`.
_CONTEXTS: tuple[tuple[str, str, bool], ...] = (
    (
        "url-password",
        r"[a-zA-Z][a-zA-Z0-9+.\-]{1,15}://[^\s:/@'\"\[\]]{0,80}:(?P<s>[^\s/@'\"\[\]<>${}]{3,200})@",
        False,
    ),
    (
        "authorization",
        (
            rf"(?i:authorization)(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?(?i:bearer|basic|token|apikey)\s+"
            r"(?P<s>[A-Za-z0-9._~+/=\-]{8,})"
        ),
        False,
    ),
    ("bearer", r"\b(?i:bearer)\s+(?P<s>[A-Za-z0-9._~+/=\-]{20,})", True),
    ("password", rf"{_KEY}(?:{_QUOTE})?{_ASSIGN}{_QUOTE}(?P<s>[^\s'\"`\\\[\]<>]{{6,400}})", True),
    ("password", rf"{_KEY}{_ASSIGN}(?P<s>{_BARE}{{8,400}})", True),
    ("password", rf"--?{_KEY}[ =](?:{_QUOTE})?(?P<s>{_BARE}{{6,400}})", True),
    (
        "password",
        r"(?i:passphrase)(?:[\"'`])?\s{0,3}[:=]\s{0,3}[\"'`](?P<s>[^\"'`\n\[\]<>]{12,200})[\"'`]",
        False,
    ),
    ("password", rf"{_NAME} (?i:is|was|to|=){{1,2}}:? {{0,3}}(?:{_QUOTE})?(?P<s>{_BARE}{{8,200}})", True),
    ("password", r"\s-u\s{1,3}(?:[\"'])?[A-Za-z0-9_.@\-]{1,60}:(?P<s>[^\s'\"\[\]<>$@/]{6,200})", True),
)

_HINT = re2.compile(rf"(?i){_NAME}|authorization|bearer|://|\s-u\s")
_SPOKEN_HINT = re2.compile(HINT)
_SPOKEN = tuple((kind, re2.compile(p), strong) for kind, p, strong in SPOKEN)
_PLACEHOLDER = re2.compile(r"\[redacted:[a-z0-9\-]+:[0-9a-f]{8}\]")
_ALL_VALUES = re2.compile("|".join(f"(?:{p})" for p in _VALUES.values()))
_EACH_VALUE = {kind: re2.compile(p) for kind, p in _VALUES.items()}
_EACH_CONTEXT = tuple((kind, re2.compile(p), loose) for kind, p, loose in _CONTEXTS)

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
        while spans := _find(data):
            # A replaced secret can leave another in plain view (a password before a key), so look again. Each
            # pass turns bytes outside placeholders into placeholders, so this ends.
            parts, at = [], 0
            for kind, a, b in spans:
                parts += [data[at:a], f"[redacted:{kind}:{self._tag(data[a:b])}]".encode()]
                at = b
            data = b"".join([*parts, data[at:]])
        return data.decode("utf-8", "replace")

    def _tag(self, secret: bytes) -> str:
        return hmac.new(self._key, secret, hashlib.sha256).hexdigest()[:8]


def _encode(text: str) -> bytes:
    # Bytes throughout: re2 works on UTF-8, and mapping offsets back for every match would be quadratic.
    return text.encode("utf-8", "replace")


def _find(data: bytes) -> list[tuple[str, int, int]]:
    """Spans (kind, start, end) in bytes, merged where they overlap; the first kind names the whole."""
    spans = [(_kind(data[m.start() : m.end()]), m.start(), m.end()) for m in _ALL_VALUES.finditer(data)]
    if _HINT.search(data):
        for kind, pattern, loose in _EACH_CONTEXT:
            for m in pattern.finditer(data):
                a, b = m.span(1)  # `s`: re2 wants the number
                if loose and (
                    data[b : b + 1] == b"(" or not _plausible(data[a:b].decode("utf-8", "replace"))
                ):
                    continue  # a call, a name or a word, not a value
                spans.append((kind, a, b))
    if _SPOKEN_HINT.search(data):
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
