"""How machines and files write a secret: keys of a known kind, and values where a secret stands.

Patterns only, used by `redact` and `anchors`; `spoken` has those a person says in a sentence.
"""

_PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"

# Kind → pattern. Word bounds on the left, because a base64 blob may contain any four letters.
VALUES: dict[str, str] = {
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

NAME = (
    r"(?i:passw(?:or)?d|passphrase|pwd|pw|secret|token|credentials?"
    r"|(?:api|access|account|auth|private|secret|encryption|signing|shared|master|session|client)[_.\- ]?key)"
)
SUFFIX = r"(?:_?[0-9]{1,2}|[_\-](?i:prod|production|dev|test|staging|live|value|base64))?"
_KEY = rf"[A-Za-z0-9_.\-]{{0,60}}{NAME}{SUFFIX}"
ASSIGN = r"[ \t]{0,4}(?::=|=>|==?|:)[ \t]{0,4}"
QUOTE = r"\\{0,3}[\"'`]"
BARE = r"[^\s'\"`\\,;(){}\[\]<>$|&]"

# Kind → pattern with the secret in its group `s`; `loose` values are looked at again by `redact`.
CONTEXTS: tuple[tuple[str, str, bool], ...] = (
    (
        "url-password",
        r"[a-zA-Z][a-zA-Z0-9+.\-]{1,15}://[^\s:/@'\"\[\]]{0,80}:(?P<s>[^\s/@'\"\[\]<>${}]{3,200})@",
        False,
    ),
    (
        "authorization",
        (
            rf"(?i:authorization)(?:{QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?:{QUOTE})?(?i:bearer|basic|token|apikey)\s+"
            r"(?P<s>[A-Za-z0-9._~+/=\-]{8,})"
        ),
        False,
    ),
    ("bearer", r"\b(?i:bearer)\s+(?P<s>[A-Za-z0-9._~+/=\-]{20,})", True),
    ("password", rf"{_KEY}(?:{QUOTE})?{ASSIGN}{QUOTE}(?P<s>[^\s'\"`\\\[\]<>]{{6,400}})", True),
    ("password", rf"{_KEY}{ASSIGN}(?P<s>{BARE}{{8,400}})", True),
    ("password", rf"--?{_KEY}[ =](?:{QUOTE})?(?P<s>{BARE}{{6,400}})", True),
    (
        "password",
        r"(?i:passphrase)(?:[\"'`])?\s{0,3}[:=]\s{0,3}[\"'`](?P<s>[^\"'`\n\[\]<>]{12,200})[\"'`]",
        False,
    ),
    ("password", rf"{NAME} (?i:is|was|to|=){{1,2}}:? {{0,3}}(?:{QUOTE})?(?P<s>{BARE}{{8,200}})", True),
    ("password", r"\s-u\s{1,3}(?:[\"'])?[A-Za-z0-9_.@\-]{1,60}:(?P<s>[^\s'\"\[\]<>$@/]{6,200})", True),
)
