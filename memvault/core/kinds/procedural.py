"""How something is done, step by step."""

from __future__ import annotations

from memvault.core.fields import Field, count, moment, number, text, texts
from memvault.core.kinds.kind import Cue, Kind

PROCEDURAL = Kind(
    name="procedural",
    heading="How to",
    meaning="how something is done, step by step",
    scope="project",
    half_life_days=180,
    share=0.25,
    fields=(
        Field("category", text, "what sort of procedure it is"),
        Field("steps", texts, "the steps, in order"),
        Field("prerequisites", texts, "what must be there first"),
        Field("success_conditions", texts, "how to tell that it worked"),
        Field("failure_patterns", texts, "how it tends to fail"),
        Field("usage_count", count, "how often it was followed"),
        Field("success_rate", number(0.0, 1.0), "how often it worked, 0 to 1"),
        Field("last_used_at", moment, "when it was last followed"),
    ),
    cues=(
        Cue(3.0, r"\bhow to\b|^\s*(?:steps|procedure|recipe|runbook|workflow)\b"),
        Cue(3.0, r"^\s*1[.)] .+\n+(?:.*\n+)*?\s*2[.)] "),
        Cue(2.5, r"\bfirst\b.{3,160}\bthen\b"),
        Cue(
            2.0,
            r"^\s*(?:to|when you) \w+ .{3,80}[:,] "
            r"(?:first |you )?(?:run|use|open|click|set|add|edit|go|call|type|press|start|stop)\b",
        ),
        Cue(1.0, r"`[^`\n]+`.{0,80}(?:then|and then|after that|&&).{0,80}`[^`\n]+`"),
        Cue(1.0, r"\b(?:step \d|the way to|in order to)\b"),
    ),
)
