"""French; apostrophes are dropped before matching, so "l'api" is read as "lapi". Engine 1, imports nothing of the house."""

TELLS = (
    r"au|aussi|aux|avant|avec|ce|cest|chaque|chez|dans|de|des|doit|donc|dorénavant|du|dun|dune|désormais|elle|en|encore|est|et|faut|ici|il|ils|jai|"
    r"jaime|jamais|je|jusquà|la|lapi|le|les|ma|mais|mes|mon|même|ne|nest|nos|notre|nous|on|ou|où|par|pas|plus|plutôt|pour|quand|que|qui|quil|quon|sa|"
    r"sans|se|ses|sinon|son|sont|stp|sur|ta|te|ten|toujours|tous|tout|toute|toutes|tu|un|une|vous|à|ça|été"
)
"""Short words that show a sentence to be in this language, at least in part."""

WORDS: dict[str, str] = {
    "prefers": r"je préfère|jaime|je naime|je déteste",
    "evermore": r"toujours|jamais|désormais|dorénavant|à partir de maintenant|sans exception|systématiquement",
    "must": r"doit|doivent|il faut|faut|obligatoires?|impérati\w+|devra(?:it)?|devront|est censée?|sont censée?s|a besoin|se (?:met|font|fait|range|nomme|passe|lance)(?:nt)?",
    "needs": r"il (?:te |vous |nous )?faut|nécessit\w+|besoin d\w*|exige|demande du|requier\w*|requis\w*|ne (?:marche|passe|compile) (?:quavec|pas avec|que)|passe pas|ne compile pas",
    "forbid": r"jamais|pas d\w*|aucune?|interdit\w*|évit\w+|rien|sans|n?utilise\w* pas|ne (?:touche|mets|mélange|supprime|modifie|change|commit\w*|pousse|fais)[sz]? (?:pas|plus|rien)|(?:touche|mets|fais|change) pas|on ne \w+ (?:pas|plus|rien)|arrête|plus d\w+|zéro|à la main|"
    r"on \w+ pas|zero",
    "always": r"toujours|désormais|dorénavant|à partir de maintenant|par défaut|en général|systématiquement|à chaque fois|à lavenir|dhabitude|en principe|partout|normalement|une fois pour toutes",
    "every": r"chaque|tout|toutes?|tous|nimporte (?:quel\w*|où)|quoi que ce soit|tout nouve\w+|(?:un|une) nouve\w+",
    "house": r"on (?!(?:regarde|peut|pourrait|verra|va voir)\b)\w+|chez nous|notre|nos|nous|ici|dans ce (?:dépôt|projet|repo)|léquipe|maison",
    "state": r"est|sont|cest|reste(?:nt)?|sappelle(?:nt)?|signifie|compte(?:nt)?|accepte|renvoie(?:nt)?|attend|commence(?:nt)? par|finit|veut dire|vaut|figure[rnt]*|marche",
    "place": r"va(?: dans| en| sur)?|vont|passe(?:nt)?(?: par)?|vit|vivent|se trouve(?:nt)?|habite|tourne(?:nt)?|vient(?: de)?|viennent|est (?:à|dans|sur|en|sous)|sont (?:à|dans|sur|en|sous|au)|démarre|écoute|pointe|tu les? mets|se rangent?|est régénéré|est généré",
    "instead": r"plutôt qu\w*|plutôt|au lieu d\w*|(?<=, )pas|et non|et pas|mais pas|à la place|mieux vaut",
    "only": r"seulement|uniquement|seule?s?|exclusivement|rien que|ne .* que",
    "reason": r"parce qu\w+|car|sinon|puisque|pour qu\w*|vu qu\w+|cest pour|à cause|comme ça|afin|du coup|sans quoi|étant donné",
    "harm": r"casse|plante|perdu|perd|se plain\w+|rejette|bloque|écras\w+|fuite|incident|saute|illisible",
    "chose": r"on a (?:choisi|décidé|retenu|tranché|écarté|opté|préféré)|on (?:part|reste|garde|continue) (?:sur|avec|en)?|choisi|tranché|décidé|retenu|écarté|ce sera|on sen tient|opté|finalement",
    "tradeoff": r"nous suffi\w+|trop (?:lourd|gros|cher|lent|petit|de)|ne vaut pas|vaut (?:pas )?le coup|connaît déjà|moins cher|plus (?:simple|léger|rapide)|pas la peine|personne (?:ne|nest)|à \w+ personnes|suffit|coûte|compliqué",
    "changed": r"n\w+ plus|ne \w+ plus|plus de|oublie (?:la|le)|abandonnée?|a disparu|supprimée?|"
    r"est passée?|remplacée?|ne .* plus|nest plus|on est passé|on a (?:quitté|abandonné|migré|remplacé|changé|renommé|fermé|déménagé)|maintenant (?:cest|est)|depuis (?:hier|lundi|la semaine)|cest maintenant",
    "role": r"qui (?:gère|soccupe|valide|décide|sen occupe|tient|maintient)|responsable|soccupe d\w*|cest (?=(?-i:[A-ZÉ])\w+ qui)|demande (?:à|au) (?=(?-i:[A-ZÉ]))|vois (?:ça )?avec|valide|voir avec|en charge|le dernier mot|donne son accord|référente?|tient (?:les|la|le)|"
    r"passe(?:nt)? par (?=(?-i:[A-ZÉ][a-z]))",
    "me": r"je (?:viens d\w+|suis (?:une?|nouve\w+|le|la|de|en|basée?|daltonien\w*|dyslexique|plutôt)|travaille (?:en|depuis|à|sur)|ne (?:connais|lis|parle))|est nouveau pour moi|sont nouveaux pour moi|mon (?:anglais|fuseau|métier)|débutante?|daltonien\w*|jhabite|je débute",
    "likes": r"je préfère|jaime|jadore|je déteste|je veux|jaimerais|je ne supporte|ça (?:maide|mennuie|magace|ménerve)|je narrive pas|je lis|me gêne|jai du mal|je (?:naime|lis que)",
    "replies": r"répon\w+|tutoie\w*|vouvoie\w*|vouvoiement|expliqu\w*|résum\w*|dis[- ]moi|phrases|montre[- ]moi (?:seulement|que)|parle[- ]moi|écris[- ]moi",
    "works": r"commits?|docstrings?|code|tests?|état|messages?|noms?|tables?|commentaires?|endpoints?|dates?|montants?|variables?|dossiers?|fonctions?|branches?|prs?|colonnes?|logs?|erreurs?|ids?|types?|textes?|images?|fixtures|ternaires|macros|imports?|clés?|traductions?|dépendances?|styles?|lapi",
    "when": r"quand|si|sil|avant (?:de|d\w+|chaque|toute?)|après (?:chaque|avoir)|dès qu\w+|lorsqu\w+|à chaque|pour (?:chaque|tout|une?)|une fois",
    "limit": r"au maximum|maximum|au moins|au plus|minimum|jusquà \d+|(?:moins|plus) de \d+|limite|par page|chaque nuit|de nuit|toutes les|\d+ (?:lignes|octets|caractères)",
    "recall": r"au fait|note[rz]?|retiens|pour info|souviens|je (?:tai|lai) (?:déjà )?dit|encore|déjà dit|rappel|pour mémoire|ah et|tant que jy pense|noté",
    "fault": r"tu as|tas|ten as|vous avez|pourquoi (?:tu as|il y a)|tu (?:utilises|mets|oublies)|mauvais(?:e)?",
    "due": r"avant|dici|jusquau|au plus tard|expir\w+|échéance|rendre|rendu\w*|livr\w+|dépos\w+|certificat|contrat|déclaration|examen|soutenance|lancement|gel|démo|audit|fin|finie?s?|prête?s?|terminée?s?|migration|coupure|arrêt\w*|ferme\w*|ouvre|commence|débute|se termine|a lieu|mise en (?:ligne|production|service)|réunion|visite|salon|renouvel\w+|sarrête|prend fin|cest le|recette|présentation|bêta|date limite|est (?:le|prévue?|fixée?)|"
    r"avant|jusqu\w*|échéance|date|doit|démo|gel|gèle|geler|livre\w*|livraison|expire|finit|termine|commence|démarre|débute|audit|revue|sortie|mise en prod|fermeture|coupée?s?|arrêt\w*|lancement|rendre|rendu|pour le|fin|bêta|sprint|salon|présentation|inventaire|"
    r"migration|ferme|bascule|cest (?:vendredi|lundi|mardi|mercredi|jeudi)|visite|recette",
    "step": r"puis|ensuite|dabord|après|enfin|et (?:on|enfin)|pour finir|dans cet ordre|à la fin|une fois",
    "ritual": r"(?:se passe|se fait)(?: comme ça)?(?= ?:)|chaque fois qu\w+|les étapes|dès qu\w+|"
    r"étapes|se fait comme|comme ça|procédure|dans cet ordre|pour (?:\w+er|\w+ir|\w+re)|quand|marche à suivre|mise en prod|déploiement|recette|on (?:fait|construit|monte|pose|commence)|toujours|^(?:pour|avant)",
    "unsure": r"je (?:crois|pense)|peut-être|sans doute|il me semble|je ne sais pas|on dirait|jimagine|a priori|possible",
    "hypothetical": r"que se passerait|quest-ce qui (?:se passerait|arriverait)|supposons|à supposer|si on (?:\w+ ){0,2}\w+(?:ait|ions)\b|"
    r"et si|imagin\w+|un jour|on pourrait|ça vaudrait|en théorie|si on (?:réécrivait|passait|avait|faisait|testait)|je plaisante|par curiosité|hypothèse|ce serait",
    "one_off": r"dans cette (?:branche|pr)|pendant que je|"
    r"pour la (?:démo|réunion|présentation) (?:daujourdhui|de ce|de tout)|saute .* cette fois|juste pour (?:cette|ce|la|le)|seulement dans cette (?:pr|branche)|"
    r"(?:juste|seulement|uniquement) pour (?:la|le|les) \w+|pour (?:la|le) \w+ (?:seulement|uniquement)|le temps que|un moment|un instant|je regarde (?:plus tard|après)|aujourdhui|provisoirement|juste (?:cette fois|pour)|pour linstant|cette fois(?:-ci)?|pour cette (?:pr|branche|démo|page)|pour ce (?:build|test|commit|run)|temporairement|exceptionnellement|rien que cette fois|une seule fois|le temps d\w+|je (?:remets|remettrai|lenlève) après|ce soir",
    "ephemeral": r"cette semaine|ces jours-ci|ces temps-ci|est (?:occupée?|rouge|saturée?)|depuis ce matin|ce mois-ci|présentement|"
    r"là|en ce moment|actuellement|tourne encore|est (?:rouge|cassée?|plante|down|pleine?)|je suis (?:en réunion|absent|dehors)|ce matin|cet après-midi|encore en cours|pour le moment",
    "past": r"hier|la semaine dernière|le mois dernier|était|étaient|avait|a été|jai (?:testé|changé|enlevé|renommé|poussé|mis)",
    "symptom": r"plante|ne (?:marche|démarre|charge|compile|fonctionne|sort|senvoie) (?:pas|plus)|nenvoie plus|erreur|bug|lent|bloqué|ignore les|bizarre|affiche mal",
    "sarcasm": r"(?:une|deux|trois|\d+) (?:heures?|minutes) pour une? (?:virgule|espace|faute)|(?:surtout )?ne changeons (?:jamais|surtout) rien|"
    r"ça a (?:tellement|si|vraiment) bien (?:marché|fonctionné)|oui bien sûr,|quelle (?:excellente|bonne|brillante) idée|que demander de plus|quest-ce qui pourrait mal|"
    r"génial, encore|génial encore|super, encore|quel bonheur|comme par hasard|exactement ce que je voulais|ravie? que|merveilleux, encore",
    "reported": r"dit|disent|écrit|selon|daprès|recommande\w*|prétend",
    "outsider": r"(?:le|la|les|notre|un) (?:customer|client|vendor|boss|manager)s? (?:veut|veulent|demande\w*|wants?|dit)|"
    r"(?:la direction|le directeur|un consultant|le client|nos clients) (?:veut|veulent|demande\w*|exige\w*|dit|souhaite\w*)|"
    r"(?:le|la|les|un|une|notre) (?:clients?|cliente|chef|patron|patronne|ventes|marketing|fournisseur|utilisateurs?) (?:veut|veulent|voudrait|demande|exige|préfère|insiste|aimerait)",
    "elsewhere": r"(?:léquipe|le groupe|la bande|les gens) (?:de|du|à) (?-i:[A-ZÉ])\w+ (?:\w+ )?(?:toujours|jamais|utilise\w*|veut|préfère\w*|interdit|fait|font)|(?:article|billet|blog|podcast|vidéo|tuto\w*)(?: \w+){0,2} (?:recommande|dit|conseille|prétend|suggère)|jai lu (?:que|quelque part)|il paraît|leur (?:dépôt|équipe|projet|code)|"
    r"mon ancien\w* (?:boîte|équipe|boulot|entreprise)|(?:dans )?lautre (?:équipe|projet|dépôt)|quelquun (?:sur|a dit)|sur le forum|un ami",
    "not_meant": r"je plaisante|laisse tomber|oublie|tant pis|peu importe|ignore[rz]?|mdr|lol",
    "mishap": r"encore|rouges?|cassée?s?|plant\w+|en panne|comme ça",
}  # fmt: skip

OPENINGS: dict[str, str] = {
    "request": r"(?:tu (?:peux|pourrais)|peux[- ]tu|pourrais[- ]tu|vous pourriez|est-ce que tu peux)(?: stp| me)*",
    "errand": r"ajoute|regarde|fais(?! des| court)|corrige|montre(?! moi que)|lance|essaie|essaye|demande (?:à un|au sous)|pousse|vérifie|cherche|supprime|déploie|change|renomme|crée|déplace|mets à jour|mets le|mets la|ouvre|relance|agrandis|tu regardes|"
    r"remplace|enlève|remets|compile|teste|installe|voici|continue|redeploy|vas-y",
    "policy": r"oublie la (?:règle|convention)|"
    r"(?:stp |svp )?(?:utilise|évite|jamais|toujours|je préfère|ne|les|chaque|tout|toute|toutes|tous|avant|quand|garde|écris|réponds|explique|pas|si|pour|demande[- ]moi|nomme|fais des|fais court|tutoie|zéro|laisse les)",
    "rejects": r"(?:euh |ah )?(?:non|pas comme|mauvais|cest pas|ce nest pas|tu as encore|tas encore|attends|stop|annule|enlève ça|pourquoi tu)",
    "question": r"(?:et |mais |du coup )?(?:pourquoi|comment|quand est|où|qui (?:est|a)|quel\w*|combien|est-ce|cest quoi|quest-ce|peut-on|on peut|il y a)",
    "filler": r"(?:ok|oui|merci|parfait|nickel|impec|super|bien|très bien|cool|continue|daccord|génial|laisse|vas-y|noté)\b",
    "praise": r"(?:oh |ah |wow,? )*(?:génial|bravo|super|merveilleux|formidable|magnifique|parfait|félicitations|fantastique|quel (?:bonheur|plaisir)|chapeau)",
}  # fmt: skip
