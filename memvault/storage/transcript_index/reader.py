"""The turns as scoring sees them: every unit in its order, with its columns."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path

from memvault.errors import DamagedIndex
from memvault.storage.index.postings import GONE, IndexSnapshot
from memvault.storage.index.search.bm25 import HEAD, similar_terms
from memvault.storage.transcript_index.rows import UnitColumns
from memvault.text.terms import extract_terms

TEXT, FACTS = "text", "facts"
IN_A_FACT = 0.5  # a fact has a name or a day where the turn has "he" or "yesterday"
_NO_ROLE = 0
_NOBODY: frozenset[int] = frozenset()

Part = tuple[UnitColumns, Sequence[str]]  # the columns of one conversation, and its speakers


class TranscriptTurns:
    """All units of all conversations, those of each in a row."""

    def __init__(self, reading: IndexSnapshot, parts: Mapping[int, Part], folder: Path) -> None:
        self._reading = reading
        self.keys, self._places = _order_keys(reading)
        if sum(len(columns) for columns, _ in parts.values()) != len(self.keys):
            raise DamagedIndex(path=folder, reason="postings and rows have different units")
        self._parts = [parts[number] for number in sorted(parts)]
        self.lengths: Sequence[int] = self._join_column("length")
        self.roles: Sequence[int] = self._join_column("role")
        self.days: Sequence[int] = self._join_column("day")
        self.signs: Sequence[int] = self._join_column("flags")
        self.sittings: Sequence[int] = self._number_column("sitting")
        self.turns: Sequence[int] = self._number_column("turn")
        self.first_units: Sequence[int] = _first_places(self.turns)
        self.first_turns: Sequence[int] = _first_places([self.sittings[unit] for unit in self.first_units[:-1]])
        self.sitting_lengths: Sequence[int] = _group_sums(self.sittings, self.lengths)
        self._speakers: dict[str, int] = {}
        self.speakers: Sequence[int] = self._number_speakers()
        known = [day for day in self.days if day]
        self.earliest, self.latest = min(known, default=0), max(known, default=0)

    # -- columns

    def _join_column(self, name: str) -> array[int]:
        found = array("i")
        for columns, _ in self._parts:
            found.extend(getattr(columns, name))
        return found

    def _number_column(self, name: str) -> array[int]:
        """Number a column through all conversations, leaving no gaps."""
        found = array("i")
        number = -1
        for columns, _ in self._parts:
            before = None
            for value in getattr(columns, name):
                number += value != before
                before = value
                found.append(number)
        return found

    def _number_speakers(self) -> array[int]:
        found = array("i")
        for columns, names in self._parts:
            numbers = [self._speakers.setdefault(name, len(self._speakers)) for name in names]
            found.extend(numbers[speaker] for speaker in columns.speaker)
        return found

    # -- scoring

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """Return the units that hold a term, ascending, and how often each does; facts count less."""
        documents, counts = self._reading.postings(TEXT, term)
        told, times = self._reading.postings(FACTS, term)
        if self._places is None and not len(told):
            return documents, counts
        held: dict[int, float] = dict(zip(documents, counts, strict=True))
        for document, count in zip(told, times, strict=True):
            held[document] = held.get(document, 0.0) + IN_A_FACT * count
        places = self._places
        pairs = sorted((document if places is None else places[document], count) for document, count in held.items())
        return [unit for unit, _ in pairs], [count for _, count in pairs]

    def near(self, term: str) -> Iterable[str]:
        """Return terms that are spelled nearly like one that no unit holds."""
        return similar_terms(term, self._reading.terms(TEXT, term[:HEAD]))

    def speaking(self, term: str) -> frozenset[int]:
        """Return the speakers whose name has this term; never the two roles."""
        return self._speakers_by_term.get(term, _NOBODY)

    @cached_property
    def _speakers_by_term(self) -> dict[str, frozenset[int]]:
        persons = {speaker for speaker, role in zip(self.speakers, self.roles, strict=True) if role == _NO_ROLE}
        found: dict[str, set[int]] = {}
        for name, number in self._speakers.items():
            if number in persons:
                for term in extract_terms(name):
                    found.setdefault(term, set()).add(number)
        return {term: frozenset(numbers) for term, numbers in found.items()}

    def dated(self, first: int, last: int) -> Iterable[int]:
        """Return the units that were said on these days."""
        days, units = self._units_by_day
        return units[bisect_left(days, first) : bisect_right(days, last)]

    @cached_property
    def _units_by_day(self) -> tuple[list[int], list[int]]:
        pairs = sorted((day, unit) for unit, day in enumerate(self.days) if day)
        return [day for day, _ in pairs], [unit for _, unit in pairs]

    def named_days(self, unit: int) -> Iterable[tuple[int, int]]:
        """Return the first and last days that a unit names, as ordinals."""
        return self._named_days.get(unit, ())

    @cached_property
    def _named_days(self) -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {}
        starts = accumulate((len(columns) for columns, _ in self._parts), initial=0)
        for start, (columns, _) in zip(starts, self._parts, strict=False):
            for unit, first, last in columns.said:
                found.setdefault(start + unit, []).append((first, last))
        return found


def _order_keys(reading: IndexSnapshot) -> tuple[array[int], dict[int, int] | None]:
    """Return the keys in order, and each document's place; None where the documents are in that order."""
    keys = reading.keys()
    if GONE not in keys and all(one < other for one, other in pairwise(keys)):
        return keys, None
    held = sorted((key, document) for document, key in enumerate(keys) if key != GONE)
    return array("q", (key for key, _ in held)), {document: place for place, (_, document) in enumerate(held)}


def _first_places(numbers: Sequence[int]) -> array[int]:
    """Return where each number, counted from 0, stands first; with one more entry for the end."""
    first = array("i")
    for place, number in enumerate(numbers):
        if number == len(first):
            first.append(place)
    first.append(len(numbers))
    return first


def _group_sums(groups: Sequence[int], values: Sequence[int]) -> array[int]:
    found = array("i", bytes(4 * (groups[-1] + 1 if groups else 0)))
    for group, value in zip(groups, values, strict=True):
        found[group] += value
    return found
