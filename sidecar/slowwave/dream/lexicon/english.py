"""English. Engine 1, imports nothing of the house."""

TELLS = (
    r"after|again|all|also|always|an|and|any|anything|are|arent|as|ask|at|avoid|be|because|been|before|but|by|can|cant|could|do|does|doesnt|dont|each|"
    r"every|everything|first|for|from|gets|go|goes|has|have|he|her|his|how|i|if|im|instead|into|is|isnt|it|its|just|keep|make|me|must|my|never|new|"
    r"next|no one|nobody|not|note|now|of|one|only|or|other|our|out|please|put|run|same|say|she|should|so|than|that|thats|the|them|then|there|these|"
    r"they|this|those|three|to|too|two|up|us|use|was|we|were|what|when|where|which|who|why|will|with|would|write|you|your"
)
"""Short words that show a sentence to be in this language, at least in part."""

WORDS: dict[str, str] = {
    "prefers": r"i (?:really |strongly )?(?:prefer|hate|dislike|cant stand)|^prefer|id (?:much )?rather",
    "evermore": r"always|never|from (?:now|here) on|going forward|in (?:the )?future|every time|no exceptions?|by default|we(?:ve| have)? (?:just )?(?:dropped|killed|retired|ditched|switched|migrated|moved|renamed)|(?:its|its all|theyre all|now its) (?:all )?[\w.-]+(?: \w+)? now",
    "must": r"must|mustnt|has to|(?<!i )have to|needs? to|gotta|mandatory|(?:is|are|its) supposed to|ought(?: to)?|should|shouldnt|"
    r"isnt optional|not optional|had better|(?:have|has) (?:got )?to be|want(?:s)? (?:a|an|the|two|three|to be)\b(?= \w+ \w+)",
    "needs": r"needs? (?:a|an|the|node|java|python|root|\d)|requires?|required|you need|wants (?:a|an|two|three)|expects?|demands?|only works? (?:with|on|in)",
    "forbid": r"no (?!(?:idea|problem|worries|need|thanks|way|luck|rush|clue|longer|matter|doubt|wonder|surprise|hurry|sooner|edits)\b)[a-z]\w+|never|not allowed|forbidden|banned|off limits|nobody|no one|nowhere|hands off|avoid|may not|must ?not|(?:can|may)not leave|"
    r"by hand|(?<!i )(?:dont|do not|doesnt|arent|isnt|cannot|cant)|without|stop \w+ing|nothing (?:gets|goes|is|leaves|ships|lands|merges)|no longer than",
    "always": r"always|every time|each time|from (?:now|here) on|in (?:the )?future|going forward|by default|as a rule|in general|generally|"
    r"usually|normally|next time|at all times|(?:keep|stay) (?:it |them )?(?:that|this) way|no exceptions?|(?:ever|everywhere)$|again and again|at all$|"
    r"anymore$|in all my projects|same (?:next time|for the|goes)|whenever|consistently|without exception|habitually|period$",
    "every": r"every|each|any|all|everything|everywhere|anything|anywhere|whatever|wherever|whichever|(?:a|an)(?:ny)? new|anyone|everybody|everyone|nothing|none",
    "house": r"we (?!(?:should|could|can|might|may|had|were|need|want|just|try|wait|do|did|are|saw|lost|got|will)\b)\w+|weve|our|ours|with us|here|in here|"
    r"this (?:repo|project|codebase|solution|house|package|team)|(?:the|my) team|were (?:on|still on|at|a|going|staying|not|\w+ people)",
    "state": r"(?:is|are|isnt|arent|stays?|remains?|means|holds?|keeps?|owns?|assumes?|stored|called|named|reads?|counts?|returns?|carry|carries|"
    r"starts? with|ends? with|speaks?|talks? to|reports?|accepts?|lists?|takes|gives|gets|wins|sorts?|rebuilt|generated|consumed by|depends on|thats|theyre|its)",
    "place": r"lives? (?:in|at|on|under|next|with)|goes (?:in|into|to|under|at|on|through|via|by|next|past)|go (?:in|into|under|at|on|through|via|next|past|out)|"
    r"comes? (?:from|only)|runs? (?:on|in|at|from|every|under)|stays? (?:in|at|on|under|where)|belongs?|sits? (?:in|at|on)|stored in|kept in|"
    r"(?:is|are) (?:in|at|on|under|behind|next to|read through|generated|built|handled|managed|defined)|deploys? (?:from|to|happen)|"
    r"listens?(?: on)?|served from|hosted|points? (?:at|to)|reachable|resides?|in figma|set in|pinned (?:in|to|at)|fires|happens? (?:in|at|on|from)",
    "instead": r"instead(?: of)?|rather than|as opposed to|not \w+ or|over \w+|and not|but not|(?<=, )not \w+|(?<=; )not \w+|unlike|in place of|(?<=, )no \w+|"
    r"not the other way|other way (?:a)?round|(?:id |would )?rather|moved off|even though",
    "only": r"only|solely|exclusively|nothing but|nowhere else|just one|the one|a single|alone|nothing else",
    "reason": r"because|since|so that|otherwise|or else|hence|therefore|thats why|the reason|which is why|due to|as (?:it|they|we|the) \w+|"
    r"so (?:\w+ )?\w+ (?:can|dont|do|doesnt|must|have|has|will|needs?)|or (?:it|they|we|the \w+|\w+) (?:\w+s)|for that reason|makes? (?:it|our|the|them)",
    "harm": r"broke|breaks?|crashed|burn(?:t|ed)|bricked|lost|loses|flag(?:s|ged)|caused|scare|drama|bit us|falls? (?:over|off)|blocks?|rejects?|"
    r"refuses?|chokes?|ruins?|clash(?:es|ed)|leaks?|contaminates?|gets? (?:overwritten|sent back|rejected|lost)|incident|outage|complain(?:s|ed|t)|"
    r"took (?:prod|us|the)|unreadable|useless|cost us|corrupts?|confus(?:es|ing)|tells me nothing|locks? (?:up|the)|uninstall|overkill",
    "chose": r"[\w.-]+ it is\b|final (?:call|word|answer)|weighed|not (?:doing|going|building|supporting|using) |we (?:wont|will not|are not going to)|is out,|is in,|so no [\w.-]+$|went with|go(?:ing)? (?:with|for)|settled?|decided?|chose|chosen|agreed|picked|opted|we considered|the math|(?:well|we) (?:stay|stick|keep)|were staying|stays|"
    r"it is(?:,| then)|^then it is|it is (?=\w+, )|ruled out|rejected|looked at|decision|adr|rule out|discarded|verdict|conclusion|vetoed|the vote",
    "tradeoff": r"good enough|buys us|plain|knows|would kill|overkill|too (?:small|big|heavy|slow|expensive|many|much)|not worth|one more thing|halves|cheaper|faster|unmaintained|free tier|less \w+|more than|"
    r"do(?:es)? not need|isnt planned|nobody (?:here )?knows|under \d|costs?|cost|already (?:in|knows|have|has)|lock.?in|simpler|we are \w+ people|were \w+ people|priority",
    "changed": r"any ?more|(?:scrap|drop|forget)(?:ped)? (?:[a-z]+ ){1,6}(?:rule|convention|policy|requirement|limit|ban)|(?:scrap|drop|forget) what i said|stopped using|abandoned|sunset|decommissioned|superseded|cancel(?:led)? the|no longer|"
    r"no longer|anymore|moved (?:to|from|off|away)|switched|swapped|replaced|renamed|is now|are now|its now|(?:called|is|are|all) [\w.-]+ now|retired|legacy|gone|dropped|"
    r"migrated|killed|ditched|deprecated|used to|dead code|since (?:yesterday|last|v?\d)|now (?:its|its all|the)|trunk based now|new (?:one|address|name) is|until the|as of",
    "role": r"(?:he|she|they)s? (?:is |are )?(?:the )?(?:only|owns?|has|have|handles?|decides?|looks?|runs?|keeps?|manages?|leads?|gives?|signs?|approves?|reviews?|maintains?|wants|knows)|"
    r"owns|lead author|final say|co-?authors?|keeps the|looks? after|is (?:the|our) (?:one|contact|domain|dba|admin|lead|maintainer|expert|designer|owner)|signs? off|in charge|"
    r"responsible for|maintains|handles|ask (?=(?-i:[A-Z])|her\b|him\b|them\b)|talk to (?=(?-i:[A-Z]))|ping (?=(?-i:[A-Z]))|(?:go|goes) (?:to|past|through|via) (?=(?-i:[A-Z][a-z]))|"
    r"(?:our|the) \w+ (?:person|lead|guy|woman|contact|owner)|point of contact|(?:person|guy|woman|one) behind|loop \w+ in|okay from|ok from|past (?:him|her)|(?:is|are) the person|domain expert|takes care of|approv(?:es|al)|(?:run|cleared) by (?=(?-i:[A-Z]))",
    "me": r"im (?:an?|new|not an?|the|in|based|on call|colou?r|dyslexic|blind|deaf|more of|mostly|from|usually|the only|left.?handed|learning|fluent|bad|good|used to)|i am (?:an?|new|the|in|based|colou?r|dyslexic|deaf|blind)|"
    r"my (?:time ?zone|background|job|role|pronouns|english|mornings|native|first language|day job)|i (?:come|came) from|i work (?:from|in|on|with|as|mornings|part)|i use a (?:screen|braille)|dyslexi[ac]|"
    r"colou?r.?blind|visually impaired|by training|i speak|i live|i dont (?:know|speak|read) (?:much |any )?(?-i:[A-Z]|\w+ script)|im hard of|screen ?reader|i used to (?:be|work|write)|looks? the same to me|years of",
    "likes": r"i(?:d| would)? (?:really |strongly |much |always )?(?:prefer|like|hate|dislike|love|want|cant stand|rather|care|find|read|only read|get lost|appreciate)|prefer|id rather|fond of|pet peeve|drives me|annoys me|the less|the more|"
    r"bothers me|i find .* (?:hard|useless|easier)|tells? me (?:nothing|what)|for my eyes|for me|to me|at least$",
    "replies": r"answers?|replies|reply|responses?|explanations?|explain|spell (?:it|them|those|things|out)|summar(?:y|ies)|diagnosis|bullets?|paragraphs?|"
    r"tell me|show me (?:only|just|the)|hand me|give me|talk to me|in chat|apologi[sz]ing|verbose|wordy|sentences|call me|address me|when you (?:report|answer|explain|summari[sz]e)",
    "works": r"tests?|prs?|commits?|branch(?:es)?|comments?|docs?|docstrings?|headings?|names?|dates?|seeds?|plots?|strings?|notebooks|entities|"
    r"settings|queries|migrations?|numbers?|split|config|functions?|methods?|classes|modules?|messages?|imports?|constants|"
    r"variables?|files|folder|endpoints?|routes?|fixtures?|types?|hints?|tables?|columns?|keys?|ids?|amounts?|logs?|logging|errors?|exceptions?|"
    r"diffs?|components?|styles?|colou?rs|texts?|labels?|titles?|pull requests?|tickets?|changelog|dependenc(?:y|ies)|mocks|snapshots?|scripts?|schema|api|hooks?|"
    r"spaces|tabs|indent(?:ation)?|abbreviations?|ifs|returns?|inheritance|globals?|credentials|translations?|units?|licen[cs]es?|headers?|code|css|sql|json|yaml",
    "when": r"when(?:ever)?|before (?:you|any|the|a|we|it|every|each|push|merg|touch|commit|install|releas|deploy)\w*|after (?:you|any|each|every|a)|if (?:you|a|an|the|it|they|there|something)|"
    r"unless|once (?:you|the|a)|only after|in case|where(?:ver)? \w+|if (?:its|theres)",
    "limit": r"at most|at least|up to|(?:below|under|above|over|less than|more than|no more than|after|within|max(?:imum)?(?: of)?|min(?:imum)?(?: of)?|cap(?:ped)? at|limit(?:ed)? (?:is|to)|only (?:has|have)) (?:\w+ )?\d+|"
    r"cuts?|limit|quota|timeout of|\d+ (?:per|columns|bytes|chars|characters|rows|seconds|ms|gb|mb|lines)|one per|every (?:night|hour|day|six|\w+ hours)|nightly|both|forty|eighty",
    "recall": r"remember|keep (?:that|this|it) in mind|note (?:that|this)|write (?:this|that) down|for the record|fyi|btw|by the way|heads up|one (?:more )?thing|also|context|for (?:the )?(?:next time|future reference|later)|"
    r"i (?:have )?(?:said|told)|ive said|told you|third time|like \w+ times|last time|once again|as i said|so you know|in case (?:you|anyone|anybody)|again",
    "fault": r"(?:you|u) (?:left|put|turned|made|used|added|wrote|changed|forgot|did|broke|assumed|hardcoded|named|sprinkle|took|skipped|removed|deleted|keep)|you(?:ve| have) (?:\w+ed|put|written|left)|who (?:asked|put|wrote|did|told)|"
    r"why (?:did you|is|are there)|whats (?:that|this|with)|your \w+s?",
    "due": r"exam|filing|filed|hand(?:ed)? over|certificate|certification|inspection|tender|bid|invoice|renew\w*|support ends|end of (?:life|support)|eol|retire[sd]?|decommission\w*|deprecat\w*|sign.?off|rollout|roll(?:s|ed)? out|opens?|closes?|closing|shutdown|visit|trade (?:fair|show)|course|thesis|defen[cs]e|paper|grant|application|proposal|training|rehearsal|go(?:es)? away|stops|is on|are on|takes place|happens?|wrapped up|finished|ready|complete[d]?|done|final|election|holiday|move[sd]?|switch(?:es|over)?|publish\w*|payment|reporting|stand-?down|before|cutoff|lapse[sd]?|discontinu\w+|"
    r"due|deadline|frozen|freeze|cut-?off|launch\w*|release[ds]?|demo|go(?:es)? (?:out|in|live)|going live|handed in|hand(?:ing)?-? ?in|starts?|begins?|commence|audit|review|abstract|revision|submission|submit(?:ted)?|"
    r"expires?|expir(?:y|es|ation)|runs out|ends?|ending|sunset|switched off|shut (?:down|off)|turned off|scheduled|planned|kick-?off|sprint|milestone|go-?live|beta|cutover|migration|deliver\w*|hand-?over|conference|workshop|"
    r"by|until|till|before|lands?|arrives?|ships?|no later than|latest|has to|have to|must|cutting|moved|season|window|downtime|maintenance|pen ?test|report|contract|vacation|back on|on leave|presentation|meeting|expiring|from",
    "step": r"(?<!by )(?<!until )(?<!till )(?<!than )then(?! as\b)(?=[ ,:]+\S+ \S)|after that(?=,? \S+ \S)|afterwards|finally|first(?:ly)?(?=[ ,:]+\S)|followed by|and wait|only (?:then|after that)|once (?:that|its|it is) done|in (?:that|this) order|at the end",
    "ritual": r"goes(?=:)|works(?=:)|steps (?:\w+ ){0,5}are|(?:every|each) time (?:you|we|i|a|an)|"
    r"steps?|procedure|process|checklist|drill|runbook|playbook|recipe|routine|the way we|how (?:we|i|you|it|to)|heres how|goes like (?:this|so)|goes:|like (?:this|so):|means|in (?:that|this) order|"
    r"works like|is:|thats how|always the same|workflow|(?:to|when|whenever|before|after|for) (?:a |an |the |every |each |any |we |you |i )?\w+(?:ing|e|s)?|dance|sequence|the usual",
    "unsure": r"id (?:expect|say|guess)|i expect|i (?:think|guess|believe|suppose|wonder)|maybe|perhaps|not sure|no idea|might|probably|could be|apparently|looks like|seems?|as far as i (?:know|can)|dunno|idk|hopefully|i hope|could",
    "hypothetical": r"what would \w+|(?:wouldnt|would) (?:it|we|that|this) \w+ if|suppose we|were we to|how (?:hard|much) would|"
    r"what if|what would happen|imagine|suppose|lets (?:say|pretend|assume)|someday|some day|one day|at some point|would it (?:make|be)|could we|should we|in theory|ideal world|just (?:wondering|thinking|an idea|curious)|"
    r"merely curious|later maybe|hypothetically|if (?:only|i|we) (?:had|were|could|ever)|would be (?:nice|cool|fun)|wed (?:have|need|be)|who knows|dreaming|thinking (?:out loud|about)|toying with|some time (?:in|later)|my first thought",
    "one_off": r"(?:in|on) this (?:branch|pr|commit)|while i(?:m)? (?:debug|test|try|fix|work|check|look|figure|investigat)\w*|"
    r"(?:for|in) (?:today|tonight|tomorrow|this morning|this afternoon)s \w+|just for (?:this|the) \w+|this (?:one )?(?:pr|time|once)(?=,|$| only)|"
    r"just this(?: \w+)?|until i(?:m| am)? \w+|until (?:the|this) \w+ is (?:over|done|gone|back)|for the \w+ we (?:can|could)|just (?:this|for) (?:once|this|now|the|today|my|a|tonight|one)|this (?:one )?time|this once|only (?:this|once|there|today)|only for (?:fun|this|the|my|today|now)|for (?:now|today|tonight|the moment|the time being|once)|"
    r"for this (?:\w+ )?(?:pr|run|build|page|figure|ticket|branch|commit|release|one|test|file|screenshot|demo|deploy)|for the (?:screenshot|demo)(?: build)?|revert after|until tomorrow|ill (?:turn|put|change|fix|revert|undo) (?:it|that)|"
    r"for a (?:bit|while)|ill (?:look|check|see) (?:later|after)|just (?:for|to) (?:fun|my|see|try|test)|im on branch|scratch|(?:put|set|turn|change) (?:it|that) back|curiosity|temporar(?:y|ily)|one.off|the same hack|on this (?:pr|branch|run) (?:only)?|this (?:pr|run) only|"
    r"to (?:see|try|check) (?:if|whether)|quick hack|for the next hour|skip (?:it|that|this)|this week only|as an exception|exceptionally|in this one case|ad hoc just",
    "ephemeral": r"(?<!time )(?<!times )this (?:week|sprint|month)|as we speak|for the last (?:hour|few)|taken by|since this morning|lately|"
    r"(?:is|are) pending|in progress|outstanding|\d+ open \w+|today|tonight|right now|rn|currently|at the moment|these days|this (?:morning|afternoon|evening|minute)|still (?:running|broken|red|building|down|open|failing|red)|(?:is|are) (?:red|down|flaky|broken|full|taken|busy|stuck|offline|empty|slow)|"
    r"just now|a minute ago|on fire|is on it|ill be (?:away|back|out|late)|im (?:away|out|on a train|in a meeting|off)|commits? behind|wait a (?:bit|minute|sec)|is (?:still )?(?:running|building)|pull first|so far|by now|until lunch|im \w+ing|for (?:ten|five|a few|\d+) (?:minutes|min|hours)|be patient|for lunch|in a (?:bit|minute)",
    "past": r"yesterday|last (?:week|month|night|friday|monday)|had|was|were|did|i (?:renamed|moved|changed|fixed|pushed|merged|deleted|added|removed|put|tried|tested|wrapped|pulled|ran|opened|closed)|happened|have (?:put|moved)|ago",
    "symptom": r"dead|crash(?:es|ing)?|doesnt (?:work|start|build|load|compile)|wont (?:start|come|build|load|compile)|fails?|failing|freez(?:es|ing)|flickers?|broken|too slow|stuck|off near|off by|looks? (?:odd|off|wrong|weird)|beeps|drops? after|"
    r"hangs|times out|throws|(?:is|are) (?:wrong|off|blank|empty|missing|cut off|green|too \w+)|says error|error\b|silently|takes \d+|loads? in|dont expire|dies?|chopped|truncated|leaks memory|expired|lost (?:its|the)|angry|doesnt (?:show|open|render)|double|twice",
    "sarcasm": r"never change (?:anything|a thing)|keep (?:doing|on doing) \w+ forever|(?:\d+|a|two|three|ten) (?:\w+ )?(?:minutes?|hours?) (?:\w+ ){0,2}for a (?:typo|comma|space|semicolon|one.liner)|oh joy|"
    r"(?:worked|went|turned out) (?:out )?(?:so|really|that|very|soo+|just) (?:well|great|fine|smoothly|nicely)|worked (?:wonders|like a charm) (?:last|the) |(?:yeah|sure|right|yes|of course),? because|what a (?:treat|pleasure|delight|surprise)|nothing (?:says|beats) \w+ like|clearly the (?:best|smartest)|"
    r"oh (?:sure|great|wonderful|joy)|sure,? (?:lets|let us)|what could go wrong|my favou?rite (?:hobby|thing|pastime)|im so glad|yay,? another|(?:just|exactly) what (?:i|we) (?:always )?(?:wanted|needed|dreamed)|great for \w+$|love it when|thanks a lot for|"
    r"i do so adore|how (?:lovely|wonderful|delightful) that|best (?:day|thing) ever|because who needs|as if i had nothing|lucky me|what a joy|keeps me awake|another one of those",
    "reported": r"says?|said|wrote|(?<!nobody )writes|claims?|told (?:a|us|me|them)|according to|recommends?|insists?|tells (?:you|us)|suggests",
    "outsider": r"(?:the |a |our |some |my )?(?:customers?|clients?|vendor|supplier|boss|manager|ceo|cto|investors?|auditors?|consultants?) (?:\w+ )?(?:wants?|wishes|insists?|demands?|thinks?|expects us|dreams?|said|says)|"
    r"(?:the |a |our |some )?(?:customers?|clients?|users?|reviewers?|vendor|supplier|marketing|sales|management|boss|stakeholders?|partner|competitors?) (?:wants?|would like|asks?|asked|wishes|insists?|demands?|keeps? asking|prefers?|hopes?|suggests?|likes?)",
    "elsewhere": r"(?-i:[A-Z])\w+s (?:squad|crew|folks|guys|side|unit|department|repo|project)(?: \w+)? (?:always|never|does|do|uses?|wants?|prefers?|likes?)|(?:blog|article|talk|post|tweet|video|newsletter|thread|book|paper|podcast|course)s? (?:\w+ ){0,3}(?:recommends?|says?|said|claims?|suggests?|argues?|tells|advises?|advocates?)|i (?:read|saw|heard)(?: \w+)? (?:that|somewhere|online|on)|their (?:\w+ )?(?:repo|code|team|codebase|backend|app) \w+s\b|(?:over )?at (?:google|netflix|amazon|meta) they|"
    r"(?:our|the|a) competitors?|in (?:the|that|another|their) (?:other )?(?:project|repo|team|company|style guide) they|their (?:style guide|project|repo|team|docs|policy|guide)|(?-i:[A-Z]\w+)s (?:team|company|group|people|department) (?:always|never|does|do|uses?|wants?|prefers?)|(?:the|that) other (?:team|company|project|cluster)s?|my (?:old|former|last|previous) (?:company|team|job|boss|employer|colleague)|"
    r"(?:someone|somebody|people|a guy|some guy|they) (?:on|at|in|said|says|wrote|told|claims?)|at the conference|on (?:reddit|stackoverflow|twitter|hn|hacker news|the forum)|blog ?posts?|tutorial|the (?:vendor|supplier)s? (?:mail|docs|readme|says)|"
    r"(?:readme|docs|documentation|manual|guide|article|page|datasheet) (?:of|from|says|claims|recommends)|that(?:s| is) (?:the other|someone elses)|a friend|in other companies|elsewhere they|they (?:always|never) ",
    "not_meant": r"lol|haha|ignore (?:it|that|this)|never ?mind|i didnt say|no idea where|outdated|dont bother|was just|you know the drill|dont worry|no worries|forget (?:it|that)|leave it|drop it|as you like|(?:is|are) in (?:btw|already|now)$|up to you|joking|kidding|no need",
    "mishap": r"another|again|yet more|more (?:red|broken|failing)|broken|red|crash\w*|fail\w*|flaky|hours? (?:lost|gone)|outage|down|like (?:that|this)",
}  # fmt: skip

OPENINGS: dict[str, str] = {
    "request": r"(?:hm+,? |hey,? |ok,? |so |please |anyway,? )*(?:(?:can|could|will|might|may) (?:you|u|i)|would you(?= (?:please|kindly|mind|be so))|wd you|mind)(?: please| pls| kindly| maybe| also| now| ask that| ask)*",
    "errand": r"would (?:you|u)|add|fix|show|rename|create|build|deploy|look|check|find|try|revert|delete|remove|update|change|commit|push|merge|open|see|rerun|fetch|list|print|bump|cut|install|"
    r"profile|describe|make|read|plot|submit|prepare|translate|flash|roll|send|next|let me|lets|where|now|what|good|fine|redeploy|clean|move|extend|"
    r"implement|refactor|extract|inline|split|convert|export|copy|paste|draw|enlarge|undo|restore|sort|hide|set|turn|swap|replace|bring|give it|do|go|wire|hook|pull|point|comment|write (?:the|a|an|me)|"
    r"run (?:it|the|that|a)|test (?:it|that|the)|rewrite|finish|continue|start|stop the|restart|upgrade|downgrade|generate|draft|investigate|explain (?:the|this|that|what|how|why|to me)|remind me|another|one more|same for|new (?:design|column|page)|need",
    "policy": r"(?:scrap|drop|forget) (?:(?:the|that|our|about) (?:[a-z.-]+ ){1,4}(?:rule|convention|policy|requirement|limit|ban)|what i said)|"
    r"(?:please |pls |just |always |never )*(?:use|keep|prefer|avoid|stick|leave|ask|name|write|put|run|squash|document|wrap|treat|dont|do not|never|always|no|stop|make sure|be|stay|target|say|tell|favou?r|refer|follow|log|tag|prefix|only|"
    r"mark|mention|assume|respect|check with|inject|scope|go easy|four|two|one|bubble|end|begin|start (?:with|from)|give|when|whenever|before|after|if|in|for|on)",
    "rejects": r"(?:wait|hey|finally|hmm?|ugh|again|yeah)?[ ,.:]*(?:what )?(?:no+|nope|nah|wrong|nono|not (?:like|how|camel|what|that|\w+,)|thats (?:not|wrong)|that is (?:not|wrong)|undo|revert that|put (?:that|it) back|stop|actually|dont|please dont|take (?:that|it) out|"
    r"who asked|why (?:did you|is|are there)|i (?:told|said|asked)|you (?:forgot|used|put|left|wrote|made|assumed)|thats not|whats (?:this|that)|ew|uh no|hm no)",
    "question": r"(?:hm+,? |so |and |ok |but |or )*(?:what|whats|whos|who|why|how|hows|where|wheres|when (?:did|do|is|are|will)|which|is|are|do|does|did|should|shall|would|could|can|may|has|have we|am i|remind me|wdyt|any (?:idea|reason|news)|tests$)(?! you)",
    "filler": r"(?:keep (?:that|this|it)(?: \w+)? in mind|remember (?:that|this)$|got it|noted|ok|okay|k|yes|yep|yeah|thanks|thank you|thx|great|nice|cool|perfect|good|fine|sweet|correct|right|brilliant|lovely|wonderful|splendid|done|continue|go on|go ahead|ship it|works|looks (?:good|fine)|interesting|meh|obvious\w*|fair|same|hm+|i see|much obliged)\b",
    "praise": r"(?:oh,? |well,? |yeah,? )*(?:wow|great|wonderful|awesome|amazing|fantastic|brilliant|lovely|terrific|fabulous|bravo|congrat\w*|nice|perfect|superb|marvell?ous|how (?:nice|lovely)|good job|i (?:just |truly |really |do so )?(?:love|adore|admire|enjoy))",
}  # fmt: skip
