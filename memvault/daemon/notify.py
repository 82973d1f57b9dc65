"""The source on Linux: the kernel tells of every change, and of having lost count."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.daemon.changes import (
    POLL_SECONDS,
    ChangeSet,
    ChangeSource,
    Coverage,
    MountWatcher,
    PollingSource,
    find_foreign_disk,
)
from memvault.errors import Unreadable
from memvault.storage.vault.layout import ENDINGS

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent


# The Linux kernel's own account of what happens in folders, complete and in order, or it says that it is not.

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, UNMOUNT, OVERFLOW, IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
ONLYDIR, DONT_FOLLOW, EXCL_UNLINK, ISDIR = 0x0100_0000, 0x0200_0000, 0x0400_0000, 0x4000_0000

# To open, to read and to close what was only read changes nothing, and happens all the time.
_EVENT_MASK = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
_WATCH_FLAGS = ONLYDIR | DONT_FOLLOW | EXCL_UNLINK
_HEAD = struct.Struct("iIII")
_MAX_EVENT_BYTES = _HEAD.size + 256


class InotifyEvent(NamedTuple):
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
        self._queue = _check_result(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._stopped, self._stop = os.pipe()

    def add(self, folder: str) -> int:
        """Watch a folder, not what lies in folders below; the same folder has the same number by whatever name."""
        return _check_result(self._libc.inotify_add_watch(self._queue, os.fsencode(folder), _EVENT_MASK | _WATCH_FLAGS))

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

    def read(self) -> list[InotifyEvent]:
        """Return what happened before this call, in order."""
        from fcntl import ioctl  # not on every system
        from termios import FIONREAD

        waiting = struct.unpack("i", ioctl(self._queue, FIONREAD, b"\0\0\0\0"))[0]
        return list(_parse_events(os.read(self._queue, waiting + _MAX_EVENT_BYTES))) if waiting else []

    def stop(self) -> None:
        """Wake whoever waits."""
        os.write(self._stop, b".")

    def close(self) -> None:
        """Give everything back."""
        for descriptor in (self._queue, self._stopped, self._stop):
            os.close(descriptor)


def _parse_events(data: bytes) -> Iterator[InotifyEvent]:
    at = 0
    while at < len(data):
        watch, mask, cookie, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        yield InotifyEvent(watch, mask, cookie, os.fsdecode(data[at : at + length].rstrip(b"\0")))
        at += length


def _check_result(answer: int) -> int:
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


PAIR_SECONDS = 0.002  # a move is told in two halves, the second at once after the first
_LIMIT_ERRORS = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_LOSS_MASK = OVERFLOW | UNMOUNT
_SELF_MASK = DELETE_SELF | MOVE_SELF


class InotifySource:
    """Hears every change in the folders that it follows."""

    def __init__(self, root: Path, on_change: Callable[[ChangeSet], None], *, limitation: str = "") -> None:
        """Begin to listen, to no folder yet; OSError where the system does not allow it.

        `foreign` says why what is heard cannot be all, where that is so.
        """
        self.coverage = Coverage.LITTLE if limitation else Coverage.ALL
        self.limitation = limitation
        self._root = os.path.realpath(root)
        self._on_change = on_change
        self._inotify = Inotify()
        self._mounts = MountWatcher(root)
        self._folders: dict[int, str] = {}
        self._read_lock = threading.Lock()  # events are read, and passed on, by one thread at a time
        self._is_closed = False
        self._thread = threading.Thread(target=self._read_loop, name="memvault-ear", daemon=True)
        self._thread.start()

    def watch_folders(self, below: str, folders: Iterable[str]) -> None:
        """Listen to these folders, and no longer to others below that one; OSError where there are too many.

        Raises Unreadable where the vault's own folder is not there: of others, the one above them tells.
        """
        followed: set[int] = set()
        for folder in folders:
            with self._read_lock:  # an event must not be read before it is known where it happened
                if self._is_closed:
                    return
                try:
                    watch = self._inotify.add(os.path.join(self._root, folder))  # noqa: PTH118 - a name, not a path
                except OSError as error:
                    if error.errno in _LIMIT_ERRORS:
                        raise
                    if not folder:
                        raise Unreadable(path=self._root, reason=error.strerror) from None
                    continue  # gone already, or nobody may read it: then it is not listed either
                self._folders[watch] = folder
                followed.add(watch)
        with self._read_lock:
            self._forget_watches(
                {watch for watch, folder in self._folders.items() if folder.startswith(below)} - followed
            )

    def catch_up(self) -> bool:
        """Pass on what happened before this call: the kernel queues a change before the change itself is done."""
        with self._read_lock:
            if self._is_closed:
                return False
            hints = ChangeSet(everything=self._mounts.has_changed())
            if self._collect_changes(hints) and self._inotify.wait(PAIR_SECONDS):
                self._collect_changes(hints)
            if hints:
                self._on_change(hints)
        return True

    def close(self) -> None:
        """Hear no more."""
        with self._read_lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._inotify.stop()
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._mounts.close()
        self._inotify.close()

    def _read_loop(self) -> None:
        try:
            while self._inotify.wait():
                self.catch_up()
        except OSError as error:
            self.coverage, self.limitation = Coverage.LITTLE, str(error)

    def _collect_changes(self, hints: ChangeSet) -> bool:
        """Read what there is; says whether a move was only half told."""
        halves: set[int] = set()
        for event in self._inotify.read():
            if event.mask & (MOVED_FROM | MOVED_TO):
                halves ^= {event.cookie}
            self._add_event(event, hints)
        return bool(halves)

    def _add_event(self, event: InotifyEvent, hints: ChangeSet) -> None:
        if event.mask & _LOSS_MASK:
            hints.everything = True
        folder = self._folders.get(event.watch)
        if folder is None:
            return
        if event.mask & IGNORED:
            del self._folders[event.watch]
        elif event.name:
            hints.add_event(folder, event.name, is_folder=bool(event.mask & ISDIR))
        elif not folder:
            hints.everything |= bool(event.mask & _SELF_MASK)  # of other folders, the one above them tells
        else:
            hints.folders.add(folder)

    def _forget_watches(self, watches: set[int]) -> None:
        for watch in watches:
            del self._folders[watch]
            with suppress(OSError):
                self._inotify.remove(watch)


# Choosing a source: what this system, and the disk that a vault lies on, allow.

PrintMessage = Callable[[str], None]

_LIMIT_NAMES = {
    errno.ENOSPC: "the limit fs.inotify.max_user_watches is reached",
    errno.EMFILE: "the limit fs.inotify.max_user_instances, or that of open files, is reached",
}


def open_source(root: Path, on_change: Callable[[ChangeSet], None], print_message: PrintMessage) -> ChangeSource:
    """Begin to listen to a vault; where that is no use, it is said, and everything has to be looked over often."""
    type_ = find_foreign_disk(root)
    foreign = f"This disk ({type_}) can be changed by others without this system telling" if type_ else ""
    if foreign:
        print_message(f"{foreign}; {_POLLING_NOTE}")
    try:
        if sys.platform == "linux":
            return InotifySource(root, on_change, limitation=foreign)

        return WatchdogSource(root, on_change, foreign=foreign)
    except OSError as error:
        return fall_back_to_polling(error, print_message)


def fall_back_to_polling(error: OSError, print_message: PrintMessage) -> ChangeSource:
    """Go on without events, and say why."""
    reason = _LIMIT_NAMES.get(error.errno or 0) or error.strerror or str(error)
    why = f"This system does not tell of changes here ({reason})"
    print_message(f"{why}; {_POLLING_NOTE}")
    return PollingSource(why)


_POLLING_NOTE = f"looking every {POLL_SECONDS:g} seconds instead."


# The source on every other system: watchdog passes on what that system tells, which may be less than everything.

_CHANGES = frozenset({"created", "modified", "moved", "deleted", "closed"})  # to look at a file is no change
_REMOVALS = frozenset({"moved", "deleted"})


class WatchdogSource:
    """Hears what watchdog hears; what was lost on the way it cannot tell."""

    def __init__(self, root: Path, on_change: Callable[[ChangeSet], None], *, foreign: str = "") -> None:
        """Begin to listen; OSError where the system does not allow it."""
        from watchdog.observers import Observer

        self.coverage = Coverage.LITTLE if foreign else Coverage.MOST
        self.limitation = foreign
        self._root = Path(os.path.realpath(root))
        self._on_change = on_change
        self._observer = Observer()
        self._observer.schedule(self, str(self._root), recursive=True)  # type: ignore[arg-type]  # all it calls is `dispatch`
        self._observer.start()

    def watch_folders(self, below: str, folders: Iterable[str]) -> None:
        """It listens to all folders from the start."""

    def catch_up(self) -> bool:
        """Nobody knows what is still on its way."""
        return False

    def close(self) -> None:
        """Hear no more."""
        self._observer.stop()
        self._observer.join()

    def dispatch(self, event: FileSystemEvent) -> None:
        """Called by watchdog, in a thread of its own."""
        hints = ChangeSet()
        if event.event_type in _CHANGES and not (event.is_directory and event.event_type == "modified"):
            for path in (event.src_path, event.dest_path):
                if path:
                    self._add_path(hints, os.fsdecode(path), event)
        if hints:
            self._on_change(hints)

    def _add_path(self, hints: ChangeSet, path: str, event: FileSystemEvent) -> None:
        try:
            *above, name = Path(path).relative_to(self._root).parts
        except ValueError:
            return
        if any(part.startswith(".") for part in above):
            return
        # Some systems do not say that what left was a folder.
        was_folder = event.event_type in _REMOVALS and not name.casefold().endswith(ENDINGS)
        hints.add_event("".join(f"{part}/" for part in above), name, is_folder=event.is_directory or was_folder)
