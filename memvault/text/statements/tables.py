"""Tables of the small words by which a statement is told, for eight languages."""

from __future__ import annotations

import re
from re import Pattern


def compile_table(table: str, *, anchored: bool = False) -> Pattern[str]:
    """Compile rows of alternatives: an indented row goes on, and what begins with `*` need not be whole words."""
    rows = table.replace("\n  ", "").strip().splitlines()
    loose = [row[1:] for row in rows if row.startswith("*")]
    words = "|".join(row for row in rows if not row.startswith("*"))
    pattern = "|".join((rf"(?<![\w'])(?:{words})(?![\w'])", *loose))
    return re.compile(f"(?:{pattern})" if not anchored else f"^(?:{pattern})")


# Who speaks, with what is theirs, as subject or as object.
PERSON = compile_table(r"""
i|i'm|im|i've|ive|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|us|our|ours
ich|mir|mich|mein(?:e[mnrs]?)?|wir|uns|unser(?:e[mnrs]?)?
je|moi|nous|notre|nos|mon|ma|mes|chez nous|let's|let us|neither of us
yo|mí|mi|mis|conmigo|nosotros|nuestr[oa]s?|a mí|io(?= \w+[aoiv]\w*)|noi|mio|mia|miei|nostr[oa]|eu|meu|minha|meus
nós|nosso|nossa|ik|mij|mijn|wij|onze?|ons
no (?:bebo|como|fumo|uso|conduzco|tomo|llevo|veo|cocino)|on (?:mange|fait|va|prend|utilise|ferme|ouvre|part|parle|se
  |ne|n'\w+)
me|mi|nos|ci
(?:soy|estoy|tengo|vivo|voy|suono|mangio|sono|ho|abito|voglio|odio|sou|tenho|moro|vou|temos|tenemos|somos|abbiamo
  |siamo)
(?:con \w+ no|porque no|que no|non|não|nunca|mai|lo|la|los|las|li|que|só|siempre|sempre) \w{2,}[^s\W]o
*\b[jm]'(?=\w)
*^(?:começo|gosto|prefiero|prefiro|preferisco|trabajo|trabalho|lavoro|como|bebo|duermo|uso|hablo|parlo|falo|amo
  |detesto|hasse|liebe|mag|trinke|esse|wohne|arbeite|hab|habe|bin|spiele|fahre|heiße)\b
*我|咱|私|僕|俺|うち|^[^。]*(?:好き|嫌い|苦手|ほうが|ありがたい|住んで|飼って|アレルギー)
""")

# What is liked or not, and what one can or cannot do with: it outlasts the conversation.
TASTE = compile_table(r"""
(?<!would )(?<!'d )(?<!looks )(?<!look )(?<!something )(?<!that )(?<!sounds )likes?(?! (?:this|that|it looks|so)\b)
loves?|loved|liked|enjoys?|enjoyed|hates?|hated
(?:i|we|he|she) finds? (?:it|that|\w+ing|[\w -]{3,40} (?:too|so|very|more)?)|needs? to avoid|loathes?|detests?
dislikes?|adores?|despises?|prefer(?:s|red)?|preference
favou?rs?|favou?rite|fond|keen|partial|fan|weakness|allergic|allergy|intolerant|averse|aversion|phobia|fear
rather|sooner|happiest|suits?|swear by|can't (?:stand|bear|abide|be doing|tolerate|get on with|do without)
cannot (?:stand|bear|abide|tolerate)|get on with|get along|mix me up|drives? me|gives? me (?:the|a)|makes? me
turns? me off
nothing beats|beats|wasted on me|nothing for me|to me|non-negotiable|at heart|person|my taste|my style|my thing
best|way i|how i|works? for me|stick with me|interested|avoid|refuse|opt for|go for|tend to|only|obsessed|passionate
hou van|houd (?:niet )?van|lust|graag|liever|haat|allergisch voor|bang
mag|mögen|am liebsten|lieber|bevorzuge|hasse|ausstehen|ungern|allergisch|gern|vertrage|rühre
préfère|aime|adore|déteste|supporte|allergique|plaît|horreur|plutôt
prefiero|gusta|gustan|encanta|odio|detesto|soporto|alérgic[oa]|prefiro|gosto|adoro|odeio|suporto|detesta
preferisco|piace|piacciono|adoro|sopporto|allergic[oa]|voglio
*喜欢|讨厌|偏好|不爱|爱吃|过敏|不吃|习惯|好き|嫌い|苦手|ほうが|アレルギー|ありがたい|不要
""")

# What holds always, for all, or from now on.
GENERAL = compile_table(r"""
always|never|ever|usually|normally|generally|every
(?:i|we|he|she|they)(?:'m not| am not|'re not| aren't| don't| do not| won't| will not| can't| cannot) (?!(?:sure
  |really sure|know|think|see(?! "|the)|understand|remember|mean|get(?: it| that| this| why| how|$)|believe|find
  |seem|feel like|need to|have to|have time|say|agree|quite|figure|tell|want to (?:know|be|sound|go))\b)\w+
for me|with me|of mine|for us|with us|every|each|anymore|any (?:more|longer)|everything
everywhere|must|mustn't|has to|all (?:my|our|the|year)|nobody|no one|as ever|no matter|whatever|any|anyone|nothing
without exception|by default|standing|permanently|these days|for life|since (?:i|we|the|my|our|a|\d)|exclusively
strictly
immer|nie|niemals|grundsätzlich|jede[nrsm]?|alle|nur
toujours|jamais|chaque|seulement
altijd|nooit|alleen|elke|iedere
siempre|nunca|cada|todos los|mai|sempre|ogni|todos os
*总是|从不|一律|每|从小|いつも|必ず|常に|毎
""")

# What makes a rule of any sentence, also of one without a verb.
RULE = compile_table(r"""
in general|as a (?:rule|general thing)|any day|across the board|no exceptions
ever again|and that's that
never ever|non-negotiable|\w+ or nothing
n'\w+ jamais|ne \w+ jamais|(?:in|for) all (?:of )?(?:my|our)|before you \w+ anything of (?:mine|ours)
""")

# What is to hold from a moment on.
FROM_NOW = compile_table(r"""
from now on(?! ?\?)|going forward|in future
ab sofort|ab jetzt|künftig|von nun an|désormais|dorénavant|à partir de maintenant|a partir de (?:ahora|agora)
de ahora en adelante|d'ora in poi
*今后|以后|从现在起|これから
""")

# What was settled.
SETTLED = compile_table(r"""
decided|settled|agreed|chose|chosen|opted|resolved|decision|made up my mind|talked it over
we(?:'ll| will) (?:go|stick|stay|use)
let's (?:go with|use|stick with|keep|stay with|switch to|drop|adopt)(?! (?:it|that|this|them)\b)
go(?:ing)? with|switch(?:ed|ing)? to|moved to
final(?:ly)? .{0,20}be
beschlossen|entschieden|vereinbart|beschluss|wir (?:bleiben|nehmen)|décidé|choisi|convenu|decidido|decidimos
acordado|acordamos
nos quedamos|quedamos|deciso|scelto|decidi(?:mos)?|resolvemos
*决定|选了|に決め|ことに(?:した|しました|なった|なりました)
""")

# What somebody found out: why something was so, and how it must be done.
LEARNT = compile_table(r"""
(?:it )?(?:turns|turned) out|beware|gotcha|pitfall|caveat|watch out|the (?:trick|catch) (?:is|was)|root cause
  |culprit
(?:problem|issue|bug|reason|cause) (?:was|is) (?:that|a|an|the|because)|came from|only works?|works only|silently
learn(?:ed|t) (?:today |just |recently )?(?:that|how|to|the hard way)|found out|discovered|figured out
reali[sz]ed|noticed that|lessons? learn(?:ed|t)
(?:fails?|breaks?|crashe?s?|hangs?) .{0,80}(?:because|unless|when)
stellt(?:e)? sich heraus|achtung|vorsicht|nur,? wenn|liegt daran|lag daran|gelernt|herausgefunden|festgestellt
aufgefallen
resulta que|ojo|cuidado|s[oó]lo funciona|el problema era|aprendí|he aprendido|me di cuenta|descubrí
il s'avère|attention|ne (?:marche|fonctionne) que|venait de|appris|découvert|compris que
*原来是|问题出在|原因は|落とし穴
""")

LEARNS = compile_table(r"""
learn(?:ed|t) .*|lessons? .*|found out|discovered|figured out|reali[sz]ed|noticed that|gelernt|herausgefunden
festgestellt|aufgefallen
aprendí|he aprendido|me di cuenta|descubrí|appris|découvert|compris que
""")

# What is still to be done after the conversation.
PLANNED = compile_table(r"""
remind (?:me|us)|todo|to-do|let me forget|don't let me forget|note to self
i(?:'m| am)? (?:still )?(?:have|need|plan|intend|promised|going)(?:ning)? to
i(?:'ll| will)|we(?:'ll| will)|we (?:still )?(?:have|need|plan) to|i'm \w+ing|appointment|deadline|due
(?:ich|wir) (?:muss|müssen|werde|werden|will|wollen)|muss ich|müssen wir|erinner(?:e|t)? (?:mich|uns)|termin
(?:tengo|tenemos|hay) que|voy a|vamos a|recuérdame|je (?:dois|vais)|nous (?:devons|allons)|il (?:faut|faudra)
rappelle-moi
devo|dobbiamo|ricordami|tenho (?:de|que)|vou|lembra-me|começo|starts?|empiezo|comincio
*提醒我|别忘|別忘|忘れずに|リマインド|予定
""")

# A clause about what was just said, which says nothing without it.
POINTS = compile_table(
    r"""
(?:that|this)(?:'s(?! (?:me|my|how|why|what|where|the way)\b)|'ll|'d| is| was| went| looks?| looked| sounds?| feels?
  | works?| worked| did| made| has| will| would| helps?
  | means?)|(?:das|dies|dat|ça|cela|eso|questo|quello|isso|isto) (?:ist|war|sieht|klingt|geht|passt|hilft|is|was
  |klinkt|ziet
  |est|fait|va|marche|es|está|suena|è|va|suona|parece)
""",
    anchored=True,
)

# What binds a sentence to the work in hand.
DEIXIS = compile_table(r"""
(?<!like )this (?!(?:morning|afternoon|evening|week|quarter|sprint|session|year|month|summer|winter|spring|autumn
  |is how|house|repo|repository|project|team|vault|machine|codebase|family|village|town)\b)\w+
these (?!(?:days|between|when|before|after|at|in|on|while|are)\b)\w+
(?:the|that) (?:\w+ )?(?:paragraph|sentence|verse|bullet|footnotes?|headings?|column|last line|second one
  |first one|error|word)
(?:right|just|for|until) now|at the moment|at present|currently|so far|here you|tonight
a sec|a minute|for a change|in the photo
diese[rnms]? \w+|den (?:ersten|zweiten|dritten|letzten) \w+|gerade|im moment
cette \w+|cet \w+|ce (?!que|qui)\w+ci|en ce moment|est[ea] \w+|esta frase|quest[oa] \w+|agora mesmo|ahora mismo
*这(?:个|段|句|张|篇)|この|それを
""")

# An order that holds from now on.
STANDING = compile_table(
    r"""
(?:and |also |please |but |so )*(?:always|never(?! mind)(?! \w+s\b)|(?:don't|do not) ever|from now on
  |going forward|in future)
call me|address me|refer to me|(?:duz|siez)e? (?:mich|uns)|\w+ (?:me|us|mich|mir|uns) (?:\w+ )?(?:always|never|immer
  |nie)|(?:when|whenever|every time|each time) (?:you|i|we|\w+ing)
(?:bitte )*(?:immer|nie|niemals)|(?:por favor,? )?(?:siempre|nunca) (?:us|escrib|respond|ha[zg]|pon|añad
  |utili)\w*|sag ruhig|(?:schreib|nutz|benutz|verwend|nimm|antwort)e? (?:bitte )?(?:mir )?(?:immer|nie|niemals|nur)
*以后请|请(?:一律|总是|始终)|(?:いつも|常に|必ず).*(?:ください|下さい)
""",
    anchored=True,
)

# What is not so, but played, supposed, or said by others.
SUPPOSED = compile_table(r"""
if i(?:'d| had(?! my way)| were| was| hypothetically)|if we(?:'d| had| were| was)|suppos(?:e|ing)|imagine
(?:i'd|would)(?: never|n't)? have (?:thought|guessed|believed|expected)|(?:hätte|had) (?:\w+ )+(?:gedacht|erwartet
  |geglaubt|verwacht)
aurais (?:jamais|pas) \w+é|lo esperaba|aspettavo|esperava por
als ob|als wäre|comme si|como si|come se|como se|alsof|\w+ would say|be (?:my|an?|the) \w+ (?:and|who)
pretend|what if|hypothetically|assuming|let's (?:play|say|pretend)|act as|you are an?|as if
stell dir vor|angenommen|falls (?:ich|wir|du|es|man)|wenn (?:wir|ich) .*würde\w*|imagina|supón|supongamos|supposons
immagina|supponiamo|suponha
*假如|如果|もし
""")
# What people in a story do, and what a text is to say that is asked for.
INVENTED = compile_table(r"""
(?:the|my|our|let my|make the) (?:characters?|hero(?:ine)?|narrator|protagonist|detective|villain)
in the (?:\w+ )?(?:story|scene|poem|play|act|chapter|novel|film|movie|episode)
once upon a time|role-?play|chorus|es war einmal|il était une fois|érase una vez|c'era una volta|era uma vez
*^(?:please |can you |could you )*(?:write|compose|draft|rewrite|reword|translate|put|schreib\w*|écris\S*
  |escr[ií]be\w*
  |scriv\w*|escreve) .{3,60}?(?: that| saying| so that|, dass| disant| que| che| dat)
   (?:i|we|he|she|the|ich|wir|je|yo|io|eu)\b
*^(?:have|let) (?:her|him|them|the \w+) (?!know|have)\w+
*^q: |^[>»] ?\w
""")

# A like or dislike of what is at hand: the draft, the second one, this.
OF_THIS = re.compile(
    r"(?:(?:oh|ok|yes|no|well|and|but|so|actually)[,!]? )*(?:i|we|ich|je|j'|ik|yo|mi|me|das|dat|ça"
    r"|eso)?[ ']?(?:really |just |absolutely |do )*"
    r"(?:like|love|hate|prefer|adore|enjoy|(?:don't|do not|didn't) (?:like|love|want)|knew|need|want"
    r"|liebe|mag|hasse|gefällt mir(?: nicht| sehr)?"
    r"|adore|aime|préfère|déteste|encanta|gusta|prefiero|piace|adoro|preferisco|gosto|prefiro|vind"
    r"|hou van)(?: (?:this|that|it|these|those|them"
    r"|(?:the|that|this) (?:first|second|third|last|other|previous|new|old|long|short)\w*(?: \w+)?"
    r"|(?:the|that|this) (?:version|draft|one|ending|title|line|font|tone|colou?r|idea)|how (?:you"
    r"|this|that|it)\b.*|what you\b.*|es|das|ça|cette \w+"
    r"|l[ae] (?:première|deuxième|seconde|dernière|primera|prima|segunda|seconda)|el (?:primero"
    r"|segundo)|de (?:eerste|tweede)(?: beter)?|so|better|more"
    r"|much|a lot|molto|mucho|muito|sehr|nicht))*[.!]*"
    r"|(?:that|this)(?:'s| is) my favou?rite(?: so far| one| yet)?[.!]*|.*my head hurts.*|(?:we're"
    r"|i'm) (?:nearly|almost) (?:there|done)[.!]*"
    r"|(?:これ|それ)(?:が|は)?(?:好き|嫌い)(?:です)?(?:ね)?。?|我?(?:很|更)?(?:喜欢|爱"
    r"|讨厌)(?:第[一二三]个|这个|那个|它)[。！]?",
)
REPORTED = compile_table(r"""
(?:he|she|they|it|docs?|novel|memo|log|manual|article|boss|colleague|friend|teacher|somebody
  |someone)(?: just)? (?:says?|said|wrote|writes|claims?|told|tells)
told me so|according to|my \w+ (?:just )?(?:said|says|wrote|asked|told)|sagt|sagte|laut|dice que|dijo|según|selon
  |ha detto
  |disse
""")

# When it is, was or will be.
DATES = compile_table(r"""
(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october
november|december
today|tomorrow|yesterday|(?:last|next) (?:week|month|year|night|spring|summer|autumn|winter|sprint)
by (?:the end|\d).*|at \d+|before \w+|later|\d{4}
morgen|gestern|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|mañana|lunes|martes|viernes
(?:antes|hasta) de \w+|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag
demain|lundi|mardi|mercredi|jeudi|vendredi|domani|lunedì|venerdì|amanhã|septembre|settembre|setembro|septiembre
*月|昨日|明天|明日
""")

# What somebody is to do once something else has come.
AWAITED = compile_table(r"""
as soon as|whenever|when (?:the|we|i|he|she|it|they|\w+ (?:is|are|comes|has|reaches))|unless|until|till
once (?:the|we|it)|next time|not before|first time
sobald|wenn|bis|dès que|quand|jusqu'à|cuando|hasta|appena|quando|assim que|at the latest
this (?:quarter|sprint|week|month)
""")

# Where one stands just now, or what one does not know: over with the conversation.
PASSING = compile_table(r"""
(?:i'm|im|i am|we're|we are)(?: \w+ly| just| still| really| so| a bit| not| also)* (?:\w+ing(?! (?:person|fan)\b)
  |sure|stuck|lost|confused|sick of|done|back|off|here|ready|sorry|afraid|glad|curious|tired|late|hungry|bored
  |an idiot|worried|unsure|happy (?:to|with)|wrong|right|good|fine|ok|out of|about to|on it)
i (?:can't|can|could|cannot) (?:find|get|make|seem|log)|(?:i|we) (?:am|are) \w+ing
(?:i'm|we're|i am|we are) (?:in need|in the market|headed|interested in \w+ing|halfway)
i (?:don't |do not |didn't |still |just |also |already |really |can't |cannot |can |could |might |should
  |must )*(?:know|think so|guess|mean|see|understand|wonder|hope|remember|figure|suppose|decide|tell|believe
  |get (?:it|that|this|an?)|try|tried|forgot|said|meant|typed|asked|thought|was|wish|agree|saw|looked|ran|added
  |changed|made|used to|noticed)
i(?:'d| would) (?:like|love|want|be|have)|(?:haven't|hasn't|can't|not) .{0,12}decided?
i(?: really| just| still| already)? (?:need|want|wanna) (?:to(?! avoid)|a|the same|an|some|you|ideas|help|this|that
  |it|one
  |more|two|three)
i (?:can|could|should|might|may|will probably)|i'll (?:try|check|take|see|do|have|let)
we (?:can|could|should|might|need|want)|i've (?:tried|just|got to|been \w+ing|no idea)|was just|just \w+ing
no idea|not sure|maybe|perhaps|might
you(?:'ve|'re)|you (?:always|never|keep|just|really|did|got|were|said|wrote|gave|forgot|missed|made)
i (?:don't|do not|didn't|can't) \w+ (?:that|this|it)(?=$)|(?:i've|i have) (?:read|seen|heard|had) (?:better|worse)
i'm (?:not )?convinced|(?:i|we|just) (?:got|came|popped) (?:in|back|home)
ich (?:weiß|glaube|denke|brauche|möchte|hätte gern|suche|verstehe)
je (?:ne sais|pense|crois|veux|voudrais|cherche|comprends)|no sé|creo|quiero|quisiera|busco|necesito|non so
vorrei|cerco|não sei|acho|preciso|ik (?:weet|denk|zoek|wil|begrijp|snap|hoop)
*我想|我要(?!求)|我该|我需要|我不知道|思います|探して|^[^。]*(?:かな|でしょう)
""")

# What a sentence begins or ends with that says nothing itself.
LEADS = re.compile(
    r"^(?:(?:oh|ah|ugh|hm+|well|so|and|but|ok(?:ay)?|ok so|also|btw|by the way|actually|honestly|anyway|fyi"
    r"|to be honest|und|aber|et|mais|y|pero|ma(?=,)|mas|moi|please know that|(?:let me )?note that|remember that"
    r"|you see)(?:[,.!:;]+ ?| (?=\w))"
    r"|(?:right|yes|yeah|yep|no|nope|nah|look|thanks|thank you|hi|hello|hey|please|sorry|good|nearly|fine|great|ja|nein"
    r"|oui|non|sí|não|sim|hello dear|not really|wait|next|oh no|not yet|agreed|makes sense)[,.!:;]+ ?)+",
)
