"""The ear on Linux: the kernel tells of every change, and of having lost count."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from memvault.daemon import inotify
from memvault.daemon.changes import Mounting
from memvault.daemon.hints import Hearing, Hints
from memvault.errors import Unreadable

PAIR_SECONDS = 0.002  # a move is told in two halves, the second at once after the first
_FULL = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_LOST = inotify.OVERFLOW | inotify.UNMOUNT
_SELF = inotify.DELETE_SELF | inotify.MOVE_SELF


class KernelEar:
    """Hears every change in the folders that it follows."""

    def __init__(self, root: Path, heard: Callable[[Hints], None], *, foreign: str = "") -> None:
        """Begin to listen, to no folder yet; OSError where the system does not allow it.

        `foreign` says why what is heard cannot be all, where that is so.
        """
        self.hearing = Hearing.LITTLE if foreign else Hearing.ALL
        self.why = foreign
        self._root = os.path.realpath(root)
        self._heard = heard
        self._kernel = inotify.Inotify()
        self._mounting = Mounting(root)
        self._folders: dict[int, str] = {}
        self._reading = threading.Lock()  # events are read, and passed on, by one thread at a time
        self._is_closed = False
        self._thread = threading.Thread(target=self._listen, name="memvault-ear", daemon=True)
        self._thread.start()

    def follow(self, below: str, folders: Iterable[str]) -> None:
        """Listen to these folders, and no longer to others below that one; OSError where there are too many.

        Raises Unreadable where the vault's own folder is not there: of others, the one above them tells.
        """
        followed: set[int] = set()
        for folder in folders:
            with self._reading:  # an event must not be read before it is known where it happened
                if self._is_closed:
                    return
                try:
                    watch = self._kernel.add(os.path.join(self._root, folder))  # noqa: PTH118 - a name, not a path
                except OSError as error:
                    if error.errno in _FULL:
                        raise
                    if not folder:
                        raise Unreadable(path=self._root, reason=error.strerror) from None
                    continue  # gone already, or nobody may read it: then it is not listed either
                self._folders[watch] = folder
                followed.add(watch)
        with self._reading:
            self._forget({watch for watch, folder in self._folders.items() if folder.startswith(below)} - followed)

    def catch_up(self) -> bool:
        """Pass on what happened before this call: the kernel queues a change before the change itself is done."""
        with self._reading:
            if self._is_closed:
                return False
            hints = Hints(everything=self._mounting.has_changed())
            if self._gather(hints) and self._kernel.wait(PAIR_SECONDS):
                self._gather(hints)
            if hints:
                self._heard(hints)
        return True

    def close(self) -> None:
        """Hear no more."""
        with self._reading:
            if self._is_closed:
                return
            self._is_closed = True
            self._kernel.stop()
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._mounting.close()
        self._kernel.close()

    def _listen(self) -> None:
        try:
            while self._kernel.wait():
                self.catch_up()
        except OSError as error:
            self.hearing, self.why = Hearing.LITTLE, str(error)

    def _gather(self, hints: Hints) -> bool:
        """Read what there is; says whether a move was only half told."""
        halves: set[int] = set()
        for event in self._kernel.read():
            if event.mask & (inotify.MOVED_FROM | inotify.MOVED_TO):
                halves ^= {event.cookie}
            self._take(event, hints)
        return bool(halves)

    def _take(self, event: inotify.Event, hints: Hints) -> None:
        if event.mask & _LOST:
            hints.everything = True
        folder = self._folders.get(event.watch)
        if folder is None:
            return
        if event.mask & inotify.IGNORED:
            del self._folders[event.watch]
        elif event.name:
            hints.hear(folder, event.name, is_folder=bool(event.mask & inotify.ISDIR))
        elif not folder:
            hints.everything |= bool(event.mask & _SELF)  # of other folders, the one above them tells
        else:
            hints.folders.add(folder)

    def _forget(self, watches: set[int]) -> None:
        for watch in watches:
            del self._folders[watch]
            with suppress(OSError):
                self._kernel.remove(watch)
