"""German. Engine 1, imports nothing of the house."""

TELLS = (
    r"ab|aber|alle|am|auch|auf|aus|bei|beim|bis|bitte|dann|das|dem|den|der|des|dich|die|dir|du|ein|eine|einem|einen|einer|es|für|gilt|haben|halt|hat|"
    r"heute|hier|ich|im|immer|ist|jede|jeden|jeder|jedes|jetzt|kein|keine|keinen|keiner|läuft|mach|mal|mich|mir|mit|muss|müssen|nach|ne|nicht|nie|"
    r"nimm|nix|noch|nur|oder|schon|sich|sind|so|sonst|statt|und|uns|unser|unsere|unter|vom|von|vor|weil|wenn|werden|wie|wieder|wir|wird|zu|zum|zur|"
    r"über"
)
"""Short words that show a sentence to be in this language, at least in part."""

WORDS: dict[str, str] = {
    "prefers": r"ich (?:bevorzuge|mag|hasse)|mag ich (?:nicht|lieber)",
    "evermore": r"immer(?! noch)|nie|niemals|ab (?:jetzt|sofort)|künftig|in zukunft|grundsätzlich|ausnahmslos|von nun an",
    "must": r"muss|müssen|müsst|soll|sollen|sollten?|dürfen|darf|zwingend|pflicht|verpflichtend|hat zu|haben zu|gefälligst|gehört sich|sein muss",
    "needs": r"braucht|brauchst|brauchen|benötigt|benötigen|erfordert|setzt .* voraus|verlangt|geht nur mit|(?:mit|ohne) \w+ gehts? nicht",
    "forbid": r"kein\w*|nie|niemals|verboten|nix|finger (?:weg|davon|vo[nm])|nicht mehr|nicht anfassen|tabu|lass die finger|unterlass\w*|vermeide\w*|hör auf|auf keinen fall|niemand|nirgends|von hand|"
    r"nicht (?:in|auf|ohne|direkt|von|vor|per|mit|über|einfach)|untersagt|stehen? nie|ohne",
    "always": r"immer(?! noch)|stets|grundsätzlich|ab (?:jetzt|sofort)|künftig|zukünftig|in zukunft|generell|normalerweise|jedes mal|von nun an|ausnahmslos|prinzipiell|standardmäßig|immer gleich|üblicherweise|in der regel|durchgehend|konsequent",
    "every": r"jede[rsnm]?|alle[sn]?|überall|sämtliche[nrs]?|egal welche\w*|pro \w+",
    "house": r"(?:\w+en|\w+n) wir|wir (?!(?:haben (?:gerade|heute)|hatten|waren|müssten|könnten|sollten)\b)\w+|bei uns|unser\w*|hier (?:gilt|benutzt|machen|nehmen|läuft|ist|sind|wird)|man|machen wir|in diesem (?:repo|projekt)|haben wir|hier(?! ist ein)",
    "state": r"ist|sind|heißt|gilt|gelten|rechnet|rechnen|bleib(?:t|en)|liefert|zählt|zählen|beginnt mit|endet mit|bedeutet|meldet|akzeptiert|nennt sich",
    "place": r"liegt|liegen|läuft|laufen|gehör(?:t|en)|steht|stehen|kommt|kommen|wohnt|lebt|gehen (?:über|durch|in|nach)|geht (?:über|durch|in|nach)|landet|landen|hört auf|(?:sind|ist) (?:in|auf|unter|bei)|startet (?:um|ab)|wird (?:von|aus|in|per|nachts|neu)",
    "instead": r"statt(?:dessen)?|anstatt|anstelle|sondern|lieber|und nicht|(?<=, )nicht|eher als|besser als|(?<=, )keine?",
    "only": r"nur(?: noch)?|ausschließlich|einzig\w*|allein",
    "reason": r"weil|denn|sonst|damit|deshalb|deswegen|daher|wegen|da (?:das|die|der|wir|es)|ansonsten|aus dem grund|nämlich|darum",
    "harm": r"kaputt|knallt|verloren|bricht|ärger|gekracht|überschrieben|abgelehnt|zerschießt|stürzt ab|beschwer\w+|unlesbar|stimmt .* nicht mehr|gesperrt|lässt .* nicht durch",
    "chose": r"festgelegt|entschieden|entscheidung|beschlossen|geeinigt|gewählt|vereinbart|wir bleiben (?:bei|auf)|wir nehmen|wir gehen (?:mit|auf)|es (?:wird|bleibt)|fiel auf|verworfen|dagegen|ausgesucht|setzen auf|abgestimmt",
    "tradeoff": r"reicht uns|genügt|reicht(?: völlig)?|lohnt(?: sich)?|zu (?:viel|groß|klein|schwer|teuer|langsam|wenig)|schon (?:können|kennt|da|kann)|billiger|günstiger|schneller|nichts? anderes|niemand|einfacher|aufwand|overkill|nix anderes",
    "changed": r"kein\w* \S+ mehr|streich\w* die|vergiss die|aufgegeben|abgeschaltet|ist (?:weg|tot)|gibt es nicht mehr|gewechselt|"
    r"inzwischen|umgestellt|umgezogen|abgeschafft|heißt jetzt|ist jetzt|sind jetzt|gilt jetzt|nicht mehr|abgelöst|ersetzt|umbenannt|weggefallen|seit (?:gestern|letzter|montag|dieser)",
    "role": r"rücksprache mit|abgesprochen mit|freigabe von|(?-i:(?:Herr|Frau)n? [A-ZÄÖÜ]\w+)|zuständig|verantwortlich|absegnen|abnicken|freigeben|kollegin|kollege|kümmert sich|kümmern sich|betreut|pflegt|entscheidet|kennt sich|an (?=(?-i:[A-ZÄÖÜ][a-z]+$))|frag (?=(?-i:[A-ZÄÖÜ]))|ansprechpartner\w*|hat das letzte wort|leitet|bitte an|macht bei uns|"
    r"ohne (?:ihr|sein) ok\w*|wende dich",
    "me": r"ich (?:komme aus|bin (?:ein|eine|kein|neu|der|die|in|gelernte)|arbeite|kenne mich|habe? keine ahnung|lese|spreche|wohne|mache eigentlich)|mein (?:hintergrund|deutsch|englisch)|(?:ist|sind) neu für mich|gelernte[rn]?|von haus aus|farbenblind|legasthen\w+",
    "likes": r"ich (?:mag|hasse|bevorzuge|will|möchte|hätte gern|les|lese)|mag ich|(?:ist|sind) mir lieber|nervt|gefällt mir|reichen?(?: mir)?|lieber|stört mich|bitte nur",
    "replies": r"antworte?n?|antwort(?:en)?|duz\w*|siez\w*|fass dich|kürzer|kurz halten|erklär\w*|sag mir|zeig(?:e)? mir|zusammenfassung\w*|halt dich|sätze|auf (?:deutsch|englisch)|schreib(?:e)? mir",
    "works": r"commit-?\w*|tests?|validierung|controller|exports?|migration(?:en)?|texte?|variablen\w*|klassen?|kommentare?n?|fehlermeldung(?:en)?|abkürzung(?:en)?|route|endpunkte?|branch\w*|prs?|code|namen?|spalten?|tabellen?|ordner|datum\w*|geldbeträge|beträge|"
    r"passw\w+|logs?|schnittstelle|abhängigkeit(?:en)?|ticket(?:s|nummer)?|übersetzung(?:en)?|secrets|einheiten|styles?|farben",
    "when": r"wenn|falls|bevor|sobald|vor jedem|nach jedem|vor dem|immer wenn|ehe du|für (?:einen|eine|jeden|jede|neue)",
    "limit": r"maximal|höchstens|mindestens|bis zu|(?:unter|über|nach|ab) \d+|pro (?:seite|server|mandant|tag|ticket)|grenze|nächtlich\w*|jede nacht|\d+/s",
    "recall": r"übrigens|merk dir|denk dran|zur info|nur dass du|wie gesagt|wieder|schon wieder|zum (?:dritten|zweiten) mal|hab ich (?:schon )?gesagt|nochmal|für später|fürs nächste mal",
    "fault": r"du hast|hast du|warum (?:hast|ist|sind)|was (?:soll|macht) (?:das|der|die)|bitte noch mal neu",
    "due": r"abgeschlossen|fertig|einreich\w*|eingereicht|abzugeben|abgegeben|zertifikat|vertrag\w*|läuft .*\bab\b|steuer\w*|ausschreibung|besuch|eröffn\w*|schließt|schließung|schulung|support-?ende|umstellung|abschaltung|veröffentlich\w*|verteidigung|antrag|findet statt|ist am|sind am|konferenz|lieferung|kündigung\w*|verläng\w+|gesperrt|abgekündigt|vorliegen|stehen|vor|prototyp|rollout|migration|ablaufdatum|meilenstein|"
    r"bis|vor dem|geht|gehen|muss|müssen|fällig|abgabe|frist|eingefroren|freeze|code-?freeze|stichtag|demo|release|läuft .* (?:ab|aus)|ablauf|endet|ende|beginnt|startet|abgeschaltet|live|abnahme|audit|umzug|termin|spätestens|raus|geliefert|übergabe|messe|"
    r"vorführung|präsentation|prüfung|kickoff|go-?live|wartungsfenster|inventur|urlaub",
    "step": r"dann|danach|zuerst|anschließend|erst|zunächst|zum schluss|als letztes|schließlich|in der reihenfolge|am ende|hinterher",
    "ritual": r"(?:geht|läuft|funktioniert)(?=:)|jedes mal,? wenn|immer wenn|um \w+ zu|die schritte|"
    r"läuft (?:so|immer)|geht (?:so|immer|bei uns)|ablauf|schritte|vorgehen|reihenfolge|machen wir (?:so|das so)|so (?:geht|läuft|machen)|für (?:einen|eine|jeden|das|den|neue)|anleitung|immer gleich|prozess|checkliste|vor (?:jedem|dem) release|ist immer|bei (?:jedem|einem)|"
    r"^(?:zum|beim)|release",
    "unsure": r"ich glaube|ich denke|vielleicht|vermutlich|wahrscheinlich|könnte|evtl|eventuell|keine ahnung|anscheinend|scheint|wohl",
    "hypothetical": r"was würde|würde es|gesetzt den fall|was passiert,? wenn wir|wie wäre es|hypothetisch|rein theoretisch|"
    r"was wäre|könnte man|angenommen|irgendwann|eines tages|stell dir vor|mal angenommen|theoretisch|nur (?:ne|eine) (?:frage|idee|überlegung)|wäre es|hätten wir|wenn man .* würde|würden wir",
    "one_off": r"in diesem (?:branch|pr|commit)|während ich \w+|"
    r"(?:lass|überspring\w*|spar dir) .* (?:diesmal|heute)|für die (?:vorführung|demo|präsentation) (?:heute|morgen|gleich)|einmalig|nur dieses eine mal|nur in diesem (?:pr|branch|commit)|"
    r"nur für (?:die|den|das) \w+|bis ich \w+|nachher|kurz (?:aus|ab|mal|weg)|eine weile|heute|gerade eben|vorübergehend|erst ?mal|fürs erste|(?:nur|bloß) (?:diesmal|heute|jetzt|dieses mal|kurz|für)|ausnahmsweise|diesmal|für (?:diesen|dieses|diese|jetzt|den moment|die demo|heute)|dieses (?:eine )?mal|ein einziges mal|auf die schnelle|zum (?:testen|ausprobieren)|probeweise|"
    r"kommt (?:nachher|später) wieder|war nur|mach(?:e)? ich (?:nachher|später)",
    "ephemeral": r"diese (?:woche|tage)|derzeit|seit heute|(?:ist|sind) (?:gerade )?(?:belegt|rot|offline|voll)|augenblicklich|diesen monat|"
    r"gerade|momentan|im moment|zurzeit|aktuell|läuft noch|ist (?:rot|kaputt|down|voll|belegt)|bin (?:weg|unterwegs|gleich)|heute (?:morgen|abend|früh)|grad|soeben|vorhin",
    "past": r"gestern|letzte[ns]? (?:woche|nacht|monat)|hatte|hatten|war(?:en)?|wurde|gewesen|hab(?:e)? (?:ich|gerade)|vorgestern",
    "symptom": r"stürzt|fehler(?!meldung)|geht nicht|funktioniert nicht|kommt (?:immer noch|nicht)|falsch|zu (?:spät|spaet|langsam)|hängt|bleibt stehen|spinnt|doppelt|schlägt fehl|tut nicht|lädt nicht|startet nicht",
    "sarcasm": r"(?:eine|zwei|drei|\d+) (?:stunden?|minuten) für (?:ein|einen|eine) (?:komma|leerzeichen|tippfehler|zeichen)|bloß nie was ändern|"
    r"(?:letztes mal|beim letzten mal|neulich|gestern) (?:ja )?(?:so|ganz|wirklich|echt) (?:\w+ )?(?:gut|prima|toll|super|wunderbar)|hat ja (?:\w+ ){0,3}(?:gut|prima|toll|super|wunderbar|hervorragend) (?:geklappt|funktioniert)|super idee|tolle idee|ja klar,? weil|was soll schon schief|"
    r"ganz toll|na super|na toll|immer wünsche|bin begeistert|mehr davon|genau das,? was|herrlich,|wie schön,? dass|klasse, (?:schon )?wieder|hurra",
    "reported": r"sagt|schreibt|steht|meint|behauptet|laut|angeblich|empfiehlt",
    "outsider": r"(?:der|die|unser\w*|ein) (?:customer|client|vendor|boss|manager)s? (?:will|wollen|möchte\w*|wants?|verlangt|sagt)|"
    r"(?:berater|geschäftsführung|prüfer|investor\w*|kunde|kundschaft) (?:will|wollen|möchte\w*|sagt|fordert|verlangt|besteht)|"
    r"(?:(?:der|die|unser|ein) )?(?:kunden?|kundin|chef(?:in)?|vertrieb|marketing|lieferant|anbieter|auftraggeber) (?:hätte|meint\w*|sagt\w*|will|wollen|möchte|wünscht|verlangt|fragt|findet|besteht)",
    "elsewhere": r"(?-i:[A-ZÄÖÜ])\w+s (?:truppe|team|leute|abteilung|gruppe|mannschaft|projekt)(?: \w+)? (?:nimmt|nehmen|benutz\w+|nutz\w+|verwend\w+|mach\w+|schwör\w+|will|wollen|immer|nie)|(?:das|die) (?:team|leute|truppe|gruppe|abteilung) (?:von|um) (?-i:[A-ZÄÖÜ])\w+|blog\w*|artikel (?:heißt|steht|empfiehlt)|im artikel|podcast|ich habe? (?:gelesen|gehört)|irgendwo gelesen|die anderen (?:nehmen|machen|wollen|benutzen)|deren (?:repo|team|projekt|code)|"
    r"meine[rm]? (?:alten|früheren|letzten|ehemaligen) (?:firma|team|job|arbeitgeber)|(?:das|im|in dem) anderen? (?:team|projekt)|"
    r"jemand (?:auf|im|hat)|im forum|in der doku (?:von|vom)|auf der konferenz|ein freund",
    "not_meant": r"egal|war nur spaß|scherz|vergiss es|lass gut sein|ne lass|ignorier\w*|macht nichts",
    "mishap": r"(?:schon )?wieder|noch (?:ein\w*|mehr)|rote?\w*|kaputt\w*|abgestürzt|so (?:machen|weiter)",
}  # fmt: skip

OPENINGS: dict[str, str] = {
    "request": r"(?:kannst|könntest|würdest|magst) du(?: bitte| mal| noch| kurz)*",
    "errand": r"guck|schau|bau|mach|zeig(?! mir)|hol|probier|prüf|lösch|füg|starte|teste|such|zieh|dann|hm|bring|änder|schreib(?! mir)|benenn|verschieb|entfern|setz|stell|dreh|kopier|lad|korrigier|trag|neue spalte|bitte mit|nimm für|"
    r"vergrößer|räum|ergänz|implementier|push|merge|commit|trag",
    "policy": r"(?:streich|vergiss) (?:die|den|das) \S*(?:regel|vorgabe|konvention)|"
    r"(?:bitte )?(?:nimm|benutz|verwend|vermeid|lass|halt|achte|bleib|frag|schreib|nutz|immer|nie|kein|keine|jede|alle|wenn|bevor|nur|duz|antwort|fass|für|nenn|erklär|denk|gib|leg|pack)\w*",
    "rejects": r"(?:nein|nee?|halt|stop+|falsch|so nicht|nicht so|bitte noch mal|wieso|warum hast|du hast|doch nicht|raus damit|nimm das raus|quatsch|moment)",
    "question": r"(?:und |aber |also )?(?:warum|wieso|weshalb|was (?!(?:die|den|das)\b)|wie (?:geht|lange|viele|kann|macht|heißt|ist|war)|wo|wer|wann|welche[rsn]?|kann man|können wir|sollen wir|gibt es|ist das|hast du|weißt du)",
    "filler": r"(?:passt|danke|super|ok|okay|gut|genau|klar|prima|jo|ja|ne|nee|weiter|läuft|perfekt|alles klar|klasse|toll|eben|schön)\b",
    "praise": r"(?:na |ach |wow,? |oh,? )*(?:wow|toll\w*|klasse|super|großartig|herrlich|wunderbar|genial|prima|bravo|glückwunsch|fantastisch|spitze|wie (?:schön|nett))",
}  # fmt: skip
