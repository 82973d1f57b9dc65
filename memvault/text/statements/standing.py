"""Standing statements: what always holds of a person, theirs and their house, told by how it is worded."""

from __future__ import annotations

import re

LONGEST = 60
"""Words of a text that may be one statement."""

LEAST, SURE, CERTAIN = 0.7, 2.0, 3.0
"""From these ratings on a text is taken for a standing statement, most likely is one, and surely is one."""

# What may do somebody harm.
_SAFETY = re.compile(
    r"\b(?:allerg\w*|anaphyla\w*|epi-?pen|intoleran\w*|intolerance|coeliac|celiac|asthma\w*|epilep\w*|seizures?"
    r"|diabet\w*|insulin|pacemaker|implant|warfarin|blood thinners?|thins? the blood|haemophilia|hemophilia|sickle cell"
    r"|apnea|apnoea|transplant|kidneys?|liver|heart (?:condition|attack|failure)|stroke|angina|detach\w+|osteoporosis"
    r"|pregnan\w*|poison\w*|toxic|lethal|deadly|hives|rash|swells?|faint\w*|dizzy|phobi\w*|vertigo|migraines?"
    r"|hospital|a&e|emergency room|ambulance|doctors? (?:said|says|told)|doc says|surgery|operation|accident"
    r"|kill(?:s|ed)?|dangerous|breath\w*|chok\w*|bleed\w*|throat|shock|reacts? badly|sets? (?:off )?my|triggers? my"
    r"|sober|in recovery|relapse|cannot (?:stand heights|swim)|can't swim|blind\w*|colou?r[ -]?blind\w*|deaf"
    r"|hearing aids?|wheelchair|tendonitis|slipped disc|lifting|kneel|medication|mustn't (?:eat|drink|take)"
    r"|unverträglich\w*|schwanger"
    r"|herzschrittmacher|lactose|enceinte|embarazada|diab[eé]t\w*|asma|asthme)\b"
    r"|\b(?:in|to|into) (?:the )?(?:er|icu)\b"
)
_KIN = (
    r"wife|husband|partner|spouse|fianc[eé]e?|sister|brother|mother|father|mum|mom|mam|mami|mama|amma|dad|papa|parents?|sons?"
    r"|daughters?|kids?|child(?:ren)?|twins?|grand(?:mother|father|son|daughter|ma|pa|kids|children)|granny|aunt|uncle"
    r"|cousin|niece|nephew|in-laws?|ex|family|boss|manager|landlord|flatmates?|housemates?|neighbou?rs?|dog|cat"
    r"|frau|mann|mutter|vater|schwester|bruder|sohn|tochter|femme|mari|mère|père|esposa|marido|madre|padre|hij[oa]|herman[oa]"
)
# What is somebody's own: the person, theirs, a rule without exceptions, a taste, an order, a regular time.
_OWN_SIGNS: tuple[tuple[float, str], ...] = (
    (
        1.2,
        r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|ich|mein\w*|mir|mich|je|j'\w+|ma|mes|yo|mi|mis|soy|tengo|io|mio|mia)\b",
    ),
    (0.8, r"\b(?:we|we're|our|ours|us|wir|unser\w*|nous|notre|nos|nosotros|nuestr\w+|noi|nostr\w)\b"),
    (0.8, rf"\b(?:{_KIN})(?:'s)?\b"),
    (
        1.0,
        r"\b(?:never|always|only|every|each|no|not|nothing|nobody|none|anything|anybody|anyone|neither|don't|doesn't|can't|cannot|won't|mustn't|may"
        r"|must|avoid|without|instead of|rather|unless|strictly|banned|forbids?|forbidden|permits?|allowed|off limits"
        r"|isn't|aren't|nie|niemals|immer|nur|kein\w*|jamais|toujours|sans|nunca|siempre|sin|mai|sempre)\b",
    ),
    (
        1.0,
        r"\b(?:prefer\w*|like|likes|love|loves|hate|hates|dislike\w*|detest\w*|enjoy\w*|favou?rite"
        r"|can't (?:stand|bear|abide)"
        r"|fan of|keen on|mad about|scared|afraid|disagreeable|unpleasant|ugly|sacred|vegan|vegetarian|halal|kosher"
        r"|mag|hasse|liebe|bevorzuge|d[eé]teste|adore|préfère|odio|prefiero|me gusta)\b",
    ),
    (
        1.2,
        r"^(?:please |kindly |bitte )?(?:use|give|talk|speak|write|answer|keep|show|skip|call|address|explain|tell|put"
        r"|mix|avoid|never|always|no|don't|do not|stick to|spell|swear|say|make|ask|let|prefer|vouvoyez|duze|sieze)\b",
    ),
    (
        0.5,
        r"\b(?:(?:sun|mon|tues|wednes|thurs|fri|satur)days?|on the \d{1,2}(?:st|nd|rd|th)|mrs?|daily|weekly|monthly)\b",
    ),
)
# How it is said: a short sentence in the present, or an event, a plan, an entry of a log.
_OTHER_SIGNS: tuple[tuple[float, str], ...] = (
    (0.5, r"^[^.;]{1,60}\.?$"),  # a short sentence that stands alone
    (1.0, r"^(?:\S+\s+){0,15}\S+$"),
    (-0.7, r"^(?:\S+\s+){21}"),  # longer than people say such things
    (-0.8, r"^(?:the|on|at|in|from|for|to) "),
    (
        0.5,
        r"\b(?:is|are|has|have|does|do|goes|lives|works|speaks|takes|comes|wants|needs|gets|keeps|runs|stays|leaves)\b",
    ),
    (
        -1.2,
        r"\b(?:was|were|did|had|went|came|got|said|asked|told|took|gave|ran|sent|settled|spent)\b"
        r"(?! (?:born|raised))",
    ),
    (
        -1.0,
        r"\b(?:yesterday|today|tomorrow|last (?:week|month|year|night)|on \d{1,2} \w+|on (?:january|february|march"
        r"|april|may|june|july|august|september|october|november|december) \d|\d{4}-\d\d-\d\d|\d{1,2}:\d\d)\b",
    ),
    (
        -0.8,
        r"\b(?:to be|is due|are due|is to|are to|is booked|booked for|is down for|ends? (?:on|in|at)|expires?"
        r"|runs out)\b",
    ),
    (-0.6, r"\d[^.]*\d"),
    (-0.4, r"[;:]"),
    (-0.7, r"[.!?]\s+\S[^.!?]*[.!?]\s+\S"),  # three sentences
)
_TECHNICAL = re.compile(r"[/_`=]|\w\(|\.[a-z]{1,4}\b|[A-Z]{2,}\d|\b[a-z]+[A-Z]")
_TECHNICAL_LESS, _NOBODYS_LESS, _SAFETY_MORE = 0.8, 0.8, 1.5
_OWN, _OTHER = (tuple((worth, re.compile(pattern)) for worth, pattern in signs) for signs in (_OWN_SIGNS, _OTHER_SIGNS))
_ANSWERS = re.compile(
    r"^(?:please |kindly )?(?:use|give|talk|speak|write|answer|keep it|show|skip|address|explain|tell|mix|spell|swear"
    r"|say|vouvoyez)\b"
    r"|\b(?:spelling|exclamation marks?|emoji|bullet points?|jargon|management speak|jokes?|metric|imperial|fahrenheit"
    r"|celsius|hectares|active voice|pronouns|they and them|citations?|latin|proverbs?|criticism|code shown|capitals"
    r"|24-hour|date formats?|clock|explained|english|portuguese|german|spanish|french|plain|short sentences)\b"
)


def rate_statement(text: str) -> float:
    """Return how surely a text says what always holds of a person, theirs or their house; 0 for one too long."""
    if not is_short(text):
        return 0.0
    low, is_safe = _fold_case(text), is_safety(text)
    own = sum(worth for worth, pattern in _OWN if pattern.search(low))
    found = own + sum(worth for worth, pattern in _OTHER if pattern.search(low))
    found -= 0.0 if own or is_safe or is_about_answers(text) else _NOBODYS_LESS
    found -= _TECHNICAL_LESS if _TECHNICAL.search(text) else 0.0
    return max(0.0, found + _SAFETY_MORE if is_safe and found > -1 else found)


def is_short(text: str) -> bool:
    """Return whether a text may be one statement by its length."""
    return 0 < len(text.split(maxsplit=LONGEST + 1)) <= LONGEST


def is_safety(text: str) -> bool:
    """Return whether a text names what may do somebody harm: an allergy, an illness, a danger."""
    return _SAFETY.search(_fold_case(text)) is not None


# An order for once.
_ERRAND = re.compile(
    r"^(?:please )?(?:remind|remember to|don't forget|to-?do|(?:i|we) (?:need|have|ought) to|call|ring|phone|buy|book"
    r"|pay|send|ask|email|e-mail|fix|finish|renew|return|order|check|collect|pick up|water|feed|clean|sign)\b"
)


def is_errand(text: str) -> bool:
    """Return whether a text is an order for once: to call, to buy, to be reminded."""
    return _ERRAND.search(_fold_case(text)) is not None


def is_about_answers(text: str) -> bool:
    """Return whether a text says how answers are to be worded, which bears on any prompt."""
    return _ANSWERS.search(_fold_case(text)) is not None


def _fold_case(text: str) -> str:
    return text.replace("’", "'").lower()
