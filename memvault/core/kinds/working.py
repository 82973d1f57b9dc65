"""Notes that one task needs while it lasts."""

from __future__ import annotations

from memvault.core.fields import Field, read_date, text
from memvault.core.kinds.kind import Kind

_CUES = """
4.0 ^ currently/wip/scratch/scratchpad | ^ right now | ^ working on | ^ in progress |
    ^ current task/goal/state | goal/aim of this session/task/run/branch | ^ goal for today
4.0 ^ gerade | ^ ich arbeite/bin gerade | ^ bin mitten | ^ ahora mismo | ^ estoy <ing> | ^ en cours |
    ^ en train de | ^ j'en suis | ^ voy por | ^ zwischenstand | stand jetzt/heute/der dinge
3.0 i'm/i am/we're currently | in the middle of | half/halfway through | in progress | state of play
3.0 ^ investigating/debugging/bisecting/testing/checking/trying/chasing/hunting/refactoring/porting/migrating |
    ^ reproducing/rewriting/renaming/converting/comparing/looking/reading/sorting/packing/editing/drafting
3.0 ^ half way | ^ halfway | ^ mitten | en train de | open in the/my/an | where i/we/things am/are/stand
2.5 current task/ticket/plan/branch/step/bug | stuck/stopped/paused/parked at/on/in/here | got/get as far
1.5 ^ <ing> a/the/on/through/why/whether/with | <ing> that/this one | <ing> * now | now/meanwhile <ing>
1.5 i'm/we're <ing> | am <ing> | still <ing> | trying to | step <number> of <number> | at line <number>
1.5 gerade dabei | bin/sind gerade/dabei | at present | ^ next | <few>/<number> of <few>/<number>
2.5 meanwhile | in the meantime | inzwischen | währenddessen | entretanto | entre-temps | <ing> * now $
2.0 jetzt * ich/wir | ^ suche/prüfe/teste/baue/schreibe/lese aktuell/gerade/jetzt/noch/den/die/das |
    ^ räume/vergleiche/übersetze/warte aktuell/gerade/jetzt/noch/auf/den/die/das
3.0 <number> of <number> | <number> of the <number> | <few> of the <few>/<number> |
    half done/finished/written/ready/painted/packed | fine/good/done/works so far | a medias | à moitié |
    halb fertig
2.5 so far | bisher | bis jetzt | hasta ahora | jusqu'ici | jusqu'à présent | up to now | as far as
2.5 not/nothing * yet | not started/begun/touched/tested/merged/wired/done | noch nicht/nichts/offen/leer |
    todavía/aún no | pas encore | rien encore
2.0 done , * | done but | done and | the rest is/are/still | the others/remaining | <is> open | still <be>/<is>
1.5 still has/have/to/points/point/need/needs/missing/open/red | remaining | left to/over | yet
1.5 il/lui reste/manque | reste/restent | falta/faltan | queda/quedan | fehlt/fehlen | erledigt | fertig
1.0 done | left | next | now | aktuell/jetzt/derzeit | ahora/actualmente | maintenant/actuellement
1.5 continuing/continue/carry/go on with/from/at/by/to | weiter mit | sigo/seguir con | je continue | next up
2.5 leaving/left/leave off | pick/picking/picked up from/at/here | resume/resuming at/from/with | skip * for now
2.5 ruled out | rule out | that leaves | narrowed it/down/to | smells/looks like a |
    my/next/first/main/prime suspect/guess/theory/hunch | hypothesis | suspicion
1.5 suspect | tried | ^ tried | last good | none/nothing helped | does/do not happen | isn't in/it/the
2.0 look/start/check/continue/try * first $ | need/needs to check/see/find | to see whether/why/if/what
2.5 for/during/of this/the bug/ticket/task/session/branch/pr/fix/refactoring/migration/change/run/experiment |
    for the duration | until this/it is merged/done/fixed/over/through | just for now
2.0 currently <ing> | at the moment | right now | im moment | pour l'instant | pour le moment | por ahora |
    de momento | por el momento | for now | vorerst
1.5 while i <verb>/get/am | stubbed/commented/switched/turned/hard-coded out/off | temporary/temporarily
1.0 <few> of the <few> * <past> | <past> * next/remaining | third/last one
"""

WORKING = Kind(
    name="working",
    heading="In hand",
    meaning="what one task needs in mind while it lasts",
    scope="session",
    half_life_days=1,
    share=0.0,
    idle_hours=24,
    fields=(
        Field("task", text, "the task it belongs to"),
        Field("expires_at", read_date, "when it lapses by itself"),
        Field("cleared_at", read_date, "when its task was over"),
    ),
    cue_table=_CUES,
)
