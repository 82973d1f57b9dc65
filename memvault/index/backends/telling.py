"""Which of some terms a memory holds, and where, told by the postings: no text is read for that."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection

from memvault.core.ranking.bm25f import BODY, CONTEXT, FIELDS
from memvault.index.backends import Said
from memvault.index.backends.bulk import PARTS
from memvault.index.postings import Reading, Section

Stands = list[tuple[str, "array[int]"]]  # terms, and the passages that hold each

_NONE: frozenset[str] = frozenset()


class Telling:
    """Tells it of the memories of one reading; None of those that are not in it."""

    def __init__(self, reading: Reading, terms: Collection[str]) -> None:
        self._sections = [_Section(section, terms) for section in reading.sections]

    def anywhere(self, number: int) -> frozenset[str] | None:
        """The terms that a memory holds in whatever place."""
        for section in self._sections:
            if place := section.place(number):
                return section.anywhere(place)
        return None

    def said(self, number: int, part: int) -> Said | None:
        """The terms that a memory holds, and where, seen from one of its passages."""
        for section in self._sections:
            if place := section.place(number):
                return section.said(place, part)
        return None


class _Section:
    """The same for one segment."""

    def __init__(self, section: Section, terms: Collection[str]) -> None:
        self._keys = section.keys()
        self._away = section.away()
        fields: dict[str, Stands] = {name: [] for name in FIELDS}
        for term in terms:
            for name in section.fields(term):
                if name in fields:
                    fields[name].append((term, section.postings(name, term)[0]))
        self._context = [(name, fields[name]) for name in CONTEXT]
        self._bodies = fields[BODY]
        self._all = [pair for stands in fields.values() for pair in stands]

    def place(self, number: int) -> range | None:
        """The passages of a memory."""
        first = bisect_left(self._keys, number * PARTS)
        if first == len(self._keys) or self._keys[first] != number * PARTS or first in self._away:
            return None
        return range(first, bisect_left(self._keys, (number + 1) * PARTS, first))

    def anywhere(self, place: range) -> frozenset[str]:
        return _within(self._all, place.start, place.stop)

    def said(self, place: range, part: int) -> Said:
        first, passage = place.start, place.start + part
        # Most fields hold none of the terms, and most memories are of one passage.
        context = {name: _within(stands, first, first + 1) if stands else _NONE for name, stands in self._context}
        own = _within(self._bodies, passage, passage + 1)
        return Said(context, own, _within(self._bodies, first, place.stop) if len(place) > 1 else own)


def _within(stands: Stands, start: int, stop: int) -> frozenset[str]:
    """The terms that stand in passages from a first one up to another."""
    found = []
    for term, documents in stands:
        at = bisect_left(documents, start)
        if at < len(documents) and documents[at] < stop:
            found.append(term)
    return frozenset(found) if found else _NONE
