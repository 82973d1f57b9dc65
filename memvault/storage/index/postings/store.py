"""The term index of one folder: changed in commits, read as the last of them left it."""

from __future__ import annotations

from _thread import allocate_lock  # what `threading` gives, without 2 ms of loading it
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import merge
from itertools import accumulate, groupby, takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from memvault.errors import DamagedIndex
from memvault.storage.index.postings.contents import (
    PostingLists,
    SegmentInfo,
    TableOfContents,
    count_deleted,
    join_arrays,
    read_contents,
    shift_numbers,
    without_deleted,
)
from memvault.storage.index.postings.segment import SegmentFile

# Shared by all who have one index open in a process: its segment files and their decoded values.


class SharedFiles:
    """The cache and the open segments of one folder, kept as long as anybody uses them."""

    def __init__(self, folder: Path, cache_bytes: int) -> None:
        self.cache = ByteCache(cache_bytes)
        self._folder = folder
        self._files: WeakValueDictionary[str, SegmentFile] = WeakValueDictionary()

    def segment_file(self, part: SegmentInfo) -> SegmentFile:
        """Return the file of a segment; two threads may both open it, and one of the two stays."""
        known = self._files.get(part.id)
        if known is None:
            known = self._files[part.id] = SegmentFile(self._folder, part)
        return known


_known: WeakValueDictionary[tuple[Path, int], SharedFiles] = WeakValueDictionary()
_lock = allocate_lock()


def shared_files(folder: Path, cache_bytes: int) -> SharedFiles:
    """Return the shared files of a folder, so that threads do not each decode and keep the same."""
    with _lock:
        known = _known.get((folder, cache_bytes))
        if known is None:
            known = _known[folder, cache_bytes] = SharedFiles(folder, cache_bytes)
        return known


Texts = Mapping[str, Sequence[str]]

CACHE_BYTES = 96 << 20
_TRIES = 10
_SEVERAL = 3  # fewer segments are not merged, unless they have deletions


class PostingStore:
    """Documents with a 64-bit key, never used twice, and the terms of each in some fields."""

    def __init__(self, folder: Path, fields: tuple[str, ...], *, cache_bytes: int = CACHE_BYTES) -> None:
        self._folder = folder
        self._fields = fields
        self._shared = shared_files(folder, cache_bytes)
        self.cache = self._shared.cache  # of decoded values, for all who have this index open in this process
        self._files: dict[str, SegmentFile] = {}
        self._reading: IndexSnapshot | None = None
        self._contents: TableOfContents | None = None  # of the snapshot

    # -- reading

    def snapshot(self) -> IndexSnapshot:
        """Return what the last commit of any process left; the same object until there is another."""
        for _ in range(_TRIES):
            contents = read_contents(self._folder, self._fields, known=self._contents)
            known = self._reading
            if known is not None and known.state == contents.state:
                self._contents = contents
                return known
            try:
                self._reading = IndexSnapshot(contents, self._fields, self._open_files(contents), self._shared.cache)
            except FileNotFoundError:  # a commit has just merged it away
                continue
            self._contents = contents
            return self._reading
        raise DamagedIndex(path=self._folder, reason="a segment of it is missing")

    def state(self) -> str:
        """Return a word that differs after every change by any process."""
        return read_contents(self._folder, self._fields, known=self._contents).state

    def _open_files(self, contents: TableOfContents) -> list[SegmentFile]:
        known = self._files
        self._files = {part.id: known.get(part.id) or self._shared.segment_file(part) for part in contents.parts}
        return list(self._files.values())

    # -- changing

    def replace(self, documents: Iterable[tuple[int, Texts]], gone: Iterable[range] = ()) -> None:
        """Add documents and delete those whose keys lie in some ranges: all of it or, on failure, nothing."""
        from memvault.storage.index.postings.write import replace_documents  # deferred: loads Whoosh

        with suppress(FileNotFoundError):  # a commit merged it away
            # Kept open, so that repeated writes do not read a large segment's directory each time.
            self._open_files(read_contents(self._folder, self._fields, known=self._contents))
        replace_documents(self._folder, self._fields, documents, gone, opened=self._files)

    def merge_if_idle(self) -> bool:
        """Merge segments if that pays; return whether it did. Nothing depends on it."""
        if all(not section.gone for section in self.snapshot().sections) and len(self.snapshot().sections) < _SEVERAL:
            return False
        from memvault.storage.index.postings.write import merge_segments

        return merge_segments(self._folder, self._fields)

    def optimise(self) -> None:
        """Merge all segments into one, without deleted documents."""
        from memvault.storage.index.postings.write import merge_segments

        merge_segments(self._folder, self._fields, all_segments=True)

    def close(self) -> None:
        """Release files and cached values; others who have them open decode again what they need."""
        self._reading = self._contents = None
        self._files = {}
        self._shared.cache.clear()


class ByteCache:
    """Keeps the values used last, up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._lock = allocate_lock()
        self._held: dict[Hashable, tuple[int, Any]] = {}

    def get(self, key: Hashable) -> Any:
        """Return the value of a key, or None."""
        with self._lock:
            found = self._held.pop(key, None)
            if found is None:
                return None
            self._held[key] = found  # now the last one to be dropped
            return found[1]

    def put(self, key: Hashable, value: Any, *, size: int) -> None:
        """Keep a value of this many bytes."""
        with self._lock:
            self._taken += size - self._held.pop(key, (0, None))[0]
            self._held[key] = (size, value)
            while self._taken > self._most and self._held:
                self._taken -= self._held.pop(next(iter(self._held)))[0]

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._held.clear()
            self._taken = 0


# A snapshot of an index as one commit left it, whatever is written meanwhile.

GONE = -1  # in place of the key of a deleted document
_BYTES, _FIXED = 5, 300  # of a cached posting, and of each list
NOTHING: PostingLists = (array("I"), array("B"))


class SegmentView:
    """One segment of a snapshot, with its deleted documents; documents are numbered from 0."""

    def __init__(self, file: SegmentFile, gone: array[int], numbers: Mapping[str, int], cache: ByteCache) -> None:
        self.id = file.id
        self.size = file.documents
        self.gone = gone
        self.file = file
        self.keys, self.lengths = file.keys, file.lengths  # deleted documents included
        self._numbers = numbers
        self._names = tuple(numbers)
        self._cache = cache
        self._away: frozenset[int] | None = None
        self._clipped: dict[str, array[int]] = {}

    def clipped_lengths(self, field: str, most: int) -> array[int]:
        """Return the lengths, none above `most`."""
        if self.file.longest_length(field) <= most:
            return self.file.lengths(field)
        if field not in self._clipped:
            lengths = self.file.lengths(field)
            self._clipped[field] = array(lengths.typecode, [min(length, most) for length in lengths])
        return self._clipped[field]

    def deleted(self) -> frozenset[int]:
        """Return the deleted documents."""
        if self._away is None:
            self._away = frozenset(self.gone)
        return self._away

    def postings(self, field: str, term: str) -> PostingLists:
        """Return the documents that hold a term in a field, ascending, and how often. Not to be changed."""
        return self.postings_by_field(term).get(field, NOTHING)

    def postings_by_field(self, term: str) -> Mapping[str, PostingLists]:
        """Return the postings of a term in every field, decoded and cached together."""
        key = (self.id, term)
        known: Mapping[str, PostingLists] | None = self._cache.get(key)
        if known is None:
            found, unpacked, names = self.file.find_term(term), self.file.unpack, self._names
            known = {names[held.field]: unpacked(held) for held in found}
            self._cache.put(key, known, size=sum([_FIXED + _BYTES * held.holders for held in found]))
        return known

    def holder_counts(self, term: str) -> Iterator[tuple[str, int]]:
        """Yield the fields of a term with how many live documents hold it there."""
        for held in self.file.find_term(term):
            name = self._names[held.field]
            gone = count_deleted(self.postings_by_field(term)[name][0], self.gone, self.deleted) if self.gone else 0
            yield name, held.holders - gone

    def total_length(self, field: str) -> int:
        """Return how many terms the live documents have in a field."""
        lengths = self.lengths(field) if self.gone else ()
        return self.file.total_length(field) - sum(lengths[number] for number in self.gone)


class IndexSnapshot:
    """All documents, numbered from 0 over the segments; numbers and lists hold for this snapshot only."""

    def __init__(
        self, contents: TableOfContents, fields: tuple[str, ...], files: Sequence[SegmentFile], cache: ByteCache
    ) -> None:
        self.state = contents.state
        self.size = sum(part.documents for part in contents.parts)
        self.count = self.size - sum(len(part.gone) for part in contents.parts)
        self._numbers = {field: number for number, field in enumerate(fields)}
        self._files = files
        self.sections = [
            SegmentView(file, part.gone, self._numbers, cache) for file, part in zip(files, contents.parts, strict=True)
        ]
        self._bases = list(accumulate((part.documents for part in contents.parts), initial=0))
        self._cache = cache
        self._keys: array[int] | None = None

    def keys(self) -> array[int]:
        """Return the key of each document, GONE for a deleted one."""
        if self._keys is None:
            if len(self.sections) == 1 and not self.sections[0].gone:
                self._keys = self.sections[0].keys()
            else:
                self._keys = join_arrays([section.keys() for section in self.sections] or [array("q")])
                for base, section in self._based_sections():
                    for number in section.gone:
                        self._keys[base + number] = GONE
        return self._keys

    def longest(self, field: str) -> int:
        """Return at least the most terms that any document has in a field."""
        return max((file.longest_length(field) for file in self._files), default=0)

    def total_length(self, field: str) -> int:
        """Return how many terms all documents have in a field."""
        return sum(section.total_length(field) for section in self.sections)

    def holder_count(self, field: str, term: str) -> int:
        """Return how many documents hold a term in a field."""
        return self.holder_counts(term).get(field, 0)

    def holder_counts(self, term: str) -> dict[str, int]:
        """Return how many documents hold a term, by field."""
        found: dict[str, int] = {}
        for section in self.sections:
            for field, count in section.holder_counts(term):
                found[field] = found.get(field, 0) + count
        return found

    def postings(self, field: str, term: str) -> PostingLists:
        """Return the documents that hold a term in a field, ascending, and how often. Not to be changed."""
        key = (self.state, field, term)
        known: PostingLists | None = self._cache.get(key)
        if known is None:
            known = self._find_postings(field, term)
            self._cache.put(key, known, size=_FIXED + _BYTES * len(known[0]))
        return known

    def terms(self, field: str, prefix: str) -> Iterator[str]:
        """Yield the terms of a field with a prefix, in order; some may stand in deleted documents only."""
        wanted = self._numbers[field]
        rows = merge(*(file.iter_terms(prefix) for file in self._files), key=itemgetter(0))
        for term, found in groupby(takewhile(lambda row: row[0].startswith(prefix), rows), key=itemgetter(0)):
            if any(held.field == wanted for _, each in found for held in each):
                yield term

    def _find_postings(self, field: str, term: str) -> PostingLists:
        parts = ((base, section.postings(field, term), section.gone) for base, section in self._based_sections())
        found = [(base, part) for base, held, gone in parts if (part := without_deleted(held, gone))[0]]
        if not found:
            return NOTHING
        if len(found) == 1:
            base, (documents, frequencies) = found[0]
            return shift_numbers(documents, base), frequencies
        return join_arrays([shift_numbers(part[0], base) for base, part in found]), join_arrays(
            [part[1] for _, part in found]
        )

    def _based_sections(self) -> Iterator[tuple[int, SegmentView]]:
        return zip(self._bases, self.sections, strict=False)
