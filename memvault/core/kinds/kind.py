"""What a kind of memory is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo

from memvault.core.fields import Field
from memvault.core.memory import NOTHING, FieldValue
from memvault.core.value import Frozen

Filler = Callable[[str, datetime, tzinfo], Mapping[str, FieldValue]]


class Cue(Frozen):
    """Phrases of which any one speaks for a kind, and how strongly; a negative strength speaks against it."""

    strength: float
    phrases: tuple[str, ...]


def cue(strength: float, *phrases: str) -> Cue:
    """A cue of some phrases; a phrase may hold several, one on each line."""
    lines = (line.strip() for phrase in phrases for line in phrase.splitlines())
    return Cue(strength, tuple(line for line in lines if line))


class Kind(Frozen, kw_only=True):
    """How memories of one sort behave: fields, scope, lifetime, share of a budget, heading, cues."""

    name: str
    heading: str
    meaning: str
    scope: str
    half_life_days: float
    share: float
    implied_by: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    cues: tuple[Cue, ...] = ()
    fades_from_view: bool = False  # whether only recent ones are put before a model that did not ask for them
    settles_as: str = ""  # the kind that it becomes knowledge of, once several conversations confirm it
    spreads: bool = False  # whether one seen again and again concerns every project
    personal: bool = False  # whether one that concerns the person is for every project, wherever it was learnt
    idle_hours: float = 0.0  # after so long without use it is cleared away; 0 for never
    fill: Filler | None = None  # reads what a text itself says of the kind's fields

    def filled(self, text: str, now: datetime, zone: tzinfo) -> Mapping[str, FieldValue]:
        """What a text says of this kind's fields: a due date, steps, how sure it is; only what is certain."""
        return NOTHING if self.fill is None else self.fill(text, now, zone)

    def has(self, field: str) -> bool:
        """Whether memories of this kind have a field of that name."""
        return any(row.name == field for row in self.fields)
