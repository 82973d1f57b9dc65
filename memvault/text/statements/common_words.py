"""Words that people use about anything: what is made of them only is about nothing in particular."""

from __future__ import annotations

from memvault.text.statements.chatter import spelling_variants

_ENGLISH = """
able absolutely actually add afternoon again ago agree ahead allow almost already alright although always amazing
amount answer anyway anyways apart appreciate ask available away awesome awful back bad based basic basically
beautiful become begin behind believe best bet better big bit bring btw bunch call came can cannot care case certain
certainly chance change chat check choose clear clearly close code come comment common complete completely concern
confirm consider contain continue cool correct could couple course create curious current currently day days deal dear
decide definitely depend describe detail different difficult directly done down early easily easy effort either else
enable end enjoy enough ensure entire especially etc even evening eventually exactly example excellent excited
exciting expect experience explain extra extremely fact fair fairly fantastic far fast favorite feel feeling few
figure final finally find fine finish first fit fix fixed follow following found free friend full fully fun further
future gave general get give glad goal goes going gone gonna good got gotta great guess guy guys haha half handle hang
happen happy hard hear heard hello help helpful hey hi high hit hold honestly hope hopefully hour hours huge idea
ideas imagine implement important improve include including incredible indeed info information inside inspiring
instance instead interest interested interesting issue item job joy keep kept key kid kids knew lately later latest
learn least leave left less level life like likely line list little live lol long longer look looking lost lot lots
love lovely low luck lucky made main maintain major make making manage matter may maybe mean meant mention message
might mind minute minutes miss moment moments month months morning move name need never new next nice night nope
normal note nothing now number obviously off offer often ok okay old once one ones open option options order otherwise
overall own part past people perfect perfectly perhaps person photo pic picture piece place plan play please plenty
plus point positive possible possibly potential pretty previous probably problem process proud provide put question
questions quick quickly quite rather read ready real realize really reason recent recently reply request required rest
result right road run sad safe said same saw say second see seem seen send sense separate serious set several share
short should shout show side similar simple simply since single small solution somehow sometimes somewhere soon sorry
sort sound sounds special specific specifically stand start state stay step steps still stop story straight strong
stuff suggest suggestion super support suppose supposed sure surely surprise switch take taken talk team tell tend
terrible thank thankful thanks then third though thought thoughts through throughout time times today together told
tomorrow tonight took top total totally touch toward towards tried true truly try trying turn two type understand
unfortunately unless until update upon use used useful user using usual usually value various version via view wait
walk wanna want was watch way ways week weekend weekends weeks welcome well went whatever whether while whole wish
without won wonder wonderful word words work worked working works world worry worse worth wow write wrong yeah year
years yep yesterday yet yup about above across admit advice afraid after against alone along among anymore area around
arrive aside attempt aware badly became because been before believed below beneath benefit beside besides between
beyond blast blessed both brave break brighten brought busy but bye capture catch caught cherish chill choice comes
comfort confident congrats congratulations content convey count courage cute damn dare date despite determination did
difference discuss doubt dream drop due during each effect encourage encouragement energy enjoyment entirely essential
every everybody everyone everything everywhere explore express face fall feels felt fill focus forget form forth
forward front game gives grateful grow growth happens hardly hate having head heart hers herself himself honest honor
however impact importance impressive inclusivity increase inspiration inspire inspired instantly intense involve
involved itself journey joyful kinda kindness large lead let lift light listen local mainly man many mark massive
means meet memory mood moves must myself near nearly necessary neither nevertheless nobody none noon nor obvious
occasion odd onto opinion opportunity ours ourselves outside pass passion passionate peace peaceful period personal
phase plain played pleasure pm am pop power practice precious prefer present prior private produce progress proper
purpose push quiet rare reach reaction recall receive regard relate relax relaxed relief rely remain remember remind
reminder resilience respect respond responsible return rewarding rush satisfying search season seek seemed selfless
sentimental session setting sharing sight sign situation slow smile society source speak spend spent spirit spread
stage stick strength strengths stress stressful strive strongly struggle success successful such sum supportive
surround task tasks therefore thing throw til till tip tips tiny tired tough treasure turned typically understanding
unique unite unity upset us valuable variety vibe vibes vital voice warm weird whenever wherever whichever whoever
wide willing wise within woman yay young yours yourself yourselves jan feb mar apr jun jul aug sep sept oct nov dec
mon tue wed thu fri sat sun alive last others themselves theirs promise promising forever enlightening inviting
optimistic hung spill monday tuesday wednesday thursday friday saturday sunday january february march april june july
august september october november december three four five six seven eight nine ten redacted truncated false null
"""
_OTHERS = """
aber alle alles also andere auch auf aus bei bin bis bitte da dann danke dass denn dir doch durch eben eigentlich
einfach einmal etwas euch euer finde für ganz geht genau gerade gern gibt gut guten haben hallo hast hat hätte heute
hier hin ihm ihn immer ins ja jetzt kann kannst kein keine können könnte machen mal mehr mich mir mit morgen muss nach
natürlich nein noch nun nur ob ohne schon sehr sein seit sich sie sind so soll sollte über um uns unter viel vielen
vielleicht vom wäre warum weil weiter wenn werden wieder wird wirklich wissen wollen wurde würde zu zum zur zwei ai
aussi autre autres avait avec avez avoir beaucoup bien bon bonjour ça car ce cela ces cette chose comme comment contre
d'accord dans de déjà depuis deux dire dois donc du elle elles en encore est était être fait faire faut ici il ils
jamais jour juste la là le leur lui ma mais même merci mes moi moins mon ne non nos notre on oui par parce pas peu
peut peux plus pour pourquoi pouvez puis quelque rien sa salut sans se ses si sois son sont sous suis sur ta te tes
toi ton toujours tous tout toute toutes très trop un va vais vers veux voilà voir vos votre vraiment ahora algo algún
alguna antes aquí así aunque bueno cada casi como con contra cosa cosas creo del desde después dos ella ellas ellos
entonces era eres es esa ese eso esta está están este esto estoy fue gracias gran ha haber hace hacer hasta hay hola
hoy ir les lo más me mejor menos mi mis mismo mucho muchas muchos muy nada ni no nosotros nuestro nunca otra otro para
pero poco porque primero puede puedes puedo pues que qué quiero sea según ser sí sido siempre sin sobre solo soy su
sus también tan tanto tengo ti tiene tienes toda todas todo todos tú tus unas unos usted vamos ver vez voy ya yo agora
ainda alguma anche ancora assim até avere bene bom che chi ci coisa com come così dai dal dalla deve di dopo dove e ed
então essa esse essere estou eu fare fatto fazer foi fosse gli grazie há ho hanno i io isso isto já lei loro mas mesmo
mio molto muito na não nei nella noi obrigado ogni oggi però perché per piu più poi posso pra pode prima quello questa
questo quindi sei sem sempre seu sia sim só sono sta stato sua suo também tem tenho ter tudo tutti tutto una uno uso
vai vou você aan al alleen als altijd bij daar dan dat deze die dit doen doe door dus er even gaan gaat geen goed
graag haar heb hebben heeft hem hij hoe hun iets jou jouw jullie kan kunnen maar maken meer met mijn moet naar nee nog
nu of om ons ook op over toch tot uit veel voor waar waarom want was wat we wel weer werd wij wil worden wordt ze zeer
zei zelf zich zijn zo zou
"""

COMMON_WORDS = spelling_variants(_ENGLISH + _OTHERS)
