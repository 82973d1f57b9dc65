"""Hand opened notes to the daemon, which holds them in its memory for a while."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from memvault.system import ipc_client
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
