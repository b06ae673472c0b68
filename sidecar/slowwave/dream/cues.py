"""The words by which people tell an agent what lasts, and by which they tell it what does not.

Tables only, a row per kind of cue, so that a language is added by adding to rows. Patterns are matched on one
sentence with its quotes masked and its apostrophes dropped ("dont", "its"), ignoring case.
English first; the others hold the common cues. Engine 1, imports nothing of the house.
"""

import re
from collections.abc import Iterable


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


SECRET = _any(
    (
        r"\[redacted:",
        r"\b(password|passwd|passphrase|api ?key|app ?secret|secret|creds|credentials|bearer|private key)\b",
        r"contrase(ñ|n)a|\bsenha\b|mot de passe|\bjeton\b|\w*passwort\b|\bkennwort\b|zugangsdaten|密码|口令|密钥|パスワード|秘密鍵",
        r"\b(?=[a-z]*\d)(?=\d*[a-z])[0-9a-f]{24,}\b|(?-i:\b(?=\w*[a-z])(?=\w*[A-Z]\w*[A-Z])(?=\w*\d)[A-Za-z0-9]{12,}\b)",
        r"\b(token|key|clef|chave|schlüssel)\b.{0,40}(:|\bis\b|\bif you need\b|\bhere\b|これ|放这里)",
        r"://[^\s/:]+:[^\s@]+@",
        r"\b(?=[\w-]*[0-9])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{20,}\b",
    )
)
REPORTED = _any(
    (
        r"\b(says?|said|wrote|writes|claims?|told|comment|issue|email|e-mail|runbook|guide|datasheet|readme|stackoverflow|according to)\b",
        r"\b(falou|disse|mandou|dice|dijo|sagt|schreibt|steht|dit|écrit)\b|说|言って|書いて",
    )
)
AIMED_AT_AGENTS = _any(
    (
        r"\b(ai|llm|coding) (agents?|assistants?|models?)\b|\bignore (all|any|the|previous|prior)\b.{0,20}instructions\b",
        r"\bnote to (ai|agents?)\b|\bsystem prompt\b|\byou are now\b|\bcurl\b.*\|\s*(ba|z)?sh\b|\bwget\b.*\|\s*(ba|z)?sh\b",
    )
)
REFUSED = re.compile(
    r"doesn't want to (proceed|take this action)|tool use was rejected|rejected by (the )?user|user (denied|declined|rejected)"
    r"|aborted by user|request interrupted by user",
    re.IGNORECASE,
)
