"""English words that belong together: forms of one word, near synonyms, things of a kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache

from memvault.recall.ranking.weights import RankingWeights
from memvault.text.stem import stem

# Only the words of a question are looked up here, and what is found counts for a part of the word itself. So a row is
# worth its place if people ask in one of its words and are answered in another; rare senses are left out.

IRREGULAR_TABLE = """
become became; begin began begun; bite bit bitten; blow blew blown; break broke broken; bring brought; build built
burn burnt; buy bought; catch caught; choose chose chosen; come came; cut; deal dealt; dig dug; do did done
draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed
feel felt; fight fought; find found; fly flew flown; forget forgot forgotten; forgive forgave forgiven
freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard
hide hid hidden; hold held; keep kept; know knew known; lay laid; lead led; learn learnt; leave left; lend lent
lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung; rise rose risen; run ran
say said; see saw seen; seek sought; sell sold; send sent; sew sewn; shake shook shaken; shine shone; shoot shot
show shown; sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend spent; spread; stand stood
steal stole stolen; stick stuck; strike struck; swear swore sworn; sweep swept; swim swam swum; take took taken
teach taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood; wake woke woken
wear wore worn; weave wove woven; win won; withdraw withdrew withdrawn; write wrote written; child children; man men
woman women; foot feet; tooth teeth; mouse mice; person people; wife wives; life lives; knife knives; leaf leaves
half halves; shelf shelves; goose geese; analysis analyses; criterion criteria
"""

SYNONYM_TABLE = """
son boy; daughter girl; mother mom mum mommy; father dad daddy; grandmother grandma granny; grandfather grandpa
spouse husband wife partner; sibling brother sister; relative cousin aunt uncle; friend buddy pal mate
colleague coworker workmate teammate; boss manager supervisor; girlfriend boyfriend partner
wedding marry married marriage; divorce breakup separated; pregnant expecting; neighbor neighbour; roommate flatmate
job work career profession occupation employment; company firm business startup employer; salary pay income wage earn
promotion promoted raise; quit resign resigned leave; hire hired recruit; retire retirement; colleague team
interview application; deadline due; meeting appointment call; schedule plan calendar; task todo; project; movie film
picture photo image pic photograph; tv television show series; book novel; song music tune; concert gig show
band group; art painting drawing artwork; hobby pastime interest; videogame game; instrument play; author writer
car vehicle auto automobile; bike bicycle cycling; trip travel journey vacation holiday getaway; flight fly plane
hotel stay; tour visit; camping camp tent campfire; hike hiking trail; luggage suitcase bag; abroad overseas country
house home apartment flat place; move relocate moved; rent lease landlord; purchase buy bought; sell sold; gift present
cost price expense spend; budget money; cheap affordable inexpensive; expensive costly; loan mortgage debt
money financial; savings save; tax taxes; doctor physician; sick ill unwell; illness disease condition
injury hurt injured pain; accident crash; hospital clinic surgery operation; medicine medication drug pill
therapy therapist counseling counselor; stress stressed anxiety anxious relax; healthy health fitness
diet eating nutrition; gym workout exercise; allergic allergy; doctor appointment checkup; pain ache sore
tired exhausted; meal food dish cuisine; dinner supper; cook cooking recipe bake; restaurant cafe diner
dessert sweet cake; beverage drink; snack treat; vegetarian vegan; school college university
class course lesson workshop; study studying learn; student pupil; teacher instructor professor; degree diploma
graduate graduation; exam test; grade score; education educate school; major subject; thesis paper; dog puppy pup
cat kitten kitty; pet dog cat; happy glad joy excited thrilled; sad upset down unhappy; scared afraid fear frightened
angry mad; proud pride; worried worry concern; like enjoy love adore; hate dislike; surprised surprise shocked
lonely alone; grateful thankful; favorite favourite fave love; prefer rather favorite; hope wish dream want
goal aim dream target; opinion think view; start begin launch; end finish complete; create make build craft
get receive obtain acquire; donate give gave donation; help assist support aid; volunteer volunteering charity
fundraiser charity donation raise; join attend participate; participate partake take join attend; attend go visit
meet encounter; talk chat speak discuss; say tell mention; advise advice suggest suggestion recommend recommendation
encourage motivate inspire; motivation inspiration; decide decision choose chose; pursue follow
achieve accomplish achievement accomplishment; win won winner; prize award trophy medal; contest competition tournament
honor award recognition; try attempt; practice train training; prepare preparation ready; organize arrange host
explore discover; need require; cancel cancelled; postpone delay; problem issue trouble challenge
obstacle hurdle challenge setback; solve fix resolve; broken break damaged; error bug; big large huge
small little tiny; new latest; old ancient; beautiful pretty gorgeous lovely; important significant
difficult hard tough challenging; easy simple; fast quick; often frequent regularly; dangerous risky; town city village
hometown grew; area neighborhood region district; beach sea ocean shore coast; forest woods; mountain peak hill
garden yard plant; outdoors outdoor nature; weather rain snow sunny storm; river stream; location place
church faith religion religious; spiritual faith; event gathering festival; party celebration celebrate; anniversary
birthday bday; tradition custom; community group; politics political election campaign; military army navy veteran
computer laptop pc; phone mobile smartphone; app application; website site page; program software code
dance dancing dancer; singer sing; painter painting paint; runner running marathon race; swimming swim pool
shop store boutique; clothes clothing outfit; jewelry necklace ring bracelet; shoe sneaker boot
symbol symbolize represent; meaning mean meant significance; reason because why; memory remember memories
remind reminder; collection collect; success succeed successful; failure fail failed; improve improvement better
change transform; grow growth; deploy deployment release launch; database db sql; login authentication auth
bug error exception; test testing; endpoint api route; server backend; frontend ui interface
config configuration settings; speed performance latency; lawyer attorney; will testament estate; contract agreement
police cop; government state; insurance policy; reject decline refuse declined; accept agree accepted
argue argument fight conflict; apologize sorry apology; believe belief think opinion
symbolize symbolise represent stand; live reside home; own possess bought; nickname called; passion passionate love
childhood child kid young; origin roots; destress relax unwind calm stress; calm peaceful relax
struggle challenge difficult hard; meditate meditation mindfulness; author write written; coach trainer
team teammates players; chore housework cleaning; symptom pain; allergies allergic; sign signed enroll register
lesson class; gather collect; trick tip; frightening scary; relieve relief relax; refugee immigrant
protest march rally; poem poetry; adopt adoption; foster adopt; age old years; height tall; weigh weight
commute drive bus train; tune song; singer vocalist; bookshop bookstore; shelter refuge; storm hurricane; ride drive
supervise manage; guide mentor; mentor advisor guidance; support encourage encouragement
sponsor sponsorship endorsement; brand company; deal contract; publish published; perform performance show
audition role; rehearse practice; festival fair; picnic barbecue bbq; kid child children toddler baby
parents mom dad mother father; family parents children; guest visitor; office work workplace; ship release deploy
undo revert rollback restore; fee price charge; buyer bought; seller sold; client customer
applicant candidate interview; employee staff colleague; landlord lease rent; tenant lease; deposit security
expire valid expiry; duplicate copy; booklet book; licence license permit; ticket booking reservation
reserve book booking; boat ship ferry; dinghy boat; overnight night; lodging stayed hotel; luggage baggage
trousers clothes; jumper sweater; jacket coat; stove oven; fridge refrigerator; cellar basement; attic loft; sofa couch
tap faucet; pipe tube; heating boiler radiator; mend repair fix; glue adhesive; prawn shrimp shellfish
gherkin pickle cucumber; sourdough leaven; nut hazelnut walnut; soup stew; honing sharpen; dentist tooth
joint knee elbow hip; vaccination vaccine immunisation jab; prescription pill; flu influenza; allergy allergic
mobile phone cellphone; telephone phone call; message text sms; letter mail post; invoice bill; receipt bill
spending budget; approve decide; permission consent allowed permit; forbidden never; manage lead head
replace successor; substitute cover; absent leave away; deadline until; yearly annual; monthly month; weekly week
daily day nightly; kindergarten daycare; boy nephew; machine server computer; storage disk; backup copies restore
interpreter runtime; library package; upgrade update migrate; failure broke break fail; cause reason because
toggle flag; limit maximum; quota limit; trial pilot; result outcome; reject rejected; advantage benefit
drawback disadvantage; talk presentation; visit come; overseas abroad; outage down; bicycle bike; tyre tire
cycle bike bicycle; van car vehicle; story novel; price cost paid
"""

MEMBER_TABLE = """
activity hobby pastime: hiking camping swimming painting pottery running dancing yoga reading gardening cooking baking
  fishing biking cycling skiing surfing climbing kayaking photography knitting sewing writing chess gaming volunteering
  museum park beach picnic concert movie crafts puzzle
sport: basketball football soccer tennis baseball hockey volleyball golf swimming running surfing skiing snowboarding
  boxing cricket rugby climbing badminton cycling skating
exercise workout fitness: yoga running gym weights weightlifting kickboxing swimming jogging cycling pilates boxing
  training cardio stretching
martial: karate kickboxing taekwondo judo boxing jiujitsu kungfu aikido
instrument: guitar piano violin drums flute clarinet cello saxophone trumpet ukulele keyboard harp bass
music: jazz rock pop classical metal folk blues hiphop rap country opera song band album concert
animal: dog puppy cat kitten horse bird rabbit turtle hamster fish snake lizard parrot lion bear wolf deer fox whale
pet: dog puppy cat kitten turtle hamster rabbit fish parrot bird snake lizard gecko
country nation: england britain france spain italy germany portugal greece sweden norway denmark finland ireland
  scotland poland netherlands belgium switzerland austria russia turkey egypt morocco kenya nigeria japan china india
  thailand vietnam korea indonesia philippines canada mexico brazil argentina peru colombia australia zealand iceland
  america
european europe: england france spain italy germany portugal greece sweden norway ireland scotland poland netherlands
  switzerland austria london paris rome barcelona berlin
asian asia: japan china india thailand vietnam korea indonesia singapore tokyo beijing bangkok
state: california florida texas oregon washington nevada arizona colorado hawaii alaska michigan minnesota ohio georgia
  virginia carolina massachusetts connecticut illinois utah montana tennessee
city town: london paris rome tokyo york chicago boston seattle francisco angeles miami dallas austin denver portland
  toronto vancouver berlin madrid barcelona amsterdam sydney vegas
place location: country city town park beach restaurant museum lake mountain forest island cafe
food meal dish snack: pizza pasta salad soup rice chicken fish steak burger sandwich bread cheese chocolate cake cookie
  pie sushi taco curry noodles vegetables fruit eggs pancakes lasagna roast seafood
dessert: cake pie cookie chocolate cream brownie pudding tart parfait cupcake pastry
drink beverage: coffee tea wine beer juice smoothie soda water cocktail milk
fruit: apple banana orange strawberry blueberry mango grape peach cherry lemon
vegetable: carrot tomato potato onion pepper broccoli spinach cucumber lettuce
color colour: red blue green yellow purple orange pink black white brown grey gray
vehicle car: truck van suv sedan tesla toyota ford honda bmw prius motorcycle bus
emotion feel feeling mood: happy sad excited nervous proud grateful anxious scared thrilled relieved frustrated
  overwhelmed peaceful joy angry disappointed
health illness medical condition: doctor diagnosed pain injury surgery blood heart weight sick allergy asthma diabetes
  stomach hospital
season: summer winter spring autumn fall
family relative: mom dad mother father brother sister son daughter wife husband kid child grandma grandpa aunt uncle
  cousin niece nephew
child kid: son daughter boy girl
job career profession occupation: teacher nurse doctor engineer lawyer writer artist counselor manager designer
  developer chef actor musician accountant director scientist
business company: shop store startup studio brand customers
art craft: painting drawing sculpture pottery photography sketch canvas watercolor portrait mural knitting
writing: novel book story poem screenplay script blog article journal essay poetry
movie film: watched theater actor director trilogy comedy thriller
genre: fantasy mystery thriller romance comedy horror drama scifi action adventure
game: chess poker strategy rpg console playstation xbox nintendo monopoly puzzle
event: festival concert parade conference workshop fundraiser wedding party tournament race show fair gala competition
  campaign meetup exhibition ceremony
device technology gadget: laptop phone camera tablet computer printer headphones watch
clothes clothing outfit: shirt dress jacket shoes jeans hat coat sweater boots
furniture: table chair couch sofa bed desk lamp shelf
jewelry: necklace ring bracelet earrings pendant
plant flower: rose tulip sunflower tree basil tomato succulent fern orchid lily daisy
religion religious faith: church god prayer bible temple mosque christian jewish muslim buddhist
subject field degree: math biology chemistry physics history psychology engineering law medicine economics counseling
  business philosophy literature
language: english french spanish german italian japanese chinese portuguese arabic russian
cause charity: shelter homeless donation fundraiser volunteer veterans hospital cancer environment education
disaster: flood fire earthquake hurricane storm tornado
holiday: christmas thanksgiving halloween easter
relationship: single married dating boyfriend girlfriend husband wife partner breakup divorce engaged
outdoor: hiking camping climbing mountaineering fishing park trail surfing kayaking biking
creative: painting writing drawing music design pottery photography
database: sqlite postgres mysql redis mongodb
framework library: flask django react vue angular bootstrap numpy pandas express spring
programming: python javascript java typescript rust ruby
political politics: conservative liberal democrat republican election vote campaign
injury injure hurt: ankle knee shoulder wrist leg arm sprained broke broken surgery
achievement accomplishment: won award promoted graduated finished published completed trophy
stress relax: meditation yoga bath walk nature music breathing
residence live: apartment house condo moved city
gender: transgender male female nonbinary woman man
body: head arm leg knee back shoulder hand foot ankle eye
appliance kitchen: oven fridge blender dishwasher microwave stove
often frequency: daily weekly every once twice monthly
social media: instagram facebook twitter youtube tiktok blog
streaming media: netflix youtube podcast
certification degree: bachelor master phd diploma certificate
symptom: cough fever headache nausea rash dizzy fatigue
tool: hammer drill saw wrench docker git
weather: rain snow sunny storm wind hot cold
"""

_VAGUE = """
according aspect aspects both called certain consider considered considering conversation conversations currently
describe described describes different discuss discussed during happen happened happening item items kind kinds likely
many may mention mentioned mentions might name named names order particular recent recently said say says session
sessions sort specific talk talked type types various while aber auch beim bis bitte cuál cuánta cuántas cuánto cuántos
dans dass dois doit elle faut für gibt hace hatte hay ist kann keine können lange leur machen muss mussten müssen nach
nos notre para pendant peut pero puede quelles qui sein seine seit sind soll sollen sollten sont sur tengo tiene unser
unsere unseren viel viele welche welchem welchen welcher welches werden wieviel wird wurde würde zum zur être aux chez
combien está cada cómo dónde qué quién
"""
VAGUE = frozenset(_VAGUE.split())


# Other words in which an answer may be written: forms, near synonyms, things of the kind asked for.

_HEAD = 2  # letters of a word that its stem surely begins with
_Rows = dict[str, list[tuple[str, tuple[str, ...]]]]


@lru_cache(maxsize=1_024)
def find_related(term: str, weights: RankingWeights) -> tuple[tuple[str, float], ...]:
    """Return the terms that may stand for a term of a question, with the share that each counts."""
    if not term.isascii() or len(term) < 2:
        return ()
    irregular, synonyms, members = _read_tables()
    forms = _terms_in_rows(irregular, (term,)) if weights.irregular else ()
    shares = dict.fromkeys(forms, weights.irregular)
    for rows, share in ((synonyms, weights.kin), (members, weights.member)):
        for other in _terms_in_rows(rows, (term, *forms)) if share else ():
            shares.setdefault(other, share)
    shares.pop(term, None)
    return tuple(shares.items())


def _terms_in_rows(rows: _Rows, terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that share a row with one of those asked for."""
    hits = (others for term in terms for word, others in rows.get(term[:_HEAD], ()) if stem(word) == term)
    return tuple(dict.fromkeys(stem(other) for others in hits for other in others))


@cache
def _read_tables() -> tuple[_Rows, _Rows, _Rows]:
    """Return the rows of irregular forms, of synonyms and of members of a kind, by the first letters of each word."""
    # Stemming a thousand words at every start would take longer than the search.
    tables: list[_Rows] = []
    for table in (IRREGULAR_TABLE, SYNONYM_TABLE):
        rows: _Rows = defaultdict(list)
        for row in table.replace("\n", ";").split(";"):
            words = tuple(row.split())
            for word in words:
                rows[word[:_HEAD]].append((word, words))
        tables.append(rows)
    kinds: _Rows = defaultdict(list)
    for row in MEMBER_TABLE.replace("\n  ", " ").strip().splitlines():
        names, _, things = row.partition(":")
        for name in names.split():
            kinds[name[:_HEAD]].append((name, tuple(things.split())))
    return tables[0], tables[1], kinds
