"""The Linux kernel's own account of what happens in folders, complete and in order, or it says that it is not."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, UNMOUNT, OVERFLOW, IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
ONLYDIR, DONT_FOLLOW, EXCL_UNLINK, ISDIR = 0x0100_0000, 0x0200_0000, 0x0400_0000, 0x4000_0000

# To open, to read and to close what was only read changes nothing, and happens all the time.
_WANTED = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
_HOW = ONLYDIR | DONT_FOLLOW | EXCL_UNLINK
_HEAD = struct.Struct("iIII")
_LONGEST = _HEAD.size + 256


class Event(NamedTuple):
    """Something that happened: in which watched folder, what, in which move, to what name."""

    watch: int
    mask: int
    cookie: int
    name: str


class Inotify:
    """One queue of the kernel's; every change is in it before the call that made the change returns."""

    def __init__(self) -> None:
        """Open a queue; OSError where the system has none, or no more of them."""
        if sys.platform != "linux":
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue = _checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._stopped, self._stop = os.pipe()

    def add(self, folder: str) -> int:
        """Watch a folder, not what lies in folders below; the same folder has the same number by whatever name."""
        return _checked(self._libc.inotify_add_watch(self._queue, os.fsencode(folder), _WANTED | _HOW))

    def remove(self, watch: int) -> None:
        """Watch no longer; one that has gone already is fine."""
        self._libc.inotify_rm_watch(self._queue, watch)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until something happened; False when the time is over, or `stop` was called."""
        poll = select.poll()  # one for each call: several threads may wait
        for descriptor in (self._queue, self._stopped):
            poll.register(descriptor, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(None if seconds is None else seconds * 1000)}
        return self._queue in ready and self._stopped not in ready

    def read(self) -> list[Event]:
        """What happened before this call, in order."""
        from fcntl import ioctl  # not on every system
        from termios import FIONREAD

        waiting = struct.unpack("i", ioctl(self._queue, FIONREAD, b"\0\0\0\0"))[0]
        return list(_events(os.read(self._queue, waiting + _LONGEST))) if waiting else []

    def stop(self) -> None:
        """Wake whoever waits."""
        os.write(self._stop, b".")

    def close(self) -> None:
        """Give everything back."""
        for descriptor in (self._queue, self._stopped, self._stop):
            os.close(descriptor)


def _events(data: bytes) -> Iterator[Event]:
    at = 0
    while at < len(data):
        watch, mask, cookie, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        yield Event(watch, mask, cookie, os.fsdecode(data[at : at + length].rstrip(b"\0")))
        at += length


def _checked(answer: int) -> int:
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer
