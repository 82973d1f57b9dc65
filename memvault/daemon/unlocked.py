"""Private memories that lie open in the daemon: in its memory alone, and until their time is over."""

from __future__ import annotations

import json
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Self

from memvault.core.memory import Memory
from memvault.errors import MemvaultError
from memvault.privacy.private.read import PrivateSearch
from memvault.system import files, ipc_client
from memvault.system import ipc_protocol as protocol

_ANSWER_SECONDS = 5.0
_MAX_BATCH_BYTES = 4_000_000  # bytes of notes in one frame


@dataclass(frozen=True, slots=True)
class UnlockedNote:
    """A private note in the clear: where it is sealed, what is sealed there, and its bytes."""

    path: str
    version: str
    note: bytes


@dataclass(frozen=True, slots=True)
class UnlockMessage:
    """Notes to hold open for a vault; the first message of an unlocking takes the place of what lay open before."""

    root: str
    seconds: float
    first: bool
    notes: tuple[UnlockedNote, ...]

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Return the message in the bytes of a request."""
        said = json.loads(data)
        notes = tuple(UnlockedNote(path, version, b64decode(note)) for path, version, note in said["notes"])
        return cls(str(said["root"]), float(said["seconds"]), bool(said["first"]), notes)

    def encode(self) -> bytes:
        """Return the bytes that `read` reads."""
        notes = [(one.path, one.version, b64encode(one.note).decode()) for one in self.notes]
        said = {"root": self.root, "seconds": self.seconds, "first": self.first, "notes": notes}
        return json.dumps(said).encode()


# -- the side of the command


def unlock_notes(root: Path, notes: Sequence[UnlockedNote], seconds: float, *, environment: Mapping[str, str]) -> bool:
    """Have the daemon hold notes open for a while; whether it does."""
    if environment.get(ipc_client.OFF):
        return False
    for number, part in enumerate(_split_batches(notes)):
        message = UnlockMessage(os.path.realpath(root), seconds, number == 0, part)
        if not _ask_daemon(protocol.UNLOCK, message.encode(), environment):
            lock_notes(root, environment=environment)
            return False
    return True


def lock_notes(root: Path, *, environment: Mapping[str, str]) -> bool:
    """Have the daemon forget what lies open of a vault; whether anything did."""
    told = _ask_daemon(protocol.LOCK, os.fsencode(os.path.realpath(root)), environment)
    return bool(told) and told[0] != b"0"


def _ask_daemon(kind: bytes, data: bytes, environment: Mapping[str, str]) -> list[bytes]:
    with suppress(ipc_client.NoReply):
        return ipc_client.send_request(kind, (), data, within=_ANSWER_SECONDS, environment=environment) or []
    return []


def _split_batches(notes: Sequence[UnlockedNote]) -> Iterator[tuple[UnlockedNote, ...]]:
    part: list[UnlockedNote] = []
    size = 0
    for one in notes:
        if part and size + len(one.note) > _MAX_BATCH_BYTES:
            yield tuple(part)
            part, size = [], 0
        part.append(one)
        size += len(one.note)
    yield tuple(part)


# -- the side of the daemon


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
