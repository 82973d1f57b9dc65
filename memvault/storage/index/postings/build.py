"""The content of a new segment: new documents, or the documents of segments that are merged."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from memvault.storage.index.postings.segment import SegmentFile, StoredPostings, TermPostings

_ONCE = (1,)

Pairs = tuple[Sequence[int], Sequence[int]]


class SegmentSource(Protocol):
    """Where the writer of a segment takes its content from."""

    def keys(self) -> array[int]:
        """Return the key of each document, ascending."""

    def lengths(self, field: str) -> Sequence[int]:
        """Return how many terms each document has in a field."""

    def terms(self) -> Iterator[tuple[str, Iterable[TermPostings]]]:
        """Yield every term, in order, with its postings in each field."""


class DocumentBuffer:
    """Documents held in memory until there are enough of them."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.terms_held = 0
        self._keys: array[int] = array("q")
        self._lengths = {field: array("I") for field in fields}
        # A document's number for each occurrence of the term, counted at the end.
        self._stands: dict[str, defaultdict[str, list[int]]] = {field: defaultdict(list) for field in fields}
        self._ranks: list[int] | None = None

    def add_document(self, key: int, texts: Mapping[str, Sequence[str]]) -> None:
        """Add a document."""
        number = len(self._keys)
        self._keys.append(key)
        for field, lengths in self._lengths.items():
            terms = texts.get(field, ())
            lengths.append(len(terms))
            if terms:
                self.terms_held += len(terms)
                for places in map(self._stands[field].__getitem__, terms):
                    places.append(number)

    def sort_documents(self) -> None:
        """Sort the documents by their keys; none is added afterwards."""
        order = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        if order != list(range(len(order))):
            self._ranks = [0] * len(order)
            for rank, number in enumerate(order):
                self._ranks[number] = rank
            self._keys = array("q", [self._keys[number] for number in order])
            self._lengths = {
                field: array("I", [lengths[number] for number in order]) for field, lengths in self._lengths.items()
            }

    def keys(self) -> array[int]:
        """Return the key of each document, ascending."""
        return self._keys

    def lengths(self, field: str) -> Sequence[int]:
        """Return how many terms each document has in a field."""
        return self._lengths[field]

    def terms(self) -> Iterator[tuple[str, Iterable[TermPostings]]]:
        """Yield every term, in order, with its postings in each field."""
        fields = list(enumerate(self._stands.values()))
        for term in sorted(set().union(*self._stands.values())):
            yield term, [self._count_postings(field, stands[term]) for field, stands in fields if term in stands]

    def _count_postings(self, field: int, stands: list[int]) -> TermPostings:
        if self._ranks is not None:
            stands = sorted(map(self._ranks.__getitem__, stands))
        counts = dict.fromkeys(stands, 1)
        if len(counts) == len(stands):
            return TermPostings(field, stands, _ONCE * len(stands))
        counts = Counter(stands)
        return TermPostings(field, list(counts), list(counts.values()))


class SegmentMerge:
    """The documents of several segments without the deleted ones."""

    def __init__(self, files: Sequence[SegmentFile], gone: Sequence[array[int]]) -> None:
        self._files = files
        away = [set(each) for each in gone]
        found = sorted(
            (key, at, number)
            for at, file in enumerate(files)
            for number, key in enumerate(file.keys())
            if number not in away[at]
        )
        self._chosen = [(at, number) for _, at, number in found]
        self._keys = array("q", [key for key, _, _ in found])
        self._in_turn = [at for at, _ in self._chosen] == sorted(at for at, _ in self._chosen)
        self._new: list[list[int]] = [[-1] * file.documents for file in files]
        for new, (at, number) in enumerate(self._chosen):
            self._new[at][number] = new

    def keys(self) -> array[int]:
        """Return the key of each document, ascending."""
        return self._keys

    def lengths(self, field: str) -> Sequence[int]:
        """Return how many terms each document has in a field."""
        known = [file.lengths(field) for file in self._files]
        return [known[at][number] for at, number in self._chosen]

    def terms(self) -> Iterator[tuple[str, Iterable[TermPostings]]]:
        """Yield every term, in order, with its postings in each field."""
        rows = merge(*(self._segment_rows(at) for at in range(len(self._files))), key=itemgetter(0))
        for term, parts in groupby(rows, key=itemgetter(0)):
            by_field: dict[int, list[Pairs]] = {}
            for _, at, found in parts:
                for held in found:
                    by_field.setdefault(held.field, []).append(self._renumber(at, held))
            posted = [self._join_postings(field, lists) for field, lists in sorted(by_field.items())]
            if kept := [each for each in posted if each.documents]:
                yield term, kept

    def _segment_rows(self, at: int) -> Iterator[tuple[str, int, Sequence[StoredPostings]]]:
        return ((term, at, found) for term, found in self._files[at].iter_terms())

    def _renumber(self, at: int, held: StoredPostings) -> Pairs:
        old, often = self._files[at].unpack(held)
        new = list(map(self._new[at].__getitem__, old))
        if -1 not in new:
            return new, often
        kept = [(number, times) for number, times in zip(new, often, strict=True) if number >= 0]
        return [number for number, _ in kept], [times for _, times in kept]

    def _join_postings(self, field: int, lists: list[Pairs]) -> TermPostings:
        if len(lists) == 1:
            return TermPostings(field, *lists[0])
        documents: list[int] = []
        frequencies: list[int] = []
        for some, often in lists:
            documents += some
            frequencies += often
        if self._in_turn:
            return TermPostings(field, documents, frequencies)
        pairs = sorted(zip(documents, frequencies, strict=True))
        return TermPostings(field, [number for number, _ in pairs], [often for _, often in pairs])
