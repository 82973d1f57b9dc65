"""Each event of an agent is served once, however many hooks were installed for it."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.system import files

# Every hook asks this, so nothing is imported here that it does not need anyway.

# The hooks of one event are started together, but on a busy machine one may come seconds behind the other. The same
# event again has other bytes (a tool's call and a prompt have ids), or comes later than that.
_WINDOW_SECONDS = 5.0
_START_SECONDS = 3_600.0
_FOLDER = "claims"
_WAIT_SECONDS = 0.5
_STARTED = b"begun\n"
_CLEANUP_PREFIX = "00"  # one claim in 256 clears the old ones away


def claim_event(state: Path, payload: bytes, now: datetime) -> bool:
    """Whether this process is the one that serves an event: the first, for some seconds, to be given these bytes.

    `state` is the vault's own state folder, so that hooks for two vaults both serve. Where no claim can be made, it is
    served: better twice than never.
    """
    path = state / _FOLDER / files.digest(payload)
    try:
        if _create_claim(path, now):
            if path.name.startswith(_CLEANUP_PREFIX):
                _remove_expired(path.parent, now)
            return True
        return _is_expired(path, now) and _replace_expired(path, now)
    except (MemvaultError, OSError):
        return True


def claim_write(state: Path, payload: bytes, now: datetime) -> bool:
    """Whether nobody has begun to write what an event asks for; asked under the vault's lock, and then somebody has."""
    path = state / _FOLDER / files.digest(payload)
    try:
        with suppress(FileNotFoundError):  # given back meanwhile
            if path.stat().st_size:
                return False
        files.append_line(path, _STARTED)
        os.utime(path, (now.timestamp(), now.timestamp()))
    except (MemvaultError, OSError):
        return True  # better twice than never
    return True


def release_claim(state: Path, payload: bytes) -> None:
    """Let another process serve an event, where nothing of it was written."""
    path = state / _FOLDER / files.digest(payload)
    with suppress(MemvaultError, OSError), files.lock(path.parent / ".lock", wait=_WAIT_SECONDS):
        if not path.stat().st_size:
            path.unlink()


def claim_hourly_start(path: Path, now: datetime) -> bool:
    """Return whether this process is the one that starts what is to be started once in an hour; `path` is its mark.

    Where the mark cannot be set, nobody starts it: what would be started again and again does more harm.
    """
    try:
        if _create_claim(path, now):
            return True
        with files.lock(path.with_name(f"{path.name}.lock"), wait=0):
            if abs(now.timestamp() - path.stat().st_mtime) < _START_SECONDS:
                return False
            os.utime(path, (now.timestamp(), now.timestamp()))
            return True
    except (MemvaultError, OSError):
        return False


def _create_claim(path: Path, now: datetime) -> bool:
    try:
        is_ours = files.create_claim(path)
    except MemvaultError:  # most often the folder is not there yet
        files.make_folder(path.parent)
        is_ours = files.create_claim(path)
    if is_ours:  # by our clock: a network disk may have another
        os.utime(path, (now.timestamp(), now.timestamp()))
    return is_ours


def _is_expired(path: Path, now: datetime) -> bool:
    return abs(now.timestamp() - path.stat().st_mtime) > _WINDOW_SECONDS


def _replace_expired(path: Path, now: datetime) -> bool:
    """Whether an old claim could be replaced by ours: claims are removed under the lock alone, and old ones alone."""
    with files.lock(path.parent / ".lock", wait=_WAIT_SECONDS):
        with suppress(FileNotFoundError):
            if not _is_expired(path, now):
                return False
            path.unlink()
        return _create_claim(path, now)


def _remove_expired(folder: Path, now: datetime) -> None:
    with suppress(MemvaultError, OSError), files.lock(folder / ".lock", wait=0):
        for claim in folder.iterdir():
            if not claim.name.startswith(".") and _is_expired(claim, now):
                claim.unlink()
