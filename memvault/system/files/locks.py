"""Lock for one writer at a time; the system releases the lock when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident  # all that is needed of threading, which costs half a millisecond
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memvault.errors import Busy
from memvault.system.files.links import check_write
from memvault.system.files.reader import NO_FOLLOW, OPEN_SAFELY, write_errors

_LOCK = os.O_RDWR | os.O_CREAT | NO_FOLLOW | OPEN_SAFELY
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.01

# What this process holds, by thread: a fork or another thread must queue like anybody else.
_held_locks: set[tuple[int, int, str]] = set()


@contextmanager
def lock(path: Path, *, wait: float) -> Iterator[None]:
    """Hold a lock as the only writer, or raise Busy after `wait` seconds; a thread may take it again."""
    key = (os.getpid(), get_ident(), os.path.realpath(path))
    if key in _held_locks:
        yield
        return
    descriptor = _acquire_lock(path, wait)
    _held_locks.add(key)
    try:
        yield
    finally:
        _held_locks.discard(key)
        _release_lock(descriptor)


def _acquire_lock(path: Path, wait: float) -> int:
    check_write(path)
    check_write(path.with_name(f"{path.name}.turn"))
    until = time.monotonic() + wait
    with write_errors(path):
        try:
            # Whoever just let go would nearly always be the first to take it again: so all queue for the next turn.
            turn = _open_locked(path.with_name(f"{path.name}.turn"), until)
            try:
                return _open_locked(path, until)
            finally:
                _release_lock(turn)
        except TimeoutError as error:
            raise Busy(path=path, seconds=wait) from error


def _open_locked(file: Path, until: float) -> int:
    while True:
        descriptor = os.open(file, _LOCK, 0o600)
        try:
            _wait_for_lock(descriptor, until)
            if _is_current(descriptor, file):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # the file was removed while we queued: a lock on what is gone keeps nobody out


def _wait_for_lock(descriptor: int, until: float) -> None:
    pause = _FIRST_PAUSE
    while not _try_lock(descriptor):
        if time.monotonic() >= until:
            raise TimeoutError
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _is_current(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.lstat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release_lock(descriptor: int) -> None:
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
            os.close(descriptor)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release_lock(descriptor: int) -> None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing would not do while a forked child has it open too
            os.close(descriptor)
