"""A view of an index as one commit left it, whatever is written meanwhile."""

from __future__ import annotations

from _thread import allocate_lock  # what `threading` gives, without 2 ms of loading it
from array import array
from collections.abc import Hashable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import accumulate, groupby, takewhile
from operator import itemgetter
from typing import Any

from memvault.storage.index.postings.contents import Contents, Postings, common, joined, shifted, without
from memvault.storage.index.postings.segment import SegmentFile

# What was unfolded last, up to a number of bytes.


class Cache:
    """Keeps what was asked for last, and forgets the rest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._lock = allocate_lock()
        self._held: dict[Hashable, tuple[int, Any]] = {}

    def get(self, key: Hashable) -> Any:
        """What is kept under a key, or None."""
        with self._lock:
            found = self._held.pop(key, None)
            if found is None:
                return None
            self._held[key] = found  # now the last one to go
            return found[1]

    def keep(self, key: Hashable, value: Any, *, size: int) -> None:
        """Keep something that takes so many bytes."""
        with self._lock:
            self._taken += size - self._held.pop(key, (0, None))[0]
            self._held[key] = (size, value)
            while self._taken > self._most and self._held:
                self._taken -= self._held.pop(next(iter(self._held)))[0]

    def clear(self) -> None:
        """Forget all of it."""
        with self._lock:
            self._held.clear()
            self._taken = 0


GONE = -1  # in place of the key of a document that was deleted
_BYTES, _FIXED = 5, 300  # of a posting that is kept, and of each list
NOTHING: Postings = (array("I"), array("B"))


class Section:
    """One segment of a reading, those of its documents that are gone included; documents are numbered from 0."""

    def __init__(self, file: SegmentFile, gone: array[int], numbers: Mapping[str, int], cache: Cache) -> None:
        self.id = file.id
        self.size = file.documents
        self.gone = gone
        self.file = file
        self._numbers = numbers
        self._names = tuple(numbers)
        self._cache = cache
        self._away: frozenset[int] | None = None
        self._clipped: dict[str, array[int]] = {}

    def keys(self) -> array[int]:
        """The key of each document."""
        return self.file.keys()

    def lengths(self, field: str) -> array[int]:
        """How many terms each document has in a field."""
        return self.file.lengths(field)

    def clipped(self, field: str, most: int) -> array[int]:
        """The same, what is longer being taken for so long."""
        if self.file.longest(field) <= most:
            return self.file.lengths(field)
        if field not in self._clipped:
            lengths = self.file.lengths(field)
            self._clipped[field] = array(lengths.typecode, [min(length, most) for length in lengths])
        return self._clipped[field]

    def away(self) -> frozenset[int]:
        """The documents that are gone."""
        if self._away is None:
            self._away = frozenset(self.gone)
        return self._away

    def postings(self, field: str, term: str) -> Postings:
        """The documents that hold a term in a field, ascending, and how often each does. Not to be changed."""
        return self.stands(term).get(field, NOTHING)

    def stands(self, term: str) -> Mapping[str, Postings]:
        """The same for every field in which any document holds the term: unfolded and kept in one go."""
        key = (self.id, term)
        known: Mapping[str, Postings] | None = self._cache.get(key)
        if known is None:
            found, unpacked, names = self.file.find(term), self.file.unpacked, self._names
            known = {names[held.field]: unpacked(held) for held in found}
            self._cache.keep(key, known, size=sum([_FIXED + _BYTES * held.holders for held in found]))
        return known

    def kept(self, field: str, term: str) -> Postings:
        """The same without those that are gone."""
        found = self.postings(field, term)
        return without(found, self.gone) if self.gone else found

    def standing(self, term: str) -> int:
        """In how many fields of all documents a term stands."""
        return self.file.standing(term)

    def holders(self, term: str) -> Iterator[tuple[str, int]]:
        """The fields in which a term stands, each with how many documents that are not gone hold it there."""
        for held in self.file.find(term):
            name = self._names[held.field]
            gone = common(self.stands(term)[name][0], self.gone, self.away) if self.gone else 0
            yield name, held.holders - gone

    def total_length(self, field: str) -> int:
        """How many terms the documents that are not gone have in a field."""
        lengths = self.lengths(field) if self.gone else ()
        return self.file.total(field) - sum(lengths[number] for number in self.gone)


class Reading:
    """Documents numbered from 0 over all segments; numbers and lists are good for this reading alone."""

    def __init__(self, contents: Contents, fields: tuple[str, ...], files: Sequence[SegmentFile], cache: Cache) -> None:
        self.state = contents.state
        self.size = sum(part.documents for part in contents.parts)
        self.count = self.size - sum(len(part.gone) for part in contents.parts)
        self._numbers = {field: number for number, field in enumerate(fields)}
        self._files = files
        self.sections = [
            Section(file, part.gone, self._numbers, cache) for file, part in zip(files, contents.parts, strict=True)
        ]
        self._bases = list(accumulate((part.documents for part in contents.parts), initial=0))
        self._cache = cache
        self._keys: array[int] | None = None
        self._lengths: dict[str, array[int]] = {}

    def keys(self) -> array[int]:
        """The key of each document, GONE in the place of a deleted one."""
        if self._keys is None:
            if len(self.sections) == 1 and not self.sections[0].gone:
                self._keys = self.sections[0].keys()
            else:
                self._keys = joined([section.keys() for section in self.sections] or [array("q")])
                for base, section in self._based():
                    for number in section.gone:
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
        return sum(section.total_length(field) for section in self.sections)

    def holding(self, field: str, term: str) -> int:
        """How many documents hold a term in a field."""
        return self.holders(term).get(field, 0)

    def holders(self, term: str) -> dict[str, int]:
        """How many documents hold a term, by field."""
        found: dict[str, int] = {}
        for section in self.sections:
            for field, count in section.holders(term):
                found[field] = found.get(field, 0) + count
        return found

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
        parts = [(base, section.kept(field, term)) for base, section in self._based()]
        found = [(base, part) for base, part in parts if part[0]]
        if not found:
            return NOTHING
        if len(found) == 1:
            base, (documents, frequencies) = found[0]
            return shifted(documents, base), frequencies
        return joined([shifted(part[0], base) for base, part in found]), joined([part[1] for _, part in found])

    def _based(self) -> Iterator[tuple[int, Section]]:
        return zip(self._bases, self.sections, strict=False)
