"""What one task needs in mind while it lasts."""

from __future__ import annotations

from memvault.core.fields import Field, moment, text
from memvault.core.kinds.kind import Kind, cue

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
        Field("expires_at", moment, "when it lapses by itself"),
        Field("cleared_at", moment, "when its task was over"),
    ),
    cues=(
        # Strong ones only: what is in hand is put away when its day is over.
        cue(
            3.0,
            "^ half way",
            "^ halfway",
            "^ in the middle of",
            "half way through",
            "<number> of <number>",
            "<number> of the <number>",
            "half done",
            "en train de",
        ),
        cue(
            2.5,
            "for this/the bug/ticket/task/session/branch/pr/fix",
            "current task/ticket/plan/branch/step/bug",
            "stuck at/on",
        ),
        cue(
            3.0,
            "^ investigating/debugging/bisecting/testing/checking/trying/chasing/hunting/refactoring/porting/migrating",
        ),
        cue(1.5, "at present", "meanwhile", "gerade dabei", "bin gerade", "none/nothing helped", "while i <verb>/get"),
        cue(
            1.5,
            "^ <ing> a/the/on/through/why/whether",
            "^ tried",
            "^ next",
            "continuing with",
            "<few> of the <few> * <past>",
            "<ing> that/this one",
            "last good",
            "not yet",
        ),
        cue(1.5, "now", "aktuell/jetzt/derzeit", "ahora/actualmente", "maintenant/actuellement", "tried", "suspect"),
        cue(
            1.5,
            "done",
            "so far",
            "yet",
            "left",
            "remaining",
            "next",
            "erledigt",
            "reste/restent",
            "falta/faltan",
            "fehlt/fehlen",
            "bisher",
        ),
        cue(
            4.0,
            "^ currently/wip/scratch/scratchpad",
            "^ right now",
            "^ working on",
            "^ in progress",
            "^ current task/goal/state",
        ),
        cue(4.0, "^ gerade", "^ ich arbeite gerade", "^ ahora mismo", "^ estoy <ing>", "^ en cours", "^ en train de"),
        cue(
            3.0,
            "i'm/i am/we're currently",
            "in the middle of",
            "halfway through",
            "^ so far",
            "fine/good/done/works so far",
            "for this task/session",
        ),
        cue(
            2.0, "currently <ing>", "at the moment", "right now", "im moment", "pour l'instant", "por ahora", "for now"
        ),
        cue(1.5, "i'm/we're <ing>", "am <ing>", "hypothesis", "next up", "still <ing>", "step <number> of <number>"),
    ),
)
