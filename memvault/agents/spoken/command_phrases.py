"""The phrases of spoken commands (remember this, dig deeper into, forget), in each language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memvault.agents.spoken.intent import Language, rule_group

_THIS = r"(?:this|that|it)"
_MEMORY = r"(?:(?:your|my|our|the|long[-\s]term) )*memory"
# "Keep it in memory" is said of programs; one's own memory, and adding to it, is not.
_TO_MEMORY = r"(?:(?:in|into|to) (?:your|my|our)(?: long[-\s]term)? memory|to (?:the )?(?:long[-\s]term )?memory)"
_KEEP = r"(?:save|store|add|commit|put|keep|write|record)"
_SEPARATED = r"(?:\s*[:–—]|\s*-+(?=\s)|\s*\.{3}|\s*…)"
_LATER = (
    r"for (?:now|later|next time|the (?:next (?:time|session)|future)|(?:our|my|the) next session|future reference"
    r"|me|us)"
)
_EXCHANGE = r"(?: (?:conversation|exchange|discussion|decision|answer|solution|fix|lesson|one|session))?"
_DEGREE = r"(?: (?:really|very|so|truly|highly|deeply|quite))?"
_IS_SIGNIFICANT = rf"(?:this|that|it)(?: is|'s){_DEGREE} significant"
_MARKED = rf"(?:mark|flag|tag|save|store|remember|keep) {_THIS} as (?:(?:really|very) )?significant"
_MATTERS = (
    r"(?: is|,? (?:(?:as|because|since) )?(?:it(?: is|'s)|this is))?(?: (?:really|very|so))?"
    r" (?:important|crucial|critical|essential|vital|because it matters)"
)
# What programs and prompts keep, rather than people.
_NO_PART = (
    r"(?! (?:setting|state|value|choice|option|variable|position|selection|prompt|role|persona|template|instructions?"
    r"|format|input|output|result|snippet|parameter|flag|config|scroll|window|cursor|field|key|token|offset)\b)"
)
_UNTIL = r"(?: (?:until|till) (?P<until>\w[^.!?\n]{1,40}))?"
_LENGTH = (
    r"(?: for (?P<span>(?:an?|one|two|three|half an|\d{1,3})\s?(?:h|hrs?|hours?|m|mins?|minutes?|days?|weeks?))(?!\w))?"
)
_SESSION = r"(?:this|the|our) (?:session|conversation|chat)"

# "Remember that bug?" points at something; "remember that bugs are filed in June" tells something.
_POINTS = (
    r"(?!(?:time|day|night|week|weekend|bug|issue|error|problem|function|file|script|thing|meeting|talk|chat|thread"
    r"|conversation|guy|one|song|story|trip|class|method|code|test|change|commit|branch|fix|idea|trick|mail|e-?mail"
    r"|discussion|example|place|book|movie|film|joke|moment|summer|winter|year|month|evening|morning|stuff|part)"
    r"(?! (?:is|was|has|had|needs?|must|should|can|will|runs?|lives?|belongs?|costs?|takes?|starts?|ends?)\b)\b)"
)
# What is said to set an assistant to work: its role, its caution, the case at hand.
_INSTRUCTS = r"(?!(?:you|you're|your|this is|this isn't|these are|it is|it's|there (?:is|are|may|might|can))\b)"
_NO_ORDER = (
    r"(?!\s*(?:you|you're|your|respond|reply|answer|return|output|write|only|do not|don't|no|use|be|stay|keep"
    r"|never|always|think|it's|this)\b)"
)
_OF_MINE = (
    r"(?:my|our)(?: [\w'-]+){1,5}? (?:is|are|isn't|aren't|was|were|has|have|had|needs?|starts?|ends?|lives?"
    r"|works?|runs?"
    r"|uses?|likes?|prefers?|hates?|must|should|can't|cannot|never|always|wants?|goes|comes?)\b"
)
_PAST = (
    r"(?!(?:i|we)(?:'d)?(?: (?:had|have|just|once|already|also|both))* (?:told|said|asked|talked|discussed|spoke|did"
    r"|had|tried|fixed|saw|was|were|worked|wrote|mentioned|showed|gave|made|went|used to|built|set|looked|thought|met"
    r"|talking)\b)"
)
_WHEN = (
    r"(?=[^\n]*?(?<!like\s)(?<!with\s)(?<!and\s)\b(?:today|tonight|tomorrow"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|next (?:week|month|year)"
    r"|(?:in|within) (?:an?|one|two|three|four|five|six|\d+) (?:minutes?|hours?|days?|weeks?|months?)"
    r"|at \d{1,2}(?::\d\d)?\s?(?:am|pm|o'clock)?(?! \w)|by \d|on the \d|\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)"
    r"|(?:by|on|before|until|in|of) (?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december))(?![\w'-])(?= (?:about|with|for|to|and|or|before|after|at|on|by|from|so|because|morning|evening"
    r"|afternoon|night|in the (?:morning|evening|afternoon))\b|\s*[.,;:!?)–—]|\s*$|,? (?:please|pls|thanks)))"
)

ENGLISH = Language(
    openers=(
        r"ok(?:ay)?|great|perfect|nice(?: work| one)?|thanks(?: a lot)?|thank you|good|cool|yes|yeah|yep|exactly|right"
        r"|well|so|and|also|hey|hi|hello|claude|codex|cursor|gemini|alright|hm+|awesome|super|brilliant|wow|ah|oh"
        r"|for future reference|from now on|by the way|btw|one more thing|please note|fyi|important|done|sure"
    ),
    polite=(
        r"please|pls|plz|kindly|always|let's|let us|now|time for|you can|you may"
        r"|(?:can|could|would) you|i(?:'d| would) like you to|i (?:want|need) you to"
    ),
    tails=(
        rf"please|pls|plz|thanks|thank you|now|right now|for now|{_LATER}|for today|here|too|as well|again|ok|okay|then"
        r"|(?:will|would|can|could) you|before we (?:stop|go|continue|move on|close|finish|end)|so far"
        r"|(?:(?:of|for|from) )?this session|claude|everyone|somewhere safe|forever|in case we need it"
    ),
    groups=(
        rule_group(
            begins="this is|this's|that is|that's|it is|it's",
            needs="significant",
            table=rf"""
            significant alone      (?:this is|this's){_DEGREE} significant
            significant            {_IS_SIGNIFICANT}[,;:.]? (?:so |and )?(?:please )?remember {_THIS}
            significant text weak  {_IS_SIGNIFICANT}{_SEPARATED}
            """,
        ),
        rule_group(
            begins="mark|flag|tag|keep|save|store|remember",
            needs="significant",
            table=rf"""
            significant       {_MARKED}
            significant text  {_MARKED}{_SEPARATED}
            significant       remember {_THIS}[,;]? (?:because |as |since )?{_IS_SIGNIFICANT}
            significant text  remember {_THIS}[,;]? (?:because |as |since )?{_IS_SIGNIFICANT}{_SEPARATED}
            """,
        ),
        rule_group(
            begins="remember|memori",
            table=rf"""
            remember                (?:remember|memori[sz]e) {_THIS}{_EXCHANGE}
            remember text           (?:remember|memori[sz]e) {_THIS}(?: {_LATER})?(?:,? please)?{_SEPARATED}
            remember text           (?:remember|memori[sz]e) {_LATER}{_SEPARATED}
            remember text           remember {_THIS}{_MATTERS}{_SEPARATED}
            remember text doubtful  (?:remember|memori[sz]e) this(?! is\b){_NO_PART}(?=(?: [\w'-]+){{1,3}}\s*:)
            remember text           remember this,(?! (?:he|she|they|we|i|you|it|but|or|and|if|when)\b)
            remember clause weak    remember that (?:{_LATER} )?{_POINTS}{_INSTRUCTS}(?=[\w{{\"“'「(\ufffc])
            remember clause weak    remember (?=(?:i|i'm|i've|i'd|we|we're|we've)\b|{_OF_MINE}){_PAST}(?=[^?]* \w)
            remember text weak      remember(?:,? please)?\s*:{_NO_ORDER}
            remember clause weak    remember to (?=(?:always|never)\b)
            todo clause weak        remember to (?!not\b){_WHEN}
            """,
        ),
        rule_group(
            begins="save|store|add|commit|put|keep|write|record",
            needs="memory",
            table=rf"""
            remember                {_KEEP} {_THIS}{_EXCHANGE} {_TO_MEMORY}
            remember text doubtful  {_KEEP} (?:{_THIS} )?(?:in|into|to) {_MEMORY}(?:,? please)?{_SEPARATED}
            remember clause         {_KEEP} (?:{_THIS} )?(?:in|into|to) {_MEMORY} that\b
            """,
        ),
        rule_group(
            begins="make a note|take a note|make a memory",
            table=rf"""
            remember                make a (?:note|memory) (?:of|from|about) {_THIS}{_EXCHANGE}
            remember text doubtful  (?:make|take) a note(?: of {_THIS}| that)?{_SEPARATED}
            remember text           make a memory (?:of|from) {_THIS}{_SEPARATED}
            """,
        ),
        rule_group(
            begins="make sure|be sure|let me remember",
            needs="remember",
            table=rf"""
            remember text  (?:(?:make|be) sure(?: to| (?:that )?you)|let me) remember {_THIS}{_SEPARATED}
            """,
        ),
        rule_group(
            begins="don't forget|do not forget|never forget",
            table=rf"""
            remember text  (?:don't|do not|never) forget {_THIS}{_SEPARATED}
            """,
        ),
        rule_group(
            begins="remind me to|remind me that|note to|memo to|reminder to",
            table=rf"""
            todo clause             remind me to\b
            todo clause             remind me that\b{_WHEN}
            remember text doubtful  (?:note|memo|reminder) to (?:self|myself)(?:\s*[:–—,]|\s+-)
            """,
        ),
        rule_group(
            begins="save",
            needs="progress",
            table=rf"""
            save  save (?:(?:your|my|our|the|this|all) )?(?:session'?s? )?progress(?: of (?:this|the) session)?
                  (?: (?:in|into|to) {_MEMORY})?
            """,
        ),
        rule_group(
            begins="dig ",
            table=r"""
            dig topic  dig (?:deeper|deep) (?:into|on|in|about)\b(?! (?:this|that|it|these|those|here)\b\s*[.!?]*$)
            dig topic  dig up\b(?= (?:what|everything|all|anything|that|our|my|the)\b)
            dig topic  dig (?:through|in|into) (?:your|my|our) (?:memory|memories|conversations) (?:for|about)\b
            """,
        ),
        rule_group(
            begins="what|do you|tell me|show me|remind me|search|look|check",
            needs="remember|memor|memvault|tell you|told you",
            table=rf"""
            about topic  what do you (?:still )?remember (?:about|of|from|regarding)\b
            about topic  what (?:did i|have i|i) (?:ever )?(?:tell|told) you (?:about|of)\b
            about topic  do you (?:still )?remember (?:anything|something) (?:about|of|from|regarding)\b
            about topic  what(?:'s| is| do (?:you|we) have) in {_MEMORY} (?:about|on|of|for)\b
            about topic  (?:tell|show|remind) me what you (?:still )?(?:remember|have in memory) (?:about|of|from)\b
            about topic  (?:search|look in|look through|check) (?:your|my|our) (?:memory|memories) (?:for|about)\b
            about topic  what does memvault (?:know|remember|have) (?:about|of|on)\b
            """,
        ),
        rule_group(
            needs="memory maint|maintain your|maintain my|maintain our|tidy|clean up",
            table=r"""
            maintain  (?:(?:do|run|start|perform) )?(?:(?:some|a|the|your|our) )?memory maintenance
            maintain  (?:maintain|tidy(?: up)?|clean up) (?:your|my|our) (?:memory|memories)
            """,
        ),
        rule_group(
            needs="memvault|remembering|incognito|off the record|don't remember|do not remember",
            table=rf"""
            pause-session  (?:do not|don't|stop) remember(?:ing)? (?:(?:anything|everything) (?:from|of|in) )?{_SESSION}
            pause-session  go incognito|(?:make|keep) {_SESSION} (?:off the record|incognito)
            pause          stop remembering(?: (?:things|anything|everything|stuff))?{_LENGTH}{_UNTIL}
            pause          (?:pause|stop|disable|switch off|turn off) (?:memvault|remembering){_LENGTH}{_UNTIL}
            pause          (?:turn |switch )?memvault (?:off|pause){_LENGTH}{_UNTIL}
            resume         (?:resume|unpause|restart|start|enable|switch on|turn on) memvault
            resume         (?:turn |switch )?memvault (?:back )?(?:on|resume)
            resume         (?:resume|start) remembering(?: (?:things|again))*
            """,
        ),
    ),
)


# The other languages.

_OPENERS = r"ok(?:ay)?|hey|hi|claude|codex|cursor|gemini|super|perfekt|perfetto|perfecto|parfait|perfeito"

GERMAN = Language(
    openers=rf"{_OPENERS}|danke|vielen dank|gut|prima|genau|ja|also|toll|so",
    polite=r"bitte|kannst du|könntest du|jetzt",
    tails=r"bitte|danke|jetzt|mal|für (?:später|das nächste mal|nächstes mal|immer)|fürs nächste mal|für mich",
    groups=(
        rule_group(
            needs="merk|behalt|erinner|notiz an|bedeut|fortschritt|grab|weißt du|weisst du|pflege",
            table=rf"""
            remember               (?:merk'?e? dir|behalte? dir)(?: bitte)? (?:das|dies|dieses)
            remember text          (?:merk'?e? dir|behalte? dir)(?: bitte)?(?: das| dies| folgendes)?
                                   (?: bitte)?{_SEPARATED}
            remember clause weak   (?:merk'?e? dir|behalte? dir)(?: bitte)?,? dass\b
            todo clause            erinner'?e? mich(?: bitte)? (?:daran|dran),?
            remember text          notiz an mich(?: selbst)?{_SEPARATED}
            significant alone      das(?: hier)? ist (?:(?:sehr|wirklich) )?(?:bedeutsam|bedeutend)
            significant text weak  das(?: hier)? ist (?:(?:sehr|wirklich) )?(?:bedeutsam|bedeutend){_SEPARATED}
            save                   (?:speicher|sicher)e?(?: bitte)? (?:(?:den|meinen|unseren|deinen) )?fortschritt
            save                   (?:(?:den|meinen|unseren) )?fortschritt(?: bitte)? (?:speichern|sichern)
            dig topic              grabe? tiefer (?:zu|zum|zur|nach|in)\b
            about topic            was wei(?:ß|ss)t du noch (?:über|von)\b
            about topic            woran erinnerst du dich (?:bei|beim|zu|zum|zur)\b
            maintain               (?:gedächtnis|speicher)pflege
            pause                  hör(?:e)? auf,? dir (?:(?:sachen|dinge|etwas|alles) )?zu merken
            resume                 merk'?e? dir wieder (?:sachen|dinge|etwas|alles)
            """,
        ),
    ),
)

FRENCH = Language(
    openers=rf"{_OPENERS}|merci|bien|très bien|oui|super|alors|d'accord",
    polite=r"s'il te pla[iî]t|stp|tu peux|peux-tu|pourrais-tu|maintenant",
    tails=r"s'il te pla[iî]t|stp|merci|maintenant|pour (?:plus tard|la prochaine fois|l'avenir|moi)",
    groups=(
        rule_group(
            needs="retiens|souviens|rappelle|mémoris|memoris|mémoire|significati|progression|creuse",
            table=rf"""
            remember               (?:retiens|mémorise|memorise|souviens-toi de) (?:ceci|cela|ça)
            remember text          (?:retiens|mémorise|memorise|souviens-toi de) (?:ceci|cela|ça){_SEPARATED}
            remember clause weak   (?:retiens|souviens-toi|mémorise|rappelle-toi) (?:bien )?qu(?:e\b|')
            todo clause            rappelle[-\s]moi (?:de\b|d')(?! ?(?:quoi|ce|qui|où)\b)
            significant alone      c'est (?:(?:très|vraiment) )?significatif
            significant text weak  c'est (?:(?:très|vraiment) )?significatif{_SEPARATED}
            save                   (?:sauvegarde|enregistre) (?:la|ma|notre|ta) progression
            dig topic              creuse (?:davantage )?(?:le sujet|la question) (?:de |du |des |d')
            about topic            (?:que te rappelles-tu|de quoi te souviens-tu)
                                   (?: à propos)? (?:de (?:la )?|du |des |d')
            maintain               entretien de (?:la|ta) mémoire
            pause                  arrête de (?:mémoriser|retenir)
            resume                 recommence à (?:mémoriser|retenir)
            """,
        ),
    ),
)

SPANISH = Language(
    openers=rf"{_OPENERS}|gracias|vale|bien|sí|entonces|genial",
    polite=r"por favor|puedes|podrías|ahora",
    tails=r"por favor|gracias|ahora|para (?:luego|después|la próxima(?: vez)?|el futuro|mí)",
    groups=(
        rule_group(
            needs="recuerd|recuérd|memori|significativo|progreso|profundiza|recordar",
            table=rf"""
            remember               (?:recuerda|memoriza) (?:esto|eso)
            remember text weak     (?:recuerda|memoriza)(?: esto| eso)?{_SEPARATED}
            remember clause weak   recuerda que\b
            todo clause            recu[eé]rdame (?=[a-zñ]+[aei]r(?:me|le|lo|la|nos|les|los|las)?\b)
            significant alone      (?:esto|eso) es (?:(?:muy|realmente) )?significativo
            significant text weak  (?:esto|eso) es (?:(?:muy|realmente) )?significativo{_SEPARATED}
            save                   guarda (?:el|mi|nuestro|tu) progreso
            dig topic              profundiza (?:en|sobre)\b(?! (?:esto|eso)\b)
            about topic            [¿\s]*qué (?:recuerdas|sabes todavía) (?:sobre|acerca de|de)\b
            maintain               mantenimiento de (?:la|tu) memoria
            pause                  deja de (?:recordar|memorizar)
            resume                 vuelve a (?:recordar|memorizar)
            """,
        ),
    ),
)

ITALIAN = Language(
    openers=rf"{_OPENERS}|grazie|bene|sì|allora",
    polite=r"per favore|per piacere|puoi|potresti|adesso|ora",
    tails=r"per favore|per piacere|grazie|adesso|ora|per (?:dopo|la prossima volta|il futuro|me)",
    groups=(
        rule_group(
            needs="ricord|memori|progressi|significativo",
            table=rf"""
            remember               (?:ricorda(?:ti)?|memorizza) (?:questo|quello|ciò)
            remember text weak     (?:ricorda(?:ti)?|memorizza)(?: (?:di )?(?:questo|quello|ciò))?{_SEPARATED}
            remember clause weak   ricorda(?:ti)? che\b
            todo clause            ricordami di (?!(?:cosa|che|chi)\b)
            significant alone      questo è (?:(?:molto|davvero) )?significativo
            significant text weak  questo è (?:(?:molto|davvero) )?significativo{_SEPARATED}
            save                   salva (?:i|il|i miei|i nostri) progress[io]
            about topic            (?:che )?cosa (?:ti )?ricordi (?:di|del|della|su|sul|sulla)\b
            maintain               manutenzione della memoria
            pause                  smetti di (?:ricordare|memorizzare)
            resume                 ricomincia a (?:ricordare|memorizzare)
            """,
        ),
    ),
)

PORTUGUESE = Language(
    openers=rf"{_OPENERS}|obrigad[oa]|bom|sim|então|certo",
    polite=r"por favor|pode|podes|agora",
    tails=r"por favor|obrigad[oa]|agora|para (?:depois|a próxima(?: vez)?|o futuro|mim)",
    groups=(
        rule_group(
            needs="lembr|memori|memóri|progresso|significativo",
            table=rf"""
            remember               (?:lembr[ae](?:-se|-te)?|memoriz[ae]) (?:disto|disso|isto|isso)
            remember text weak     (?:lembr[ae](?:-se|-te)?|memoriz[ae])(?: (?:disto|disso|isto|isso))?{_SEPARATED}
            remember clause weak   lembr[ae](?:-se|-te)?(?: de)? que\b
            todo clause            (?:lembra-me|lembre-me|me lembr[ae]) de (?!(?:que|quem|como|onde)\b)
            significant alone      isto é (?:(?:muito|realmente) )?significativo
            significant text weak  isto é (?:(?:muito|realmente) )?significativo{_SEPARATED}
            save                   (?:salv[ae]|guard[ae]) (?:o|meu|o meu|nosso|o nosso) progresso
            about topic            o que (?:(?:você|tu|é que) )*(?:se |te )?lembras?(?:-te)? (?:sobre|acerca de|de|do
                                   |da)\b
            maintain               manutenção da memória
            pause                  par[ae] de (?:lembrar|memorizar)
            resume                 volt[ae] a (?:lembrar|memorizar)
            """,
        ),
    ),
)

DUTCH = Language(
    openers=rf"{_OPENERS}|bedankt|dank je|goed|ja|dus",
    polite=r"alsjeblieft|graag|kun je|kan je|nu",
    tails=r"alsjeblieft|graag|bedankt|nu|voor (?:later|de volgende keer|de toekomst|mij)",
    groups=(
        rule_group(
            needs="onthoud|herinner|betekenisvol|voortgang|weet je nog|geheugen",
            table=rf"""
            remember               onthoud (?:dit|dat)
            remember text weak     onthoud(?: dit| dat)?{_SEPARATED}
            remember clause weak   onthoud dat (?!(?:niet|gesprek|ding|moment)\b)
            todo clause            herinner me er(?:aan| aan) (?:om )?
            significant alone      dit is (?:(?:heel|echt) )?betekenisvol
            significant text weak  dit is (?:(?:heel|echt) )?betekenisvol{_SEPARATED}
            save                   (?:bewaar|sla) (?:de|mijn|onze) voortgang(?: op)?
            about topic            wat weet je nog (?:over|van)\b
            maintain               geheugenonderhoud
            pause                  stop met onthouden
            resume                 onthoud weer (?:dingen|alles)
            """,
        ),
    ),
)

CHINESE = Language(
    openers=r"好的?|谢谢|謝謝|可以了|那么|另外|对了",
    polite=r"请|請|麻烦你?|麻煩你?|帮我|幫我",
    tails=r"吧|谢谢|謝謝|好吗|以后用",
    groups=(
        rule_group(
            needs="记住|記住|提醒我|进度|進度|记忆|記憶|深入|还记得|還記得|意义",
            table=r"""
            remember       [记記]住(?:这个|这一点|这点|这件事|它|這個|這一點|這點|這件事)
            remember text  [记記]住(?:这个|这一点|这点|这件事|以下内容|這個|這點|這件事)?\s*[:,，、]
            todo clause    提醒我(?=(?:明天|后天|後天|今天|今晚|下周|下週|周|星期|\d))
            significant    [这這](?:很|非常)?(?:重要|有意义|有意義)[,，]\s*[请請]?[记記]住(?:它|这个|這個)?
            save           保存(?:一下)?(?:进度|進度)
            dig topic      深入(?:挖掘|查找)
            about topic    你?[还還][记記]得(?:关于|關於)
            maintain       (?:进行|進行)?(?:记忆|記憶)(?:维护|維護|整理)
            pause          停止[记記](?:忆|憶|住)
            resume         (?:继续|繼續|恢复|恢復)[记記](?:忆|憶)
            """,
        ),
    ),
)

JAPANESE = Language(
    openers=r"ありがとう(?:ございます)?|はい|では|じゃあ|よし",
    polite=r"ぜひ|今後のために",
    tails=r"お願いします|ね|よ",
    groups=(
        rule_group(
            needs="覚えて|記憶|進捗|リマインド|掘り下げ|メモリ",
            table=r"""
            remember       (?:これ|それ|このこと)を(?:覚えて(?:おいて)?|記憶して(?:おいて)?)(?:ください|下さい|くれ)?
            remember text  (?:(?:これ|次のこと)を)?(?:覚えて(?:おいて)?|記憶して(?:おいて)?)(?:ください|下さい)?\s*[:、]
            significant    これは(?:とても)?重要(?:です|だ)?(?:から|ので)?[、,]\s*覚えて(?:おいて)?(?:ください|下さい)?
            remember       (?P<said>[^。！？\n]{4,200}?)(?:という)?ことを覚えておいて(?:ください|下さい)?
            about topic    (?P<said>[^。！？\n]{1,60}?)について(?:は)?何を覚えて(?:い)?(?:ますか|る)?(?=[?？。\s]*$)
            save           (?:進捗|進み具合)を保存(?:して)?(?:ください|下さい)?
            maintain       メモリ(?:の)?(?:整理|メンテナンス)(?:をして|して)?(?:ください|下さい)?
            pause          (?:記憶|覚える)(?:するの|の)を(?:やめて|止めて)(?:ください|下さい)?
            resume         記憶を再開(?:して)?(?:ください|下さい)?
            """,
        ),
    ),
)

OTHERS: Mapping[str, Language] = MappingProxyType(
    {
        "de": GERMAN,
        "fr": FRENCH,
        "es": SPANISH,
        "it": ITALIAN,
        "pt": PORTUGUESE,
        "nl": DUTCH,
        "zh": CHINESE,
        "ja": JAPANESE,
    }
)
