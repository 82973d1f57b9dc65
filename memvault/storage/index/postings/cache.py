"""What was unfolded last, up to a number of bytes."""

from __future__ import annotations

from _thread import allocate_lock  # what `threading` gives, without 2 ms of loading it
from collections.abc import Hashable
from typing import Any


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
