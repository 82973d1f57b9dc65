"""Things still to be done, at a time or when something comes true."""

from __future__ import annotations

from memvault.core.fields import Field, moment, number, one_of, text
from memvault.core.kinds.kind import Cue, Kind

STATES = ("pending", "active", "completed", "cancelled")

PROSPECTIVE = Kind(
    name="prospective",
    heading="To do",
    meaning="something to be done, at a time or on a condition",
    scope="project",
    half_life_days=30,
    share=0.125,
    spreads=True,
    fields=(
        Field("state", one_of(*STATES), "pending, active, completed or cancelled"),
        Field("due", moment, "when it is to be done"),
        Field("priority", number(1, 5), "1 to 5, where 5 is most urgent"),
        Field("condition", text, "what must come true first"),
        Field("condition_type", one_of("time", "event", "context"), "what sort of condition it is"),
        Field("completed_at", moment, "when it was done"),
    ),
    cues=(
        Cue(3.0, r"^\s*(?:todo|to do|to-do|reminder|remind me|don'?t forget)\b"),
        Cue(3.0, r"\b(?:remind me|don'?t forget|remember to)\b"),
        Cue(
            2.5,
            r"\b(?:need(?:s)? to|have to|has to|must|should|plan(?:s|ning)? to|going to|want(?:s)? to)\b.{0,60}"
            r"\b(?:tomorrow|tonight|next \w+|later|by \w+day|before|until|in \w+ (?:days?|weeks?|months?))\b",
        ),
        Cue(2.0, r"\b(?:follow up|due (?:on|by)|deadline|by (?:next|the end of|tomorrow|\w+day))\b"),
        Cue(1.5, r"^\s*(?:i |we )?(?:need to|have to|must|plan to)\b"),
        Cue(
            1.5,
            r"\b(?:when|once|as soon as|after) .{3,60}, (?:then )?(?:check|update|send|call|do|run|ask|tell|switch)\b",
        ),
    ),
)
