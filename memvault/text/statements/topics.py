"""Topics of daily life that a text is put under: a wish and the question that it bears on often share no word."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache

from memvault.text.stem import stem
from memvault.text.terms import split_tokens

# A row for each topic. A word that stands in several rows counts for each of them in part.

TOPIC_TABLE = """
food: abendessen alcohol almond appetite apple ate bacon bake baking banana bar barbecue basil beef beer berry
 beverage biscuit booze bottle bread breakfast broth brunch buckwheat buffet burger butter cafe cake cashew cater
 catering celiac cena cheese chicken chili chocolate cilantro citrus cocinar cocktail coeliac coffee cola comer comida
 cook cooked cookie cooking coriander crab cream cuisine cumin curry dairy dessert diet diner dinner dish dressing
 drink drinker duck déjeuner dîner eat eater eating egg espresso essen fast fasting fish fizzy flavor flavour flour
 food fruit fry garlic glass gluten grab grapefruit gravy grill groundnut guest halal ham herb honey hungry ice jam
 juice kitchen kiwi kochen kosher lactose lamb latte lemon lobster lunch manger mangiare mango meal meat menu milk
 mince mushroom mussel noodle nut nuts oat onion orange order oven oyster pasta patisserie peanut pepper picnic pie
 pistachio pizza plate pop pork porridge portion potato prawn pub recipe repas restaurant rezept rice roast salad
 salmon salt sandwich sauce sausage seafood seed serve sesame shellfish shrimp smoothie snack sober soda soup soy
 spice spicy starbucks starving stew stomach strawberry sugar supper sushi sweet taco takeaway takeout tapas taste tea
 thirsty tofu tomato tuna turkey vegan vegetable vegetarian veggie walnut wheat whisky wine yoghurt yogurt
health: ache allergic allergy altitude amoxicillin anaphylactic anaphylaxis antibiotic anxiety apnea arm arzt aspirin
 asthma autism autistic back bandage bee belly birth bite bitten bleed blind blood boxing breath breathe breathing
 bruise burn chest cleanse climb clinic codeine cold contraceptive contrast cough cramp crutches cut deaf dental
 dentist depression detox diabetes diabetic disease dive diving dizzy doctor dolor dose drug ear epilepsy epileptic
 epipen exercise eye faint fever finger first-aid fitness flu foot gauze gesundheit glasses gloves gp gym hand
 headache health healthy hearing heart heavy heights hip hive hormone hospital hurt hygiene ibuprofen ill illness
 infected infection inhaler injection injured injury insomnia insulin intolerant jab jog juice kidney knee krank latex
 leg lift lifting limp liver lose loud lung machine magnet malaria mask massage medical medication medicinal medicine
 menopause migraine médecin médico neck needle nurse operation overweight pacemaker pain painkiller panic paracetamol
 penicillin period pharmacist pharmacy phobia physician pill plaster pregnancy pregnant prescription pressure
 prosthesis rash relax remedy rest run running salud santé sauna scan scanner seizure shoulder sick sight skin sleep
 smoke smoking sober sore sport sting stitches stomach strain stress stroke sunburn supplement surgery swell swelling
 swim symptom tablet therapist therapy thumb tired toe tooth treatment trimester vaccination vaccine vertigo vision
 vitamin wasp weight wheelchair workout wound wrist yoga
travel: abroad africa airbnb airline airport aisle america arrival arrive asia backpack beach bed bicycle bike boat
 book booking border bridge bus camp camping car caribbean city coach conference congress connecting country cruise
 cycle cycling depart departure desert destination direct distance drive driver driving europe ferry festival flight
 flug fly flying foot fuel getaway highway holiday hostel hotel island itinerary journey jungle kilometre lake layover
 licence lift lorry luggage map mediterranean metre mile motel motorbike motorway mountain museum night overseas pack
 packing park parking passport petrol plane quiz rail railway reach reise reisen reservation reserve ride road room
 route sail sea seat sent ship sightseeing ski snow somewhere station stay stopover suitcase taxi tent ticket tour
 town train tram travel trip tropical truck underpass urlaub vacation van viaggio viajar viaje visa visit vol voyage
 voyager vuelo way wedding weekend window zug
work: actor agenda announce app appraisal apprentice arbeit artist audience backstage bill billing binding blog boss
 brief builder business call career carpenter cattle certified chapter chart chef claim class clause client cliente
 colleague comments commission company confidential contract copyright court coworker crew crop cue customer dashboard
 data deadline dealer deploy dispatch docket draft duty editor electrician email employee employer estimate exam
 exercise exhibition experiment farm fee feedback field figure fire firm floor form glue harvest haul headmaster
 headmistress hire hiring illustration inbox incident initials insurance interview invoice jefe job judge kitchen
 kollege kunde lab lambing launch lawyer leak legal lend lesson licence line load mail manager mark marking matter
 meeting memo mend museum night office organic owner paper paperwork partner patent patient phone pitch poster
 presentation privacy private privilege problems production project projector promotion proposal public publisher
 pupil quote rate record records rehearsal release repair report research restoration retired retirement retro reunión
 review rights réunion salary school season secret server session sheep shift ship shipping shop show sketch slack
 slide spreadsheet sprint staff stage standup status store student subsidy supervisor supplier syllabus symposium
 teach teacher team thesis tool trabajo trade tram translation travail truck union update upload waiter ward work
 working workshop
code: algorithm api app async backend bar bash bootstrap branch bug build button cache cargo chart ci class code
 coding commit compile compiler component config css csv curve dashboard database dataframe debug dependency deploy
 directory docker editor editorconfig emacs endpoint error exception file folder form format formatter framework
 frontend function git go golang graph group handler heat html ide indent install java javascript json kotlin
 kubernetes library lint linter load log logging loop map merge method migration module notebook npm numpy orm package
 page palette pandas panic parse path pdf persistence php pie pip plot polars postgres program programmer programming
 pull python query queue r random react refactor regression rename repo repository review ruby rust schema screen
 script seed server service shell simulate simulation space sql swift tab table terminal test testing thread tidyverse
 typescript upload variable vim vscode website yaml
money: account accountant accounts acheter afford alimony amount argent bank bargain bezahlen bonus bookkeeping borrow
 bought brand budget buy buying card cash cedi charity cheap check cheque church clothes coat comprar cost credit deal
 debit debt deposit dinero discount dollar donate donation earn euro expensive exposure fee finance financial free
 fridge fund gadget geld grant half headphones income installment instalment insurance interest invest investment
 invoice jewellery kaufen kronor laptop ledger lend licence loan money mortgage new offer order pagar paid pay payer
 paying payment pension percent phone pound price prize purchase quarter receipt rent reward rupee salary sale save
 saving savings second-hand share sofa spend spending spent split stock sum tax tempting tip tithe tractor upgrade
 used value wage wardrobe warranty watch worth yen złoty
family: abuela abuelo alike amma anniversary aunt baby bedtime birthday boy boyfriend brother bruder caption child
 children christmas cousin custody dad daddy daughter divorce divorced dress easter elder eldest esposa ex family
 father femme fiancé fille fils frau friend frère funeral gift girl girlfriend grandchild grandchildren granddaughter
 grandfather grandkids grandma grandmother grandpa grandson granny grave grown guest hermana hermano hija hijo
 household husband in-law invitation invite kid kids kin kind late letter living madam madre mam mama mami mann mari
 married mom mother mum mutter mère neighbor neighbour nephew niece nonna nursery obaachan oma opa outfit padre papa
 parent partner party photo photograph play present père relative reunion schwester sibling sir sister soeur son
 spouse stepson story table teta toddler toy twin tía tío uncle vater wedding widow widower wife youngest
home: airbnb apartment appartement appliance attic balcony basement bath bathroom battery bed bedroom bin boiler
 broadband bulb carpet casa cat cellar chair chimney clean cleaner cleaning condo curb deliver delivered delivery desk
 dishwasher dog door drill drilling drive electric electricity elevator fireplace flat flatmate floor freezer fridge
 furniture futon garage garden gas gate generator guest hall hallway hammer haus heater heating hob home host hosting
 house housemate internet inverter key kitchen ladder laminate lamp landlord laundry lease lift light lights litter
 lock machine maison mouse move moving nail neighbor neighbour noise noisy outage paint painting parcel patio pest pet
 pipe plant plumber plumbing porch power pump quiet recycling renovate renovation rental repair robot roof room
 roommate router screen screw shed shelf shoe smell sofa solar space sprinkler stairs storage stove sublet table tap
 television tenant thermostat tidy tile tool tools track tv upgrade vacuum wall washing water wifi window wohnung wood
 yard
learning: aloud apprendre aprender assemble author basics beginner biology book brakes card chemistry class college
 concept course deadline degree diagram dissertation doctrine exam example exercise explain explanation flash
 flashcard grammar guide hear history homer homework improve instructions introduction language learn learning learnt
 lecture lernen lesson listen manual mathematics maths momentum novel number numbers physics picture podcast practice
 practise prior problem problems read reading refraction revise revision school science skill slope start started
 statistics step steps study studying teach test theory thesis timetable train training tutorial understand university
 video visual vocabulary
leisure: act activity afternoon album audiobook author band baseball basketball bed beer beers book carnival carve
 celebrate chess choir christmas cinema circus climb climbing club concert craft crossword crowd crowded curtain dance
 dog dovetail drama draw drawing evening exhibition fair fan festival film fish fishing football free freizeit fun
 gallery game games gaming garden gardening gig hike hiking hobby hunt hunting idea ideas instrument jog join knit
 knitting leisure loisir market match movie museum music musical nap netflix night novel oak ocio off opera outing
 paint parade party photo photography picnic play playlist playoffs podcast pottery puzzle radio rainy read rehearsal
 relax river rugby run sail saturday scarf sento series show sing soccer spa sport stroll sunday swim team techno
 tennis theater theatre ticket tickets toy trail tv unwind walk watch weekend woodwork zoo
writing: acre american announcement article badge bio biography blog brief british bullet capital capitals caption
 card celsius chapter citation cite clause definition describe dialogue draft du edit email emoji english escribe
 essay exclamation explain fahrenheit familiar fill font form formal formality french german grammar greet greeting
 heading hectare honest imperial inch informal instagram introduce invitation joke label language letter letters line
 lines linkedin list long mail measure memo message metric news newsletter note opinion paragraph plain point polish
 polite portuguese post pronoun proofread punctuation reference rephrase reply respond response rewrite rédige
 schreibe script section sentence short sie size sketch slogan source spanish speech spell spelling summarise
 summarize summary swear swedish table tagline term terms text title toast tone traduis traduz translate translation
 tu tweet unit usted voice vous welcome word wording write writing written
schedule: after afternoon am appointment april arrange august autumn availability available before begin between book
 busy calendar call christmas cita clock daily date day days deadline december dienstag dimanche donnerstag early
 easter evening every february finish finishing fixed free freitag friday half hour hours invite january jeudi join
 jueves july june late lent lundi lunes march mardi martes may meet meeting mercredi midnight minutes mittwoch
 miércoles monday montag morning nap nd night noon november o'clock october past plan planning pm quarter ramadan rd
 regular rendez-vous rest rhythm ring routine samedi samstag saturday schedule scheduling september shift slot sonntag
 spring st start summer sunday termin th thursday till time today tomorrow tonight tuesday unreachable until vendredi
 viernes visit wednesday week weekday weekend weekly when winter
animals: animal bee bird cat cattle chat chicken chien cow dog fish gato goat hen hive hog horse hund katze kitten
 labrador lamb leash litter livestock paw perro pet pig puppy sheep vet walk wasp
"""


# What no list of words can hold: amounts, hours and days, places that one goes to, files.
_SHAPES = (
    ("money", re.compile(r"[$€£¥]\s?\d|\d[\d,.]*\s?(?:[$€£¥]|(?:sek|usd|eur|gbp|chf|pln|ghs|k)\b)", re.IGNORECASE)),
    ("schedule", re.compile(r"\b\d{1,2}(?:[:/]\d\d|\s?[ap]m|(?:st|nd|rd|th))\b", re.IGNORECASE)),
    ("travel", re.compile(r"\b(?:to|in|from|near|around|for|via|of) (?!I\b)[A-ZÀ-Þ][a-zà-ÿ]{2,}")),
    ("code", re.compile(r"\w/\w+\.\w+|\.[a-z]{2,4}\b(?<!\d)|\w\(\)")),
)


@cache
def _topic_words() -> Mapping[str, Mapping[str, float]]:
    """Return the topics of each word, by its stem, each with the part that it gets."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in TOPIC_TABLE.strip().replace("\n ", " ").split("\n"):
        name, _, words = row.partition(":")
        for word in words.split():
            found[stem(word)].add(name)
    return {word: dict.fromkeys(names, 1 / len(names)) for word, names in found.items()}


def rate_topics(text: str) -> Counter[str]:
    """Return how much of a text belongs to each topic, each word counted once; empty where it is of none."""
    known = _topic_words()
    found = Counter({name: 1.0 for name, shape in _SHAPES if shape.search(text)})
    for word in {stem(token) for token in split_tokens(text)}:
        found.update(known.get(word, {}))
    return found
