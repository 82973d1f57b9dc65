"""Things that happened, at a time."""

from __future__ import annotations

from memvault.core.fields import Field, number, text
from memvault.core.kinds.kind import Kind

_CUES = """
1.0 <yesterday> * <ge>/<part> | <ge> $
2.5 <yesterday> | <last> <span>/<weekday>/night/noche/nuit | <span>/<weekday> <last>
2.0 earlier today | hace <number>/dos/tres/cuatro/un/una/unos <span> | vor <number>/zwei/drei/einem/einer
2.0 il y a <number>/un/une/deux/trois/quelques <span> | the other day | back in <month>/<number>/the
1.2 this morning/afternoon | heute morgen/früh/vormittag/mittag | ce matin/midi | esta mañana
0.8 today | heute | hoy | aujourd'hui | tonight we
0.9 on/in/since <weekday>/<month> | am <weekday> | el <weekday> | ^ <weekday> | in <number>
1.0 <date>
1.5 <past>
0.4 #past-first
-0.8 #present-first
-2.0 i've/we've got
1.5 <we> <past> | and i <past> | <we> tried | <we> * <past> | i've/we've <past>/been/had | ^ <past>
0.8 <was>
0.7 <we> <was>
1.5 <was> * <number>/<time>/<weekday>/<month> | <was> * this year | <past> me
0.6 <past> * and <past> | <was> * when | <was> * until
1.0 the/our/a <event> | <event> with/mit/con/avec | ^ <event>
2.5 <haben> * <ge> $ | <haben> * <ge> und/, | <haben> * <inf> $
1.2 <sein> * <ge> $ | est/sont <part>
2.5 est/sont tombé/parti/venu/arrivé/sorti/entré/monté/descendu/resté/allé/devenu/cassé | ist/sind * <inf> $
1.5 wurde/wurden * <ge> | ich/wir bin/sind * <ge>/<inf> $
2.5 <avoir> <part> | <avoir> * <part> | j'ai *
2.5 hemos/he/ha/han/había <ado>
1.0 ^ <part> | se <past>
1.0 done | in the night | changed their/his/her mind
1.0 felt/sentí/proud/relieved/exhausted | surprised/shocked/nervous by/that/when
"""

EPISODIC = Kind(
    name="episodic",
    heading="What happened",
    meaning="something that happened, at a time",
    scope="project",
    half_life_days=7,
    share=0.25,
    fades_from_view=True,
    settles_as="semantic",
    implied_by=("milestone",),
    fields=(
        Field("event_type", text, "what sort of event it was"),
        Field("valence", number(-2.0, 2.0), "how it felt, from -2 to 2"),
    ),
    cue_table=_CUES,
)
