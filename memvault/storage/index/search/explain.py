"""Which of some terms a memory holds, and where, from the postings: no text is read."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection
from typing import NamedTuple

from memvault.storage.index.postings import IndexSnapshot, SegmentView
from memvault.storage.index.search import TermHits
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS
from memvault.storage.index.search.score import PARTS

_NONE: frozenset[str] = frozenset()


class SnapshotTeller:
    """Looks up the memories of one snapshot; None for those that are not in it."""

    def __init__(self, reading: IndexSnapshot, terms: Collection[str]) -> None:
        self._sections = [_SegmentTerms(section, terms) for section in reading.sections]
        self._met: dict[int, _MemoryTerms] = {}  # more is asked soon of a memory that may match

    def all_terms(self, number: int) -> frozenset[str] | None:
        """Return the terms that a memory holds anywhere."""
        holding = self._find_terms(number)
        return None if holding is None else frozenset([held.term for held in holding.held])

    def term_hits(self, number: int, part: int) -> TermHits | None:
        """Return the terms that a memory holds and where, seen from one passage."""
        holding = self._met.get(number) or self._find_terms(number)
        return None if holding is None else holding.term_hits(part)

    def _find_terms(self, number: int) -> _MemoryTerms | None:
        for section in self._sections:
            if place := section.passages_of(number):
                found = self._met[number] = section.terms_in(place)
                return found
        return None


class _HeldTerm(NamedTuple):
    """A term in one field of a memory: all passages that hold it, and where among them the memory's own begin."""

    field: str
    term: str
    documents: array[int]
    at: int


class _MemoryTerms(NamedTuple):
    """The first passage of a memory, and all terms it holds."""

    first: int
    held: list[_HeldTerm]

    def term_hits(self, part: int) -> TermHits:
        """Return the hits, seen from one passage."""
        context: dict[str, frozenset[str]] = dict.fromkeys(CONTEXT, _NONE)
        own, whole, passage = [], [], self.first + part
        for field, term, documents, at in self.held:
            if field != BODY:
                context[field] |= {term}
                continue
            whole.append(term)
            if documents[at] == passage or _contains_passage(documents, at, passage):
                own.append(term)
        return TermHits(context, frozenset(own), frozenset(whole))


class _SegmentTerms:
    """The memories of one segment."""

    def __init__(self, section: SegmentView, terms: Collection[str]) -> None:
        self._keys = section.keys()
        self._away = section.deleted()
        self._stands = [
            (name, term, documents)
            for term in terms
            for name, (documents, _) in section.postings_by_field(term).items()
            if name in FIELDS
        ]

    def passages_of(self, number: int) -> range | None:
        """Return the passages of a memory."""
        first = bisect_left(self._keys, number * PARTS)
        if first == len(self._keys) or self._keys[first] != number * PARTS or first in self._away:
            return None
        return range(first, bisect_left(self._keys, (number + 1) * PARTS, first))

    def terms_in(self, place: range) -> _MemoryTerms:
        """Return the terms in these passages; those of the memory's context stand in the first."""
        start, stop = place.start, place.stop
        held = []
        for field, term, documents in self._stands:
            at = bisect_left(documents, start)
            if at < len(documents) and documents[at] < stop:
                held.append(_HeldTerm(field, term, documents, at))
        return _MemoryTerms(start, held)


def _contains_passage(documents: array[int], at: int, document: int) -> bool:
    """Return whether a passage is among those from a position on."""
    at = bisect_left(documents, document, at)
    return at < len(documents) and documents[at] == document
