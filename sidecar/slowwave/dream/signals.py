"""Classes of words by which a sentence shows that it lasts, or that it does not; one row per language.

A class is a notion (obligation, generality, contrast, reason, habit …), never a sentence that was once seen, so a
language is added by adding rows. Patterns are matched as `cues` are: on one sentence with its quotes masked and
its apostrophes dropped, ignoring case. `weights` says what each class counts. Engine 1, imports nothing of the house.
"""

import re

CLASSES: dict[str, dict[str, str]] = {
    "must": {
        "en": r"\b(must|mustnt|has to|(?<!i )have to|needs? to|gotta|required?|mandatory|supposed to|ought to|ought|"
        r"should(nt)?|needs|wants? (?=to be|two|three))\b",
        "de": r"\b(muss|müssen|müsst|soll|sollen|sollten?|gehört|gehören|dürfen|darf|zwingend|pflicht)\b",
        "es": r"\b(debe[ns]?|debemos|hay que|tienen? que|tenemos que|obligatori[oa]|se (usan?|hacen?|ponen?|escriben?))\b",
        "fr": r"\b(doit|doivent|il faut|faut|obligatoires?|impérati\w+)\b",
        "pt": r"\b(deve[m]?|tem que|têm que|tem de|precisam?|obrigatóri[oa]s?|é preciso)\b",
        "zh": r"必须|须|需要|应该|应当|一定要|务必|(?<![不需重主只])要(?!不|么|是|求|去)",
        "ja": r"べき|ください|下さい|なければ|なきゃ|必須|約束|ルール|にして|載せて|付けて|つけて|でお願い|頼む|ようにし|てね",
    },
    "forbid": {
        "en": r"\b(never|not allowed|forbidden|banned|off limits|nobody|no one|nothing|none|avoid|may not|must ?not|cannot|"
        r"cant|without|except)\b|(?<!i )\b(dont|do not)\b|^no (?!(idea|problem|worries|need|thanks|way|luck|rush|clue)\b)\w+",
        "de": r"\b(kein\w*|nie|niemals|verboten|ohne|nix|finger weg|nicht mehr)\b",
        "es": r"\b(nunca|jamás|nada de|prohibid\w+|ningun\w*|sin|que no pase)\b",
        "fr": r"\b(jamais|pas de|aucune?|interdit\w*|éviter?|rien|sans|nutilise\w*)\b",
        "pt": r"\b(nunca|jamais|nada de|proibid\w+|nenhum\w*|sem|não pode)\b",
        "zh": r"不要|别(?!的|人)|不能|不许|不得|禁止|不准|不用|不可|绝不|不给|不超过|超过",
        "ja": r"しない|やめて|ないで|禁止|ダメ|だめ|書かない|使わない",
    },
    "always": {
        "en": r"\b(always|every time|each time|from (now|here) on|in (the )?future|going forward|by default|as a rule|"
        r"in general|generally|usually|normally|next time|at all times|(keep|stay) (it )?(that|this) way|no exceptions?)\b",
        "de": r"\b(immer(?! noch)|stets|grundsätzlich|ab (jetzt|sofort)|künftig|in zukunft|generell|normalerweise|jedes mal)\b",
        "es": r"\b(siempre|a partir de ahora|en adelante|por defecto|en general|normalmente|cada vez|y punto)\b",
        "fr": r"\b(toujours|désormais|dorénavant|à partir de maintenant|par défaut|en général|systématiquement)\b",
        "pt": r"\b(sempre|a partir de agora|daqui pra frente|por padrão|em geral|normalmente|toda vez|sem exceção)\b",
        "zh": r"总是|永远|以后|今后|从现在起|一律|统一|每次|默认|始终|也是一样|都(?=[要用是得不写放])",
        "ja": r"いつも|必ず|常に|今後|これから|毎回|原則|絶対|他も同じ",
    },
    "every": {
        "en": r"\b(every|each|any|all|whenever|everything|everywhere|anything|anywhere|whatever|wherever|whenever)\b",
        "de": r"\b(jede[rsnm]?|alle[sn]?|überall|sämtliche)\b",
        "es": r"\b(cada|tod[oa]s?|cualquier)\b",
        "fr": r"\b(chaque|tout|toutes?|tous|partout)\b",
        "pt": r"\b(cada|tod[oa]s?|qualquer)\b",
        "zh": r"所有|任何|凡是|全部|各",
        "ja": r"すべて|全て|全部|どの",
    },
    "habit": {
        "en": r"\bwe (?!(should|could|can|might|may|had|were|need|want|just|try|wait|do|did|are|saw)\b)\w+|\b(our|ours|with us)\b"
        r"|\bi (like|want|prefer|hate|talk|always|only|read) ",
        "de": r"\b(wir|bei uns|unser\w*|benutzt|man)\b",
        "es": r"\b(usamos|hacemos|tenemos|hago|nuestr[oa]s?|nos quedamos|aquí)\b",
        "fr": r"\b(on (?!regarde|peut|pourrait)\w+|chez nous|notre|nos|nous)\b",
        "pt": r"\b(a gente|usamos|fazemos|temos|noss[oa]s?|aqui|lá é|responde)\b",
        "zh": r"我们|咱们|我(?=手机|习惯|喜欢)|流程|规矩",
        "ja": r"うち|このリポジトリ|このプロジェクト|手順|経理|本番",
    },
    "state": {
        "en": r"\b(is|are|isnt|arent|lives?|goes|go|comes?|runs?|stays?|belongs?|uses?|means|expects?|takes|accepts?|counts?|"
        r"listens?|holds?|keeps?|owns?|assumes?|stored?|called|settings?|converts?|reads?|looks after)\b",
        "de": r"\b(ist|sind|heißt|liegt|läuft|gehört|gilt|steht|rechnet|bleib(t|en)|machen|haben)\b",
        "es": r"\b(es|son|está|van?|usan?|tiene|queda|lleva|se llama|cerramos)\b",
        "fr": r"\b(est|sont|passe|reste|gère|demande|utilise|va|tu les? mets)\b",
        "pt": r"\b(é|são|está|fic(a|am|uem)|vai|usa|tem|roda|mora|vence|decide|guarda)\b",
        "zh": r"是|在|叫|放|走|归|给|写|用",
        "ja": r"です|だから|に変わ|使う|ある|送る|は",
    },
    "instead": {
        "en": r"\binstead( of)?\b|\brather than\b|\bas opposed to\b|, not \w|\band not \w|\bnot \w+[,;] (but )?\w|\bnot (spaces|tabs)\b"
        r"|\bother (sender|way)\b",
        "de": r"\b(statt(dessen)?|anstatt|anstelle|sondern|lieber)\b|, nicht\b",
        "es": r"\b(en vez de|en lugar de|sino|mejor)\b|, no \w",
        "fr": r"\b(plutôt que?|plutôt|au lieu d\w*)\b|, pas (de|du|l)",
        "pt": r"\b(em vez d\w+|no lugar d\w+|ao invés|e nada de)\b|, não \w",
        "zh": r"而不是|不是|代替|，不用|别用|而非|先.*再",
        "ja": r"じゃなくて|ではなく|でなく|代わりに",
    },
    "only": {
        "en": r"\b(only|solely|exclusively|nothing but|nowhere else|the one)\b",
        "de": r"\b(nur|ausschließlich|einzig)\b",
        "es": r"\b(sól?o|solo|únicamente|y punto)\b",
        "fr": r"\b(seulement|uniquement|seule?s?)\b",
        "pt": r"\b(só|somente|apenas)\b",
        "zh": r"只(?!是)|才|就行",
        "ja": r"だけ|のみ|しか",
    },
    "reason": {
        "en": r"\b(because|since|so that|otherwise|or else|hence|so \w+ (can|dont|do|doesnt|must)|or (it|they|we))\b|, so \w",
        "de": r"\b(weil|denn|sonst|damit|deshalb|wegen|da (das|die|der|wir))\b",
        "es": r"\b(porque|ya que|pues|si no)\b|, que (se|no|luego|escribe)\b",
        "fr": r"\b(parce qu\w+|car|sinon|puisque|pour qu\w*|vu qu\w+|cest pour)\b",
        "pt": r"\b(porque|pois|senão|pq|já que|por isso)\b|, que\b",
        "zh": r"因为|否则|不然|所以|以免|就乱|会自己",
        "ja": r"から|ので|ため|だと|じゃないと",
    },
    "harm": {
        "en": r"\b(broke|breaks?|crashed|burn(t|ed)|bricked|lost|flag(s|ged)?|caused|scare|drama|bit us|falls? over|blocks?|rejects?|"
        r"refuses?|chokes?|ruins?|clash(es|ed)|leaks?|contaminate|uninstall|the books are off|differ|nobody remembers)\b",
        "de": r"\b(kaputt|knallt|verloren|bricht|ärger|gekracht)\b",
        "es": r"\b(se rompe|se pierden?|comen?|sufrimos|falla|tira lo)\b",
        "fr": r"\b(casse|plante|perdu|perd)\b",
        "pt": r"\b(derrubou|quebra|quebrou|perdeu|deu problema)\b",
        "zh": r"事故|出过|就乱|不给传|崩",
        "ja": r"飛ぶ|落ちる|壊れ|困る",
    },
    "chose": {
        "en": r"\b(went with|go(ing)? with|settled|decided|chose|chosen|agreed|picked|opted|stays|we considered|the math)\b",
        "de": r"\b(festgelegt|entschieden|beschlossen|geeinigt|gewählt|vereinbart)\b",
        "es": r"\b(nos quedamos con|decidimos|elegimos|acordamos|optamos|hemos decidido)\b",
        "fr": r"\b(on a (choisi|décidé|retenu)|on part sur|choisi|tranché)\b",
        "pt": r"\b(escolhemos|decidimos|optamos|ficamos com|combinamos)\b",
        "zh": r"定了|决定|选了|选用|说好",
        "ja": r"選んだ|決め|採用|にした",
    },
    "changed": {
        "en": r"\b(now|no longer|anymore|gone|moved|switched|swapped|replaced|renamed|called \w+ now|retired|legacy)\b",
        "de": r"\b(jetzt|inzwischen|umgestellt|umgezogen|abgeschafft)\b",
        "es": r"\b(ahora es|cambiamos|cerramos|pasamos a|ya no)\b",
        "fr": r"\b(maintenant|est passé|remplacé|ne .* plus)\b",
        "pt": r"\b(agora é|mudamos|mudou|trocamos)\b",
        "zh": r"现在是|改成了|改了|换成",
        "ja": r"に変わ|になった|もう",
    },
    "role": {
        "en": r"\b((he|she|they)s? (is |are )?(the )?(only|owns?|has|have|handles?|decides?|looks?|runs?|keeps?|manages?|leads?|gives?)|"
        r"owns (the|our)|lead author|final say|coauthors?|keeps the|looks after|is the one|is back from|past (him|her))\b",
        "de": r"\b(herr|frau) \w+|\b(zuständig|verantwortlich|absegnen|abnicken|okay|kollegin|kollege)\b",
        "es": r"\b(ell[ao] (nos|es|decide|lleva)|encargad[oa]|lleva (los|las|el|la)|se encarga)\b",
        "fr": r"\bqui (gère|soccupe|valide|décide)\b|\bresponsable\b",
        "pt": r"\b(é (ela|ele) quem|responsável|cuida d\w|pediu que)\b",
        "zh": r"负责|管\S{1,6}的|权限|是我们",
        "ja": r"さん|担当",
    },
    "replies": {
        "en": r"\b(answers?|replies|reply|responses?|results|explanations?|diagnosis|wording|labels?|comments|guess)\b",
        "de": r"\b(antworte?n?|duz\w*|siez\w*|fass dich|kürzer|kurz halten)\b",
        "es": r"\b(respond\w+|contesta\w*|tutea\w*)\b",
        "fr": r"\b(répon\w+|tutoie\w*|docstrings?|explique\w*)\b",
        "pt": r"\b(responde\w*|resposta|emojis?)\b",
        "zh": r"回答|回复|结论|提交信息",
        "ja": r"返事|回答|説明|本文",
    },
    "works": {
        "en": r"\b(tests?|prs?|commits?|branch(es)?|comments?|docs|code|headings?|names?|dates?|seeds?|plots?|strings?|notebooks|entities|"
        r"settings|queue|partition|queries|migrations?|writes|numbers?|split|config|net)\b",
        "de": r"\b(commit-?\w*|tests?|validierung|controller|export\w*|migrationen|texte?)\b",
        "es": r"\b(commits?|placas?|mensajes?|pruebas|broker|rutas)\b",
        "fr": r"\b(commits?|docstrings?|code|tests?|état|messages?)\b",
        "pt": r"\b(commits?|rotas?|horários|nomes|testes?|banco|crate)\b",
        "zh": r"代码|提交|样式|图片|后端|接口|测试",
        "ja": r"コード|コメント|PR|出力先|列",
    },
}  # fmt: skip

_ADDRESSED_BY_WORK: dict[str, str] = {
    "en": r"add|fix|show|run|rename|create|build|deploy|look|check|find|try|revert|delete|remove|update|change|commit|push|merge|open|"
    r"see|rerun|fetch|list|print|bump|cut|install|profile|describe|write|make|read|test|plot|submit|prepare|translate|explain|flash|"
    r"roll out|send|next|then|let me|let'?s|lets|can (you|u)|could you|would you|please would you|where|now|where|what|good|fine",
    "de": r"guck|schau|bau|mach|zeig|hol|probier|prüf|lösch|füg|starte|teste|such|zieh|dann|hm",
    "es": r"añade|mira|sube|arregla|haz|quita|prueba|busca|muestra|borra|consulta|revisa|mientras|será",
    "fr": r"ajoute|regarde|fais|corrige|montre|lance|essaie|essaye|demande|pousse|vérifie|cherche|supprime|déploie",
    "pt": r"adiciona|olha|faz|cria|roda|mostra|arruma|tenta|verifica|apaga|agora|cadê",
}
_ADDRESSED_IN_SIGNS = r"^(帮|看|改成|加|写一下|跑|查|试|顺手|先临时)|(写|看)一下|看下$|(作って|直して|見て|見せて|させて|教えて|入れて)$"

PATTERNS: dict[str, re.Pattern[str]] = {
    name: re.compile("|".join(f"(?:{p})" for p in rows.values()), re.IGNORECASE)
    for name, rows in CLASSES.items()
}
PATTERNS["errand"] = re.compile(
    rf"^(?:{'|'.join(_ADDRESSED_BY_WORK.values())})\b|{_ADDRESSED_IN_SIGNS}", re.IGNORECASE
)
PATTERNS["rejects"] = re.compile(
    r"^(?:(?:wait|hey|euh|opa|finally|hmm?|ugh)[ ,.]*)*(?:what )?(?:(?:no|nope|nah|wrong|nein|halt|non|não|nono)\b|不对|不是|违う|違う|え、)"
    r"|^(?:who asked|why did you|why is|thats not|undo|revert|not like)\b"
    r"|\b(?:you|u) (?:left|put|turned|made|used|added|wrote|changed|forgot)\b|\b(?:vous avez|tu as|has puesto|colocou|hast du)\b|我说了|你写",
    re.IGNORECASE,
)
PATTERNS["value"] = re.compile(
    r"`[^`]+`|\b\d[\d.,:]*\s?[a-zA-Z%]*\b|\b\w+[_/.=@-]\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\b|@\w+"
)
PATTERNS["symptom"] = re.compile(
    r"\b(dead|crash(es|ing)?|doesnt (work|start|build)|wont|fails?|failing|freez(es|ing)|flickers?|broken|too slow|stuck|error|off near|"
    r"looks odd|kommt .* noch|plante|devolve|ne compile|não compila|drops? after|beeps)\b|报错|太慢|落ち",
    re.IGNORECASE,
)
PATTERNS["past"] = re.compile(
    r"\b(yesterday|last (week|month|night|time)|had|was|were|did|ayer|ontem|hier|gestern)\b|昨日|昨天",
    re.IGNORECASE,
)


def of(plain: str) -> frozenset[str]:
    """The classes a sentence shows."""
    return frozenset(name for name, pattern in PATTERNS.items() if pattern.search(plain))
