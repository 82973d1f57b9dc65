"""Which of some terms a memory holds, and where, told by the postings: no text is read for that."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection
from typing import NamedTuple

from memvault.storage.index.postings import Reading, Section
from memvault.storage.index.search import Said
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS
from memvault.storage.index.search.score import PARTS

_NONE: frozenset[str] = frozenset()


class Telling:
    """Tells it of the memories of one reading; None of those that are not in it."""

    def __init__(self, reading: Reading, terms: Collection[str]) -> None:
        self._sections = [_Section(section, terms) for section in reading.sections]
        self._met: dict[int, _Holding] = {}  # of a memory that may do, more is asked soon

    def anywhere(self, number: int) -> frozenset[str] | None:
        """The terms that a memory holds in whatever place."""
        holding = self._holding(number)
        return None if holding is None else frozenset([held.term for held in holding.held])

    def said(self, number: int, part: int) -> Said | None:
        """The terms that a memory holds, and where, seen from one of its passages."""
        holding = self._met.get(number) or self._holding(number)
        return None if holding is None else holding.said(part)

    def _holding(self, number: int) -> _Holding | None:
        for section in self._sections:
            if place := section.place(number):
                found = self._met[number] = section.holding(place)
                return found
        return None


class _Held(NamedTuple):
    """A term in one field of a memory: the passages of all that hold it, and where among them its own begin."""

    field: str
    term: str
    documents: array[int]
    at: int


class _Holding(NamedTuple):
    """The first passage of a memory, and all that it holds."""

    first: int
    held: list[_Held]

    def said(self, part: int) -> Said:
        """What is said of it, seen from one of its passages."""
        context: dict[str, frozenset[str]] = dict.fromkeys(CONTEXT, _NONE)
        own, whole, passage = [], [], self.first + part
        for field, term, documents, at in self.held:
            if field != BODY:
                context[field] |= {term}
                continue
            whole.append(term)
            if documents[at] == passage or _stands(documents, at, passage):
                own.append(term)
        return Said(context, frozenset(own), frozenset(whole))


class _Section:
    """The memories of one segment."""

    def __init__(self, section: Section, terms: Collection[str]) -> None:
        self._keys = section.keys()
        self._away = section.away()
        self._stands = [
            (name, term, documents)
            for term in terms
            for name, (documents, _) in section.stands(term).items()
            if name in FIELDS
        ]

    def place(self, number: int) -> range | None:
        """The passages of a memory."""
        first = bisect_left(self._keys, number * PARTS)
        if first == len(self._keys) or self._keys[first] != number * PARTS or first in self._away:
            return None
        return range(first, bisect_left(self._keys, (number + 1) * PARTS, first))

    def holding(self, place: range) -> _Holding:
        """What stands in these passages; what is said of a memory by its context stands in the first."""
        start, stop = place.start, place.stop
        held = []
        for field, term, documents in self._stands:
            at = bisect_left(documents, start)
            if at < len(documents) and documents[at] < stop:
                held.append(_Held(field, term, documents, at))
        return _Holding(start, held)


def _stands(documents: array[int], at: int, document: int) -> bool:
    """Whether a passage is among those from some place on."""
    at = bisect_left(documents, document, at)
    return at < len(documents) and documents[at] == document
