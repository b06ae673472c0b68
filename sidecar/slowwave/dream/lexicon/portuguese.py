"""Portuguese. Engine 1, imports nothing of the house."""

TELLS = (
    r"a|agora|aliás|antes|ao|aqui|as|até|cada|com|como|da|das|de|dia|do|dos|e|em|essa|esse|está|eu|fica|foi|gente|isso|já|lá|mais|mas|me|meu|minha|na|"
    r"nada|nao|nas|no|nos|nunca|não|né|o|os|para|pela|pelo|por|porque|pq|pra|pro|quando|que|se|sem|sempre|ser|seu|sua|são|só|tem|toda|todas|todo|"
    r"todos|tá|um|uma|usa|vai|vc|você|é"
)
"""Short words that show a sentence to be in this language, at least in part."""

WORDS: dict[str, str] = {
    "prefers": r"prefiro|(?:não )?gosto|detesto",
    "evermore": r"sempre|nunca|jamais|a partir de agora|daqui (?:pra|para) frente|de agora em diante|sem exce[cç][aã]o",
    "must": r"deve[m]?|tem que|têm que|tem de|obrigatóri[oa]s?|é preciso|há que|precisam? (?:ser|estar|ter|passar)|tratar como|é pra|se (?:usa|faz|escreve|guarda)m?",
    "needs": r"precisa[m]?(?: d\w+)?|exige[m]?|requer(?:em)?|necessári[oa]|com o \w+ não|só (?:roda|funciona) com",
    "forbid": r"nunca|jamais|nada de|proibid\w+|nenhum\w*|sem|não pode\w*|evita\w*|não (?:mexe|mexa|use|usa|coloca|coloque|bota|commita|toca|toque|faz|faça|instala|mistura)|para de|à mão|na mão|ninguém|tira",
    "always": r"sempre|a partir de agora|daqui (?:pra|para) frente|de agora em diante|por padrão|em geral|normalmente|toda vez|sem exce[cç][aã]o|como regra|costum\w+|em todo lugar|de praxe",
    "every": r"cada|tod[oa]s?|qualquer|tudo|\w+ nov[oa]s?",
    "house": r"a gente|usamos|fazemos|temos|trabalhamos|noss[oa]s?|aqui|lá é|no nosso|nesse (?:repo|projeto)|somos|\w+amos",
    "state": r"é|são|está|tá|estão|fic(?:a|am|uem)|significa[m]?|conta[m]?|aceita[m]?|devolve[m]?|se chama[m]?|começa[m]? com|termina[m]? (?:com|em)|responde em|mostra em",
    "place": r"vai|vão|fica[m]?|mora[m]?|roda[m]?|vem de|vêm de|passa[m]? pel[oa]|tem que (?:ficar|ir)|está em|guarda[m]?|escuta[m]?|aponta[m]?|sai de|é recriad[oa]|é gerad[oa]|no banco",
    "instead": r"em vez d\w+|no lugar d\w+|ao invés|e nada de|(?<=, )não|(?<=, )nada de|e não|mas não|melhor",
    "only": r"só|somente|apenas|exclusivamente|únic[oa]",
    "reason": r"porque|pois|senão|pq|já que|por isso|que sem|para que|pra que|por causa|que o|assim|se não",
    "harm": r"derrubou|quebra|quebrou|perdeu|deu problema|dá problema|sobrescreve|rejeita|bloqueia|reclama\w*|estraga|multa",
    "chose": r"escolhemos|decidimos|optamos|ficamos com|combinamos|vamos (?:de|com|continuar|ficar)|descartamos|fechamos com|foi decidido|a decisão|definimos|acabamos|resolvemos",
    "tradeoff": r"dá conta|é suficiente|basta|não vale a pena|não compensa|muito (?:pesado|caro|lento|grande)|mais (?:barato|simples|leve|rápido)|já conhece|somos só|porque|ninguém|tem \d+ gb|pesa|sobra",
    "changed": r"não \w+ mais|esquece a regra|acabou|abandonamos|sumiu|saímos d\w+|largamos|"
    r"agora é|agora são|mudamos|mudou|trocamos|migramos|não (?:é|usa\w*) mais|desde (?:ontem|segunda)|passou a ser|foi pra|substitu\w+",
    "role": r"passa pel[ao] (?=(?-i:[A-Z]))|é (?:ela|ele) quem|responsável|cuida d\w+|quem (?:decide|cuida|aprova|manda|mexe)|pediu que|fala com|falar com|pergunta (?:pro|pra|para|ao|à)|é com [oa]|dúvida de .* com|toca [oa]|aprova|mantém|é d[oa] (?=(?-i:[A-Z]))|tem a palavra final",
    "me": r"(?:eu )?sou (?:um|uma|nov|o|a|de|backend|frontend|daltônic|dev|físic|bió)\w*|venho d\w+|vim d\w+|trabalho (?:em|de|com|no)|é novidade pra mim|meu (?:inglês|horário|fuso)|daltônic[oa]|disléxic[oa]|moro em|não manjo|não sei (?:muito|nada)",
    "likes": r"prefiro|gosto|não gosto|odeio|quero|me incomoda|detesto|leio no|acho (?:ruim|melhor)|me ajuda|me irrita",
    "replies": r"responde\w*|respostas?|emojis?|explica\w*|resum\w+|me (?:diz|fala|conta|mostra só)|frases|fala comigo",
    "works": r"commits?|rotas?|horários|nomes?|testes?|banco|crate|tabelas?|comentários?|código|endpoints?|datas?|valores|variáve\w+|pastas?|funções|branch(?:es)?|prs?|colunas?|logs?|erros?|ids?|mensage(?:m|ns)|dto|imports?|textos?|chaves?|dependências?|estilos?",
    "when": r"quando|se|antes d\w+|depois de|ao (?:\w+ar|\w+er|\w+ir)|toda vez que|sempre que|(?:para|pra) (?:\w+ar|\w+er|\w+ir)|assim que",
    "limit": r"no máximo|máximo|mínimo|pelo menos|até \d+|(?:menos|mais) de \d+|limite|por página|toda noite|cada (?:hora|dia)",
    "recall": r"aliás|lembra|anota|pra saber|já falei|de novo|outra vez|fica a dica|só pra registrar|como eu disse|ah,? e|detalhe",
    "fault": r"você (?:colocou|usou|botou|esqueceu|mudou|apagou)|vc (?:colocou|usou|botou)|colocou|usou|faltou|esqueceu|por que (?:tem|você)",
    "due": r"no máximo|o mais tardar|pronto|entregue\w*|entregar|certificado|contrato|declaração|exame|prova|defesa|licitação|renov\w+|reunião|vencimento|suporte|encerr\w+|abre|fecha|para de|inaugura\w*|treinamento|manutenção|janela|deve[m]?|lança\w*|será|fica pronto|congelamento|teste|corte|virada|"
    r"até|antes|vence|prazo|entrega\w*|demo|congela\w*|expira|acaba|termina|começa|lançamento|revisão|auditoria|tem que|desliga\w*|data|sai|no ar|sobe|publicação|release|fim|beta|sprint|feira|apresentação|migração|visita|é (?:na|no|dia)",
    "step": r"depois|primeiro|por fim|por último|aí|em seguida|e (?:espera|mandar)|nessa ordem|no final|então",
    "ritual": r"os passos|sempre que|toda vez que|funciona(?=:)|"
    r"passos|é assim|faz assim|processo|procedimento|(?:pra|para) (?:\w+ar|\w+er|\w+ir)|quando|nessa ordem|roteiro|receita|antes de|o deploy|é sempre|tem que",
    "unsure": r"acho que|talvez|não sei se|parece que|será que|pode ser|imagino",
    "hypothetical": r"o que (?:aconteceria|seria)|aconteceria|suponh\w+|digamos que|se a gente (?:\w+ ){0,2}\w+sse\b|como seria|"
    r"e se|imagina\w*|um dia|podíamos|daria pra|faria sentido|na teoria|pensando alto|só (?:ideia|curiosidade)|e se a gente|era só ideia|seria",
    "one_off": r"ness[ae] (?:branch|pr)|enquanto (?:eu )?\w+o\b|"
    r"(?:para|pra) a (?:demo|reunião|apresentação) de hoje|pula (?:o|a) .* (?:vez|hoje)|só neste (?:pr|branch)|por hoje|"
    r"só (?:pra|para) (?:a |o )?\w+|até eu \w+|um pouco|depois eu \w+|hoje|só (?:dessa|desta|hoje|por|nesse|nesta|pra ess[ea])|por enquanto|por ora|dessa vez|desta vez|temporari\w*|nesse (?:pr|commit)|depois eu (?:volto|tiro|mudo)|excepcionalmente|pra ess[ea] (?:demo|build|pr)|rapidinho",
    "ephemeral": r"esta semana|essa semana|estes dias|atualmente|ocupad[oa]|está (?:vermelh[oa]|ocupad[oa]|fora)|desde cedo|este mês|neste momento|"
    r"agora mesmo|no momento|ainda (?:tá|está|rodando)|tá (?:vermelh[oa]|caíd[oa]|quebrad[oa]|fora|chei[oa])|estou (?:fora|em reunião)|(?:vermelh[oa]|fora do ar) agora|esta (?:manhã|tarde|noite)",
    "past": r"ontem|semana passada|mês passado|era|foi|estava|fiz|tinha|da última vez",
    "symptom": r"não (?:funciona|sobe|abre|carrega|compila|roda|aparece)|falha|devolve \d+|lento|trava|erro \d|quebrado",
    "sarcasm": r"(?:uma|duas|três|\d+) (?:horas?|minutos) por uma? (?:vírgula|espaço)|nunca vamos mudar|"
    r"(?:deu|funcionou|foi) (?:tão|super|muito) (?:certo|bem)|que (?:ótima|bela|grande) ideia|o que poderia dar errado|"
    r"que maravilha|que delícia|que lindo|adoro quando|era tudo que eu queria|que alegria",
    "reported": r"falou|disse|mandou|segundo|diz|recomenda",
    "outsider": r"(?:o|a|os|um|nosso) (?:customer|client|vendor|boss|manager)s? (?:quer|querem|pede|wants?|diz)|"
    r"(?:a diretoria|o diretor|um consultor|nossos clientes|o cliente) (?:quer(?:em)?|pede[m]?|exige[m]?|diz(?:em)?)|"
    r"(?:o|a|os|um) (?:clientes?|chefe|vendas|marketing|fornecedor|usuários?) (?:quer|querem|pede|pediu|insiste|prefere|queria)",
    "elsewhere": r"(?:o time|a equipe|o pessoal|a turma) d[aoe] (?-i:[A-ZÁÉÍÓÚ])\w+ (?:\w+ )?(?:sempre|nunca|usa[m]?|quer|prefere[m]?|proíbe[m]?|faz)|(?:artigo|blog|post|vídeo|podcast|palestra)(?: \w+){0,3} (?:recomenda|diz|aconselha|sugere)|li (?:que|num|em)|dizem que|o (?:repo|time|projeto|código) deles|"
    r"(?:na )?minha (?:antiga|ex) (?:empresa|equipe)|(?:n?o )?outro (?:time|projeto)|alguém (?:no|disse)|no fórum|um amigo",
    "not_meant": r"kkk+|deixa (?:pra lá|quieto)|esquece|brincadeira|tanto faz|ignora|relaxa",
    "mishap": r"de novo|outra vez|mais (?:um\w*|dois|duas|três|\d+)|vermelh[oa]s?|quebrad[oa]s?|assim",
}  # fmt: skip

OPENINGS: dict[str, str] = {
    "request": r"(?:pode|poderia|consegue|dá pra)(?: por favor| me)*",
    "errand": r"adiciona|olha|faz(?! assim)|cria|roda|mostra|arruma|tenta|verifica|apaga|agora|cadê|muda|renomeia|move|atualiza|aumenta|diminui|abre|sobe o|testa|instala|remove|tira|corrige|preciso|continua|troca|bota|executa|dá uma olhada|o endpoint",
    "policy": r"esquece (?:a regra|o que eu disse)|"
    r"(?:por favor )?(?:usa|use|evita|nunca|sempre|prefiro|não|os|as|cada|todo|toda|todos|antes|quando|deixa|mantém|escreve|responde|explica|nada|se|pra|para|me responde|pergunta|mensagem)",
    "rejects": r"(?:opa,? |ih,? )?(?:não|nao|errado|assim não|isso não|usou .* de novo|espera|para|desfaz|tira isso|você (?:colocou|usou)|por que)",
    "question": r"(?:e |mas )?(?:por que|como|quando (?:é|vai)|onde|quem (?:é|fez)|qual|quanto|o que|cadê|tem como|dá pra|será que|podemos)",
    "filler": r"(?:valeu|beleza|ok|obrigad[oa]|show|ótimo|perfeito|isso|tá|certo|continua|pois é|obvio|óbvio|bom|legal|tá bom)\b",
    "praise": r"(?:ah |oh |nossa,? )*(?:parabéns|ótimo|maravilh\w+|genial|que (?:lindo|legal|beleza|ótimo|maravilha|alegria)|perfeito|excelente|bravo|show|sensacional)",
}  # fmt: skip
