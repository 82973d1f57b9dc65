"""What came by already, remembered in bounded room: the oldest half is forgotten when it is full."""

from __future__ import annotations

from collections.abc import Hashable

_MOST = 300_000


class Seen:
    """A set of the last few hundred thousand things."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._young: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, thing: Hashable) -> bool:
        key = hash(thing)
        return key in self._young or key in self._old

    def add(self, thing: Hashable) -> bool:
        """Remember it; True where it was known."""
        key = hash(thing)
        if key in self._young or key in self._old:
            return True
        if len(self._young) >= self._most:
            self._old, self._young = self._young, set()
        self._young.add(key)
        return False
