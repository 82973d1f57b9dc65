"""What scoring asks of an index: postings of a term, and a few small columns for each unit, turn and sitting."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol


class Shelf(Protocol):
    """Units in the order in which they were said: a turn's stand together, and so do the turns of a sitting.

    Units, turns, sittings and speakers are numbered through from 0; days are ordinals, 0 where nobody knows.
    """

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """The units that hold a term, ascending, and how often each does."""

    def near(self, term: str) -> Iterable[str]:
        """Terms that are spelled nearly like one that no unit holds."""

    def speaking(self, term: str) -> Collection[int]:
        """The speakers whose name has this term in it; never the two roles."""

    def dated(self, first: int, last: int) -> Iterable[int]:
        """The units that were said on these days."""

    def said(self, unit: int) -> Iterable[tuple[int, int]]:
        """The first and last days that the words of a unit name."""

    @property
    def lengths(self) -> Sequence[int]:
        """How many terms each unit has."""

    @property
    def turns(self) -> Sequence[int]:
        """The turn that each unit is a part of."""

    @property
    def sittings(self) -> Sequence[int]:
        """The sitting of each unit."""

    @property
    def speakers(self) -> Sequence[int]:
        """The speaker of each unit."""

    @property
    def roles(self) -> Sequence[int]:
        """The role of each unit: its place in `weights.MANNERS`."""

    @property
    def days(self) -> Sequence[int]:
        """The day on which each unit was said."""

    @property
    def signs(self) -> Sequence[int]:
        """What `signs.signs` tells of each unit."""

    @property
    def first_units(self) -> Sequence[int]:
        """The first unit of each turn, and one more entry for where the last turn ends."""

    @property
    def first_turns(self) -> Sequence[int]:
        """The first turn of each sitting, and one more entry for where the last sitting ends."""

    @property
    def sitting_lengths(self) -> Sequence[int]:
        """How many terms each sitting has."""

    @property
    def earliest(self) -> int:
        """The first known day."""

    @property
    def latest(self) -> int:
        """The last known day."""
