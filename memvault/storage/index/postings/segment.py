"""One segment on disk: postings, terms, documents and their directory, every part with a checksum."""

from __future__ import annotations

import marshal
import os
from _thread import allocate_lock  # what `threading` gives, without 2 ms of loading it
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from memvault.errors import DamagedIndex
from memvault.storage.index.postings.contents import (
    FileRange,
    PostingLists,
    SegmentInfo,
    narrow_array,
    pack_postings,
    segment_path,
    unpack_postings,
)

_BLOCK = 32  # terms that are read together
_INSIDE = 96  # postings up to this size are stored beside their term
_KEYS = 8_192  # keys that are read together
_MOST_USUAL = (1 << 16) - 1
_MOST_FOUND = 4_096
_ARRAYS = {"places": "Q", "keys": "Q", "first keys": "q"}
MOST_FIELDS = 8
_FIELDS_OF = [tuple(field for field in range(MOST_FIELDS) if fields >> field & 1) for fields in range(1 << MOST_FIELDS)]

_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class TermPostings(NamedTuple):
    """The documents that hold a term in a field, ascending, and how often each does."""

    field: int
    documents: Sequence[int]
    frequencies: Sequence[int]


class StoredPostings(NamedTuple):
    """How many documents hold a term in a field, and their packed postings or where those are."""

    field: int
    holders: int
    packed: bytes | FileRange


Row = tuple[str, Sequence[StoredPostings]]
NOWHERE: tuple[StoredPostings, ...] = ()


class _OpenFile:
    """An open file, closed with its last reader.

    It is apart from its readers, as an object with a finalizer may be passed on while one of its methods runs.
    """

    def __init__(self, path: Path) -> None:
        self.number = os.open(path, _OPEN)

    def __del__(self) -> None:
        if hasattr(self, "number"):
            os.close(self.number)


class SegmentFile:
    """Reads the requested parts of a segment's file, and nothing else."""

    def __init__(self, folder: Path, part: SegmentInfo) -> None:
        self.id = part.id
        self.documents = part.documents
        self._path = segment_path(folder, part.id)
        self._lock = allocate_lock()
        self._file = _OpenFile(self._path)
        self._place = part.directory
        self._directory: Mapping[str, Any] | None = None
        self._keys: array[int] | None = None
        self._lengths: dict[str, array[int]] = {}
        self._found: dict[str, Sequence[StoredPostings]] = {}

    def keys(self) -> array[int]:
        """Return the key of each document, ascending."""
        if self._keys is None:
            keys = array("q")
            for number in range(len(self._read_directory()["first keys"])):
                keys.extend(self._read_keys(number))
            self._keys = keys
        return self._keys

    def lengths(self, field: str) -> array[int]:
        """Return how many terms each document has in a field."""
        known = self._lengths.get(field)
        if known is None:
            code, *place = self._read_directory()["lengths"][field]
            known = self._lengths[field] = array(code, self._read_checked(*place))
        return known

    def total_length(self, field: str) -> int:
        """Return how many terms all documents have in a field."""
        return int(self._read_directory()["totals"][field])

    def longest_length(self, field: str) -> int:
        """Return the most terms that any document has in a field."""
        return int(self._read_directory()["longest"][field])

    def documents_in(self, wanted: range) -> range:
        """Return the documents whose keys lie in a range, without reading all keys."""
        return range(self._key_position(wanted.start), self._key_position(wanted.stop))

    def find_term(self, term: str) -> Sequence[StoredPostings]:
        """Return the stored postings of a term in each field."""
        known = self._found.get(term)
        if known is None:
            if len(self._found) >= _MOST_FOUND:
                self._found = {}
            number = bisect_right(self._read_directory()["firsts"], term) - 1
            known = NOWHERE
            if number >= 0:
                block = self._read_block(number)
                at = bisect_left(block.terms, term)
                if at < len(block.terms) and block.terms[at] == term:
                    known = block.term_at(at)
            self._found[term] = known
        return known

    def posting_count(self, term: str) -> int:
        """Return how many postings a term has in all fields."""
        return sum([held.holders for held in self.find_term(term)])

    def unpack(self, held: StoredPostings) -> PostingLists:
        """Return the postings of a term in a field."""
        packed = held.packed
        if isinstance(packed, FileRange):
            packed = self._read_checked(packed.offset, packed.size, packed.crc)
        return unpack_postings(packed, held.holders)

    def iter_terms(self, first: str = "") -> Iterator[Row]:
        """Yield every term from a first one on, in order."""
        firsts = self._read_directory()["firsts"]
        for number in range(max(bisect_right(firsts, first) - 1, 0), len(firsts)):
            block = self._read_block(number)
            start = bisect_left(block.terms, first)
            yield from islice(zip(block.terms, block.iter_all(), strict=True), start, None)

    def _key_position(self, key: int) -> int:
        """Return how many keys are smaller."""
        if self._keys is not None:
            return bisect_left(self._keys, key)
        number = max(bisect_right(self._read_directory()["first keys"], key) - 1, 0)
        return number * _KEYS + bisect_left(self._read_keys(number), key)

    def _read_keys(self, number: int) -> array[int]:
        places = self._read_directory()["keys"]
        return array("q", self._read_checked(*places[3 * number : 3 * number + 3]))

    def _read_block(self, number: int) -> TermBlock:
        places = self._read_directory()["places"]
        return TermBlock(*marshal.loads(self._read_checked(*places[3 * number : 3 * number + 3])))

    def _read_directory(self) -> Mapping[str, Any]:
        if self._directory is None:
            place = self._place
            found = marshal.loads(self._read_checked(place.offset, place.size, place.crc))
            arrays = {name: array(code, found[name]) for name, code in _ARRAYS.items()}
            self._directory = found | arrays
        return self._directory

    def _read_checked(self, offset: int, size: int, crc: int) -> bytes:
        if hasattr(os, "pread"):
            data = os.pread(self._file.number, size, offset)
        else:
            with self._lock:
                os.lseek(self._file.number, offset, os.SEEK_SET)
                data = os.read(self._file.number, size)
        if len(data) != size or crc32(data) != crc:
            raise DamagedIndex(path=self._path, reason="a part of it is damaged")
        return data


class TermBlock:
    """Consecutive terms, with short postings beside them and the place of long ones."""

    def __init__(
        self, terms: tuple[str, ...], codes: str, numbers: tuple[bytes, ...], start: int, inside: bytes
    ) -> None:
        self.terms = terms
        self._fields = numbers[0]  # one bit for each field that the term stands in
        self._counts, self._sizes = (array(code, data) for code, data in zip(codes, numbers[1:], strict=False))
        self._checks = array("I", numbers[3])
        self._start = start
        self._inside = inside

    def term_at(self, number: int) -> Sequence[StoredPostings]:
        """Return the stored postings of one term."""
        first = sum(map(int.bit_count, self._fields[:number]))
        before = self._sizes[:first]
        long = [size for size in before if size > _INSIDE]
        places = self._posting_places(first, sum(before) - sum(long), self._start + sum(long), len(long))
        return self._stored_postings(self._fields[number], first, places)

    def iter_all(self) -> Iterator[Sequence[StoredPostings]]:
        """Yield the stored postings of each term."""
        row, places = 0, self._posting_places(0, 0, self._start, 0)
        for fields in self._fields:
            yield self._stored_postings(fields, row, places)
            row += fields.bit_count()

    def _stored_postings(self, fields: int, row: int, places: Iterator[bytes | FileRange]) -> Sequence[StoredPostings]:
        return [
            StoredPostings(field, holders, place)
            for field, holders, place in zip(_FIELDS_OF[fields], self._counts[row:], places, strict=False)
        ]

    def _posting_places(self, row: int, inside: int, outside: int, check: int) -> Iterator[bytes | FileRange]:
        for size in self._sizes[row:]:
            if size <= _INSIDE:
                yield self._inside[inside : inside + size]
                inside += size
            else:
                yield FileRange(outside, size, self._checks[check])
                outside, check = outside + size, check + 1


class SegmentBuilder:
    """Writes a segment from its terms in order, and then its documents."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink
        self._at = 0
        self._terms: list[str] = []
        self._fields = bytearray()
        self._counts: list[int] = []
        self._packed: list[bytes] = []
        self._firsts: list[str] = []
        self._places: array[int] = array("Q")

    def add_term(self, term: str, fields: Iterable[TermPostings]) -> None:
        """Add the next term with its postings in each field."""
        if len(self._terms) == _BLOCK:
            self._write_block()
        self._terms.append(term)
        self._fields.append(0)
        for field, documents, frequencies in fields:
            self._fields[-1] |= 1 << field
            self._counts.append(len(documents))
            self._packed.append(pack_postings(documents, frequencies))

    def finish(self, keys: array[int], lengths: Mapping[str, Sequence[int]]) -> FileRange:
        """Write the documents and return where the directory is."""
        if self._terms:
            self._write_block()
        kept = {}
        for name, numbers in lengths.items():
            # Wide enough for nearly all: arrays of one width are joined fast.
            array_ = array("H" if max(numbers, default=0) <= _MOST_USUAL else "I", numbers)
            kept[name] = (array_.typecode, *self._write(array_.tobytes()))
        places = array("Q")
        for start in range(0, len(keys), _KEYS):
            places.extend(self._write(keys[start : start + _KEYS].tobytes()))
        directory = {
            "keys": places.tobytes(),
            "first keys": keys[::_KEYS].tobytes(),
            "lengths": kept,
            "longest": {name: max(numbers, default=0) for name, numbers in lengths.items()},
            "totals": {name: sum(numbers) for name, numbers in lengths.items()},
            "firsts": tuple(self._firsts),
            "places": self._places.tobytes(),
        }
        return FileRange(*self._write(marshal.dumps(directory, 2)))

    def _write_block(self) -> None:
        start = self._at
        checks = array("I", [self._write(data)[2] for data in self._packed if len(data) > _INSIDE])
        inside = b"".join(data for data in self._packed if len(data) <= _INSIDE)
        counts, sizes = narrow_array(self._counts), narrow_array(list(map(len, self._packed)))
        numbers = (bytes(self._fields), counts.tobytes(), sizes.tobytes(), checks.tobytes())
        block = (tuple(self._terms), counts.typecode + sizes.typecode, numbers, start, inside)
        self._firsts.append(self._terms[0])
        self._places.extend(self._write(marshal.dumps(block, 4)))
        self._terms, self._fields, self._counts, self._packed = [], bytearray(), [], []

    def _write(self, data: bytes) -> tuple[int, int, int]:
        self._sink.write(data)
        self._at += len(data)
        return self._at - len(data), len(data), crc32(data)
