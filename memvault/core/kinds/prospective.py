"""Things still to be done, at a time or when something comes true."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from memvault.core.fields import Field, number, read_choice, read_date, text
from memvault.core.kinds.kind import Kind
from memvault.core.memory import FieldValue

if TYPE_CHECKING:
    from memvault.text.dates.reminders import ReminderReading

STATES = ("pending", "active", "completed", "cancelled")
OPEN, DONE, CANCELLED = frozenset(STATES[:2]), STATES[2], STATES[3]


def _fill_reminder(body: str, now: datetime, zone: tzinfo) -> Mapping[str, FieldValue]:
    from memvault.text.dates.reminders import read_reminder  # deferred: only a new memory needs it

    return reminder_fields(read_reminder(body, now=now, zone=zone, certain=True))


def reminder_fields(found: ReminderReading) -> dict[str, FieldValue]:
    """Return what was read of a reminder as the fields of a memory."""
    told: tuple[tuple[str, FieldValue | None], ...] = (
        ("due", found.due),
        ("repeat", str(found.repeat or "")),
        ("condition", found.condition),
        ("priority", found.priority),
    )
    return {name: value for name, value in told if value}


_CUES = """
4.0 ^ todo/to-do/reminder/erinnerung/recordatorio/rappel/fixme | ^ to do | #[ ] | ^ à faire | ^ zu erledigen
3.5 remind me/us | reminder to | don't/not forget | ^ remember to | note to self | make sure to/we/i/that
3.5 be sure to | nicht vergessen | erinner* mich/uns | denk/denke daran/dran | ^ daran denken
3.5 recuérdame | recordar | no olvidar/olvides/olvidemos | acordarme/acordarse/acuérdate de | ^ recuerda
3.5 rappelle-moi | rappelez-moi | n'oublie/n'oublions pas | ne pas oublier | ^ penser à | pense à
2.5 <me> promised | i'd/we'd like/love to | i/we would like/love to | <me> need to |
    <me> have/still/should/must/ought/gotta/will | i'll/we'll | <me> muss/müssen/soll/sollten
2.5 tengo/tenemos/tienes que | debo/debemos/deberíamos/debería | voy/vamos/va a | hay que | queda por
2.5 il faut/faudra | je/on/nous dois/doit/devons/devrait/devrions | je vais | on va | nous allons
2.0 plan/plans/planning/hope/intend/intends/aim/going/want/wants/promised/agreed to | ^ <me> wollen/will
1.5 needs/need/has/have/still to | yet to | to be <past>/<participle>/done/fixed | am <ing> | up for renewal
1.0 <modal> | will | shall | wird/werden/wollen | ^ <me> <modal>
2.0 ^ need/must/have/should to | ^ need to | ^ must | ^ should | ^ noch | ^ still | ^ plan to | ^ gotta
2.0 <tomorrow> | <next> <span>/<weekday>/<month>/time/release/sprint/meeting | <span>/<weekday> <next>
2.0 in/within <number>/two/three/four/a/six/ten <span> | in zwei/drei/einer/einem <span> | dentro de
2.0 dans <number>/deux/trois/une/un/quinze <span> | en <number>/dos/tres <span> | this <weekday>/weekend
1.5 <before> <weekday>/<month>/<date>/<number>/<tomorrow>/<next>/el/le/la/fin/ende/end/noon | d'ici
1.5 before/until the/we/i/i'm/he/she/they | <before> the end/middle/start/beginning |
    before the/this <span> is/ends/runs | ^ <imp> * in the/early/late/mid/<month>/<season> | at/by the end of |
    end of <span>/<month>/the
1.0 on/am/el/le <weekday> | on <number>/<time> | at <time> | the <time> | um <number> | a las | à <number>
2.0 follow/following up | due/deadline/frist/fällig/échéance/plazo | is due | läuft ab/aus
2.0 waiting for/on | pending | pendiente/pendientes | ausstehend | en attente | en suspens | outstanding
2.0 ^ <errand>
3.0 #appointment
2.5 is/are/am to <verb> | ^ on/at/in the next | <next> visit/trip/call/order/session
2.0 ^ if * again , | ^ <imp> * , after the/we/i/he/she/they
-0.4 #past-first
2.5 is/are/am/i'm/we're/he's/she's/they're <ing> * <weekday>/<month>/<tomorrow>/<next>
2.0 thinking about/of <ing> | considering <ing> | hoping/hopes to | to be decided/settled/discussed/agreed
2.5 ^ let's | wants/want/asked/told me to | has/have to be | so <imp> | ; <imp>
2.0 ^ <imp> * <tomorrow>/<next>/<weekday>/<time>/<month>/before/by/until/when/once
1.5 <de> * <inf> $ | <inf> $
1.5 muss/müssen/soll/sollte/sollten/will/wollen/werde/werden * <inf> $
1.0 ^ <infinitive>
2.5 ^ once/as/sobald/cuando/dès/quand/wenn/when/after/if * , <imp> | ^ next time | ^ the next time
2.5 ^ once/sobald/dès/tan/as * , <imp>/<infinitive> | ^ sobald/dès/beim nächsten |
    ^ <errand> * once/when/after/sobald the
2.0 ^ la próxima/prochaine vez/fois | ^ as soon as | ^ tan pronto | ^ cuando/quand * | ^ <imp> * when/once
-4.0 ^ never/always/nobody | ^ no one | ^ niemals | ^ nunca
-2.0 always | never | immer | nie | siempre | nunca | toujours | jamais |
    every <span>/<weekday>/second/other/third
"""

PROSPECTIVE = Kind(
    name="prospective",
    heading="To do",
    meaning="something to be done, at a time or on a condition",
    scope="project",
    half_life_days=30,
    share=0.125,
    spreads=True,
    everywhere=True,
    fill=_fill_reminder,
    fields=(
        Field("state", read_choice(*STATES), "pending, active, completed or cancelled"),
        Field("due", read_date, "when it is to be done"),
        Field("repeat", text, "how often it comes again: every week on Thursday, every month on the 5th"),
        Field("priority", number(1, 5), "1 to 5, where 5 is most urgent"),
        Field("condition", text, "what must come true first"),
        Field("condition_type", read_choice("time", "event", "context"), "what sort of condition it is"),
        Field("completed_at", read_date, "when it was done"),
    ),
    cue_table=_CUES,
)
