"""The words by which people tell an agent what lasts, and by which they tell it what does not.

Tables only, a row per kind of cue, so that a language is added by adding to rows. Patterns are matched on one
sentence with its quotes masked and its apostrophes dropped ("dont", "its"), ignoring case.
English first; the others hold the common cues. Engine 1, imports nothing of the house.
"""

import re
from collections.abc import Iterable


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


# ------------------------------------------------------------------ what lasts
STANDING = _any(
    (
        r"\b(always|never|from now on|from here on|going forward|in (the )?future|by default|no exceptions?)\b",
        (
            r"\b(every|each|all|any)( of the| the)?( new| single)? [\w./-]+s?\b.*?"
            r"\b(gets?|needs?|must|has to|have to|starts?|ships?|go(es)?|uses?|lives?|requires?|is|are|needs)\b"
        ),
        r"\b(on|in|for|of) every\b|\bevery time\b|\beverywhere\b|\bin all my projects\b",
        r"\bi (really |strongly |always )?(prefer|hate|dislike|cant stand)\b",
        r"\bprefer\b.{0,60}\b(to|over)\b",
        r"^(please )?(dont|do not|avoid|stop) (?!(bother|worry|mind|know)\b)\w+",
        r"(, |; )(dont|do not|never|avoid) (?!(bother|worry|mind|know)\b)\w+",
        r"\bso (no|dont|never)\b",
        r"^no (?!(idea|problem|worries|need|thanks|way|one|luck|rush|clue)\b)[\w-]+",
        r"(, |; )no (?!(idea|problem|worries|need|thanks|way|one|luck|rush|clue)\b)[\w-]+",
        r"^(please )?(use|keep|put|write|make sure|run|prefer|stick to)\b.{2,80}\b(instead of|rather than|not)\b",
        r"\b(must|mandatory|required|not optional|isnt optional|are optional never)\b",
        r"(?<!\bi )\b(has|have|needs?) to (be|stay|go|have|use|land|pass|come)\b",
        r"\bthe only (\w+ )?(way|place|one|thing|supported)\b",
        r"\b(or|otherwise|else) (the |our )?[\w-]+( [\w-]+)? (blocks?|rejects?|refuses?|fails?|breaks?|chokes?)\b",
        r"\b(bot|hook|ci|linter|pipeline|controller|gate) (blocks|rejects|refuses)\b",
        r"\b(accepted|allowed|supported|permitted)( in)? here\b|\bonly \w+ is (accepted|allowed|supported)\b",
        r"\bleave .{2,40} alone\b|\bhands off\b",
        r"\ba human (does|applies|merges|decides)\b|\bnot? \w+, no \w+\b",
        (
            r"\b(headings?|titles?|names?|messages?|texts?|commits?|comments?|branches|docs|tests?|prs?)\b.{0,30}"
            r"\b(in|start with|begin with|go through|go in|go into)\b.{2,60}\b(as well|always|not|case|bracket|own)"
        ),
        r"\b(go|goes|come|comes|is generated|are generated|gets generated) (through|by|from) \S+",
        r"\bone thing about (your|the) \w+|\b(in general|generally|as a rule|usually)\b",
        # deutsch
        r"\b(immer|nie|niemals|ab jetzt|ab sofort|künftig|in zukunft|grundsätzlich|finger weg|muss sein)\b",
        r"\b(bleiben|bleibt) (aber |wie |auf |immer )|\bauf (deutsch|englisch) bitte\b|\bbitte (nur|kein\w*|nicht)\b",
        r"\b(zeig|gib|schick)\b.{0,20}\bnur\b|\bstatt(dessen)?\b|\bgilt (pro|für|nur)\b",
        # español
        r"\b(siempre|nunca|jamás|a partir de ahora|de ahora en adelante|aquí todo|en vez de|prefiero)\b",
        r"\bno lo (metas|uses|pongas|toques)\b|\btodo(s)? (va|van|a|con)\b",
        # français
        r"\b(toujours|jamais|à partir de maintenant|désormais|dorénavant|je préfère|plutôt que)\b",
        r"\b(chaque|tout|toute|toutes|tous) [\w' ]{2,40}\b(doit|doivent|a|ont)\b|\b(zero|zéro) \w+|\bpas de \S+",
        r"\b(tutoie|vouvoie|vouvoiement)\b",
        # português
        r"\b(sempre|nunca|a partir de agora|daqui pra frente|em vez de|sem exceç[aã]o|prefiro)\b",
        r"\b(todo|toda|todos|todas|qualquer)\b.{2,40}\b(leva|precisa|tem que|deve|roda)\b|\baqui s[aã]o em\b",
        # 中文
        r"别(?!的|人)|不要(?!紧)|以后|从现在起|统一用|必须|总是|一律|永远|要用|请用|写(中文|英文)|格式",
        # 日本語
        r"じゃなくて|ではなく|いつも.*して|必ず|しないで|やめて|今後|英語にして|日本語にして|でお願い|で揃えて|を使う(?!か)|は禁止",
    )
)

SHIFT = _any(
    (
        r"\bwe(ve| have)? (just )?(dropped|killed|switched|replaced|swapped|retired|migrated|moved|renamed|ditched|left)\b",
        r"\b(is|are|got) (gone|dead|retired|deprecated)\b|\bits (all )?[\w .-]{2,30} now\b|\bno longer\b|\banymore\b",
        r"^(oh )?(i )?(moved|switched|renamed|changed|bumped) [\w ]{2,30} (to|from)\b",
        r"现在是|改成|改了|に変わ|heißt jetzt|ist jetzt|ahora es|subimos|agora é|mudamos|maintenant c'est|est passé à",
    )
)

HOUSE = _any(
    (
        r"\bwe (keep|use|run|stay|have (to|a|an|no|only)|require|sign|ship|deploy|target|write|call|store|pin|do|say|always|never)\b",
        r"\b(our|ours)\b.{0,30}\b(is|are|runs?|lives?|uses?|starts?|ends?)\b",
        r"\b(in here|in this (repo|codebase|project|house)|around here)\b",
        r"\b(is|are|it is|its) [\w`@.-]{2,30},? (and )?not [\w`@.-]+",
        r"\b(listens? on|lives? in|stays? (at|in|on)|runs? (from )?\w+ to|are stored in|is stored in|is called)\b",
        r"\b(env var|port|base|default branch|time ?zone|fiscal year|encoding|license)\b.{0,20}\b(is|are)\b",
        r"\bcannot leave\b|\bthe contract says\b|\bby contract\b",
        r"\b(value|tag|id|name) for our\b|\bis what (the )?(ci|pipeline|bot)\b|\bthe gate in ci\b",
        r"\bonly (if|after|when)\b",
        r"\bdont count\b|\bor (its|theyre) (a bug|wrong)\b|\bits a bug\b",
        r"\b(was|were) (swapped|replaced|recalibrated|off by)\b",
        r"\b(is|are|lives?|sits?) (defined |set |pinned )?in `?[\w/]*\.[\w/.-]*\w",
        r"\b(assumes?|expects?|rel(y|ies) on|depends? on|parses?|diffs?|sorts?) (that|it|this|our|the|by)\b",
    )
)

DECISION = _any(
    (
        r"\b(settled|decided|agreed|final decision|closing the .* debate|were going with|we go with)\b",
        r"\bit is, not\b|\bthen,? (because|since)\b|^then \w+ .* to \w+",
        r"\b(looked at|rejected|ruled out|tried)\b.{2,60}\b(too|but|because)\b",
        r"^because\b.{8,}",
        r"\b(already )?agreed with\b|\bacordamos\b|\bbeschlossen\b|\bon a décidé\b|\bdecidimos\b|决定|に決め",
    )
)

PERSON = _any(
    (
        r"\bim (an? |new to |not a |in \w+ so\b|based in |colou?r|dyslexic|blind|deaf)",
        r"\bi am (an? |new to )|\bmy (time ?zone|background|job|role|pronouns) (is|are)\b",
        r"\bi use a (screen|braille)|\b(dyslexic|dyslexia|colou?r.?blind|visually impaired)\b",
        r"\blooks? the same to me\b|\bby training\b|\bso you (know|dont overexplain)\b",
        r"\bich bin (ein|kein|neu)|\bsoy (un|una|nuevo|nueva|nov)|\bje suis (un|une|nouveau)|\bsou \w+|\bvim de\b",
        r"我是(一?个|做)|私は.{1,20}です",
    )
)

# How the person wants to be talked to: that holds in every project.
TALK = _any(
    (
        r"\b(answers?|replies|explanations?|responses?|summar(y|ies))\b.{0,40}\b(short|brief|bullets?|lines?|in \w+)\b",
        r"\b(explain|spell)\b.{0,60}\b(out|why|lines?|first)\b|\bfor (me|my eyes)\b",
        r"\b(is|are) .{0,20}\b(to me|for me)\b|\bi (prefer|hate|dislike)\b",
        r"\bauf (deutsch|englisch) bitte\b|\bzeig mir\b.{0,20}\bnur\b|\bexplica\b|\b(antworte|réponds|responde)\b",
        r"説明は|要約|用中文回答",
    )
)

WEAK = _any(
    (
        r"^(btw|also|fyi|heads up|remember|note|one thing|context|for the record|by the way|aliás|übrigens|ah et|au fait)\b",
        r"\bonly\b|\bhere\b|\bnot\b|\bfirst\b",
        r"\b(third time|like \w+ times|told you|i (have )?said|ive said|last time|once|again|never again)\b",
        r"\bbecause\b|\bsince\b|\bso that\b|\botherwise\b|\bweil\b|\bporque\b|\bpq\b|\bparce\b|\bsonst\b|\bsen[aã]o\b",
        r"\byou (put|wrote|forgot|used|added|changed|left|made|broke|do)\b",
        r"^run \w+ (with|w/|through|via) |\bthe same reason\b|\bsame (reason|rule|story) as\b|\btoo\b",
    )
)

# ------------------------------------------------------------------ what does not last
QUESTION = _any(
    (
        r"[?？]\s*$|[?？]!?\s*$",
        (
            r"^(hm+,? |so |and |ok |but )*(what|whats|whos|who|why|how|hows|where|when did|which|is|are|do|does|did|should|shall|would|"
            r"could|can|may|has|have we|am i|remind me|wdyt|any)\b(?! you)(?!.*[.!]$)"
        ),
        r"\bwhat do you think\b|\bwdyt\b|\bworth it\b|ってどう|かな|どう思う|吗$|呢$|要不要|随便聊",
    )
)
REQUEST = re.compile(
    r"^(hm+,? |hey,? |ok,? |so )*(can|could|would|will) (you|u)( please| pls)? (?!explain\b)", re.IGNORECASE
)

HYPOTHETICAL = _any(
    (
        r"\bwhat if\b|\bwhat would happen\b|\bimagine\b|\bmaybe\b|\bsomeday\b|\bone day\b|\bat some point\b|\bperhaps\b",
        r"\bwould it\b|\bcould we\b|\bshould we\b|\bin theory\b|\bjust (wondering|thinking|an idea)\b|\blater maybe\b|\bnot sure\b",
        r"\bwas wäre\b|\bkönnte man\b|\bvielleicht\b|\by si\b|\bet si\b|\be se (a gente|n[oó]s)\b|\bimagina\b|\bum dia\b|\bun jour\b",
        r"\btalvez\b|\bquizás?\b|\bpeut-être\b|也许|如果.*会|just thinking|たら.*どう|もし",
    )
)
ONE_OFF = _any(
    (
        r"\bjust (this|for) (once|this|now|the)\b|\bthis (one )?time\b|\bthis once\b|\bonly (this|once|there|today)\b|\bonly for fun\b",
        r"\bfor (now|today|tonight|this|the moment|the time being|once|the demo|the screenshot)\b|\brevert after\b|\buntil tomorrow\b",
        r"\b(only|just) for (my|fun|a)\b|\bthis one time\b|\bim on branch\b|\bscratch\b|\b(put|set|turn|change) it back\b|\bcuriosity\b",
        r"\b(heute|gerade eben|vorübergehend|erst ?mal|fürs erste|hoy|aujourdhui|hoje|por esta vez|temporal(mente)?|provisoirement)\b",
        r"先临时|临时|等会儿|今天|今日は|一旦|仮に",
        r"\b(today|tonight|right now|rn|currently|(?<!time )this week|at the moment)\b|\btemporar(y|ily)\b|\bone.off\b|\bthe same hack\b",
        r"\b(nur|bloß) (diesmal|heute|jetzt|dieses mal)\b|\bausnahmsweise\b|\bsolo (esta vez|hoy|en esa|en este)\b|\bpor ahora\b",
        r"\bjuste? (cette fois|pour)\b|\bpour l'instant\b|\bsó (dessa|desta|hoje|por)\b|\bpor enquanto\b",
        r"这次|这一次|暂时|今回だけ|とりあえず|今だけ",
    )
)
SARCASM = _any(
    (
        r"\boh sure\b|\bsure, (lets|let us)\b|\bwhat could go wrong\b|\bmy favou?rite\b|\bim so glad (the|that|my)\b|\byay,? another\b",
        r"\b(just|exactly) what i (always )?(wanted|needed)\b|\bgreat for \w+$|\blove it when\b|\bthanks a lot for\b|/s$",
        r"\bganz toll\b|\bimmer wünsche\b|\bqué bien que\b|\bgénial, encore\b|\bque maravilha\b|真是太好了",
    )
)
NOT_MEANT = _any(
    (
        r"\blol\b|\bkkk+\b|\bhaha\b|\bignore (it|that|this)\b|\bnever ?mind\b|\bi didnt say\b|\bno idea where\b|\boutdated\b",
        r"^(leave|skip|drop|forget) (it|that|then)\b|\bdont bother\b|\bwas just\b|\byou know the drill\b|\bdont worry\b",
    )
)
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
CONDITION = _any(
    (
        r"^(only )?(when|whenever|if|before|after|once)\b.{3,60}?[:,]",
        r"^only after\b",
        r"^(wenn|falls|bevor|cuando|si|antes de|quand|avant de|quando|se|当|如果)\b",
    )
)
STEP = _any(
    (
        r"\b(then|after that|afterwards|next|finally|before that)\b|\b(first|firstly)\b|->|→|=>",
        r"\b(dann|danach|zuerst|anschließend|luego|después|primero|puis|ensuite|d'abord|depois|primeiro)\b|然后|再|最后|次に|それから",
    )
)
REFUSED = re.compile(
    r"doesn't want to (proceed|take this action)|tool use was rejected|rejected by (the )?user|user (denied|declined|rejected)"
    r"|aborted by user|request interrupted by user",
    re.IGNORECASE,
)
