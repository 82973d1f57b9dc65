"""Read whole files: bytes that no writer was in the middle of changing, with their stamp."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path

from memvault.core.value import Record
from memvault.errors import Hindered, Unreadable, Unwritable
from memvault.system.files.links import check_read

# What the operating system refuses, in plain words.

_REASONS = {
    errno.ENOENT: "it, or the folder it belongs in, does not exist",
    errno.ENOTDIR: "part of its path is a file, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EEXIST: "something with that name is in the way",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
    errno.EIO: "the disk reports an error",
    errno.ELOOP: "it is a symbolic link, or leads in a circle of them",
    errno.ENAMETOOLONG: "its name is too long",
    errno.EXDEV: "it lies on another disk than the rest of the vault",
    errno.ENXIO: "it is not an ordinary file",
    errno.EFBIG: "it is too large",
    errno.EBUSY: "another program is using it",
    errno.ENOLCK: "this disk cannot lock files",
}
if hasattr(errno, "EDQUOT"):  # not on Windows
    _REASONS[errno.EDQUOT] = "the disk quota is used up"


def describe_error(error: OSError | ValueError) -> str:
    """Say in plain words why the system refused."""
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0) or error.strerror or "the system refuses"
    return "its name cannot be used here"


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn the system's refusals into Unwritable."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise Unwritable(path=path, reason=describe_error(error)) from error


@contextmanager
def system_errors(path: Path) -> Iterator[None]:
    """Turn any refusal of the system, however far from the files, into an error of ours."""
    try:
        yield
    except BrokenPipeError:  # of whoever is told how it goes on, not of the vault
        raise
    except OSError as error:
        raise Hindered(path=error.filename or path, reason=describe_error(error)) from error


# O_NONBLOCK: opening a pipe must not wait for somebody at its other end. Windows lacks most of these.
OPEN_SAFELY = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | OPEN_SAFELY
_PAUSES = (0.001, 0.002, 0.004, 0.008, 0.016)
_FRESH_NS = 100_000_000
_SECOND_NS = 1_000_000_000
_FIRST, _LAST = -62_100_000_000, 253_300_000_000  # seconds: in the years 2 and 9996
_TICK_NS = 50_000_000  # more than any system takes from one tick of its files' clock to the next
_COARSE_NS = 2_100_000_000  # and on disks that write down whole seconds, or every other one


StatKey = tuple[int, int, int, int]
"""Size, mtime, ctime and inode: a change leaves all four the same only within a tick of the disk's clock."""

COUNTABLE = 0x7FFF_FFFF_FFFF_FFFF  # what SQLite can hold: nanoseconds until the year 2262, and most inodes


def stat_key(found: os.stat_result) -> StatKey:
    """Return what tells that a file has changed, in numbers that can be stored."""
    times = _within_64_bits(found.st_mtime_ns), _within_64_bits(found.st_ctime_ns)
    return found.st_size, *times, _within_64_bits(found.st_ino)


def _within_64_bits(number: int) -> int:
    return number if -COUNTABLE <= number <= COUNTABLE else number & COUNTABLE


class FileStamp(Record):
    """What changes about a file whenever its content does."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> FileStamp:
        """Take the stamp from what the system says of a file."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)

    @property
    def modified(self) -> datetime:
        """Return when the file was changed last; the nearest moment that a calendar has, where a clock was far off."""
        return datetime.fromtimestamp(min(max(self.mtime_ns / 1e9, _FIRST), _LAST), tz=UTC)


def may_change_unseen(*moments: int) -> bool:
    """Return whether a file written right now, to the same size, could keep these times of change."""
    now = _within_64_bits(time.time_ns())
    return any(abs(now - at) < (_TICK_NS if at % _SECOND_NS else _COARSE_NS) for at in moments)


def digest(data: bytes) -> str:
    """Return the fingerprint by which memvault tells one content from another."""
    return digest_parts((data,))


def digest_parts(parts: Iterable[bytes | bytearray]) -> str:
    """Return the digest of all parts taken together."""
    try:
        from _blake2 import blake2b  # hashlib is the same function behind 2 ms of loading OpenSSL
    except ImportError:
        from hashlib import blake2b
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def read_file(path: Path, *, limit: int | None = None) -> bytes:
    """Return what an ordinary file holds, or its first `limit` bytes; never waits, never returns a torn save."""
    return read_stamped(path, limit=limit)[0]


def read_stamped(path: Path, *, limit: int | None = None) -> tuple[bytes, FileStamp]:
    """Return what an ordinary file holds, or its first `limit` bytes, with the stamp of the whole."""
    check_read(path)
    try:
        for pause in _PAUSES:
            data, stamp, steady = _read_once(path, limit=limit)
            # Most editors empty a file and then fill it: an empty file is worth a second look while it is young.
            if steady and not (stamp.size == 0 and 0 <= time.time_ns() - stamp.mtime_ns < _FRESH_NS):
                return data, stamp
            time.sleep(pause)
    except (OSError, ValueError) as error:
        raise Unreadable(path=path, reason=describe_error(error)) from error
    if steady:  # empty, and it stays so
        return data, stamp
    raise Unreadable(path=path, reason="it kept changing while it was read")


def read_known(path: str, size: int, is_it: Callable[[os.stat_result], bool]) -> bytes | None:
    """Return what a file holds that has that size and by its stat is the one that is known; None if it is another."""
    try:
        descriptor = os.open(path, _READ)
        try:
            data = _read_descriptor(descriptor, size, beyond=False)
            # One look, afterwards: what is the known one by then was so all the time.
            return data if is_it(os.fstat(descriptor)) and len(data) == size else None
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise Unreadable(path=Path(path), reason=describe_error(error)) from error


@contextmanager
def open_stream(path: Path) -> Iterator[BufferedReader]:
    """Hold an ordinary file open, to read parts of it; never waits for what is none."""
    check_read(path)
    try:
        descriptor = os.open(path, _READ)
        try:
            _check_regular(path, os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
    except (OSError, ValueError) as error:
        raise Unreadable(path=path, reason=describe_error(error)) from error
    with open(descriptor, "rb") as opened:  # noqa: PTH123 - a descriptor that was looked at, not a path
        try:
            yield opened
        except OSError as error:
            raise Unreadable(path=path, reason=describe_error(error)) from error


def read_raw(path: Path) -> bytes:
    """Return what an ordinary file holds at this moment, torn or not; a symbolic link is an OSError."""
    return _read_once(path, flags=NO_FOLLOW)[0]


def _read_once(path: Path, *, limit: int | None = None, flags: int = 0) -> tuple[bytes, FileStamp, bool]:
    descriptor = os.open(path, _READ | flags)
    try:
        before = os.fstat(descriptor)
        _check_regular(path, before)
        stamp = FileStamp.of(before)
        wanted = stamp.size if limit is None else min(stamp.size, limit)
        data = _read_descriptor(descriptor, wanted, beyond=limit is None)
        return data, stamp, len(data) == wanted and FileStamp.of(os.fstat(descriptor)) == stamp
    finally:
        os.close(descriptor)


def _check_regular(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise Unreadable(path=path, reason="it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable(path=path, reason="it is not an ordinary file")


def _read_descriptor(descriptor: int, wanted: int, *, beyond: bool) -> bytes:
    wanted += beyond  # one byte more than expected tells a file that has grown from one that has not
    data = os.read(descriptor, wanted)
    while len(data) < wanted and (more := os.read(descriptor, wanted - len(data))):
        data += more
    return data
