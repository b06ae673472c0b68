"""What a sentence declares past: the names that lines in memory may no longer recommend.

Signal family of `wishes`. Engine 1.
"""

import re

from slowwave.dream import lexicon

_NAME = r"([\w`@./-]{2,})"
_GONE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:dropped|killed|retired|ditched|replaced|switched from|(?:moved|migrated)(?: away)? from|moved off|no more|instead of)\s+(?:the )?{_NAME}",
        rf"{_NAME}\s+(?:is|are|got|was)\s+(?:gone|dead|retired|deprecated|history)\b",
        r"([\w`@./-]*\d[\w`@./-]*)\s+\w+\s+(?:is|are|got|was)\s+(?:gone|dead|retired|deprecated)\b",
        r"\b(?:swapped|replaced)\s+(?:all |the |our )*(\w{2,}?)s?\s+(?:for|by|with)\b",
        rf"\b(?:scrap|forget|drop|cancel)(?:ped|led)? (?:the |that |our |about )*{_NAME} (?:rule|convention|policy|requirement|thing|idea|limit|check|ban)s?\b",
        rf"\bwhat i said about (?:the )?{_NAME}|\b(?:stopped using|abandoned|decommissioned|sunset) (?:the )?{_NAME}",
        rf"\bno longer (?:use|need|run|have|support|write|ship|deploy|host)?\w* ?(?:on |in |to |at |with )?(?:the )?{_NAME}|{_NAME} (?:is|are) no longer (?:used|needed|supported|there|around)\b",
        rf"\b(?:isnt|arent|dont|doesnt|not) (?:\w+ )?(?:on |in |at |with |using )?{_NAME} any ?more\b|{_NAME} (?:was|has been|got) (?:renamed|replaced|superseded|removed|decommissioned)\b",
        rf"\b(?:streich|vergiss)\w* (?:die|den|das) {_NAME}[- ](?:regel|vorgabe|konvention)|\boublie la règle (?:des? |du |sur (?:les? |la )?){_NAME}",
        rf"\bolvida la regla de (?:l[oa]s? |el )?{_NAME}|\besquece a regra d[aeo]s? {_NAME}|\bne? ?\w+ plus (?:de |d|le |la )?{_NAME}",
        rf"\b(?:statt|kein|anstelle von)\s+(\w{{2,}})\s+mehr\b|\bvon {_NAME} (?:auf|zu) \w+ (?:umgestellt|gewechselt|umgezogen)|{_NAME} (?:ist (?:weg|abgeschafft|tot)|gibt es nicht mehr)",
        rf"\b(\w+) (?:lo cerramos|cerramos|está cerrado)|(?:dejamos|quitamos|ya no (?:usamos|hay)) {_NAME}|(?:pasamos|migramos) de {_NAME} a\b",
        rf"\b(\w+) est mort\b|on a (?:quitté|abandonné|remplacé|viré) {_NAME}|(?:on est passé|passés?) de {_NAME} à\b|plus de {_NAME}",
        rf"(?:largamos|trocamos|tiramos|não (?:usamos|tem) mais)(?: o| a)? {_NAME}|(?:mudamos|migramos) d[oe] {_NAME} pr?[ao]\b",
        r"(?:不再用|不用|弃用|停用)\s?([\w@./-]{2,})|从\s?([\w@./-]{2,})\s?(?:换成|迁到|改成)",
        r"([\w@./-]{2,})\s?(?:は(?:もう)?(?:使わない|書かない|やめ|廃止)|から.{1,12}に(?:移行|変更|変わ))",
    )
)
_NO_NAMES = frozenset(
    {
        "it",
        "that",
        "this",
        "the",
        "to",
        "our",
        "all",
        "them",
        "those",
        "one",
        "folder",
        "file",
        "server",
        "database",
        "branch",
        "repo",
        "rule",
        "service",
        "job",
        "table",
        "box",
        "team",
        "build",
        "port",
        "script",
    }
)


def gone(plain: str) -> tuple[str, ...]:
    """The names that a sentence says are no longer so."""
    if not lexicon.has(plain, "changed"):
        return ()
    names = [next(filter(None, m.groups())).strip("`.").lower() for p in _GONE for m in p.finditer(plain)]
    return tuple(n for n in dict.fromkeys(names) if n not in _NO_NAMES)
