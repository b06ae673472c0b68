"""How people say a secret, where no machine writes it: "the psk is …", "Passwort ist jetzt …", "密码是…".

Code says `PASSWORD=`; a person says it in a sentence, in seven languages, and the value has no shape of its
own. So a rule here is a name, a linking word or mark within the same sentence, and a value that is no word. Names
that are said for harmless things too (a cache key, a token count) ask for more of the value. Patterns only,
used by `redact`.
"""

import re

# What is always a secret when it has a value.
_STRONG = (
    r"(?i:pass(?:word|wort|phrase|code|wd)|kennwort|\bpwd\b|\bpsk\b|contrase(?:ñ|n)a|\bsenha\b|mot de passe|\bmdp\b"
    r"|密码|口令|パスワード|appsecret|client secret)|\b[A-Z][A-Z0-9_]*_PASS\b"
)
# What may be harmless: only a value that looks like a key counts.
_WEAK = (
    r"(?i:\bsecret\b|\btoken\b|jeton|\bcredentials?\b|zugangsdaten|\bclave\b|\bchave\b|密钥|トークン|シークレット"
    r"|\b(?:api|server|network|access|licen[cs]e|signing|service|app|auth)[ -]?(?:key|schlüssel)\b)"
)
_LINK = r"(?:\b(?:is|ist|es|est|it's|its|lautet)\b|(?:\s|^)(?:é|:)|[:=：]|是|为|は|->|→)"
_FILLER = r"(?:\s{0,3}(?i:now|still|again|jetzt|übrigens|ahora|agora|maintenant|nun|also))?"
_SAID = r"[^\s\"'`“”「」,，。；;<>\[\](){}]"
_OPEN = r"\s{0,3}[\"'`“「]?"
_VALUE = rf"{_OPEN}(?P<s>{_SAID}{{8,200}})"
_SAME = r"[^\n.!?。！？]"  # full-width marks end Chinese and Japanese sentences
_NEAR = rf"{_SAME}{{0,50}}?"

# The first two rules up to the eighth character of the value, however far from the name: no window to slide.
SAYING = rf"(?:{_STRONG}|{_WEAK}){_SAME}*{_LINK}{_FILLER}{_OPEN}{_SAID}{{8}}"

# Kind → pattern with the secret in its group `s`, and whether the name was a strong one.
SPOKEN: tuple[tuple[str, str, bool], ...] = (
    ("password", rf"(?:{_STRONG}){_NEAR}{_LINK}{_FILLER}{_VALUE}", True),
    ("secret", rf"(?:{_WEAK}){_NEAR}{_LINK}{_FILLER}{_VALUE}", False),
    (
        "password",
        (r"\b(?i:signtool|sshpass|keytool|jarsigner|mysql|mysqldump|redis-cli|psexec)\b[^\n]{0,160}?"
        r"\s(?:/p|-p|-a|-storepass|-keypass|--pass)\s?(?P<s>[^\s\"'`$<>\[\]]{8,200})"),
        True,
    ),
    ("aws-secret-key", r"\b(?:AKIA|ASIA)[A-Z2-7]{16}[^A-Za-z0-9\n]{1,12}(?P<s>[A-Za-z0-9/+=]{40})(?:[^A-Za-z0-9/+=]|$)", True),
    (
        "token",
        (r"\b(?P<s>[a-z][a-z0-9]{0,14}(?:tok|pat|key|secret|api|auth|pass|cred)[a-z]{0,6}[_-][A-Za-z0-9]{20,100})\b"
        r"|\b(?P<t>[a-z][a-z0-9]{0,14}[_-](?:tok|token|pat|key|secret|api|auth|pass|cred)[_-][A-Za-z0-9]{20,100})\b"),
        False,
    ),
)  # fmt: skip
HINT = rf"{_STRONG}|{_WEAK}|(?i:signtool|sshpass|keytool|jarsigner|mysql|redis-cli|psexec)|AKIA|ASIA|(?:tok|pat|key|secret|api|auth|pass|cred)[a-z]{{0,6}}[_-][A-Za-z0-9]{{20}}"

_HEX = re.compile(r"^[0-9a-f]{32,128}$", re.IGNORECASE)
_UUID_OR_TIME = re.compile(
    r"^[0-9a-f]{8}-[0-9a-f]{4}-|^\d{4}-\d\d-\d\d|^\d+(?:[.:]\d+)*[a-z]{0,6}$", re.IGNORECASE
)
_NAME_LIKE = re.compile(r"^[a-z]+(?:[-_.:@][a-z]*\d*)*$|^[A-Za-z][a-z]*\d{0,4}$|^[A-Z_]+\d*$")
_PLACE = re.compile(r"/|\\|\.(?:ya?ml|json|toml|env|py|md|txt|[a-z]{2,3})$|^\.?env|@")


def is_said_secret(value: str, *, strong: bool) -> bool:
    """Whether a value said after a secret's name can be one, and not a word, a place, a date or a name."""
    value = value.rstrip(".!?:)")
    digits, letters = sum(c.isdigit() for c in value), sum(c.isalpha() for c in value)
    if len(value) < 8 or not digits or not letters or _UUID_OR_TIME.match(value):
        return False
    if _HEX.match(value):
        return True
    if strong:
        return not _PLACE.search(value.strip("/")) and not _NAME_LIKE.match(value)
    mixed = any(c.isupper() for c in value) and any(c.islower() for c in value)
    return (
        len(value) >= 14
        and digits >= 3
        and (mixed or value.isupper() or "." in value)
        and not _PLACE.search(value)
    )
