"""What a kind of memory is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memvault.core.fields import Field

_READ_FOR_CUES = 2_000


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern that speaks for a kind, and how strongly."""

    strength: float
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How memories of one sort behave: fields, scope, lifetime, share of a budget, heading, cues."""

    name: str
    heading: str
    meaning: str
    scope: str
    half_life_days: float
    share: float
    implied_by: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    cues: tuple[Cue, ...] = field(default=())
    settles_as: str = ""  # the kind that it becomes knowledge of, once several conversations confirm it
    spreads: bool = False  # whether one seen again and again concerns every project
    idle_hours: float = 0.0  # after so long without use it is cleared away; 0 for never

    def likeness(self, text: str) -> float:
        """How strongly a text's beginning speaks for this kind."""
        start = text[:_READ_FOR_CUES]
        return sum(cue.strength for cue in self.cues if re.search(cue.pattern, start, re.IGNORECASE | re.MULTILINE))
