"""Facts, preferences and insights."""

from __future__ import annotations

from memvault.core.fields import Field, count, number, texts
from memvault.core.kinds.kind import Cue, Kind

SEMANTIC = Kind(
    name="semantic",
    heading="Knowledge",
    meaning="a fact, a preference, an insight",
    scope="project",
    half_life_days=90,
    share=0.375,
    implied_by=("learning", "reference"),
    fields=(
        Field("confidence", number(0.0, 1.0), "how sure it is, 0 to 1"),
        Field("evidence_count", count, "how many observations support it"),
        Field("source_sessions", texts, "the conversations it was learnt in"),
    ),
    cues=(
        Cue(1.5, r"\b(?:prefers?|likes?|dislikes?|hates?|loves?|always|never|usually|favou?rite)\b"),
        Cue(1.0, r"\b(?:is|are|means|requires?|needs|uses?|supports?|contains?|consists of|lives? (?:in|at))\b"),
        Cue(1.0, r"\b(?:because|in general|as a rule|turns out|learn(?:t|ed) that|it is known)\b"),
    ),
)
