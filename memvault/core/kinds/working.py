"""What one task needs in mind while it lasts."""

from __future__ import annotations

from memvault.core.fields import Field, moment, text
from memvault.core.kinds.kind import Kind

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
)
