"""Facts, preferences and insights."""

from __future__ import annotations

import re

from memvault.core.fields import Field, number, read_count, read_texts
from memvault.core.kinds.kind import Kind

_CUES = """
2.5 <taste> | lieblings*
2.5 ^ <rule> | always | never | immer | nie/niemals | siempre | nunca | toujours | jamais
2.0 <habit> | every/each <span>/<weekday>/night/morning | jeden/jede <span>/<weekday> | cada <span>
2.0 every/each second/other/third <span>/<weekday> | runs/lasts/good until/till | gilt/läuft bis | hasta el
2.0 chaque <span>/<weekday> | todos/todas los/las | tous/toutes les | all year | twice/once a <span>
1.0 <is> | <holds> | #holds
0.5 #present-first
0.8 is/are the/a/an/<participle>/not/only/about/in/on/called/named | es/son/est/sont/ist/sind *
1.0 <hedge> | due to | in general | as a rule | it is known | which means | even though | unlike
3.5 ^ learned/learnt the hard | <lesson> out/that/how/the |
    ^ lesson/fact/fyi/note/insight/gotcha/beware/hinweis/nota/remarque | it turns
2.0 the reason | means that/the/a/it/you | heißt dass | rule of thumb | faustregel | best practice | la regla |
    tends to
1.5 must/should be/have/use/not/never/only | may/can not/only | cannot/can't | kann nicht | no puede |
    ne peut pas
1.0 can | may | kann | puede/pueden | peut/peuvent | at most/least | up to | default | than
2.5 you should/must/may/can/are |
    went/stay/staying/settled/decided/agreed/chose/opted/switched/picked * because/since | ^ decision |
    <we> stay
1.5 expires/lapses/renews/starts/begins/ends on | vence/läuft | valid until | gilt bis
3.5 chosen/picked/preferred over
4.5 was/were born | <was> founded/built/named/designed/invented | grew up | used to | stammt aus
1.0 , not | <verb> only | is * for/from/by | wird/werden * <ge> $ | for * reasons | instead of | rather than |
    statt
"""

SEMANTIC = Kind(
    name="semantic",
    heading="Knowledge",
    meaning="a fact, a preference, an insight",
    scope="project",
    personal=True,
    half_life_days=90,
    share=0.375,
    implied_by=("learning", "reference"),
    fill=lambda body, _now, _zone: {"confidence": sure} if (sure := read_confidence(body)) is not None else {},
    fields=(
        Field("confidence", number(0.0, 1.0), "how sure it is, 0 to 1"),
        Field("evidence_count", read_count, "how many observations support it"),
        Field("source_sessions", read_texts, "the conversations it was learnt in"),
    ),
    cue_table=_CUES,
)


# How sure a text says that it is.

_UNSURE, _SURE = 0.5, 0.95
_HEDGES = (
    "probably|perhaps|maybe|possibly|presumably|apparently|i think|i believe|i guess|not sure|not certain|seems to|"
    "might be|wahrscheinlich|vielleicht|vermutlich|ich glaube|nicht sicher|quizás|quizá|probablemente|creo que|tal vez|"
    "peut-être|probablement|je crois|je pense"
)
_FIRM = (
    "definitely|certainly|without doubt|for certain|verified|confirmed|measured|tested and|"
    "sicher ist|nachgeprüft|bestätigt|seguro que|comprobado|confirmado|certainement|vérifié|confirmé"
)


def read_confidence(text: str) -> float | None:
    """Return a confidence from 0 to 1 if a text hedges or vouches for itself; None for neither or both."""
    start = text[:500].casefold()
    hedges, vouches = (re.search(rf"\b(?:{words})\b", start) is not None for words in (_HEDGES, _FIRM))
    if hedges == vouches:
        return None
    return _UNSURE if hedges else _SURE
