"""Lists of numbers as bytes: as narrow as their largest number allows, and quick to unfold."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice
from operator import attrgetter, sub

NARROW = "BHI"  # 1, 2 and 4 bytes
_WIDTHS = tuple(array(code).itemsize for code in NARROW)
_LIMITS = tuple((1 << 8 * width) - 1 for width in _WIDTHS)
_ALL_ONES = 3  # instead of a width: every frequency is 1

_SEARCHED = 8  # steps of going through a list, for which one number is looked up in it

_ONE = array("B", b"\1")

Postings = tuple["array[int]", "array[int]"]


def narrow(numbers: Sequence[int]) -> array[int]:
    """The numbers in the narrowest array that holds them."""
    return array(NARROW[_width(max(numbers, default=0))], numbers)


def pack(documents: Sequence[int], frequencies: Sequence[int]) -> bytes:
    """One term's documents, ascending, as gaps, and how often it stands in each."""
    if len(documents) == 1 and frequencies[0] == 1:  # half of all terms
        width = _width(documents[0])
        return bytes((width | _ALL_ONES << 4,)) + documents[0].to_bytes(_WIDTHS[width], sys.byteorder)
    gaps = list(map(sub, islice(documents, 1, None), documents))
    first, gap = _width(documents[0]), _width(max(gaps, default=0))
    most = max(frequencies)
    often = _ALL_ONES if most == 1 else _width(most)
    head = bytes((first | gap << 2 | often << 4,)) + documents[0].to_bytes(_WIDTHS[first], sys.byteorder)
    packed = head + array(NARROW[gap], gaps).tobytes()
    return packed if often == _ALL_ONES else packed + array(NARROW[often], frequencies).tobytes()


def unpack(data: bytes, count: int) -> Postings:
    """The documents and frequencies of a term that so many documents hold."""
    if count == 1 and data[0] >> 4 == _ALL_ONES:
        return array("I", (int.from_bytes(data[1:], sys.byteorder),)), _ONE
    first, gap, often = data[0] & 3, data[0] >> 2 & 3, data[0] >> 4
    start = 1 + _WIDTHS[first]
    end = start + (count - 1) * _WIDTHS[gap]
    gaps = array(NARROW[gap], data[start:end])
    documents = array("I", accumulate(gaps, initial=int.from_bytes(data[1:start], sys.byteorder)))
    return documents, _ONE * count if often == _ALL_ONES else array(NARROW[often], data[end:])


def without(found: Postings, gone: Sequence[int]) -> Postings:
    """The same documents without those that are gone."""
    places = _places(found[0], gone)
    return (_cut(found[0], places), _cut(found[1], places)) if places else found


def common(documents: Sequence[int], gone: Sequence[int], away: Callable[[], frozenset[int]]) -> int:
    """How many of the documents are gone."""
    if len(gone) * _SEARCHED > len(documents):
        return len(away().intersection(documents))
    return len(_places(documents, gone))


def shifted(documents: array[int], by: int) -> array[int]:
    """Document numbers of a segment that so many documents stand before."""
    return array("I", [number + by for number in documents]) if by else documents


def joined(parts: Sequence[array[int]]) -> array[int]:
    """Arrays one after the other, as wide as the widest of them."""
    whole = array(max(parts, key=attrgetter("itemsize")).typecode)
    for part in parts:
        whole.extend(part if part.typecode == whole.typecode else array(whole.typecode, part))
    return whole


def has(numbers: Sequence[int], wanted: int) -> bool:
    """Whether a number stands in a list that ascends."""
    at = bisect_left(numbers, wanted)
    return at < len(numbers) and numbers[at] == wanted


def _places(documents: Sequence[int], gone: Sequence[int]) -> list[int]:
    """Where documents stand that are gone."""
    if len(gone) * _SEARCHED > len(documents):
        away = set(gone)
        return [at for at, number in enumerate(documents) if number in away]
    found = ((bisect_left(documents, number), number) for number in gone)
    return [at for at, number in found if at < len(documents) and documents[at] == number]


def _cut(numbers: array[int], places: Iterable[int]) -> array[int]:
    kept, start = array(numbers.typecode), 0
    for at in places:
        kept += numbers[start:at]
        start = at + 1
    return kept + numbers[start:]


def _width(largest: int) -> int:
    if largest <= _LIMITS[0]:
        return 0
    return 1 if largest <= _LIMITS[1] else 2
