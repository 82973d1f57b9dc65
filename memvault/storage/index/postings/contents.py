"""The table of contents of a term index: its segments after one commit, and which documents are deleted."""

from __future__ import annotations

import marshal
import os
import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, islice
from operator import attrgetter, sub
from pathlib import Path
from time import sleep
from zlib import crc32

from memvault.core.value import Record
from memvault.errors import DamagedIndex

# Whoosh names its files by these, and finds the latest generation and leftovers by them.
NAME = "MAIN"
SEGMENT = ".seg"
_PREFIX, _SUFFIX = f"_{NAME}_", ".toc"

VERSION = 3
NEVER_WRITTEN = "0"
_CRC = 4
_TRIES, _PAUSE = 20, 0.005


class FileRange(Record):
    """A range of a file and its checksum."""

    offset: int
    size: int
    crc: int


class SegmentInfo(Record):
    """One segment: its file, its number of documents, the place of its directory, the deleted documents."""

    id: str
    documents: int
    directory: FileRange
    gone: array[int]  # document numbers, ascending


class CommitSeal(Record):
    """Proves that no commit followed: the file is unchanged and the next one does not exist."""

    path: str
    next: str
    mark: tuple[int, ...]

    def is_intact(self) -> bool:
        """Return whether the commit is still the latest, for a tenth of what listing and reading cost."""
        try:
            return _stat_mark(os.stat(self.path)) == self.mark and not os.path.exists(self.next)  # noqa: PTH110, PTH116
        except OSError:
            return False


class TableOfContents(Record):
    """All segments of one generation, the largest first."""

    generation: int
    parts: tuple[SegmentInfo, ...]
    state: str = ""
    seal: CommitSeal | None = None


def segment_path(folder: Path, id_: str) -> Path:
    """Return the file of a segment."""
    return folder / f"{id_}{SEGMENT}"


def encode_contents(contents: TableOfContents, fields: tuple[str, ...]) -> bytes:
    """Return a table of contents as bytes: plain numbers and a checksum, nothing that could run when read."""
    parts = [
        (part.id, part.documents, part.directory.offset, part.directory.size, part.directory.crc, part.gone.tobytes())
        for part in contents.parts
    ]
    data = marshal.dumps((VERSION, sys.byteorder, fields, contents.generation, parts), 2)
    return crc32(data).to_bytes(_CRC, "little") + data


def read_contents(folder: Path, fields: tuple[str, ...], *, known: TableOfContents | None = None) -> TableOfContents:
    """Return the table of contents of the latest commit; an index never written to is empty.

    Returns `known` itself where that is still the latest.
    """
    if known is not None and known.seal is not None and known.seal.is_intact():
        return known
    for _ in range(_TRIES):
        names: list[str] = []
        with suppress(FileNotFoundError):
            names = os.listdir(folder)  # noqa: PTH208  # names are all that is needed
        ours = [name for name in names if name.startswith(_PREFIX) and name.endswith(_SUFFIX)]
        numbers = [name[len(_PREFIX) : -len(_SUFFIX)] for name in ours]
        generations = [int(number) for number in numbers if number.isdecimal()]
        if not generations:
            if not any(name.endswith(SEGMENT) for name in names):
                return TableOfContents(0, (), NEVER_WRITTEN)
        else:
            try:
                data, seal = _read_sealed(folder, max(generations))
            except FileNotFoundError:  # a commit has just removed it
                continue
            return _decode_contents(folder, fields, data, max(generations), seal)
        sleep(_PAUSE)  # a listing taken during a commit may hold neither the old one nor the new one
    raise DamagedIndex(path=folder, reason="its table of contents is missing")


def _read_sealed(folder: Path, generation: int) -> tuple[bytes, CommitSeal]:
    path, after = (str(folder / f"{_PREFIX}{number}{_SUFFIX}") for number in (generation, generation + 1))
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(), CommitSeal(path, after, _stat_mark(os.fstat(file.fileno())))


def _stat_mark(found: os.stat_result) -> tuple[int, ...]:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _decode_contents(
    folder: Path, fields: tuple[str, ...], data: bytes, generation: int, seal: CommitSeal
) -> TableOfContents:
    crc = crc32(data[_CRC:])
    state = f"{generation}:{crc:08x}"
    if len(data) <= _CRC or crc.to_bytes(_CRC, "little") != data[:_CRC]:
        raise DamagedIndex(path=folder, reason="its table of contents is damaged")
    version, order, names, written, parts = marshal.loads(data[_CRC:])
    if (version, order, names, written) != (VERSION, sys.byteorder, fields, generation):
        raise DamagedIndex(path=folder, reason="it was written by another version")
    return TableOfContents(
        generation,
        tuple(
            SegmentInfo(id_, documents, FileRange(offset, size, check), array("I", gone))
            for id_, documents, offset, size, check, gone in parts
        ),
        state,
        seal,
    )


# Lists of numbers as bytes: as narrow as their largest number allows, and fast to decode.

NARROW = "BHI"  # 1, 2 and 4 bytes
_WIDTHS = tuple(array(code).itemsize for code in NARROW)
_LIMITS = tuple((1 << 8 * width) - 1 for width in _WIDTHS)
_ALL_ONES = 3  # instead of a width: every frequency is 1

_SEARCHED = 8  # looking up one number costs as much as this many steps through a list

_ONE = array("B", b"\1")

PostingLists = tuple["array[int]", "array[int]"]


def narrow_array(numbers: Sequence[int]) -> array[int]:
    """Return the numbers in the narrowest array that holds them."""
    return array(NARROW[_width_of(max(numbers, default=0))], numbers)


def pack_postings(documents: Sequence[int], frequencies: Sequence[int]) -> bytes:
    """Return one term's documents, ascending, as gaps, and how often it stands in each."""
    if len(documents) == 1 and frequencies[0] == 1:  # half of all terms
        width = _width_of(documents[0])
        return bytes((width | _ALL_ONES << 4,)) + documents[0].to_bytes(_WIDTHS[width], sys.byteorder)
    gaps = list(map(sub, islice(documents, 1, None), documents))
    first, gap = _width_of(documents[0]), _width_of(max(gaps, default=0))
    most = max(frequencies)
    frequency = _ALL_ONES if most == 1 else _width_of(most)
    head = bytes((first | gap << 2 | frequency << 4,)) + documents[0].to_bytes(_WIDTHS[first], sys.byteorder)
    packed = head + array(NARROW[gap], gaps).tobytes()
    return packed if frequency == _ALL_ONES else packed + array(NARROW[frequency], frequencies).tobytes()


def unpack_postings(data: bytes, count: int) -> PostingLists:
    """Return the documents and frequencies of a term that `count` documents hold."""
    if count == 1 and data[0] >> 4 == _ALL_ONES:
        return array("I", (int.from_bytes(data[1:], sys.byteorder),)), _ONE
    first, gap, frequency = data[0] & 3, data[0] >> 2 & 3, data[0] >> 4
    start = 1 + _WIDTHS[first]
    end = start + (count - 1) * _WIDTHS[gap]
    gaps = array(NARROW[gap], data[start:end])
    documents = array("I", accumulate(gaps, initial=int.from_bytes(data[1:start], sys.byteorder)))
    return documents, _ONE * count if frequency == _ALL_ONES else array(NARROW[frequency], data[end:])


def without_deleted(found: PostingLists, gone: Sequence[int]) -> PostingLists:
    """Return the postings without the deleted documents."""
    places = _deleted_positions(found[0], gone)
    return (_cut_positions(found[0], places), _cut_positions(found[1], places)) if places else found


def count_deleted(documents: Sequence[int], gone: Sequence[int], away: Callable[[], frozenset[int]]) -> int:
    """Return how many of the documents are deleted."""
    if len(gone) * _SEARCHED > len(documents):
        return len(away().intersection(documents))
    return len(_deleted_positions(documents, gone))


def shift_numbers(documents: array[int], by: int) -> array[int]:
    """Return a segment's document numbers counted over all segments."""
    return array("I", [number + by for number in documents]) if by else documents


def join_arrays(parts: Sequence[array[int]]) -> array[int]:
    """Return the arrays one after the other, as wide as the widest."""
    whole = array(max(parts, key=attrgetter("itemsize")).typecode)
    for part in parts:
        whole.extend(part if part.typecode == whole.typecode else array(whole.typecode, part))
    return whole


def contains_number(numbers: Sequence[int], wanted: int) -> bool:
    """Return whether an ascending list holds a number."""
    at = bisect_left(numbers, wanted)
    return at < len(numbers) and numbers[at] == wanted


def _deleted_positions(documents: Sequence[int], gone: Sequence[int]) -> list[int]:
    """Return the positions of the deleted documents."""
    if len(gone) * _SEARCHED > len(documents):
        away = set(gone)
        return [at for at, number in enumerate(documents) if number in away]
    found = ((bisect_left(documents, number), number) for number in gone)
    return [at for at, number in found if at < len(documents) and documents[at] == number]


def _cut_positions(numbers: array[int], places: Iterable[int]) -> array[int]:
    kept, start = array(numbers.typecode), 0
    for at in places:
        kept += numbers[start:at]
        start = at + 1
    return kept + numbers[start:]


def _width_of(largest: int) -> int:
    if largest <= _LIMITS[0]:
        return 0
    return 1 if largest <= _LIMITS[1] else 2
