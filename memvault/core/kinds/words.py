"""Word classes that tell sentences apart, in English, German, Spanish and French."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

# One class on each row; a row that is indented goes on, and one that begins with # is a remark.
_TABLE = """
# who acts: "we met", "ich habe"
<we>: i we he she they team everyone nobody somebody ich wir er sie je nous elle ils elles yo nosotros ella ellos
<me>: i we i'm we're ich wir je nous yo nosotros
<be>: is are be been being gets get become becomes stays remain remains
<was>: was were had wasn't weren't hadn't became war waren wurde wurden hatte hatten était étaient avait avaient era
    eran estaba estaban había habían
<finite>: do does did can could would will shall may might it's there's that's he's she's i'm we're i'll we'll don't
    doesn't can't won't isn't i've we've wird werden kann können puede pueden peut peuvent c'est
<modal>: must should ought gotta muss müssen soll sollte sollten doit doivent debe deben
<article>: the a an this that these those its our your my his her their of by for to with as in and or no not any each
    every all some which one two three
# deeds as one asks for them, to be done once
<errand>: call phone ring email mail text ask tell remind buy order book reserve schedule reschedule arrange renew pay
    send submit hand reply respond answer return pick bring collect cancel register sign apply file invite meet visit
    talk speak discuss prepare finish finalise finalize review fix investigate look check clarify confirm research read
    draft write update migrate upgrade refactor rename replace rotate clean tidy organise organize plan decide get
    print pack water feed mow drop revisit follow chase ping invoice transfer archive announce publish release merge
    document evaluate benchmark profile measure audit test verify learn remember request swap switch move remove delete
    back hire interview share upload present repair mend sow plant prune harvest retire
# deeds that make up a way of doing something
<op>: run open click press push pull type enter select choose set add edit go start stop restart reboot reset install
    uninstall configure create make build compile deploy copy paste cut put take turn hold wait mix stir bake boil
    simmer fry chop slice whisk knead pour drain rinse soak preheat heat cool cover let leave serve season fold sift
    blend peel grate spread roll unplug plug connect disconnect attach detach unscrew screw tighten loosen lift lower
    insert remove replace wipe dry fill empty measure mark drill sand paint glue clone commit rebase squash tag
    checkout fetch stash branch log download upload import export save load mount unmount format scan query filter sort
    join group count grep curl ping ssh source activate enable disable toggle scroll drag hover navigate visit follow
    repeat return combine place shake flip switch close lock unlock apply delete rename move bump regenerate rebuild
    rerun retry verify confirm check test draft inspect compare adjust tune point pass call define declare wrap mock
    seed dump restore drop truncate vacuum reindex tail bring find clear merge archive begin finish look pick
<rule>: prefer use avoid never always keep don't do assume treat favour favor expect immer nie niemals niemand siempre
    nunca jamás toujours jamais évite éviter évitez evita evitar
# past forms that no ending tells
<past>: met spoke went came wrote broke began won lost bought left told said took gave found got made saw ran fell felt
    knew thought brought caught taught sent spent built paid kept held heard led rose chose drove flew ate drank slept
    woke wore grew threw drew sang swam hung stood understood forgot froze stole struck stuck sold shot did didn't
    couldn't wouldn't sank sat fought sought withdrew overtook rewrote ging kam traf trafen sprach sprachen sagte
    sagten fragte begann begannen fiel brach fuhr fuhren bekam bekamen entschied beschloss beschlossen gab gingen kamen
    fand fanden nahm rief schrieb verlor gewann stieß blieb fue fui fuimos fueron tuvo tuve tuvimos tuvieron hizo hice
    hicimos hicieron dijo dije dijeron vino vinieron estuvo estuve estuvimos pudo pudimos puso puse quiso supo trajo
    dio dimos decidimos acordamos hablamos blew bit bled bound clung crept dealt dug fled flung hid laid leapt lent lit
    rang rode shone shook shrank slid spun sprang stung swept swore swung tore wept wrung meant hurt burst noticed
    quedamos salimos llegamos empezamos terminamos encontramos vimos compramos fuiste perdimos ganamos
<function>: on at from into onto about above below after again against between through during over under if when while
    whenever wherever though although unless whether how why what who where than so not yet only also even just more
    most less least both either neither such same other another there here then next first once half still too very
    never always maybe perhaps please let's do does did can could would will shall may might but nor except like near
    off out up down along across behind beside beyond inside outside per plus minus via versus wenn als ob dass aber
    oder doch auch nur schon jetzt hier dort wie was wer wo warum über unter durch gegen ohne seit während nach si
    cuando como que qué quien donde pero o sobre bajo sin entre desde según quand comme qui où mais ou sur sous sans
    depuis pendant selon dans chez vers par contre
<few>: two three four five six seven eight nine ten zwei drei vier fünf dos tres deux trois quatre
<det>: him us me the a an your it them each all this these those any that der die das den dem einen eine ein la le les
    un une el los las una lo du des l' mit everything another
# words in -ed that tell no past
<not past>: tried need used based supposed called named indeed speed feed seed red bed hundred shed exceed proceed
    succeed unused related required shared advanced detailed limited unlimited embed biped breed greed bleed weed reed
    deed heed united wicked naked sacred kindred ted ned fred allergic preferred interested tired married retired
    dedicated distributed nested managed hosted supported allowed permitted expected encrypted followed stubbed
# the time that is meant
<yesterday>: yesterday ago gestern vorgestern ayer anteayer anoche hier avant-hier neulich kürzlich récemment
    recientemente recently
<tomorrow>: tomorrow tonight morgen übermorgen mañana demain après-demain soon later bientôt pronto bald später
<weekday>: monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat montag dienstag mittwoch
    donnerstag freitag samstag sonnabend sonntag lunes martes miércoles jueves viernes sábado domingo lundi mardi
    mercredi jeudi vendredi samedi dimanche
<habit>: mondays tuesdays wednesdays thursdays fridays saturdays sundays weekdays weekends mornings evenings afternoons
    nights vormittags abends montags dienstags mittwochs donnerstags freitags samstags sonntags usually typically
    generally normally often rarely seldom sometimes daily weekly monthly nightly yearly annually meistens gewöhnlich
    oft selten täglich wöchentlich normalmente generalmente suele suelen généralement souvent d'habitude habituellement
    rarement
<month>: january february march april may june july august september october november december januar februar märz mai
    juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    janvier février mars avril juin juillet août septembre octobre novembre décembre
<season>: spring summer autumn winter frühling sommer herbst primavera verano otoño invierno printemps été hiver
<span>: minute minutes hour hours day days week weeks weekend month months year years quarter sprint stunde stunden tag
    tage tagen woche wochen wochenende monat monate monaten jahr jahre jahren hora horas día días semana semanas mes
    meses año años heure heures jour jours semaine semaines mois an ans année
<next>: next coming upcoming following nächste nächsten nächster nächstes kommende kommenden próximo próxima próximos
    prochain prochaine prochains
<last>: last past previous letzte letzten letzter letztes vergangene vergangenen pasado pasada dernier dernière
<event>: post-mortem meeting incident outage interview retro retrospective trip call demo launch workshop standup
    conference wedding party visit appointment besprechung treffen ausfall termin reunión incidente caída viaje réunion
    panne voyage postmortem
<before>: by until before till bis vor antes hasta avant d'ici
# what holds
<is>: is are isn't aren't means requires needs uses supports contains consists lives works costs belongs knows speaks
    stores expects returns accepts runs has have lies provides includes allows holds owns prefers likes dislikes loves
    hates enjoys wants ist sind heißt bedeutet braucht benötigt nutzt verwendet wohnt liegt kostet gehört hat mag
    enthält läuft spricht es son está están tiene tienen usa usan vive necesita significa cuesta contiene habla
    funciona trabaja est sont utilise habite coûte signifie nécessite contient parle fonctionne vaut
<holds>: starts begins ends opens closes expires lapses renews takes comes goes makes gives gets keeps leaves says
    thinks follows leads turns shows sits stands falls rises covers serves handles reads writes sends calls builds
    checks loads fails breaks stops limits applies depends matters happens fits counts treats refuses rejects drops
    renders exports imports lands points plays pays teaches studies rents commutes drives eats drinks sleeps wakes
    collects manages reports alternates tracks maps stays assumes defaults ignores listens responds
<romance>: la las el los le les una une un du des al del con avec pour para y et
<taste>: prefers prefer likes like dislikes dislike hates hate loves love enjoys favourite favorite allergic vegetarian
    vegan bevorzugt bevorzuge mag lieber hasst liebt prefiere prefiero gusta gustan encanta odia favorito favorita
    préfère aime adore déteste préféré préférée favori
<lesson>: learned learnt realised realized discovered turns turned lesson insight gotcha fyi
<hedge>: because since therefore weil denn deshalb porque ya parce puisque car
# helping verbs, and small words of the other languages
<haben>: habe haben hat hatte hatten bin wurde wurden
<sein>: ist sind
<avoir>: ai j'ai a as avons avez ont l'a l'ont n'a s'est suis sommes
<haber>: he ha hemos han había
<de>: der die das den dem des ein eine einen einem zum zur im am beim mit für und nicht noch bis vor nach von an auf
    ans mein meine meinen unser unsere unseren neue neuen neues
<part>: pris mis fait dit vu eu reçu perdu vendu rendu fini choisi ouvert écrit appris compris sorti parti venu allés
    allé tombé résolu
# words in -en that are no German verbs
<en>: open then when often broken written even seven happen listen children given taken between been seen garden
    kitchen women men ten golden wooden hidden driven chosen eleven sudden dozen token burden warden citizen queen
    screen green teen oven gegen wegen neben oben unten eben offen eigen selten zwischen wollen zusammen morgen
    verschieden zufrieden trocken frozen spoken eaten forgotten proven haven heaven maven linen omen
"""


def _classes_by_word() -> Mapping[str, tuple[str, ...]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in _TABLE.replace("\n   ", "").splitlines():
        name, _, words = row.partition(": ")
        for word in dict.fromkeys(words.split() if name[:1] == "<" else ()):
            found[word].append(name)
    for word in [word for word, names in found.items() if "<errand>" in names or "<op>" in names]:
        found[word].append("<verb>")
    return {word: tuple(names) for word, names in found.items()}


WORD_CLASSES: Mapping[str, tuple[str, ...]] = _classes_by_word()
