"""What a text must hold before a rule of `written` or `spoken` can find anything in it.

The rules are exact and slow together, and almost no text holds a secret. So `redact` asks three cheap questions
first. Each pattern here is the beginning of a rule, or a part every match of it has, never more: a text that does
not match cannot match the rule, so asking first changes nothing but the time. Patterns only.
"""

from slowwave.transcripts.spoken import HINT, SAYING
from slowwave.transcripts.written import ASSIGN, BARE, NAME, QUOTE, SUFFIX

_VALUES = (
    r"PRIVATE KEY|A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_"
    r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-|xox[abcdeoprs]-|xapp-|hooks\.slack|[sr]k_(?:live|test)_|whsec_"
    r"|\bsk-[A-Za-z0-9]|AIza|ya29\.|GOCSPX-|npm_[A-Za-z0-9]{36}|pypi-AgE|eyJ[A-Za-z0-9_\-]{10}|[0-9]{8}:AA"
    r"|SG\.[A-Za-z0-9_\-]{22}|SK[0-9a-f]{32}|hf_[A-Za-z0-9]{34}|do[opr]_v1_|AGE-SECRET-KEY|gsk_[A-Za-z0-9]{40}"
    r"|xai-[A-Za-z0-9]{60}|dapi[a-f0-9]{32}|lin_api_|hv[sbr]\.|NNSXS\.|shp(?:at|ca|pa|ss)_"
)
# In the order of `written.CONTEXTS`.
CONTEXTS = (
    r"://[^\s:/@'\"\[\]]{0,80}:[^\s/@'\"\[\]<>${}]{3}",
    r"(?i:authorization)",
    r"(?i:bearer)\s",
    rf"{NAME}{SUFFIX}(?:{QUOTE})?{ASSIGN}{QUOTE}[^\s'\"`\\\[\]<>]{{6}}",
    rf"{NAME}{SUFFIX}{ASSIGN}{BARE}{{8}}",
    rf"-[A-Za-z0-9_.\-]*{NAME}{SUFFIX}[ =]",
    r"(?i:passphrase)(?:[\"'`])?\s{0,3}[:=]",
    rf"{NAME} (?i:is|was|to|=){{1,2}}:? {{0,3}}(?:{QUOTE})?{BARE}{{8}}",
    r"\s-u\s{1,3}(?:[\"'])?[A-Za-z0-9_.@\-]{1,60}:",
)
_SAYING = (
    SAYING,
    r"(?i:signtool|sshpass|keytool|jarsigner|mysql|redis-cli|psexec)",
    r"A(?:KIA|SIA)[A-Z2-7]{16}",
    r"(?:tok|pat|key|secret|api|auth|pass|cred)[a-z]{0,6}[_-][A-Za-z0-9]{20}",
)

# Anything at all; something a machine wrote; something a person said.
ANY = rf"{_VALUES}|{NAME}|(?i:authorization|bearer)|://|\s-u\s|{HINT}"
WRITTEN = "|".join(f"(?:{p})" for p in (_VALUES, *CONTEXTS))
SAID = "|".join(f"(?:{p})" for p in _SAYING)
