"""The lookouts of the warm process: one for each catalogue that is asked for, given up when nobody asks any more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from memvault.daemon.watcher import Lookout
from memvault.errors import MemvaultError

if TYPE_CHECKING:
    from memvault.api import Memvault

Opener = Callable[[], "Memvault"]

_PATIENCE = 1.2  # seconds for what is dirty to be taken in; after that the caller looks for itself
_IN_A_HURRY = 0.5
_REST = 60.0  # seconds before one that could not go on is replaced
_IN_USE = 60.0  # to begin costs a look at everything: who goes from vault to vault is not to pay that each time


@dataclass(slots=True)
class _Watch:
    lookout: Lookout
    began: float
    asked: float


class Watches:
    """Says of a catalogue whether it is up to date, without a look at the files where a lookout has been watching."""

    def __init__(self, *, idle_seconds: float = 3600.0, most: int = 8, clock: Callable[[], float] = monotonic) -> None:
        self._idle_seconds = idle_seconds
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._watches: dict[Path, _Watch] = {}

    def is_ready(self, catalogue: Path, open_vault: Opener) -> bool:
        """Whether little is to be taken in; the first call for a catalogue begins the watching.

        One that is still to be built is left to whoever needs it first, and waits for it anyway.
        """
        if not catalogue.is_dir():
            return False
        with self._lock:
            now, watch = self._clock(), self._watches.get(catalogue)
            if watch is None or (watch.lookout.is_over and now - watch.began > _REST):
                watch = self._watches[catalogue] = _Watch(Lookout(open_vault), now, now)
                watch.lookout.start()
            watch.asked = now
        return watch.lookout.has_looked or watch.lookout.is_over

    def vouch(self, catalogue: Path, *, hurried: bool = False) -> bool:
        """Whether a catalogue is as current as the files at this call."""
        # To wait is cheap. A caller who is sent away looks at all the files, and keeps others from the index meanwhile:
        # where many come at once, each whom that delays would be sent away in turn.
        watch = self._watches.get(catalogue)
        return watch is not None and watch.lookout.vouch_for(catalogue, _IN_A_HURRY if hurried else _PATIENCE)

    def is_busy(self, catalogue: Path) -> bool:
        """Whether much is just being taken in, so that whoever needs the catalogue has to wait."""
        watch = self._watches.get(catalogue)
        return watch is not None and watch.lookout.is_looking

    def trim(self, *, is_scarce: bool = False) -> None:
        """Watch no longer what nobody asked for in a long time, nor more than a few vaults besides those in use.

        Where memory, or what the system watches, is scarce, no more than a few in all.
        """
        with self._lock:
            now = self._clock()
            before = now - self._idle_seconds
            order = sorted(self._watches, key=lambda folder: self._watches[folder].asked)
            surplus = order[: max(0, len(order) - self._most)]
            if not is_scarce and not any(watch.lookout.lacks_room for watch in self._watches.values()):
                surplus = [folder for folder in surplus if self._watches[folder].asked < now - _IN_USE]
            going = {folder for folder in order if self._watches[folder].asked < before} | set(surplus)
            going |= {folder for folder in order if self._watches[folder].lookout.is_astray(folder)}
            gone = [self._watches.pop(folder) for folder in going]
        for watch in gone:
            _end(watch.lookout)

    def close(self) -> None:
        """Watch nothing any more."""
        with self._lock:
            gone = list(self._watches.values())
            self._watches.clear()
        for watch in gone:
            _end(watch.lookout)

    def polled(self) -> dict[str, str]:
        """The vaults in which changes have to be looked for again and again, and why."""
        with self._lock:
            lookouts = [watch.lookout for watch in self._watches.values()]
        return {str(lookout.root): lookout.polled for lookout in lookouts if lookout.root and lookout.polled}

    def __len__(self) -> int:
        """How many vaults are watched."""
        return len(self._watches)


def _end(lookout: Lookout) -> None:
    with suppress(MemvaultError, OSError):  # what ended it before was noticed by whoever asked
        lookout.stop()
