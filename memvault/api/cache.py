"""What is kept between two requests: open indexes and models, and private memories that a person unlocked."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import NamedTuple, TypeVar, cast

from memvault.core.memory import Memory
from memvault.errors import MemvaultError
from memvault.open_vault import CachedResource, ResourceCache
from memvault.privacy.private.read import PrivateSearch
from memvault.system import files

Resource = TypeVar("Resource", bound=CachedResource)


class _IdleEntry(NamedTuple):
    resource: CachedResource
    since: float


class OpenIndexCache(ResourceCache):
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


# Private memories that lie open: in this memory alone, and until their time is over.


@dataclass(frozen=True, slots=True)
class _UnlockedSession:
    """What lies open of one vault, and until when: by a clock that may stand still in sleep, and by the day."""

    texts: PrivateSearch
    until: float
    until_by_day: float


class UnlockedMemories:
    """Holds memories for a while; one whose file was changed, or has gone, is held no longer."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, day: Callable[[], float] = time.time) -> None:
        self._clock, self._day = clock, day
        self._lock = Lock()
        self._sessions: dict[str, _UnlockedSession] = {}
        self.has_let_go = False  # of any: their texts lie in this process's memory until it ends

    def __len__(self) -> int:
        """Return how many memories lie open."""
        self.trim()
        with self._lock:
            return sum(len(session.texts.memories) for session in self._sessions.values())

    def hold_memories(self, root: str, memories: Sequence[Memory], seconds: float, *, first: bool) -> None:
        """Hold memories of a vault open; what follows the first of an unlocking joins it, and ends with it."""
        with self._lock:
            before = None if first else self._sessions.get(root)
            if before is None:
                session = _UnlockedSession(PrivateSearch(memories), self._clock() + seconds, self._day() + seconds)
            else:
                texts = PrivateSearch((*before.texts.memories, *memories))
                session = _UnlockedSession(texts, before.until, before.until_by_day)
            self._sessions[root] = session

    def find_memories(self, root: str) -> PrivateSearch | None:
        """Return the memories of a vault that lie open and are as their files have them; None where none do."""
        self.trim()
        with self._lock:
            session = self._sessions.get(root)
            if session is None:
                return None
            kept = [memory for memory in session.texts.memories if _is_unchanged(root, memory)]
            if len(kept) < len(session.texts.memories):
                session = _UnlockedSession(PrivateSearch(kept), session.until, session.until_by_day)
                self._sessions[root] = session
        return session.texts if kept else None

    def forget_memories(self, root: str) -> int:
        """Hold nothing of a vault any more; how many memories lay open."""
        with self._lock:
            session = self._sessions.pop(root, None)
            self.has_let_go |= session is not None
        return len(session.texts.memories) if session else 0

    def trim(self) -> None:
        """Hold nothing any more whose time is over."""
        now, today = self._clock(), self._day()
        with self._lock:
            for root, session in list(self._sessions.items()):
                if now >= session.until or today >= session.until_by_day:
                    del self._sessions[root]
                    self.has_let_go = True

    def close(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            self._sessions.clear()


def _is_unchanged(root: str, memory: Memory) -> bool:
    try:
        return files.digest(files.read_file(Path(root, memory.path))) == memory.version
    except MemvaultError:
        return False
