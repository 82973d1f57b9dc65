"""Words and phrases that carry no content: thanks, small talk, running commentary, program output."""

from __future__ import annotations

from unicodedata import combining, normalize

from memvault.text.terms import STOPWORDS

_WORDS = """
ok okay okey kay k thanks thank thx ty cheers great good nice cool perfect awesome excellent wonderful brilliant fine
sure yes yeah yep yup yea no nope nah hmm hm mhm uh um ah oh wow lol haha hahaha hehe hey hi hello bye goodbye morning
afternoon evening night welcome please sorry oops right alright exactly indeed agreed understood noted ack
acknowledged roger gotcha absolutely definitely totally certainly correct true wait moment second minute sec now later
soon today then next well anyway actually basically honestly really quite bit lot little maybe perhaps probably guess
think see look looks looking sounds sound seem seems let lets go goes going ahead keep continue proceed carry start
begin stop done finished ready works working worked fixed help helped helpful helps happy glad hope appreciate
appreciated everything nothing anything something else question questions need needs needed want wants like likes
sense makes make made job work way stuff day weekend week luck rest best time again back got get one guys folks mate
man dude buddy funny everyone try take care safe talk ask tell say said saying give gave chance fun enjoy interesting
interested amazing fantastic super lovely pretty plan idea love loved step steps further feel free reach message reply
answer response update updates touch whenever bear patience waiting hang tight hold quick quickly 'm 're 'll 've 's 't
im ill ive youre dont doesnt cant isnt whats thats ja nein doch danke dank bitte gern gerne prima toll klasse alles
klar gut sehr schön genau stimmt verstanden passt so mal noch später morgen heute bis dann tschüss hallo moin melde
mich dir ihnen vielen herzlichen schon machen mach weiter einfach eben halt na also kein problem ordnung freut hilfe
hat hast wird werde oui non merci beaucoup d'accord accord bien parfait très salut bonjour bonsoir revoir s'il plaît
vas-y allons-y compris c'est bon ça ca marche va tout tous pas problème plus tard aide pour votre ton est moi toi
bonne journée demain sí si gracias muchas vale bueno perfecto claro genial estupendo hola adiós luego hasta por favor
entendido de acuerdo está esta todo nada ayuda tu su mucho muy problema que tengas un buen día mañana pronto grazie
mille bene perfetto certo ciao prego capito ottimo molto d'accordo tutto obrigado obrigada perfeito ótimo olá tchau
entendi tudo bem muito bedankt dankje goed oké graag mooi begrepen helemaal спасибо большое да нет хорошо ладно
понятно понял поняла отлично привет пока пожалуйста супер ага ок tak dzięki dobrze świetnie jasne rozumiem tack bra
jättebra visst
"""

# Words that every conversation about any work is full of: what has none but these names no particular thing.
_GENERIC = """
abend aber able above actual add added adding adesso admittedly advance again agora agree ahead ahora ai aide aider
aim algo alles allora almost alone along alors already although always among an ancora answer answered answering
answers antwort anymore anyone apart app appear application applied apply aqui arbeite arbeiten archivo area around as
aside ask asked asking assist assistance assistant así attempt attendre attends attention auch aucun aucune auf aus
aussi avec avez avoir avons aware away ayudar back bad base based basic beaucoup become becomes before began begin
beginning begins behind bei being believe below benefit bescheid beside best better beyond bien big bigger biggest bin
bist bit bits bitte bonjour bonne bonsoir both box break breath breathe brief bring broad buenas buenos bug build
building built busy button c c'est call called calls calm came careful carefully carry case cat cause ce cela chance
change changed changes changing chat check checked checker checking checks chose chunk ciao clarification clarify
clean clear cleared clearly click close closed closely closer code codebase coffee collect collected collecting come
comes coming command commands comme commence commencer comment comments commit committed common community comparing
compile compiled compiling complete completed completes completing compris computer computers con concern concerns
condition confirm confirmed confused confusing confusion connected connection consider contain contains content
context continue continued continuer conversation copy correct correctly cosa could couldn count couple course cover
create created creating current currently cut código d damit danke dann dans daran darauf das dass data datei de deal
dealing deals decent decide decir deep deeper default definition dein deine deinen deiner delay deliver deliverable
demand den denke depend depends des describe described desk detail detailed details development dich did didn dies
diese dieser dieses diff difference different difficult dig digo dime dir dire directory discuss discussed document
documents does doesn donc door dort double doubt download downloaded downloading draft drop du due during déjà días
early easier easiest easily easy edit edited editing efficient effort eine einem einen einer einfach einmal either
element elements elle elles else elsewhere embrace empty en encontrar encore encounter encountered encuentro end ended
ends engage enough enter entire entry então er era erklären erledigt error errors es eso especially espera esperar
essaie essayer essentially est est-ce estar esto estoy está están etwas euch evaluate even eventually ever everyone
everytime exactly examine example excited exciting execute executed executes executing existing exit expect expected
explain explained explanation explicar explore extra extremely eye fact failed faire fait fall falta familiar fan far
fast fast-moving faster fatto favor favour fazer feedback feel feeling feito fertig fertiggestellt few fichier figure
figured file files fill final finally find finde finding findings finds fini finish finishes finishing first fix fixes
fixing flow focus fois folder follow followed following follows forget forgot form forth forward found frage fragen
framework fresh freue freut frustrating fue full fully fully-fledged function functions funktioniert further future
für ganz ganze gather gathered gathering gebe gedaan gefunden gemacht general generally generate generated generating
geprüft gerade gesagt gets getting given giving glaube gleich global goal goals gone grab gracias grazie great ground
group grow growth guarda guardo guess guide gut gute guten ha habe haben hacer hago half hand handle handled hang
hanging happen happened happening happens happier hard hast hat hate he head hear heard hecho helfen help helper
helping here hier high highly hilfe hilft hit hoffe hoffentlich holding honest hopefully hour however huge hundred ich
ici idea ideal ideas identify ihr ik il ils image imagine impact implement implementation implemented implementing
important impressed impressive improve improved improvement improving in include included including incredible indeed
individual info information initial initially innovation input inside insight inspect inspecting install installation
installed installing instance instead instruction instructions intend intended interest invalid isso issue issues ist
item items itself j j'ai je jetzt journey just já kan kannst keep keeping kein keine keinen kept key keyboard kick
kicking kijken kind klaar knew knowing known kun kurz können könnte könntest l la lance lancer landscape large las
lass last late later latest le lead leading leads learn learning least leave left leider les less level leverage lie
lies life light likely line lines link linter list lista listed listen listening listo little live ll lo load loaded
loading local log logic logical logs long longer look looked loop los lose lost lots luckily läuft m ma magic main
mainly mais mal manage mass matter matters mañana me mean meaning means meant meanwhile meet mehr meld melde mention
mentioned merci mes mess message messages messy method mich might mind mindset minute mir mira miro mismo missed
missing mistake mit mode modified modify moment momento moments momentum mon more morgen most move moved moving mucha
mucho muss muy myself más möchte möchtest müssen n n'ai n'est nach name named nearly necessary never new news nicht
nichts no noch noches nochmal nochmals nog nonsense normal normally notes nothing's notice noticed noting nous nu
number nur nächste nächsten o ob object obstacle obvious obviously occur occurred odd oder offer often okay old on
ongoing ont open opened opening operation opinion opportunities opportunity option options order organise organize
original originally otherwise otra ought outcome output outputs overall overview own où package packages page para
parece parfait part particular pas paso pass passed passer passes passing passt past paste path patient pattern pause
pense penses people perform performed performing perhaps pero person peut peux phase phew phone pick picked piece
pieces place plain planned play plaît plus poco pode podrías point points position positive possible possibly posso
post potential pour powerful practice prepare prepared preparing present pressure pretend previous previously print
printed prior priority problem problems proceeding process processed processing produce productive program progress
project promise prompt proper properly provide provided prueba prüfe prüfen puede puedes puedo puoi purpose put puts
putting qu qu'en quand quando que quedado question queue qui quickly quieres quiero quiet quoi quote ran range rather
raw reached reaching reaction read readable reader reading real realise realize reason reasonable receive received
recent recently redire redo refer reference reflect regarder regarding related relax relevant rely remain remaining
remember remove removed repeat repeated rephrase repo report repository request requested requests require reset
resolve resolved resolving resource resources respond rest result results resume return returned returning review
reviewed reviewing revisar reviso rewrite rien right role roll rough ruhe rule run running runs rush s s'il sa safely
sag sagen said sans save saved saving saw saying scan scanned scanning scenario schaue schauen schedule schritt
schönen scope screen script scroll se search searched searching second seconds section seen seguimos seguir segundito
segundo sehe sehr select send sending sent separate ser seriously server ses session set sets setting setup several
shape share shared shift short show showed showing shown shows si side sigue siguiente silly similar simple simpler
simply since sind single sit sitting situation skip slightly slow small smooth smoothly snapshot snippet snippets so
sobald sofort solid soll sollen sollte solution solve solved some somehow someone sometimes somewhat somewhere sommes
son sont soon sooner sorge sort sorted souci sounds source soy speak speaking special specific speed spend spent spot
später stage stand standing start started starting starts state status stay step stepped stick still stop stopped
stopping straight string strong structure stuck stuff style subito subject submit submitted succeed succeeded success
successful successfully such sudden suggest suggested suggestion suggestions suis suitable suite summarise summarize
summary super suppose supposed sur surely surface surprise surprised swear switch switching synergies synergy system
sí t ta tab table tackle tag tail take taken takes taking talented talk talked talking también tardes target task
tasks te team tener tengo terminado terminal terminé terrible terribly tes test tested testing tests text themselves
therefore they thing thinking third thorough thoroughly though thought thoughts three through throughout tiene till
times tiny tired title today todo together told toll ton tonight took tool tools top topic total totally touch tough
tous tout toute toutes toward track tracking transform transformation trick tried tries trouble truly trust trying tu
tun turn turned twice two type types ugh um uma un una unable unclear und under understand understandable
understanding understood une unfortunately unique unit unknown unless unlike unlock unrelated uns until unusual up
updated updating upon useful user usual usually valid validate valuable value values vamos various ver verdad verified
verify version verstanden verstehe verstehen versuche versuchen veut veux vez via viel view viewing vision void voilà
voir vois volgende volta von vous voy vuoi vérifie vérifier waited walk wall wanting war waren warning warnings warte
warten watch ways week weird weitermachen weiß welcome wenn went whatever wherever whether whichever while whole
wieder wil will willing window wir wirklich within without wochenende wollen wollte wonder wondered wonderful
wondering word words worked workflow workspace world worries worry worse worth would write writing written wrong wrote
wäre würde würdest y ya yay year yesterday yet yourself zal zeit zero zu ça étape êtes être
"""


def _spelling_variants(words: str) -> frozenset[str]:
    """Return words with their accents, and without as the index and hurried people write them."""
    bare = "".join(char for char in normalize("NFKD", words) if not combining(char))
    return frozenset((*words.split(), *bare.split()))


CHATTER_WORDS = STOPWORDS | _spelling_variants(_WORDS)
GENERIC_WORDS = CHATTER_WORDS | _spelling_variants(_GENERIC)

# Whole phrases, taken out before the words that are left are looked at.
STOCK_PHRASES = (
    r"thank(?:s| you)(?: so| very)?(?: much| a lot| a million)?",
    r"got it",
    r"sounds? (?:good|great|like a plan|reasonable|fine)",
    r"(?:that|this|it) (?:makes|made) (?:perfect |total |a lot of )?sense",
    r"no (?:problem|worries|rush|need|pressure)",
    r"never ?mind",
    r"you'?re (?:welcome|right|absolutely right|all set)",
    r"let me know (?:if|when|what|how|whether) (?:you|there|anything|that|this|it|i)\b[^.!?\n]{0,80}",
    r"(?:is there )?anything else (?:i can|you need|you want|you'd like|to)[^.!?\n]{0,60}",
    r"(?:i'?m |i am )?happy to help(?: with (?:that|this|anything(?: else)?))?",
    r"(?:i )?hope (?:this|that|it) helps",
    r"feel free to (?:ask|reach out|let me know)[^.!?\n]{0,60}",
    r"(?:how|what) can i (?:help|do for|assist)[^.!?\n]{0,40}",
    r"(?:would|do) you (?:like|want) me to (?:continue|proceed|go ahead|keep going|do (?:that|this|it)|start|try again)"
    r"[^.!?\n]{0,40}",
    r"(?:shall|should|can|may) (?:i|we) (?:continue|proceed|go ahead|keep going|start|try again|move on)[^.!?\n]{0,40}",
    r"(?:please )?(?:go ahead|carry on|continue|proceed|keep going|try again|do it)(?: with (?:that|this|it))?",
    r"(?:good|great|nice|excellent|well) (?:question|point|catch|idea|job|work|call|done|news)",
    r"have a (?:good|great|nice|lovely) (?:day|one|evening|weekend|night|time)",
    r"(?:talk|speak|see) (?:to )?you (?:soon|later|tomorrow|then|next week)",
    r"as an ai(?: language)?(?: model| assistant)?",
    r"i (?:apologi[sz]e|am sorry|'m sorry)(?: for (?:the|any|that|my)(?: \w+){0,2})?",
    r"i(?:'m| am) (?:here|ready|available)(?: to help| if you need(?: me| anything)?| when(?:ever)? you are)?",
)

# What programs say every day in any project, and commands that are only repeated: taken out line by line.
BOILERPLATE = (
    r"^\s*[$%>❯#]\s+\S[^\n]*$",
    r"^\s*(?:sudo )?(?:cd|ls|cat|grep|rg|find|echo|git|npm|npx|yarn|pnpm|pip|python3?|node|make|docker|kubectl|"
    r"curl|cargo|go|"
    r"source|mkdir|rm|cp|mv|touch|chmod|export|tail|head|sed|awk)\b(?=[^\n]*(?:&&|\|| -{1,2}\w))"
    r"(?![^\n]*\b(?:return(?:s|ed)|fail(?:s|ed)?|gives?|says?|because|so|needs?|means|breaks|works)\b)[^\n]*$",
    r"\[[#=>.\-█░ ]{4,}\]|[█░▏▎▍▌▋▊▉]{3,}|[=\-#*_.]{5,}",
    r"\b\d{1,3} ?%(?= \w+ing\b|[ |]*(?:done|complete|$|\|))(?: \w+ing\b[^,.\n]*)?|\b(?:about )?\d+ (?:seconds?|"
    r"minutes?) (?:remaining|left|elapsed)\b",
    r"\b(?:on branch|switched to branch|already on|already up to date|"
    r"your branch is up to date with)\b ?(?:[`'\"][^`'\"\n]*[`'\"]|\S+)",
    r"\bnothing to commit, working tree clean\b|\bhere is the result of running `[^`\n]{0,60}`",
    r"\b(?:added|removed|changed|audited|found|installed)(?:,? and audited)? \d+ (?:packages?|"
    r"vulnerabilities)\b[^.;\n]{0,40}",
    r"\b\d+ packages are looking for funding\b[^.\n]{0,60}",
    r"\btotal \d+\b|[d-](?:[r-][w-][xsStT-]){3}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d+\s+\w{3}\s+\d+\s+[\d:]+\s+\.{1,2}(?=\s|$)",
    r"\b(?:reading|writing|opening|loading|compiling|checking|fetching|downloading|installing|building|running|"
    r"listening|"
    r"collecting|processing|scanning)\b[^\n.…]{0,20}(?:[\w./-]+)?[^\n.…]{0,20}(?:\.\.\.|…)(?: ?(?:done|ok|ready)\b)?",
    r"\bPING \S+ \([^)]*\)[^\n]{0,30}bytes|\b\d+ bytes from \S+:? icmp_seq=\d+[^\n]{0,40}",
    r"\bpress (?:return|enter|any key|q)\b[^.\n]{0,30}|\(END\)|\bexit(?:ed)?(?: with)?(?: exit)? (?:code|"
    r"status):? ?\d+",
    r"\(?\b\d+(?:\.\d+)? ?(?:ms|s|sec|kb|mb|kib|mib)\b\)?",
)

# What makes a commentary worth keeping after all: a reason, a condition, a rule, a day.
_SIGNAL_WORDS = """
because unless never must except prefer prefers decided decision deadline agreed allergic always requires monday
tuesday wednesday thursday friday saturday sunday january february march april june july august september october
november december
"""
SIGNAL_WORDS = frozenset(_SIGNAL_WORDS.split())
