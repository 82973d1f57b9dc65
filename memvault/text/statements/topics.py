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
food: abendessen alcohol almond anchovy appetite appetizer apple apricot artichoke asparagus ate aubergine avocado
 bacon bagel bake baking banana banquet bar barbecue barley basil batter bean beef beer beet beetroot bento berry
 beverage biscuit bitter blender boil boiled booze bottle bowl bread breakfast broccoli broth brownie brunch brussels
 buckwheat buffet bun burger butter cabbage cafe caffeine cake calorie canteen cantine caramel carb carrot cashew
 casserole cater catering cauliflower caviar celery celiac cena cereal champagne cheese cheesecake cherry chicken
 chickpea chili chips chocolate chop cider cilantro cinnamon citrus clam cocinar cocktail coconut cod coeliac coffee
 cola coleslaw comer comida condiment cook cooked cooker cookie cooking coriander corn cottage couscous crab cracker
 cranberry cream crepe crisp croissant cucumber cuisine cumin cupcake curry custard dairy date dates decaf deli
 delicatessen dessert diet diner dinner dish dough doughnut dressing drink drinker duck dumpling déjeuner dîner eat
 eater eating egg eggplant entree espresso essen falafel fast fasting fat fennel feta fig fillet fish fizzy flatbread
 flavor flavour flour fondue food fork fridge fries frozen fruit fry game garlic ginger glass glaze gluten goose
 gourmet grab granola grape grapefruit gratin gravy grill groceries grocery groundnut guacamole guest gumbo haddock
 halal ham hamper hazelnut herb herring honey hotdog hotpot hummus hungry ice icing ingredients jam jelly juice juicy
 kale kebab ketchup kitchen kiwi knife kochen kosher lactose lamb lasagna lasagne latte leek leftovers lemon lentil
 lettuce lime liqueur liquor liver lobster lollipop lunch lunchbox macaroni mackerel maize manger mangiare mango maple
 margarine marinade marmalade mayo mayonnaise meal meat melon menu meringue microwave milk mince mint mocktail mousse
 muffin mushroom mussel mustard mutton nacho noodle nut nutmeg nutrition nuts oat oatmeal octopus olive omelette onion
 orange order oregano organic oven oyster paella pancake papaya paprika parmesan parsley parsnip party pasta pastry
 patisserie peach peanut pear peas pecan pepper pesto pickle picnic pie pineapple pint pistachio pitcher pizza plate
 plum pomegranate pop popcorn pork porridge port portion pot potato potluck poultry prawn prosecco protein prune pub
 pudding pumpkin quiche quinoa radish raisin ramen rasp raspberry ravioli raw recipe relish repas restaurant rezept
 rhubarb rice risotto roast roll rosemary rum rye saffron sake salad salami salmon salsa salt sandwich sardine sauce
 sauerkraut sausage scallop schnitzel scone seafood seaweed seed serve sesame shake shellfish sherry shrimp simmer
 slice sloe smoothie snack sober soda sorbet soufflé soup soy soya spaghetti spice spicy spinach spirits spoon spread
 squid starbucks starter starving steak stew stir-fry stomach strawberry stuffing sub sugar supermarket supper sushi
 sweet sweetener syrup taco tacos tahini takeaway takeout tangerine tapas tarragon tart taste tea tender tequila
 thirsty thyme toast toffee tofu tomato topping tortilla trifle trout tuna turkey turmeric turnip vanilla veal vegan
 vegetable vegetables vegetarian veggie venison vinegar vodka waffle walnut wasabi watermelon wheat whisky wholemeal
 wine wings wrap yam yeast yoghurt yogurt zucchini
health: abdomen ache acne addict addiction adhd airway allergic allergy altitude ambulance amoxicillin anaemia
 anaesthetic anaphylactic anaphylaxis anemia anesthetic ankle antibiotic antidepressant antihistamine anxiety apnea
 appendix appetite arm arthritis arzt aspirin asthma asthmatic autism autistic back bandage bandages bee belly beta
 biopsy bipolar birth bite bitten bladder bleed blind blister blood blurry bone bowel boxing brace brain breast breath
 breathe breathing breathless bronchitis bruise bug bump burn burnout calf cancer cardiac cardio cartilage cataract
 catheter checkup chemo chemotherapy chest chickenpox chiropractor cholesterol chronic circulation cleanse climb
 clinic clot codeine cold concussion consultant contagious contraception contraceptive contrast cornea cortisone cough
 coughing covid cramp crutch crutches cut cyst deaf dementia dental dentist depression dermatologist detox diabetes
 diabetic diagnosed diagnosis dialysis diarrhea diarrhoea dietician digest digestion disability disabled discharge
 disease disorder dive diving dizziness dizzy doctor dolor dose drowsy drug dyslexia dyslexic ear eczema elbow
 endometriosis endurance ent epidural epilepsy epileptic epipen exercise exhausted exhaustion eye eyesight faint
 fainting fatigue feet fever fibre fibromyalgia finger first-aid fitness flare flu foot fracture fumes gallbladder
 gastric gauze genetic gesundheit gland glasses glaucoma gloves gout gp groin gum gums gym gynaecologist hamstring
 hand hayfever headache headaches heal health healthy hearing heart heartburn heavy heel heights hepatitis hernia
 herpes hip hive hoarse hormone hormones hospital hurt hydration hygiene hypermobile hypertension hypo hysterectomy
 ibuprofen ill illness immune immunity implant incontinence indigestion infected infection inflamed inflammation
 inhale inhaler injection injured injury insomnia insomniac insulin intolerance intolerant iodine iron itch itchy jab
 jaundice jaw jet-lag jog joint joints juice kidney kidneys knee krank latex laxative leg lens lift lifting ligament
 limp lip lipid liver lose loud lumbar lump lung lupus lymph machine magnet malaria mammogram mask massage maternity
 measles medic medical medication medicinal medicine melatonin meningitis menopause mental mental-health metabolism
 midwife migraine miscarriage mobility mould mucus muscle muscles médecin médico nausea nauseous neck needle nerve
 nerves neurologist nosebleed nostril numb nurse nutritionist oestrogen oncologist operation optician oral organ
 orthopaedic osteopath ovary overweight oxygen pacemaker pain painkiller palsy pandemic panic paracetamol paralysed
 parkinson pelvis penicillin period periods pharmacist pharmacy phobia physician physio physiotherapist physiotherapy
 pill pillow plaster pneumonia pollen posture pregnancy pregnant prenatal prescription pressure prostate prosthesis
 psoriasis psychiatrist psychologist ptsd pulse pump quinine quit radiologist radiotherapy rash reflux rehab relapse
 relax remedy respiratory rest resuscitate retina rheumatism rib ribs ringworm run running salud santé sauna scan
 scanner scar scarred sciatica sedative seizure sensitive sensory shin shingles shoulder sick sight sinus skin sleep
 sleepless sleepy smear smoke smoking sneeze snore sober sole sore spasm specialist spine splint sport sprain squint
 stamina stent steroid sting stitches stomach stool strain strength stress stressful stretch stretching stroke stutter
 suicidal sulfa sulphite sunburn sunscreen supplement supplements surgery suture swallow sweat swell swelling swim
 symptom tablet tb tendon tetanus therapist therapy thigh throat thumb thyroid tinnitus tired toe toes tongue tonsils
 tooth toothache torn trauma treatment tremor trimester tumor tumour twist ulcer ultrasound unconscious unwell urine
 uterus vaccination vaccine vegan vein venom vertigo vision vitamin vitamins vomit walking warfarin wart wasp weight
 wellness wheelchair wheeze whiplash womb workout wound wrist x-ray yawn yoga
travel: abroad accommodation adventure africa airbnb airline airlines airport airports aisle alps altitude america
 amsterdam amtrak arrival arrivals arrive asia autobahn backpack baggage bank-holiday barcelona bay beach bed berlin
 bicycle bike boat book booking border bound break bridge brochure bunk bus cab cabin camp camper campervan camping
 campsite canada canal canoe capital car car-hire caravan caribbean carriage carry-on castle cathedral charter
 check-in china city citybreak cliff coach coast coastal commute commuter commuting compartment conference congress
 connecting connection connections consulate continent cottage country countryside cross-country crossing cruise
 cruises currency customs cycle cycling cyclist deck delay depart departure desert desk destination detour dinghy
 direct distance dock domestic downtown drive driver drivers driveway driving duty-free egypt embassy emigrate
 escalator europe eurostar excursion exit expedition explore fare fares ferries ferry festival fjord flight flug fly
 fly-drive flying foot foreign france freeway fuel gangway garage gate germany getaway glacier gondola gps greece
 greyhound guesthouse guide-book guidebook gulf harbor harbour helicopter highway hill hire hitchhike holiday holidays
 homestay honeymoon hostel hotel iceland immigration india inn international interrail ireland island italy itinerary
 japan jet jetlag journey journeys junction jungle kayak kilometre lake landing landmark lane layover licence lift
 lisbon lodge lodging london lorry lost lounge luggage madrid map marina mediterranean metre metro mexico mile miles
 minibus monument moped morocco motel motorail motorbike motorcycle motorway mountain mountains museum navigate night
 nonstop north norway ocean offline one-way onward outbound overland overnight overseas pack package packing paris
 park park-and-ride parking passenger passport pavement peak pedestrian peninsula petrol pier pilot plane plateau
 platform port portugal postcard prague precinct private promenade quay quiz rail railcard rails railway reach reise
 reisen rental reservation reserve resort resorts rickshaw ride river road roads rome room rooms roundabout route
 rucksack runway safari sail scenic scooter scotland sea seasick seaside seat seats security sent ship ships shore
 shuttle sightsee sightseeing ski sleeper snow somewhere south souvenir spa spain station stay stopover straits street
 stroll suburb subway suitcase suite sunbathe surf sweden taxi taxis tent terminal thailand ticket tokyo toll tour
 tourist tours town traffic trailer trails train trains tram tramway transfer transit travel travelled traveller
 travellers trek trekking trip trolley tropical truck tunnel turbulence turkey underground underpass uphill urlaub
 vacation vacations valley van vehicle vessel viaggio viajar viaje vienna villa village vineyard visa visit vol
 volcano voyage voyager vuelo waterfall way wedding weekend west wheel window windscreen winter-sports yacht york
 youth-hostel zone zug
work: absence academic account accounting actor admin administration administrator agency agenda agreement analysis
 analyst announce annual app application apply appointment appraisal apprentice arbeit artist assignment assistant
 associate attachment audience audit auditor backlog backstage badge benefits bid bill billable billing binding blog
 board boardroom bonus boss branch brand brief briefing budget builder bureau business call campaign candidate career
 careers carpenter cattle cc ceo certificate certified chair chairman chapter chart checklist chef chief claim class
 clause clerk client cliente clients clinic co-founder coach coaching collaborate collaboration colleague colleagues
 comments commercial commission committee company compliance conference confidential confidentiality consultant
 consulting contract contractor contracts convention coordinate coordinator copyright corporate correspondence council
 coursework court covering coworker coworkers crew crm crop cue curriculum customer cv dashboard data deadline deal
 dealer dean delegate delegation delivery demo department deploy deputy desk developer development diplomat director
 directors disciplinary dispatch dispatcher docket document documents draft driver duty editor editorial electrician
 email employ employed employee employer engagement engineer engineering enquiry enterprise entrepreneur estimate
 ethics event events exam executive exercise exhibition expenses experiment expertise factory faculty farm fee
 feedback field figure figures filing fire fired firm fleet floor follow-up forecast foreman form forms founder
 freelance freelancer funding glue goals governance grade grading graduate grant group guideline guild handbook
 handover harvest haul headcount headline headmaster headmistress hire hiring hourly hr illustration inbox incident
 industry initials inspection inspector insurance intern internship interview interviews inventory invoice invoices
 jefe job journal journalist judge kickoff kitchen kollege kpi kunde lab labor labour lambing launch lawyer lead
 leadership leads leak lecture lecturer ledger legal lend lesson letterhead liability licence line listing load
 logistics logo mail maintenance management manager manufacturer mark market marketing marking master matter matters
 mediator meeting meetings memo mend mentor merchandise minutes mission morale museum negotiate negotiation network
 networking newsletter newspaper night notice nurse nursing objectives occupation office officer offices onboarding
 operations operator opponent organic organisation organization outlook outreach outsource overtime owner paper
 paperwork parish partner partners patent patient payroll peer performance permit personnel phone photographer pitch
 placement plan planner plant policy portfolio position poster posting presentation presentations press principal
 printer priorities priority privacy private privilege probation problems procedure process procurement product
 production profession professional professor profit programme progress project projector projects promote promotion
 proof proposal proposals prospect prototype public publish publisher publishing pupil purchase quarterly quota quote
 quotes rate record records recruit recruiter recruitment redundancy refer referee referral regulation rehearsal
 rehearse release remote repair report reporter reports reps request requirements research resign resignation resource
 resources responsibility restaurant restoration retail retention retired retirement retro reunión revenue review
 reviewer rights roadmap role roster rota réunion salary sale sales sample scheduler scholar school scientist season
 secret secretary sector seminar senior sermon server service session shareholder shareholders sheep shift shifts ship
 shipping shop show signature signed site sites sketch slack slide slides slot speaker specification sponsor
 spreadsheet sprint staff stage stakeholder stakeholders standup standups startup statement status stock store
 strategy student students studio submission submit subordinate subsidy supervisor supplier suppliers support survey
 syllabus symposium tailor target targets task tasks teach teacher teaching team teammates technician template tender
 term terms therapist thesis timeline timesheet title tool tour trabajo trade trainee trainer training tram transcript
 translation travail trial tribunal truck tutor union unpaid update upload vacancy vendor venue vet volunteer voucher
 wages waiter ward warehouse webinar website welder wholesale work workflow working workload workplace works workshop
 workshops workspace writer zoom
code: abstract accessibility agile ajax alert algorithm android angular ansible api app argument array assembly assert
 async auth authentication autocomplete aws azure backend backlog backup bar bash benchmark binary bit boilerplate
 boolean bootstrap branch browser buffer bug build bundle button bytes c cache callback canary cargo celery cert chart
 ci class classes cli client clone closure cloud cluster code codebase coding column command comment comments commit
 commits compile compiler component components concurrency config configuration console constant constructor container
 controller cookie coverage cpu crash cron crud css csv cursor curve dashboard data-frame database dataframe dataset
 datasets db deadlock debug debugger decorator default dependencies dependency deploy deployments deprecated dict diff
 directory django dns docker docs docstring documentation dom domain driver dto editor editorconfig elixir emacs
 encryption endpoint enum env environment error excel exception exceptions express fallback fastapi feature fetch
 fibonacci field file filename files filter firewall firmware fixture flag flask float folder folders font fork form
 format formatter framework frontend function functional functions gateway generic getter git github gitlab go golang
 graph graphql grep grid group grpc handler hash haskell header heap heat helm hook hooks hotfix html http id ide
 identifier image import indent index inheritance input install instance int integer integration interface ios
 iterator java javascript jenkins jira jquery js json junit jwt k8s kafka kernel key keyboard kotlin kubernetes lambda
 laravel latency layout leak library license lint linter linux list load loader local localhost lock log logger
 logging login loop loops lua mac machine macro makefile map markdown matrix memory merge metaprogramming method
 methods metrics middleware migrate migration migrations mobile mock model models module modules mongo monolith
 monorepo mysql namespace network nginx node notebook npm null numpy object oop operator optimise optimize orm output
 overflow package packages page pagination palette pandas panic parameter parse parser password patch path patterns
 pdf performance perl persistence php pie pip pipeline pipelines pixel plot plugin pod pointer polars polling port
 postgres postgresql production profile profiler program programmer programming programs promise prompt protobuf
 protocol proxy pull pull-request push pytest python qa queries query queue r rails ram random react readme rebase
 record recursion redis redux refactor refactoring regex regexp regression release releases remote rename render
 renderer replica repo repository request requests response rest restart return revert review reviewer rollback root
 route router routes rows ruby runner runtime rust rustc sandbox scala scaling schema schemas scope scraper screen
 script sdk search secrets security seed select semicolons server service session setter shader sharding shell
 simulate simulation singleton snippet snippets socket software sort source spa space spec spring sql sqlite ssh stack
 stacktrace staging state static stdout storage stream string strings struct stub stylesheet subclass sudo svelte svg
 swagger swift sync syntax tab table tables tag tags tailwind telemetry template templates terminal terraform test
 testing tests thread threads tidyverse timeout timestamps timezone toggle token tokens toolchain trace transaction
 tree try tsx tuple type types typescript ubuntu ui unicode unit-test unix upload url user username utf-8 ux
 validation variable variables vector version versions view views vim virtualenv vm vscode vue web webhook webpack
 website websocket whitespace widget windows worker workflow wrapper xcode xml yaml yarn zig zsh
money: account accountant accounts acheter afford affordable alimony allowance amount amounts apr argent asset assets
 auction bank bankrupt bankruptcy bargain bargains benefit benefits bezahlen bicycle bid bike bill bills bitcoin bond
 bonds bonus bookkeeping borrow borrowing bought brand budget budgeting budgets buy buyer buying camera card cash
 cashback cedi cent cents change charge charged charges charity cheap cheaper check cheque chequebook church claim
 clearance clothes coat coin coins collateral commission compensation comprar contribution cost costs couch coupon
 credit crypto cryptocurrency currency customs deal dearer debit debt debts deductible deduction delivery deposit
 deposits dinero discount dividend dollar dollars donate donation donor downpayment dress earn earnings economic
 economical economy endowment equity estate etf euro euros excise expenditure expenses expensive exposure extra fee
 fees finance finances financial fine fines fiver fortune free freebie fridge frugal fund fundraising funds furniture
 gadget gains geld gift giving gold grand grant gross haggle haggling half handout headphones hire-purchase households
 income inflation inheritance installment installments instalment insurance interest invest investing investment
 investments investor invoice ira isa jacket jackpot jewellery jewelry kaufen kronor laptop leasing ledger lend lender
 lending licence loan loans lottery loyalty luxury margin market mastercard mattress millions monetary money monthly
 mortgage mortgages nest net new offer order owe owed owes pagar paid pawn pay payday payer paying payment payments
 paypal pennies penny pension pensions percent percentage petty phone pocket-money portfolio posh pound pounds premium
 premiums price prices pricey prize profit profits property purchase purchases purse quarter raise rebate receipt
 receipts refund refunds remortgage rent rents retail retirement return returns reward rich ring royalties rupee
 salary sale sales save saving savings scam second-hand secondhand sell seller selling settlement share shipping shirt
 shoes shop shopping shops silver sofa sold spend spending spent split spree staking stipend stock stocks store stores
 subscription subscriptions subsidy sum sums superannuation tab tariff tax taxes taxpayer tempting tenner thrift
 thrifty tickets tip tipping tithe tractor trade trader transaction transfer treasury trust tuition unaffordable
 upgrade used utilities value vat vendor venmo vouchers wage wages wardrobe warranty waste watch wealth wealthy
 withdraw withdrawal worth yen złoty
family: abuela abuelo adopt adopted adoption adult adults alike amma anniversary aunt aunties baby bachelor baptism
 bar-mitzvah bedtime birth birthday boy boyfriend boyfriends bride brother brother-in-law bruder caption caregiver
 carer caring child children christening christmas churchgoing condolence cousin cousins crib custody dad daddy dads
 dating daughter daughters-in-law daycare divorce divorced diwali dress easter eid elder eldest engaged engagement
 esposa estranged eulogy ex families family family-tree father fathers femme feud fiancé fiancée fille fils folks
 foster frau friend friends friendship frère funeral genealogy gift girl girlfriend goddaughter godfather godmother
 godparents godson graduation grandad grandchild grandchildren granddad granddaughter grandfather grandkids grandma
 grandmother grandpa grandparent grandparents grandpas grandson grannies granny grave groom grown guardian guest
 hanukkah heir heirloom hermana hermano hija hijo home-school honeymoon household husband husbands in-law in-laws
 infant inherit invitation invite kid kids kin kind kindergarten kinship lad ladies lads late letter living loved
 madam madre mam mama mami mann mari marriage married marry mate maternal maternity mates mom moms mother mothers
 mothersday mum mums mutter mère names nan nana nanny nappies nativity neighbor neighbour nephew newborn nickname
 niece nonna nursery obaachan offspring oma opa orphan outfit padre papa parent parenting partner party paternal
 paternity photo photograph play playdate playground pram pregnant present pupils père quinceañera ramadan
 relationship relative relatives remarry reunion school-run schwester separated sibling siblings sir sis sister
 sister-in-law sisters soeur son sons spouse stepbrother stepdaughter stepfather stepmother stepsister stepson story
 stroller surname sympathy table tantrum teen teenager teens teta thanksgiving toddler toddlers toy toys triplets
 trust twin twins tía tío uncle uncles vater visitation visitors wedding weddings widow widowed widower wife wives
 youngest youngsters
home: aerial air-conditioning airbnb aircon alarm allotment apartment appartement appliance appliances armchair attic
 balcony basement bath bathroom bathtub battery bed bedding bedroom bedside bench bin blanket blinds boiler bolt brick
 broadband broom bucket builder building bulb bulbs bungalow cable candle candles carpet carpets casa cat ceiling
 cellar central-heating chainsaw chair chest-of-drawers chimney chimneys cistern clean cleaner cleaners cleaning
 closet clutter compost concrete condensation condo conservatory cooker cot cottage couch counter cupboard cupboards
 curb curtain curtains cushion damp declutter decor decorate decorating decorator dehumidifier deliver delivered
 delivery den deposit desk detergent dishes dishwasher dishwashers diy dog dog-flap door doorbell doormat doors
 downstairs drain drainpipe draughts drawer drawers dressing drill drilling drive dryer duplex dust dustbin duvet
 dwelling electric electrician electricity electrics elevator estate-agent evict eviction extension extractor fan
 faucet fence fences fireplace fixture flat flatmate floor floorboards flooring flowerbed freehold freezer fridge
 front-door furnace furnish furnished furniture fuse futon garage garages garbage garden gardener gas gate generator
 glue grass greenhouse guest gutter hall hallway hammer hammock handle handyman hatch haus heater heating hedge hinge
 hob home hoover hose host hosting house household housekeeper housemate houseplant houses hut indoor indoors insulate
 insulation interior internet inverter iron ironing kettle key kitchen kitchens ladder laminate lamp landlady landline
 landlord laundry lawn lawnmower leak leaking leaks lease lift light lights linen lino litter living-room lock locker
 locksmith lodger loft lounge machine mailbox maintenance maison mattress meter mirror mop mortgage mould mouse move
 move-in moving mow nail neighbor neighbors neighbour neighbourhood neighbours nightstand noise noisy nursery odour
 outage outdoor outdoors outlet oven ovens paint painting paintwork pantry parcel parquet partition patio patios
 pavement pest pet pet-friendly pipe plant plaster plug plugs plumber plumbing pond pool porch porches postbox pot
 pots power premises property pump quiet radiator radiators rafter rats recliner recycling redecorate refrigerator
 remodel renovate renovating renovation rental rented renter renting repair residence resident residents rewire robot
 robots roof roofs room roommate roommates router rug rugs sauna screen screw screws security sewer shed shelf shelves
 shelving shoe shower shutters sideboard sink skirting smell socket sockets sofa sofas solar space spare-room
 sprinkler squeaky stain stains staircase stairlift stairs stool storage stove studio-flat sublet switch table tables
 tap television tenancy tenant tenants terrace terraced thermostat threshold tidy tile tiles tiling toaster toilet
 tool tools towel track trash tree trees tumble tv upgrade upholstery upstairs utilities vacuum vacuuming varnish
 ventilation veranda villa wall wallpaper walls wardrobe washer washing water water-heater weeds well whirlpool wi-fi
 wifi window window-sill windows wiring wohnung wood woodburner yard
learning: academy algebra aloud alphabet analogy anatomy apprendre apprenticeship aprender argument article assemble
 assignment astronomy author baccalaureate bachelor basics beginner biology book bootcamp brakes calculus campus card
 certificate certification chapter chapters cheat-sheet chemistry class classes classroom coach college concept course
 courses coursework cram curriculum deadline debate degree demonstration diagram dictionary diploma dissertation
 doctorate doctrine drill duolingo e-learning economics educate education educational encyclopedia enrol enroll
 equation essays exam example examples exams exercise expert explain explanation flash flashcard fluency fluent
 foundations gcse geography geometry graduate grammar grammar-school guide guitar-lessons handout hands-on hear
 history homer homeschool homework ielts illustration illustrations improve insight instruct instructions instructor
 intermediate introduction kanji knowledge lab language learn learning learnt lecture lectures lernen lesson lessons
 listen literature logic manual master mastery mathematics maths memorise memorize memory mentor mentoring method
 mnemonic module modules momentum musictheory newbie novel novice number numbers online-course paper papers pedagogy
 philosophy phonics physics picture podcast practice practise practising primer prior probability problem problems
 professor pronunciation psychology puzzle qualification quiz quizzes read reader reading readings recap refraction
 rehearsal research review revise revising revision scholar scholarship school science sciences seminar seminars
 sketch skill slope spaced start started statistics step steps student students studies study studying subject
 subjects summarise syllabus taught teach teacher teaching technique test textbook textbooks theorem theories theory
 thesis timetable topic train training translate trigonometry tutor tutorial tutorials tutoring undergrad understand
 understanding university video videos visual vocab vocabulary walkthrough whiteboard workbook worksheet workshop
leisure: act activity afternoon album albums amusement angling anime aquarium arcade archery art artist arts athletics
 audio audiobook author badminton ballet ballroom band banjo baseball basketball bass beach bed beer beers bingo
 birdwatching blues boardgame boardgames bonfire book bookclub bowling boxing brewery bridge broadway cabaret cafe
 camp camping canoeing cards carnival cartoon carve casino celebrate cello ceramics channel chess chill choir choral
 christmas cinema cinemas circus classical climb climbing club clubbing coach collect collecting collector comedy
 comic comics concert console cosplay craft cricket crochet crossword crosswords crowd crowded curtain cycling dance
 darts date daytrip decoupage disco diy dj documentaries documentary dog dovetail drama draw drawing drummer drums
 embroidery entertain entertainment episode escape-room evening exhibition exhibitions fair fan fandom fantasy
 festival fiction film films fireworks fish fishing fitness flute folk football footballer free freizeit frisbee fun
 gallery game gamer games gaming garden gardening genealogy genre gig gigs golf guitar gymnastics hang hangout hike
 hikes hiking hobbies hobby hockey holiday horror horse-riding hunt hunting idea ideas improv instrument jazz jigsaw
 jog join judo juggling karaoke karate kayak kayaking kite knit knitting lake league lego leisure library loisir
 lounge magazine magic marathon marathons market match matches meditate meditation metal model-railway motorbike
 mountain-biking movie movies museum museums music musical musicals musicians mystery nap nature netball netflix night
 nightclub nightlife novel novels oak ocio off opera orchestra origami outdoors outing paint paintball painter
 painting parade park party pastime performance photo photography photos piano picnic picnics pilates ping-pong play
 player playing playlist playoffs plays playstation podcast poetry pool pop pottery prom pub pubs punk puzzle quilting
 races racing radio rainy ramble rap read reading recital records recreation reggae rehearsal rehearse relax relaxing
 retro river rock rockclimbing romance romcom rowing rugby run sail sailing salsa samba saturday saxophone scarf
 sci-fi scifi sculpture season sento series sewing shopping show shows sightseeing sing singer singing sitcom skate
 skateboard skating skiing snooker snowboarding soap soccer socialise song songs spa spectator sport sports stadium
 stage standup stream streaming stroll strum sudoku sunbathing sunday surf surfing swim swimming symphony table-tennis
 tango tattoo team techno tennis theater theatre theme-park thriller thrillers ticket tickets tournament tourney toy
 trail trampoline treasure triathlon trumpet tv ukulele unwind video videogame videogames vinyl viola violin
 volleyball walk walking walks wargame watch watching weekend western wine-tasting winter-sports woodwork workout
 wrestling xbox yoga youtube zoo zumba
writing: abbreviation abstract acre acronym adjective adverb advert alphabetical american announcement answer
 apostrophe appendix argue article articles author badge ballad beg bio biography blog blogpost blunt bold book-review
 brevity brief british brochure bullet bullets capital capitalise capitalize capitals caps caption card celsius
 centimetres chapter chat cheerful citation cite cited clarity clause clear cliches cliché colloquial colon comma
 commas commentary compliment compose composition concise conclusion condense constructive conversational copy
 copywriting correct correction criticise criticism critique currency curse dash dashes dear decimal definition
 describe dialogue diary dictate draft du dutch edit editor edits email emails emoji emojis emphasis encourage english
 english-language epilogue epitaph escribe essay essays excerpt exclamation explain explanation expletive fact-check
 fahrenheit familiar feedback feet fill flattery flowery flyer font footnote footnotes form formal formality format
 formats formatting french french-language gallons gender german grammar grammatical greet greeting greetings
 guidebook haiku heading headings headlines hectare honest honesty humor humour hyphen idiom idioms imperial inch
 inches indent informal initials instagram intro introduce invitation italian italic italics jargon joke jokes joking
 journal keyword kilograms kilometers kilos label language layout leaflet lengthy letter letters limerick line lines
 linkedin list lists literal litres long lyrics mail manuscript markdown measure memo memoir menu-text message
 messages metaphor metric misspelling mistakes narrative narrator neutral news newsletter note notes notice numbered
 obituary opinion ounces outline paragraph paragraphs paraphrase passive pen penultimate phrase phrases phrasing pints
 plagiarism plain plural poem poems poetry point polish polite portuguese portuguese-language post post-it postcard
 poster preface press-release profanity pronoun proofread prose proverb proverbs punchline punctuate punctuation
 quotation quotations quote quotes readable recap recommend reference register rephrase reply respond response review
 reviews rewrite rhyme rhymes rude rédige salutation sarcasm sarcastic satire schreibe screenplay script section
 sentence sentences sermon short short-story sie sign-off signature size sketch slang slides slogan solemn source
 spanish speech speeches spell spellcheck spelling spellings statement stories story storytelling structure subheading
 subject-line subtitle succinct summaries summarise summarising summarize summary swear swearing swedish syllable
 synonym synonyms table tables tagline template term terms terse testimonial text texts thank-you thesaurus title
 titles tldr toast toasts tone tone-of-voice traduis traduz transcript translate translation translations translator
 tu tweet tweets typo typos unit uppercase usted vocabulary voice vous vows welcome wish witty word wording wordplay
 wordy write writing written yards yours
schedule: after afternoon afternoons agenda alarm am appointment appointments april arrange assembly assigned august
 autumn autumnal availability available awake bedtime before begin between biweekly book bookings breaktime busy
 calendar calendars call cancel christmas cita clash clock closed closes closing commitments conflict countdown curfew
 daily date dates dawn day days daytime deadline deadlines december delay delayed diary dienstag dimanche donnerstag
 dusk earlier earliest early early-bird easter eight eleven eve evening evenings eventually every everyday february
 finish finishing fixed fortnight fortnightly free freitag fri friday half halfpast holidays hour hourly hours
 interval invite itinerary january jeudi join jueves july june late lateness later lates latest lent lunchtime lundi
 lunes march mardi martes mass may meet meeting meetings mercredi midday midnight midweek minute minutes mittwoch
 miércoles mon monday mondays montag month months morning mornings nap nd night nights nine nine-to-five nonworking
 noon november o'clock o-clock occupied october open opening opens overnight past pencil pickup plan planning pm
 postpone prayers punctual quarter quarterly ramadan rd regular reminder rendez-vous reschedule reserved rest rhythm
 ring rosh routine sabbath samedi samstag sat saturday saturdays schedule scheduled scheduling september session
 sessions seven shabbat shift shifts six sleep-in slot slots sonntag soon spring st start summer sunday sundays
 sunrise sunset ten term termin terms th thu thursday thursdays till time timeslot timetable timetables timing timings
 today tomorrow tonight tue tues tuesday tuesdays twelve unavailable unreachable until upcoming vacation vendredi
 viernes visit wakeup wed wednesday wednesdays week weekday weekdays weekend weekends weekly weeks when winter workday
 workdays year yearly years yesterday yom
animals: alpaca animal aquarium beagle bee beef bird breeder budgie bull bunny calf calves camel canary cat cats
 cattle chat chick chicken chickens chien cockatoo collie cow cows crab cub deer dog dogs donkey ducks ewe ewes farm
 feather ferret fish foal fox fur gato gecko goat goats goose guinea-pig hamster hamsters hawk hay hedgehog hen hens
 herd hive hog horse hound hund husky iguana insect insects katze kennel kitten kittens labrador lamb lambs leash
 leopard litter livestock lizard mare mice mouse mule otter owl ox paddock parakeet parrot pasture paw perro pet pets
 pig pigeon pigs pony poodle puppies puppy rabbit rabbits ram rat reptile retriever rooster saddle sheep snake snakes
 spaniel spider spiders stable swan tarantula terrier tortoise turkey turtle vet veterinary vets walk wasp wildlife
 wolf wool worm
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
