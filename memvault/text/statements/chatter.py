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
jättebra visst ta bother pleasure tick jiffy tomorrow tonight dear bad whoops oopsie happy sweet neat ace smashing
lush sec secs ages enough whatever suits myself yourself bless congrats congratulations well-done bravo yay hurrah
wahey phew blimey crikey gosh goodness golly wicked deal fair sorted grand champion spot bang champ legend hero star
gem lifesaver speak speaking chat catch cya laters ttyl brb omg wtf lmao rofl np yw tbh imo idk afk gn gm pardon
excuse welcome-back there's here's that's it's let's i'll we'll you'll we're you're i'm ding geht einen ein augenblick
augenblickchen kleinen guten gute tag abend nacht nächte wochenende schönes schöner feierabend ach so das war's wars
alles gerne doch sicher natürlich klaro jawohl jep nö nee quatsch egal macht nichts nix tut mir leid entschuldigung
entschuldige verzeihung sorry tschau ciao servus grüezi grüß dich gott wiedersehen wiederschauen bald sehen hören uns
wir danach vorerst erstmal erst mal super-idee spitze wunderbar großartig hervorragend cool okay siento está ya veo
nos vemos ahora enseguida segundo minuto minutito ratito claro-que hasta-luego mañana buen buena buenas noches tardes
días día encantado encantada mucho gusto igualmente salud disculpa disculpe perdón perdona lo que qué tal cómo estás
va bien va-bien fenomenal estupenda genial guay listo-pues venga anda dale órale sale pues bueno vous en prie bonne
nuit soirée journée fin week-end pas souci souci de rien un une instant minute seconde c'est parti tout à fait bientôt
demain tard l'heure toute suite voilà volontiers bien-sûr sûr évidemment désolé désolée pardon excuse excusez-moi
enchanté enchantée comment allez-vous vas tu va-t-il bof tiens ah-bon mince zut chouette nickel impec génial
formidable félicitations bravo courage santé bisous bises domani secondo minutino mi dispiace presto benissimo benone
ho vediamo ci notte buona buonanotte buonasera buongiorno giornata serata scusa scusi scusate figurati niente di nulla
volentieri certamente ovviamente esatto giusto va andiamo via dai forza piacere mio salve arrivederci addio a-presto
un-po' come stai tutto-bene fantastico magnifico complimenti até logo bom dia boa tarde noite só um minuto minutinho
desculpa desculpe perdão lamento prazer igualmente beleza legal valeu falou combinado certo certíssimo claro com
certeza sem problema problemas de nada por-nada amanhã fique bem abraço abraços beijos como vai está tudo-bem fixe
porreiro parabéns espera schau schaue sehe prüfe kümmere kümmer mach mache bin dabei ahnung keine weiß weiss nicht
drum drauf dran danken verstehe logo noté note regarde vois vérifie m'en je m'occupe occupe avec plaisir bon courage
aucun aucune idée chance attends pasa nada no ahora mismo déjame dejame ver voy mirar mirarlo miro reviso revisarlo
a-ello compruebo idea ni cuenta encargo ci penso io fammi vedere guardo controllo tutto posto nessun nessuna problema
idea vedo subito faccio occupo dimmi sim não deixa ver já vejo vou verificar feito feita trato disso nenhum nenhuma
ideia faço dou olhada ik kijk kijken doe regel controleer snap begrepen weet niet geen idee daar mee bezig zo terug
wel copy of course alrighty sleep uh-huh uh huh pass passed checks roger wilco me too either neither same here there
gedaan geen probleem even wachten hoor komt morgen tot straks later ziens goedemorgen goedemiddag goedenavond
goedenacht welterusten fijne fijn dag avond weekend sorry excuses pardon natuurlijk tuurlijk zeker precies klopt top
lekker leuk gefeliciteerd succes doei hoi hallo momentje ogenblik alsjeblieft alstublieft jawel nee prima-zo
"""

# What is the matter of any work: a sentence that has none but these names no particular thing.
_WORK = """
" able add added all already application attempt before bug build built change changed changes check checked checking
clean code command commands compile compiled complete completed confirm connection console context continue create
created data deployment directory document done edit end error errors execute expected exit explain fail failed
failing failure feature features file files find first fix fixing folder found full function functions further helper
implementation implementing important improve information input install installed instructions investigate issue
issues item items last line list loaded logic long look main message minutes module more moving new next notes now
number objects ok open option order output part pass passed passes passing point possible problem process processed
program progress project proper property provide put quite read report request requirements result results review root
run running save saved script server set several short show simple single solution started state status step still
structure succeeded success successful successfully suite support system task tasks team test tested tests thing
things time together tool total try turn understand understood version view warning warnings way whole without wrong
write written joking star obliged tricky minor detail evening kidding glad useful surprising interesting exciting
important processing connecting reading searching counting listening logs log terminal functional track updated
requested listed beginning sooner admittedly depends checker linter computers breath deep coffee grab unusual codebase
asked target targets dev asking sent trouble advance lies embrace unlock synergies other hand both usual lose finding
findings own pick odd brb lunch lifesaver lifesavers phew ugh swear press bytes lunch fill lot enough noticed looked
looks appears seems wonderful never ever always not no yet figure look dig moving forward align leverage value
priority priorities aligned aufgabe fertig datei fehler tests läuft schaue gerade fichier erreur terminé archivo listo
hecho tarea revisar fatto gebe gefunden gleich kurz sobald bescheid erklären leider ruhe deine deinen falta parece
compilation finishing connection connections established denied refused killed terminated aborted timed timeout retry
retrying segmentation fault core dumped fast-forward up-to-date up-to head ahead behind branch merge merged commit
commits committed insertions insertion deletions deletion requirement requirements satisfied installing downloading
uploading downloaded uploaded collecting resolving deltas compressing unpacking listening server started stopped
restarting restarted starting stopping listening waiting watching change changes webpack vite rollup compiled modules
transformed http info build warn warning notice deprecated success failed permission network host unreachable reset
broken still nothing fetch fetched pull pulled push pushed rebase rebased checkout switched stash cache cached hit
miss skipped skip traceback exception stack trace debug verbose elapsed duration took seconds minutes hours ms queued
pending gebaut kompiliert erfolgreich abgeschlossen fehlgeschlagen läuft gestartet beendet terminado completado
compilado exitoso fallido iniciado réussi réussie échoué échouée démarré arrêté compilation riuscito riuscita fallita
avviato concluído concluída falhou iniciado geslaagd mislukt voltooid gestart quedado seguimos verdad passer redire
suis vois regarde veo vedo vejo ecco pronto arquivo moment momento momentito attimo certeza lade lädt geladen starte
installiere installiert kompiliere suche lese schreibe warte verbunden getrennt gespeichert aktualisiert bereit
abgebrochen verweigert chargement chargé installé téléchargement enregistré connecté prêt prête annulé lancement
serveur cargando cargado instalando instalado descargando guardado conectado cancelado iniciando servidor caricamento
caricato installazione installato salvato connesso annullato avvio carregando carregado instalado baixando salvo
conectado iniciando laden geladen installeren downloaden opgeslagen verbonden gereed geannuleerd starten bezig mistake
fault apologies wanted needed hoped dang drat shoot bummer pity shame superb terrific marvellous splendid fabulous
zusammen leute tous todos tutti allemaal pessoal equipo squadra équipe
"""


def spelling_variants(words: str) -> frozenset[str]:
    """Return words with their accents, and without as the index and hurried people write them."""
    bare = "".join(char for char in normalize("NFKD", words) if not combining(char))
    return frozenset((*words.split(), *bare.split()))


CHATTER_WORDS = STOPWORDS | spelling_variants(_WORDS)
WORK_WORDS = CHATTER_WORDS | spelling_variants(_WORK)

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
    r"happy (?:\w+day|weekend|christmas|new year|easter|holidays)|almost there|das war'?s",
    r"fair enough|right you are|much obliged|you(?:'re| are) a (?:star|lifesaver|legend|gem|hero)"
    r"|as i was saying|one (?:sec|moment)",
    r"buen[ao]s (?:noches|tardes|días)|com certeza|pois é|ya veo|capisco|verstehe|je vois|entendido|de nada"
    r"|di niente|de rien|gern geschehen",
    r"(?:(?:你|您|大家)好|早(?:上好|安)?|[上下]午好|晚(?:上好|安)|再见|拜拜|明天见|回头见|好(?:的|吧"
    r"|啊|嘞|极了)?|不错|多?谢+(?:你|您|了|啦)?|感谢"
    r"|嗯+|哦+|啊+|哈+|嘿+|呵+|(?:请)?(?:稍|等)(?:等|候)?(?:一(?:下|会儿?)|片刻)?|不(?:客气|用谢"
    r"|好意思|要紧)|没(?:关系|事|问题)(?:的|儿)?|对不起|抱歉"
    r"|(?:我)?(?:明白|知道|懂|收到|了解)(?:了|啦)?|是(?:的|啊)?|对(?:的|啊|了)?|行(?:吧|啊)?"
    r"|可以(?:的|了)?|当然(?:可以)?|辛苦(?:你|您)?了|真|太|很|棒|厉害|加油"
    r"|继续(?:吧)?|我|你|正在|在|处理|检查|运行|更新|查看|查|开始(?:吧)?|完成了?|搞定了?|做好了|马上"
    r"|正在|处理中|加载中|请|这就|来|去|看(?:看|一下)?|试(?:试|一下)|吧|了|呢|啦|！)+",
    r"(?:はい|ええ|うん+|いいえ|いや|うーん|えっと|ああ|へえ|ほう|(?:わか|分か)(?:りました|った)"
    r"|承知(?:しました|いたしました)|かしこまりました|ありがと(?:う|ー)?"
    r"(?:ございま(?:す|した))?|どうも|お疲れ(?:さま|様)?(?:です|でした)?|なるほど|了解(?:です"
    r"|しました|いたしました)?|(?:す|済)みません(?:でした)?|ごめん(?:なさい|ね)?"
    r"|申し訳(?:ありません|ございません)|そう(?:です(?:ね|か)?|か|だね)|こんにちは|こんばんは"
    r"|おはよう(?:ございます)?|おやすみ(?:なさい)?|さようなら|じゃあね?|また(?:明日|ね|後で|あとで)?"
    r"|(?:ちょっと|少々|少し)?(?:お)?待(?:って(?:ください|ね)?|ちください)|大丈夫(?:です|だよ)?"
    r"|よろしく(?:お願い(?:します|いたします))?|お願いします|いい(?:です)?(?:ね|よ)?|よかった(?:です)?"
    r"|素晴らしい(?:です)?|すごい(?:です)?(?:ね)?|助かりました|完了(?:です|しました)?|終わりました"
    r"|できました|処理中|読み込み中|(?:確認|調査|実行|修正|更新)(?:します|してみます|中(?:です)?"
    r"|しました)|(?:やって|見て|試して)みます|できた|続けて(?:ください)?"
    r"|どういたしまして|もちろん(?:です)?|やった|さて|では|失礼(?:します|しました)?|本当(?:に|ですか)?)+",
    r"i(?:'m| am) (?:here|ready|available)(?: to help| if you need(?: me| anything)?| when(?:ever)? you are)?",
)

# What programs say every day in any project, and commands that are only repeated: taken out line by line.
OUTPUT = (
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
    r"\btotal \d+\b|[d-](?:[r-][w-][xsStT-]){3}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d+\s+\w{3}\s+\d+\s+[\d:]+\s+\S+(?=\s|$)",
    r"\b(?:reading|writing|opening|loading|compiling|checking|fetching|downloading|installing|building|running|"
    r"listening|"
    r"collecting|processing|scanning)\b[^\n.…]{0,20}(?:[\w./-]+)?[^\n.…]{0,20}(?:\.\.\.|…)(?: ?(?:done|ok|ready)\b)?",
    r"\bPING \S+ \([^)]*\)[^\n]{0,30}bytes|\b\d+ bytes from \S+:? icmp_seq=\d+[^\n]{0,40}",
    r"\bpress (?:return|enter|any key|q)\b[^.\n]{0,30}|\(END\)|\bexit(?:ed)?(?: with)?(?: exit)? (?:code|"
    r"status):? ?\d+",
    r"^\s*\w+(?: [\w./:-]+){0,4} ?(?:\.{3}|…)(?: ?\w+)?$",
    r"\b(?:compiling|processing|unpacking|fetching|linking) \S[^\n.]{0,30}(?:\d[\d.]*)?$",
    r"^\s*(?:step \d+/\d+\b|finished\b.*\btargets?\b|remote:|warning: (?:lf|crlf)"
    r"|npm (?:notice|warn)|[1-5]\d\d (?:ok|created|no content)\b)[^\n]*$",
    r"\[[=>\-# ]{3,}\]? *\d{0,3} ?%?|\b\d{1,3}% *[\d.]*[kmg]?b/s",
    r"\(?\b\d+(?:\.\d+)? ?(?:ms|s|sec|kb|mb|kib|mib)\b\)?",
    r"^\s*(?:fatal: not a git repository|\[[\w/-]+ [0-9a-f]{7,}\]|to \S+[:/]\S+\.git$"
    r"|\* \[new (?:branch|tag)\]|\d+ upgraded,"
    r"|(?:compressing|counting|unpacking|writing|receiving|enumerating) objects:|press ctrl|yarn (?:install|run)\b"
    r"|[1-5]\d\d (?:not found|forbidden|unauthorized|bad request|internal server error|accepted|moved)"
    r"|(?:container|pod|service|image|job|server|process|daemon) (?:\S+ )?(?:started|created|stopped"
    r"|running|ready|killed)"
    r"|successfully (?:built|tagged|created|deployed))[^\n]*$",
    # A line that begins as programs begin theirs: a mark, a level, a count of things, an answer of a server.
    r"^\s*(?:[✓✔✗✘×●▶→⚠]|\[(?:info|warn(?:ing)?|error|debug|ok|\d+/\d+)\]|(?:info|warn|debug|notice"
    r"|hint):|http/\d|(?:pass|fail)\s+\S+[./]\S+|ok\s+\S+\s+[\d.]+s)[^\n]*$",
    r"\b\d+ (?:files?|modules?|packages?|commits?|objects?|insertions?|deletions?|lines?|tests?|errors?|warnings?)"
    r"(?: (?:changed|transformed|added|removed|passed|failed|skipped|found|collected))?(?:\([+-]\))?",
    r"^\s*(?:successfully \w+ed|requirement already satisfied|collecting|using cached|downloading|setting up|unpacking"
    r"|preparing to|created symlink|cloning into|resolving|receiving objects|head is now at|your branch is|fast-forward"
    r"|everything up-to-date|listening on|serving|running on|available on|local:|started (?:server"
    r"|process)|pulling from"
    r"|status:|digest:|get:\d|hit:\d)\b[^\n]*$",
)
