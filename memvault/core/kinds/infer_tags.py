"""Tags inferred from what a text says: preference, decision, gotcha."""

from __future__ import annotations

import re

PREFERENCE, DECISION, GOTCHA = "preference", "decision", "gotcha"

# Short and cautious: a wrong tag costs more than a missing one.
_CUES: tuple[tuple[str, str], ...] = (
    (
        PREFERENCE,
        r"\b(?:i|we|user|he|she|they|\w+) (?:(?:really|strongly|always|usually) )?"
        r"(?:prefers?|dislikes?|hates?|loves?|likes?)\b"
        r"|\b(?:always|never) (?:use|write|add|put|ask|call)\b|\bpreference:|\bfavou?rite\b",
    ),
    (
        DECISION,
        r"\b(?:we|i|they|team) (?:have |finally )?(?:decided|chose|agreed|settled)\b"
        r"|^decided (?:to|on|that|against)\b|\bdecision:|\bwe(?:'re| are| will) go(?:ing)? with\b",
    ),
    (
        GOTCHA,
        r"\bgotcha\b|\bbeware\b|\bwatch out\b|\bcareful\b|\bpitfall\b|\bturns out\b"
        r"|\b(?:doesn'?t|does not) work (?:if|when|unless)\b"
        r"|\b(?:fails|breaks) (?:silently|if|when|unless)\b|\bthe trick (?:is|was)\b",
    ),
)


def infer_tags(text: str) -> tuple[str, ...]:
    """Return the tags whose cues a text contains, in the table's order."""
    start = text[:2_000]
    return tuple(tag for tag, pattern in _CUES if re.search(pattern, start, re.IGNORECASE))


# Statements about the person, which hold for every project.

# Who belongs to a person and what is theirs; what only sounds so ("my branch", "our server") is not in the list.
_OWN = (
    r"wife|husband|partner|fianc[ée]e?|sister|brother|mother|father|mum|mom|dad|parents?|sons?|daughters?|kids?|child(?:ren)?|"
    r"family|friends?|dog|cat|doctor|dentist|therapist|name|nickname|birthday|age|address|home|flat|house|phone|e-?mail|job|"
    r"boss|employer|salary|time ?zone|pronouns|allerg(?:y|ies)|diet|handle|hobby|hobbies|mother tongue|native language"
)
_EIGENE = (
    r"frau|mann|partner(?:in)?|schwester|bruder|mutter|vater|eltern|sohn|tochter|kind(?:er)?|familie|freund(?:in)?e?|hund|katze|"
    r"[äa]rzt(?:in)?|arzt|name|geburtstag|adresse|wohnung|haus|telefon(?:nummer)?|beruf|chef(?:in)?|zeitzone|allergie"
)
_IS = (
    r"(?:a|an|allergic|vegetarian|vegan|married|single|divorced|born|from|based|left-handed|colou?r ?blind|fluent|"
    r"\d{2} years)"
)
_DOES = (
    r"live|was born|grew up|speak|come from|work (?:as|at|for)|play|studied|prefer|like|love|hate|dislike|"
    r"can't stand|cannot"
)
_TUT = r"bin|hei(?:ß|ss)e|wohne|lebe|komme aus|arbeite (?:als|bei)|spreche|mag|hasse|bevorzuge|spiele"
_FAIT = r"suis|m'appelle|vis|habite|pr[ée]f[èe]re|d[ée]teste|travaille|parle"
_PATTERNS = (
    rf"\bmy (?:{_OWN})\b",
    rf"\b(?:i am|i'm) {_IS}\b",
    rf"\bi (?:{_DOES})\b",
    r"\b(?:call|address) me\b|\bmy (?:first|last) name\b",
    rf"\bmein(?:e|er|en|em|es)? (?:{_EIGENE})\b",
    rf"\bich (?:{_TUT})\b",
    rf"\bje (?:{_FAIT})\b",
    r"\bm(?:a|on|es) (?:femme|mari|s(?:œ|oe)ur|fr[èe]re|m[èe]re|p[èe]re|fils|fille)\b",
    r"\b(?:me llamo|soy|vivo en|prefiero|odio|trabajo (?:como|en))\b",
    r"\bmi (?:mujer|esposa|marido|hermana|hermano|madre|padre|hija|hijo)\b",
)
_SAID = re.compile("|".join(_PATTERNS), re.IGNORECASE)
_LOOKED_AT = 2_000


def concerns_person(text: str) -> bool:
    """Return whether a text says who the person is, what they prefer or who belongs to them; no when in doubt."""
    start = text[:_LOOKED_AT]
    return _SAID.search(start) is not None or PREFERENCE in infer_tags(start)
