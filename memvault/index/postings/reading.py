"""A view of an index as one commit left it, whatever is written meanwhile."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import accumulate, groupby, takewhile
from operator import itemgetter

from memvault.index.postings.cache import Cache
from memvault.index.postings.contents import Contents
from memvault.index.postings.packing import Postings, joined, shifted, without
from memvault.index.postings.segments import SegmentFile

GONE = -1  # in place of the key of a document that was deleted
_BYTES, _FIXED = 5, 300  # of a posting that is kept, and of each list
NOTHING: Postings = (array("I"), array("B"))


class Reading:
    """Documents numbered from 0 over all segments; numbers and lists are good for this reading alone."""

    def __init__(self, contents: Contents, fields: tuple[str, ...], files: Sequence[SegmentFile], cache: Cache) -> None:
        self.state = contents.state
        self.size = sum(part.documents for part in contents.parts)
        self.count = self.size - sum(len(part.gone) for part in contents.parts)
        self._numbers = {field: number for number, field in enumerate(fields)}
        self._files = files
        self._gone = [part.gone for part in contents.parts]
        self._bases = list(accumulate((part.documents for part in contents.parts), initial=0))
        self._cache = cache
        self._keys: array[int] | None = None
        self._lengths: dict[str, array[int]] = {}

    def keys(self) -> array[int]:
        """The key of each document, GONE in the place of a deleted one."""
        if self._keys is None:
            if len(self._files) == 1 and not self._gone[0]:
                self._keys = self._files[0].keys()
            else:
                self._keys = joined([file.keys() for file in self._files] or [array("q")])
                for base, gone in zip(self._bases, self._gone, strict=False):
                    for number in gone:
                        self._keys[base + number] = GONE
        return self._keys

    def lengths(self, field: str) -> array[int]:
        """How many terms each document has in a field; deleted ones keep what they had."""
        known = self._lengths.get(field)
        if known is None:
            parts = [file.lengths(field) for file in self._files] or [array("H")]
            known = self._lengths[field] = parts[0] if len(parts) == 1 else joined(parts)
        return known

    def longest(self, field: str) -> int:
        """The most terms that any document has in a field, or more."""
        return max((file.longest(field) for file in self._files), default=0)

    def total_length(self, field: str) -> int:
        """How many terms all documents have in a field."""
        return sum(file.total(field) - _lost(file, field, gone) for file, gone in self._each())

    def holding(self, field: str, term: str) -> int:
        """How many documents hold a term in a field."""
        return sum(
            len(self._part(file, gone, field, term)[0]) if gone else file.count(self._numbers[field], term)
            for file, gone in self._each()
        )

    def postings(self, field: str, term: str) -> Postings:
        """The documents that hold a term in a field, ascending, and how often each does. Not to be changed."""
        key = (self.state, field, term)
        known: Postings | None = self._cache.get(key)
        if known is None:
            known = self._found(field, term)
            self._cache.keep(key, known, size=_FIXED + _BYTES * len(known[0]))
        return known

    def terms(self, field: str, prefix: str) -> Iterator[str]:
        """The terms of a field that begin like this, in order; some may stand in deleted documents alone."""
        wanted = self._numbers[field]
        rows = merge(*(file.rows(prefix) for file in self._files), key=itemgetter(0))
        for term, found in groupby(takewhile(lambda row: row[0].startswith(prefix), rows), key=itemgetter(0)):
            if any(held.field == wanted for _, each in found for held in each):
                yield term

    def _found(self, field: str, term: str) -> Postings:
        parts = [(base, self._part(file, gone, field, term)) for base, (file, gone) in self._based()]
        found = [(base, part) for base, part in parts if part[0]]
        if not found:
            return NOTHING
        if len(found) == 1:
            base, (documents, frequencies) = found[0]
            return shifted(documents, base), frequencies
        return joined([shifted(part[0], base) for base, part in found]), joined([part[1] for _, part in found])

    def _based(self) -> Iterator[tuple[int, tuple[SegmentFile, array[int]]]]:
        return zip(self._bases, self._each(), strict=False)

    def _part(self, file: SegmentFile, gone: array[int], field: str, term: str) -> Postings:
        key = (file.id, field, term)
        known: Postings | None = self._cache.get(key)
        if known is None:
            known = file.postings(self._numbers[field], term) or NOTHING
            self._cache.keep(key, known, size=_FIXED + _BYTES * len(known[0]))
        return without(known, gone) if gone else known

    def _each(self) -> zip[tuple[SegmentFile, array[int]]]:
        return zip(self._files, self._gone, strict=True)


def _lost(file: SegmentFile, field: str, gone: array[int]) -> int:
    lengths = file.lengths(field) if gone else ()
    return sum(lengths[number] for number in gone)
