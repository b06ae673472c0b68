"""Spanish. Engine 1, imports nothing of the house."""

TELLS = (
    r"ahora|al|antes|aquí|así|cada|como|con|cuando|de|del|el|en|es|esa|ese|esta|este|está|ha|hace|has|hay|he|hemos|la|las|le|lo|los|mi|más|nada|"
    r"ningún|no|nos|nunca|o sea|otra|otro|para|pero|por|porque|que|qué|se|si|siempre|sin|solo|son|su|sus|sí|sólo|te|tiene|todo|todos|tu|un|una|usa|va|"
    r"vamos|van|vez|y|ya"
)
"""Short words that show a sentence to be in this language, at least in part."""

WORDS: dict[str, str] = {
    "prefers": r"prefiero|(?:no )?me gustan?|odio",
    "evermore": r"siempre|nunca|jamás|a partir de ahora|(?:de ahora )?en adelante|sin excepción",
    "must": r"debe[ns]?|debemos|hay que|tienen? que|tenemos que|obligatori[oa]s?|ha de|han de|habría que|tendría que|se (?:usan?|hacen?|ponen?|escriben?|guardan?|quedan?|pasan?|prueban?|suben?|nombran?)",
    "needs": r"hace falta|hacen falta|necesitas?|necesitan|requieren?|se necesita|exigen?|exige|con (?:la|el) \w+ no|pide[n]?",
    "forbid": r"nunca|jamás|nada de|prohibid\w+|ningun\w*|sin|que no|evita\w*|no (?:toques|metas|uses|pongas|hagas|subas|borres|cambies|instales|mezcles|lo (?:metas|uses|pongas|toques|cambies))|deja de|a mano|no se \w+n?|fuera de|no (?:los?|las?) \w+",
    "always": r"siempre|a partir de ahora|de ahora en adelante|en adelante|por defecto|en general|normalmente|cada vez|y punto|desde (?:ya|ahora)|por norma|como norma|en todo momento|de costumbre|habitualmente",
    "every": r"cada|tod[oa]s?|cualquier(?:a)?|en todas partes|(?:un|una) \w+ nuev[oa]|\w+ nuev[oa]s?",
    "house": r"usamos|hacemos|tenemos|trabajamos|nuestr[oa]s?|nos|aquí|acá|en este (?:repo|proyecto)|ponemos|escribimos|guardamos|mantenemos|somos|\w+amos|\w+emos",
    "state": r"es|son|está[n]?|queda[n]?|significan?|cuentan?|acepta[n]?|devuelve[n]?|se llama[n]?|empiezan? (?:con|por)|terminan? (?:con|en)|espera",
    "place": r"van?|vive[n]?|lleva[n]?|pasan? por|sale[n]? de|corre[n]? en|está[n]? en|se guarda[n]? en|viene[n]? de|quedan? en|apunta[n]? a|escucha[n]? en|cuelga[n]? de|arranca[n]?(?: a)?|se (?:regenera|genera|ejecuta|lanza)[n]?",
    "instead": r"en vez de|en lugar de|sino|mejor|y no|(?<=, )no|(?<=, )nada de|antes que|más bien",
    "only": r"sól?o|solamente|únicamente|exclusivamente|el únic[oa]|la única",
    "reason": r"porque|ya que|pues|si no|que (?:se|luego|si no|el|la|los|así|no)|por eso|para que|puesto que|de lo contrario|así (?:que|se)",
    "harm": r"se rompen?|se pierden?|comen?|sufrimos|fallan?|tiran?|se caen?|rechaza[n]?|bloquea[n]?|un lío|se queja[n]?|problemas?|incidente|descuadra\w*",
    "chose": r"^nada de|nos quedamos con|decidimos|elegimos|acordamos|acordado|optamos|hemos decidido|seguimos con|vamos con|descartamos|descartad[oa]|la decisión|elegid[oa]|al final|será|apostamos por|nos decantamos",
    "tradeoff": r"nos basta|es suficiente|basta con|no compensa|no vale la pena|demasiado|más (?:barato|rápido|simple|ligero)|nadie (?:lo|la)|ya (?:lo|la) conoce|somos|no hay|sobra|cuesta|no hace falta|pesa",
    "changed": r"ya no|olvida (?:la|el|lo)|se acabó|abandonamos|desapareció|migrado|pasado de|"
    r"ahora es|ahora son|cambiamos|cerramos|pasamos a|ya no|subimos|migramos|se llama ahora|lo cerramos|quitamos|dejamos de|desde (?:ayer|el lunes|la semana)|reemplaz\w+|sustitu\w+",
    "role": r"ell[ao] (?:nos|es|decide|lleva)|encargad[oa]|(?-i:[A-ZÁÉÍÓÚ])\w+ lleva|se encarga|responsable|consúlta\w*|pregúntale|pregunta a|habla con|lleva (?:la|el|los|las)|el visto bueno|quien decide|decide|aprueba|revisa (?:la|el|los)|mantiene|es (?:el|la) que",
    "me": r"soy (?:un|una|nuev|el|la|de)|vengo d\w+|trabajo (?:en|desde|con)|es nuevo para mí|son nuevos para mí|mi (?:inglés|horario|zona)|daltónic[oa]|disléxic[oa]|no sé (?:mucho|nada)|vivo en|llevo \w+ años",
    "likes": r"prefiero|me gusta[n]?|no me gusta[n]?|odio|quiero|me molesta[n]?|me cuesta|leo en|me va mejor|no soporto|me (?:viene|resulta)",
    "replies": r"respond\w+|respuestas?|contesta\w*|tut[eé]a\w*|explica\w*|resúmen\w*|resume\w*|háblame|dime|frases|cuéntame|enséñame solo",
    "works": r"commits?|placas?|mensajes?|pruebas|tests?|broker|rutas?|nombres?|tablas?|comentarios?|código|endpoints?|fechas?|importes?|variables?|carpetas?|strings?|funciones|ramas?|prs?|columnas?|logs?|errores|ids?|migraciones|estilos?|textos?|claves?|fixtures",
    "when": r"cuando|si|antes de|después de|al (?:\w+ar|\w+er|\w+ir)|cada vez que|en cuanto|siempre que|para (?:\w+ar|\w+er|\w+ir)",
    "limit": r"como máximo|máximo|mínimo|al menos|hasta \d+|(?:menos|más) de \d+|que no pase de|límite|por página|cada (?:noche|hora|día)|nocturn[oa]|tope",
    "recall": r"por cierto|recuerda|apunta|que sepas|te lo dije|otra vez|como te dije|de nuevo|lo digo por si|ojo|ten en cuenta|para que (?:sepas|conste)|ah y|acuérdate",
    "fault": r"(?:has|me has|lo has|te has|has vuelto a) \w+(?:ado|ido|to|cho)|usaste|pusiste|te equivocas|cambiaste|borraste|olvidaste|por qué (?:has|hay|está)",
    "due": r"expira|a más tardar|como tarde|presenta\w*|certificado|contrato|declaración|examen|defensa|licitación|renov\w+|lista[s]?|terminad[oa]s?|acabad[oa]s?|fin|se (?:retira|abre|cierra|congela|acaba|entrega)|reunión|puesta en (?:marcha|producción)|migra\w*|mantenimiento|ventana|vencimiento|soporte|deja de|tener|toca|vence[n]?|"
    r"hasta|antes|listo|fecha|plazo|entrega\w*|demo|congel\w+|caduca|vence|termina|acaba|empieza|comienza|revisión|auditoría|lanzamiento|tiene[n]? que|hay que|apagan|se apaga|cierra[n]?|salimos|sale|límite|publicación|es el|para el|presentación|feria|migración|"
    r"corte|beta|sprint|a fin|inaugura\w*|visita",
    "step": r"luego|después|primero|por último|al final|a continuación|y (?:esperas|esperar|reinicias|mandarle|volver|pegar)|en ese orden|una vez|entonces",
    "ritual": r"los pasos|cada vez que|siempre que|(?:va|funciona)(?=:)|"
    r"pasos|se hace así|siempre esto|el orden|proceso|procedimiento|para (?:\w+ar|\w+er|\w+ir)|cuando|así:|es así|en ese orden|receta|la forma de|hay que|despliegue|hago siempre",
    "unsure": r"creo que|me parece|quizás?|tal vez|a lo mejor|no sé si|puede que|será|supongo|igual",
    "hypothetical": r"supongamos|si (?:\w+ ){0,2}\w+(?:áramos|iéramos|éramos)\b|qué tal si|cómo sería|"
    r"y si|qué pasaría|imagina|algún día|podríamos|podría|tendría sentido|por curiosidad|curiosidad|por saber|en teoría|hipotétic\w+|si (?:usáramos|tuviéramos|hiciéramos)",
    "one_off": r"en est[ea] (?:rama|branch|pr)|mientras (?:yo )?(?:depuro|pruebo|arreglo|miro)|"
    r"para la (?:demo|reunión|presentación) de (?:hoy|esta)|sáltate|solo en est[ea]|por hoy|nada más por hoy|una vez y ya|"
    r"sól?o para (?:la|el) \w+|hasta que (?:yo )?termine|un rato|luego lo \w+|hoy|(?:por )?esta vez|temporal(?:mente)?|sól?o (?:esta|hoy|en esa|en est[ea]|para est[ea]|por)|por ahora|de momento|por el momento|para est[ea] (?:pr|rama|build|prueba|demo)|luego lo (?:quito|cambio|vuelvo)|excepcionalmente|una sola vez|en est[ea] (?:pr|rama)|for the demo",
    "ephemeral": r"esta semana|estos días|actualmente|ocupad[oa]|está (?:en )?rojo|desde esta mañana|este mes|por ahora|"
    r"ahora mismo|en este momento|sigue (?:corriendo|roto|caído)|está (?:en rojo|caíd[oa]|rot[oa]|llen[oa])|estoy (?:fuera|en)|esta (?:mañana|tarde|noche)|todavía|aún",
    "past": r"ayer|la semana pasada|anoche|estaba|era|fue|hice|hubo|el mes pasado",
    "symptom": r"no (?:funciona|arranca|carga|compila|sube|aparece|va)|falla|error|roto|lento|se cuelga|marca \d+|se ve mal|peta",
    "sarcasm": r"(?:una|dos|tres|\d+) (?:horas?|minutos) por una? (?:coma|espacio|errata)|no cambiemos nunca|"
    r"la última vez (?:salió|fue|funcionó|nos fue) (?:tan|de|muy|genial)|salió tan bien|como (?:salió|fue|funcionó) tan bien|qué (?:gran|buena) idea|qué podría salir mal|claro que sí,|"
    r"qué bien que|qué ilusión|estupendo, otra|justo lo que (?:soñaba|quería|necesitaba)|genial, otr[ao]|qué maravilla|me encanta cuando",
    "reported": r"dice[n]?|dijo|según|recomienda[n]?|pone que|cuenta que",
    "outsider": r"(?:el|la|los|un|nuestro) (?:customer|client|vendor|boss|manager)s? (?:quiere[n]?|pide[n]?|wants?|dice[n]?)|"
    r"(?:la dirección|el director|un consultor|nuestros clientes) (?:quiere[n]?|pide[n]?|exige[n]?|dice[n]?)|"
    r"(?:el|la|los|un) (?:clientes?|jefe|jefa|ventas|marketing|proveedor|usuarios?) (?:quiere[n]?|pide[n]?|insiste[n]?|prefiere[n]?|querría|dice[n]?)",
    "elsewhere": r"(?:el equipo|el grupo|la gente) de (?-i:[A-ZÁÉÍÓÚ])\w+ (?:\w+ )?(?:siempre|nunca|usa[n]?|quiere[n]?|prefiere[n]?|prohíbe[n]?|hace[n]?)|(?:artículo|blog|post|vídeo|podcast|charla)(?: \w+){0,3} (?:recomienda|dice|aconseja|sugiere)|leí (?:que|en)|he leído|dicen que|su (?:repo|equipo|proyecto|código) (?:usa|tiene)|"
    r"(?:en )?mi (?:antigu[oa]|anterior|ex) (?:empresa|equipo|trabajo|curro)|(?:en )?el otro (?:equipo|proyecto)|alguien (?:en|dijo)|en el foro|un amigo",
    "not_meant": r"es broma|olvídalo|déjalo|da igual|jaja\w*|no importa|ignóralo",
    "mishap": r"otra vez|otr[oa]s?|de nuevo|rojos?|rot[oa]s?|falla\w*|caíd[oa]s?|así",
}  # fmt: skip

OPENINGS: dict[str, str] = {
    "request": r"(?:puedes|podrías|me puedes|te importa)(?: por favor)*",
    "errand": r"añade|mira|sube|arregla|haz|quita|prueba|busca|muestra|borra|consulta|revisa|mientras|será|cambia|crea|renombra|mueve|ejecuta|corre|lanza|actualiza|pon|abre|enséñame|ahora|necesito|saca|instala|filtra|guárdala|dale|vuelve|corrige|agrega|despliega|sigue",
    "policy": r"olvida (?:la regla|lo que dije)|"
    r"(?:por favor )?(?:usa|evita|nunca|siempre|prefiero|no|los|las|cada|todo|toda|todos|antes|cuando|deja|mantén|escribe|responde|explica|nada|si|para|el|la|pregunta|nombra|ponme|háblame)",
    "rejects": r"(?:a ver, )?(?:no+|nono|mal|así no|eso no|te equivocas|otra vez|espera|para|deshaz|quita eso|por qué has|nada de)",
    "question": r"[¿]|(?:y |pero )?(?:qué|cómo|cuándo|dónde|quién|cuál|cuánto|por qué|hay algún|se puede|podemos|debería)",
    "filler": r"(?:vale|bien|ok|gracias|perfecto|genial|estupendo|listo|sigue|bien hecho|hecho|claro|ajá|de acuerdo|muy bien)\b",
    "praise": r"(?:ay |oh |vaya,? )*(?:genial|estupendo|fantástico|maravilloso|qué (?:bien|bonito|maravilla|alegría|ilusión)|bravo|enhorabuena|felicidades|perfecto|excelente)",
}  # fmt: skip
