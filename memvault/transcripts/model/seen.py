"""What came by already, remembered in bounded room: the oldest half is forgotten when it is full."""

from __future__ import annotations

from array import array
from collections.abc import Hashable

# A conversation of two million turns, each with its id and the line that it stood in, is remembered whole.
MOST = 6_000_000
_SHARDS = 64  # each grows by itself, so that no large table is ever there twice
_FEWEST = 64
_WHOLE = 0xFFFF_FFFF_FFFF_FFFF


class Seen:
    """A set of the last few million things, of each of which eight bytes are kept."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._young, self._old = _shards(), _shards()
        self._count = 0

    def __contains__(self, thing: Hashable) -> bool:
        key = _key(thing)
        shard = key % _SHARDS
        return self._young[shard].has(key) or self._old[shard].has(key)

    def add(self, thing: Hashable) -> bool:
        """Remember it; True where it was known."""
        key = _key(thing)
        shard = key % _SHARDS
        if self._old[shard].has(key):
            return True
        if self._count >= self._most and not self._young[shard].has(key):
            self._old, self._young, self._count = self._young, _shards(), 0
        is_known = self._young[shard].add(key)
        self._count += not is_known
        return is_known


class _Table:
    """Numbers in an array, each at the place that it names itself, or at the next free one."""

    __slots__ = ("_count", "_places")

    def __init__(self) -> None:
        self._places = array("Q")
        self._count = 0

    def has(self, key: int) -> bool:
        """Whether a number is there."""
        return bool(self._places) and self._places[_place(self._places, key)] == key

    def add(self, key: int) -> bool:
        """Put a number in; True where it was there."""
        if 4 * (self._count + 1) > 3 * len(self._places):
            self._grow()
        place = _place(self._places, key)
        if self._places[place] == key:
            return True
        self._places[place] = key
        self._count += 1
        return False

    def _grow(self) -> None:
        places = array("Q", bytes(8 * max(_FEWEST, 2 * len(self._places))))
        for key in filter(None, self._places):
            places[_place(places, key)] = key
        self._places = places


def _place(places: array[int], key: int) -> int:
    """Where a number stands, or where it would."""
    mask = len(places) - 1
    place = key // _SHARDS & mask
    while places[place] and places[place] != key:
        place = (place + 1) & mask
    return place


def _shards() -> list[_Table]:
    return [_Table() for _ in range(_SHARDS)]


def _key(thing: Hashable) -> int:
    return hash(thing) & _WHOLE or _WHOLE  # a zero is a free place
