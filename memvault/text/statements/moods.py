"""Tell questions, orders and reactions by how a sentence is built: what stands first in it, and whom it addresses.

A statement of most languages begins with its subject. One that begins with its verb asks or orders, as does one whose
subject is the listener. So there are tables of the small words of each language, and few of verbs.
"""

from __future__ import annotations

from memvault.text.statements.tables import compile_table

# Words that may stand before an article in a statement; any other word that does so is a verb, which orders something.
_NO_VERB = (
    r"""(?!(?:\w*(?:ing|ed|ly|[^s]s)
|of|in|on|at|to|for|from|with|without|by|about|after|before|until|till|since|during|over|under|into|onto|through
  |between|behind|below|above|near|like|unlike|than|and|or|but|so|if|when|while|because|as|that|what|where|why|how|who
  |not|only|even|just|still|also|both|half|such|quite|all|once|twice|every|each|my|our|his|her|their|your|i|we|you|he
  |she|it|they|is|are|was|were|am|had|has|got|made|took|went|gave|ran|came|saw|found|left|kept|lost|won|met|bought
  |brought
  |built|sold|broke|wrote|told|said|felt|held|stood|paid|sent|love|hate|prefer|adore|enjoy|own|live|work|share|speak
  |wear
  |drive|teach|have|may|march|june|april|today|tomorrow|tonight|sunday|monday|tuesday|wednesday|thursday|friday
  |saturday
|an|auf|für|mit|aus|bei|nach|von|zu|zum|zur|um|ohne|gegen|durch|über|unter|vor|hinter|neben|zwischen|seit|während
  |wegen|trotz|bis|ab|außer|nur|auch|nicht|nie|immer|noch|schon|jetzt|heute|morgen|gestern|dann|da|wie|was|wer|wo|alle
  |alles|ganz|fast|sogar|weil|dass|wenn|ob|als|und|oder|aber|denn|sowohl|weder|entweder|statt|hab|habe|bin|bist|war
  |mag|hasse|liebe|wohne|lebe|arbeite|trinke|esse|nehme|fahre|kenne|brauche|vertrage|in|ich|du|er|sie|wir|ihr|mein\w*
  |unser\w*|\w+tag|\w+tags
|dans|sur|avec|pour|par|sans|sous|chez|vers|entre|avant|après|depuis|pendant|comme|quand|si|que|qui|mais|et|ou|donc
  |car|pas|plus|moins|toute?s?|tous|deux|jamais|toujours|même|voilà|voici|est|sont|dès|contre|selon|demain|hier|\w+di
  |dimanche|aime|adore|déteste|préfère|hais|les|des
|en|de|con|sin|por|para|sobre|entre|hasta|desde|cada|todos?|todas?|solo|sólo|casi|como|cuando|porque|pero|nunca
  |siempre
  |odia|ama|era|es|está|hace|hoy|ayer|mañana|a|y|o|e|durante|contra|según|donde|sea|una|la|las|cuesta|ha|tiene
|di|da|su|per|tra|fra|senza|dopo|prima|tutt[oiae]|anche|solo|quasi|come|quando|perché|mai|sempre|oggi|ieri|domani
  |entramb[ie]|lunedì|contro|dove|è|era|verso|questa|quella|della|nella|sulla|alla|dalla|mia|tua|sua
|sem|com|até|só|quase|nunca|sempre|hoje|ontem|amanhã|após|uma|minha|nossa|aquela|esta|essa
|op|aan|met|voor|van|bij|uit|naar|door|tegen|onder|boven|tussen|na|sinds|tot|zonder|om|als|dat|of|maar|want|dus|toch
  |nog|al|ook|niet|nooit|altijd|alleen|heel|bijna|wat|hoe|waar|welke|elke|heb|ben|woon|hou|haat|drink|eet|deze|die|dit
  |mijn|onze|ik|wij|jij)\b)""".replace("\n  ", "")
    .replace("\n", "")
    .replace("(?!(?:|", "(?!(?:")
)

ORDERS = compile_table(
    rf"""
{_NO_VERB}\w{{1,}}[^\Wo] (?:the|an?|my|our|your|it|them|me|us|these|those|this)
{_NO_VERB}\w{{2,}} (?:mir|mich|uns|mal|bitte|den|das|die|dem|ein(?:en|e|em)?|es|ihn|sie)
{_NO_VERB}\w{{2,}}(?:e|s|ds|ts|ez|ons)(?: |-)(?:moi|nous|le|la|les|un|une|des|du|ce|cette|ces|mon|ma|mes|ton|tout)
{_NO_VERB}\w{{2,}}[ae] (?:el|los|las|un|una|este|esta|esto|o|os|as|um|uma|isso|isto|meu|minha|tudo)
{_NO_VERB}\w{{2,}}[ai] (?:il|lo|gli|i|uno|quest[oa]|tutt[oie])
{_NO_VERB}\w{{2,}} (?:me|mij|er|een|het|eens|even|alle)
\w{{3,}}(?:[ae]me|[ae]nos|-me|-nos|ámel[oa]s?|émel[oa]s?|ami|emi|immi|atemi|amel[oa]|emel[oa])
me (?:explica|explique|manda|mande|diz|diga|fala|fale|ajuda|ajude|dá|mostra|mostre|escreve|conta|envia|traduz|corrige)
(?:mi|ci) (?:dai|dici|fai|trovi|spieghi|serve|consigli|aiuti|scrivi|mandi|mostri|traduci|elenchi)
(?:can|could|would|will) (?:you|u)|please|pls|let's|let me|help|i (?:need|want|would like|'d like)(?: you)? (?:to
  |a|an|some|the|three|two)?|i'd like|i'm (?:looking for|after)|need|how about|i'd appreciate|i was hoping you|it(?:'d
  | would) be (?:\w+ )?if you|lass uns|lasst uns|laten we|laat ons|vamos a \w+r|andiamo a \w+re|on (?:pourrait
  |peut)
(?:ich (?:brauche?|hätte gern|möchte)|j'aurais besoin|j'ai besoin|il me (?:faut|faudrait)|je (?:voudrais|veux)
  |necesito
  |quisiera|me gustaría|querría|mi (?:serve|servono)|ho bisogno|vorrei|preciso|gostaria|queria|ik (?:wil|heb .* nodig)
  |ik zou graag)
write|rewrite|rework|reword|rephrase|draft|make|give|get|show|tell|find|fetch|look|search|explain|describe|define
  |summari[sz]e|sum|translate|convert|turn|change|add|remove|delete|drop|put|take|move|swap|sort|order|list|name|count
  |rename|replace|use|try|run|rerun|test|check|fix|debug|refactor|implement|build|create|generate|plan|plot|suggest
  |recommend|propose|compare|pick|choose|book|read|proofread|correct|shorten|lengthen|expand|format|colou?r|number
  |shuffle|solve|calculate|scale|draw|set|open|close|save|send|print|start|stop|continue|go|come|act|pretend|imagine
  |suppose|play|do|undo|repeat|say|answer|reply|call|keep|leave|cut|strike|split|merge|join|mark|highlight|tidy|clean
  |round|update|install|deploy|commit|push|pull|revert|review|see|think|consider|forget|never ?mind|(?:now )?remember
  |bear in mind|keep in mind|don't forget|ignore|skip|remind|note|apply|ask|lay|grep|cd|ls|cat|npm|pip|git|walk me
  |teach
  |quiz|brainstorm|outline|analy[sz]e|simplify|improve|insert|wrap|spell|recap|design|cite|rank|estimate|guess|select
  |illustrate|rhyme|group
(?:now |and |then )*(?:the )?same (?:thing )?(?:again|in|for|but|with)|(?:the|that) (?:\w+ )?one,|not (?:that|this
  |the)
(?:and |now )*(?:(?:one|two|three|four|a few|some) more|another|noch ein\w*|encore une?|un altro|un'altra|otr[oa]
  |nog een\w*
  |mais uma?|all of (?:it|them)|with a (?:bit|little)|without the|the (?:\w+ )?(?:verse|paragraph|stanza|slide
  |column)|an? \w+er one)
(?:big|small|short|long|warm|soft|high|low|dark|light|loud|fast|slow|bright|wide|narrow)\w?er$
(?:a (?:bit|little|touch) )?(?:more|less|fewer|shorter|longer|warmer|softer|simpler|funnier|something \w+er)
  (?!.*\b(?:my|our|we|i)\b)|in (?:english|french|german|spanish|dutch|italian|latin)(?: this time| please| now|$)
  |in the (?:past|present|future) tense
merk dir|erinner\w*|schreib\w*|mach\w*|gib|zeig\w*|such\w*|find\w*|erklär\w*|übersetz\w*|kürz\w*|nenn\w*|erstell\w*
  |bitte|hilf|sag|änder\w*|trouve\S*|fais\S*|donne\S*|écris\S*|traduis\S*|explique\S*|montre\S*|corrige\S*
  |propose\S*|mets
  |aide\S*|recuerda|ricorda|lembre|onthoud|haz|dame|dime|escribe|traduce|busca|pon|scrivi\w*|fai|dammi|traduci
  |trova\w*
  |metti|correggi|escreve|faz|dá-me|traduz|help|leg|maak|schrijf|geef|vertaal|zoek|doe|zet|corrija
*帮我|请(?!一律|总是|始终)|把|给我|再来|.*(?:ください|お願いします|作って|教えて|して|考えて|直して)[。！]?$|もう(?:一|少し)
""",
    anchored=True,
)

# What is asked for without a verb: words of some sort, and what they are to be about.
FRAGMENTS = compile_table(
    r"""
(?:(?:an?|one|two|three|five|ten|twenty|some|\d+|short|polite|good|funny|simple|ein\w*|drei|une?|trois|unas?|unos
  |tres|tre
  |dei|delle|um|uma|três|een|drie) )*(?:names?|ideas?|suggestions?|tips|questions?|examples?|synonyms?|titles?
  |headings?
  |slogans?|captions?|summary|recap|outline|overview|poem|haiku|limerick|joke|riddle|recipe|translation|definition
  |explanation|pros and cons|directions|instructions|alternatives|ways?|words?|quiz|toast|speech|invitation|gedicht
  |witz
  |idee|ideen|vorschl\w+|rezept|beispiele?|zusammenfassung|übersetzung|synonyme|poème|blague|idées?|recette|exemples?
  |résumé|traduction|poema|chiste|ideas|receta|ejemplos?|resumen|sinónimos|poesia|barzelletta|idee|ricetta|esempi
  |riassunto|piada|ideias|receita|exemplos?|resumo|gedicht|mop|ideeën|voorbeelden)
   (?:for|of|about|on|to|from|with|für|über|von|zu|mit|pour|sur|de|para|sobre|per|su|di|voor|over|van)(?! me\b)[^:]*$
""",
    anchored=True,
)

_WH = (
    r"(?:what|how|why|where|when|which(?: \w+)?|was|wie|wo|wann|warum|wieso|welche\w*|comment|pourquoi|où|combien"
    r"|wat|hoe|waar|waarom|wanneer)(?: (?:much|many|long|often|far|viele?|lange|weit|oft|lang|veel))?"
)

ASKS = compile_table(
    r"""
what(?:'s|s|'re)?(?! (?:i|we)\b)|which|who(?:'s|se|m)?|where(?:'s)?|when(?= (?:do|does|did|is|are|was|were|will
  |can|should)\b)|why|how(?:'s)?(?! to \w+ [^?]*:)|any(?= \w+ (?:for|idea|way|of|you)\b)|if .* (?:is|are|would|will
  |do|does|can|should) (?:that|it|i|this|there|you|we)
(?:is|isn't|are|aren't|am|was|were|do(?! (?:me|a|it|this|that|not|another)\b)|does|don't (?:you|we|they)|doesn't
  |did|didn't|have (?:i|you|we)|has (?:he|she|it|the|my|our|your|any\w*)|can|can't (?:i|you|we)|could|couldn't|would
  |wouldn't|will
  |won't (?:it|you)|shall|should|may|might|must) (?!you )\w+
(?:is|are|do|does|did|have|will|would|shall|should|may) (?:there|you|he|she|they|it|i|we|anybody|anyone)
any idea|does any(?:one|body)|i(?:'m| am)? wonder(?:ing)?|no clue
was|wer|wie|wo|wann|warum|wieso|welche[rsnm]?|wessen|ist|sind
\w{2,}(?:st|ßt) du|(?:habt|seid|könnt|wollt|mögt|kennt|wisst) ihr|(?:kann|darf|muss|soll|könnte|macht|nennt|sagt) man
(?:gibt|geht|kann|darf|muss|soll|sollte|wird|hat|könnte|braucht) (?:es|er|sie|der|die|das|ein\w*)
(?:soll(?:te|en)?|darf|muss|kann|könnte|können|müssen|dürfen|sollen) (?:ich|wir)
hab(?:e)? ich (?:das|es|dich|recht)|(?:\w+ ){1,4}\w+-(?:t-)?(?:il|elle|ils|elles|tu)
qu'est-ce|est-ce|quel(?:le)?s?|combien|pourquoi|où|comment|qui|\w+-(?:tu|vous|il|elle|on|ils|elles|nous|t-\w+)
  |vous \w+
tu (?:peux|crois|sais|penses|pourrais|connais|veux|as|es|aurais|trouves)
qué|quién|cuál(?:es)?|cuánt[oa]s?|cómo(?! \w+ [^?]*:)|dónde|cuándo|por qué|(?:tú )?(?:puedes|podrías|crees|sabes
  |piensas|conoces|tienes idea)|se puede[n]?
come|che|chi|quale|quali|quant[oiae]|perché|dove|puoi|potresti|sai|credi|pensi|conosci|si può|secondo te
qual|quem|quant[oa]s|onde|(?:por ?que?|porque)|você|será que|dá (?:para|pra)|tem como|podes|pode (?:me|o|a)
wat|welke?|hoe(?:veel)?|waar(?:om)?|wanneer|wie|is er
(?:weet|kan|kun|kunt|wil|mag|zou|heb|ben|denk|vind|ken|moet|zal|snap) (?:je|jij|u|men)
*什么|怎么|为什么|哪|能不能|可不可以|会不会|.*(?:哪[里儿个]|什么|多少|谁|吗|呢)[?？]?$|.*(?:为什么|怎么)
*.*(?:どこ|何|誰|いつ|なぜ|どう)(?:です|ます)?か?[?？。]?$|.*(?:どうやって|どうすれば|なぜ)|.*(?:ですか|ますか|の)[。?？]?$
""",
    anchored=True,
)

# How a sentence begins that supposes something to ask about it.
CONDITION = compile_table(
    r"""
if (?:i|we|you|one|my|our)
wenn (?:ich|wir|man|du)|si (?:je|on|nous|tu|yo)|se (?:io|eu|tu)
""",
    anchored=True,
)

# How a clause begins that asks for help with what was told before it.
REQUESTS = compile_table(
    rf"""
(?:can|could|would|will) (?:you|u)|do you|please (?:fix|check|look|help|find|explain|debug)|help me|any (?:ideas?
  |tips|other)|which is why i'm|where were we|how would you
i(?:'m| am) (?:not sure|unsure|worried|wondering|hoping|curious|stuck|asking)
(?:kannst|könntest|würdest) du|(?:tu )?(?:peux|pourrais)-tu|puedes|podrías|puoi|potresti|kun je
{_WH} (?:do|does|did|is|are|can|could|should|would|will|am) (?:i|you|we|he|she|it|they|the|an?|my|your|our|this|that)
(?:do|does|did|can|could|should|would|will|is|are|am|may) (?:i|you|we|he|she|they|it|my|your|there)
{_WH} (?:\w+ )?(?:ich|du|man|wir|je|men)|{_WH} \w+-(?:tu|il|on|je)
""",
    anchored=True,
)

# How a sentence begins that answers the listener, or speaks of them.
REACTS = compile_table(
    r"""
(?:no|nope|nah|yes|yep|yeah|ok|okay|oh|hm+|ouch|wow|well|phew|ugh|ah|haha|lol|morning|brilliant|perfect|great
  |nice|ha|aha|gosh|blimey|(?:much|far|way) better|better|worse|closer)(?=[,.!])
you're|you've|you and|your|that's the \w+ time|hope (?:you|your)|asking for|du bist|sie sind|tu es|eres|sei|phew
  |ouch|wow|brrr|nice|well|lovely
  |qué|che|quelle?|vaya|caspita|goh|nossa|nö|ach
*哎呀|へえ|哇
""",
    anchored=True,
)

# What only shows how somebody feels: what is told behind it without a sign that it lasts belongs to the moment.
FEELS = compile_table(
    r"""
(?:ouch|wow|phew|ugh|oof|uf|brr+|pff+|haha|lol|gosh|blimey|crikey|spot on|hm+|na (?:endlich|toll|ja)|ach|nö|oh là là
  |bof|zut
  |vaya|uy|ay|caspita|uffa|mamma mia|goh|nou|tjonge|nossa|puxa|ufa|(?:what|quel(?:le)?|qué|che|que
  |wat) an? \w+)(?=[,.! ])
*哎呀|へえ|哇
""",
    anchored=True,
)
