"""Private memories that lie open in the daemon: in its memory alone, and until their time is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from memvault.core.memory import Memory
from memvault.errors import MemvaultError
from memvault.privacy.private.read import PrivateSearch
from memvault.system import files


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
            kept = [memory for memory in session.texts.memories if _is_current(root, memory)]
            if len(kept) < len(session.texts.memories):
                session = _UnlockedSession(PrivateSearch(kept), session.until, session.until_by_day)
                self._sessions[root] = session
        return session.texts if kept else None

    def forget_memories(self, root: str) -> int:
        """Hold nothing of a vault any more; how many memories lay open."""
        with self._lock:
            session = self._sessions.pop(root, None)
        return len(session.texts.memories) if session else 0

    def trim(self) -> None:
        """Hold nothing any more whose time is over."""
        now, today = self._clock(), self._day()
        with self._lock:
            for root, session in list(self._sessions.items()):
                if now >= session.until or today >= session.until_by_day:
                    del self._sessions[root]

    def close(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            self._sessions.clear()


def _is_current(root: str, memory: Memory) -> bool:
    try:
        return files.digest(files.read_file(Path(root, memory.path))) == memory.version
    except MemvaultError:
        return False
