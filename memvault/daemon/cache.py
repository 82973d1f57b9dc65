"""What is kept open between two requests: indexes and models, each lent to one request at a time."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Hashable
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import NamedTuple, TypeVar, cast

from memvault.errors import MemvaultError
from memvault.open_vault import CachedResource

Resource = TypeVar("Resource", bound=CachedResource)


class _IdleEntry(NamedTuple):
    resource: CachedResource
    since: float


class OpenIndexCache:
    """A shelf that closes nothing until it was idle for long, or memory runs short."""

    def __init__(self, *, idle_seconds: float = 900.0, most: int = 24, clock: Callable[[], float] = monotonic) -> None:
        self._idle_seconds = idle_seconds
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._idle: dict[Hashable, list[_IdleEntry]] = {}
        self._closed = False

    def __len__(self) -> int:
        """Return how many things lie idle."""
        return sum(map(len, self._idle.values()))

    def take(self, key: Hashable, open_: Callable[[], Resource]) -> Resource:
        """Return the one that was put back last, as it has most at hand; a new one where all are lent."""
        while (found := self._take_idle(key)) is not None:
            if found.is_current():
                return cast("Resource", found)
            _close_quietly(found)
        return open_()

    def put_back(self, key: Hashable, thing: CachedResource) -> None:
        """Keep it for the next."""
        with self._lock:
            if not self._closed:
                self._idle.setdefault(key, []).append(_IdleEntry(thing, self._clock()))
                return
        _close_quietly(thing)

    def drop(self, key: Hashable) -> None:
        """Close all that lie idle under a key: what they were opened on is about to go."""
        with self._lock:
            found = self._idle.pop(key, [])
        for put in found:
            _close_quietly(put.resource)

    def trim(self, *, everything: bool = False) -> None:
        """Close what has lain idle for long, and what there are too many of, the oldest first."""
        with self._lock:
            puts = sorted((put.since, number) for number, put in enumerate(self._list_idle()))
            before = self._clock() - self._idle_seconds
            surplus = len(puts) if everything else max(0, len(puts) - self._most)
            going = {number for place, (at, number) in enumerate(puts) if place < surplus or at < before}
            gone = [put for number, put in enumerate(self._list_idle()) if number in going]
            for key, kept in list(self._idle.items()):
                self._idle[key] = [put for put in kept if put not in gone]
        for put in gone:
            _close_quietly(put.resource)
        if gone:
            gc.collect()

    def close(self) -> None:
        """Close everything, now and when it is put back."""
        self._closed = True
        self.trim(everything=True)

    def _take_idle(self, key: Hashable) -> CachedResource | None:
        with self._lock:
            kept = self._idle.get(key)
            return kept.pop().resource if kept else None

    def _list_idle(self) -> list[_IdleEntry]:
        return [put for kept in self._idle.values() for put in kept]


def _close_quietly(thing: CachedResource) -> None:
    with suppress(MemvaultError, OSError):
        thing.close()


def used_megabytes() -> float:
    """Return what this process takes of the machine's memory; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0.0
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - no file of anybody's
            pages = int(file.read().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
