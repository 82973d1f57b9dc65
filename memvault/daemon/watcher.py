"""The watcher of one vault: takes in what changes, and confirms it; changes are followed, a scan is the truth."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from memvault.daemon.changes import POLL_SECONDS, ChangeSet, ChangeSource, Coverage, PollingSource, ScanTimer, mounts_at
from memvault.daemon.notify import PrintMessage, fall_back_to_polling, open_source
from memvault.errors import MemvaultError, NotAVault, Unreadable
from memvault.storage.vault.layout import CONFIG, IGNORE

if TYPE_CHECKING:
    from memvault.open_vault import OpenVault


CATCH_UP_SECONDS = 5.0
MAX_LINKED = 500  # notes with other names elsewhere, which have to be looked at each time

Clock = Callable[[], float]
OpenSource = Callable[[Path, Callable[[ChangeSet], None], PrintMessage], ChangeSource]
VaultFacts = tuple[tuple[object, ...], ...]
# What it means that one of the facts is another by now, the first that is.
_FACT_CHANGES = ("another folder is in its place", "other disks are mounted there", "the settings changed")


@dataclass(frozen=True, slots=True)
class WatchResult:
    """What came of a watch: how often something was taken in, and how many notes."""

    batches: int
    notes: int


def _ignore_message(_said: object) -> None:
    """What is said to nobody."""


class VaultWatcher:
    """Watches a vault from a thread of its own, in which the vault is opened and closed."""

    def __init__(
        self,
        open_vault: Callable[[], OpenVault],
        *,
        say: PrintMessage = _ignore_message,
        ready: Callable[[Path], None] = _ignore_message,
        ended: Callable[[], None] = lambda: None,
        clock: Clock = time.monotonic,
        listen: OpenSource = open_source,
    ) -> None:
        """`ready` is called with the vault's folder as soon as it is listened to, `ended` when it is over."""
        self._open, self._print_message, self._ready, self._ended = open_vault, say, ready, ended
        self._clock, self._listen = clock, listen
        self._source: ChangeSource = PollingSource()
        self._watched: WatchedVault | None = None
        self._timer = ScanTimer(quiet=0.0, scan=POLL_SECONDS, now=clock())
        self._thread = threading.Thread(target=self._run_thread, name="memvault-lookout", daemon=True)
        self._trouble: BaseException | None = None
        self._told = ""
        self._is_untidy = False
        self._changed = threading.Condition()  # guards what follows
        self._changes = ChangeSet(everything=True)
        self._asked = self._begun = self._done = self._good = 0  # looks by their numbers
        self._batches = self._notes = 0
        self._over = False

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> WatchResult:
        """Watch no longer; raises what ended the watch before."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(CATCH_UP_SECONDS)  # to be ended in the middle of a look does no harm
        if self._trouble is not None:
            raise self._trouble
        return WatchResult(self._batches, self._notes)

    @property
    def is_over(self) -> bool:
        """Whether it has stopped, or could not go on."""
        return self._over

    @property
    def has_looked(self) -> bool:
        """Whether everything was looked over once."""
        return self._done > 0

    @property
    def is_looking(self) -> bool:
        """Whether it is just taking in what changed."""
        return self._done < self._begun

    @property
    def polling_reason(self) -> str:
        """Why it has to look for changes again and again; empty where the system reports them."""
        ear = self._source
        return ear.limitation if ear.coverage is Coverage.LITTLE else ""

    @property
    def is_over_limit(self) -> bool:
        """Whether the system tells it nothing, as it may where there are too many folders in all."""
        return isinstance(self._source, PollingSource) and bool(self._source.limitation)

    @property
    def root(self) -> Path | None:
        """The vault's folder, while it is watched."""
        eyes = self._watched
        return eyes.vault.root if eyes is not None else None

    def has_other_index(self, catalogue: Path) -> bool:
        """Whether it keeps another index up to date by now, as other settings ask for another way of reading."""
        eyes = self._watched
        return eyes is not None and eyes.index_folder != catalogue

    def is_current(self, seconds: float) -> bool:
        """Whether the index is as current as the files were at this call, which took at most so many seconds.

        False says nothing about the index: then the caller has to look for itself.
        """
        eyes, ear = self._watched, self._source
        if eyes is None or self._over or ear.coverage is not Coverage.ALL or not eyes.is_same_place():
            return False
        if not ear.catch_up() or len(eyes.linked) > MAX_LINKED:
            return False
        with self._changed:
            self._changes.notes |= eyes.linked
            # What was heard by now is in the look that is going on, or in the next one.
            need = self._begun + 1 if self._changes else self._begun
            if need > self._begun:
                self._asked = max(self._asked, need)
                self._changed.notify_all()
            self._changed.wait_for(lambda: self._over or self._done >= need, seconds)
            return self._good >= need and not self._over

    def is_index_current(self, catalogue: Path, seconds: float) -> bool:
        """As `vouch`, for one who reads the index in a folder, which may be another one."""
        return not self.has_other_index(catalogue) and self.is_current(seconds)

    # -- in the thread

    def _run_thread(self) -> None:
        try:
            eyes = WatchedVault(self._open)
            self._watch_opened(eyes)
            self._ready(eyes.vault.root)
            while self._wait_for_change():
                self._tidy_index(is_quiet=self._update_index())
        except BaseException as error:
            self._trouble = error
        finally:
            self._close_vault()
            with self._changed:
                self._over = True
                self._changed.notify_all()
            self._ended()

    def _wait_for_change(self) -> bool:
        """Rest until it is time to look; False when it is over."""
        with self._changed:
            while not self._over and self._asked <= self._begun and (rest := self._timer.seconds_left(self._clock())):
                self._changed.wait(rest)
            return not self._over

    def _on_change(self, hints: ChangeSet) -> None:
        """Called by the source, in a thread of its own."""
        with self._changed:
            was_quiet = self._timer.is_quiet
            self._changes.add(hints)
            self._timer.note_change(self._clock())
            if was_quiet:  # it sleeps until the next scan, and must learn that there is something before
                self._changed.notify_all()

    def _update_index(self) -> bool:
        """Take in what changed; says whether everything was looked over, and nothing had."""
        with self._changed:
            hints, self._changes = self._changes, ChangeSet()
            hints.everything |= self._timer.is_scan_due(self._clock())
            self._begun += 1
            self._timer.note_update()
        trouble, taken = "", 0
        try:
            taken = self._apply_changes(hints)
        except NotAVault:
            raise
        except (MemvaultError, OSError) as error:
            trouble = f"memvault: {error}"
        self._report_update(taken, trouble)
        with self._changed:
            self._changes.everything |= bool(trouble)  # nobody knows what was taken in, and what not
            self._done = self._begun
            self._good = self._good if trouble else self._begun
            self._batches, self._notes = self._batches + bool(taken), self._notes + taken
            self._changed.notify_all()
        return hints.everything and not taken and not trouble

    def _tidy_index(self, *, is_quiet: bool) -> None:
        """What may take long is done when nobody writes, and only where something was written before."""
        if is_quiet and self._is_untidy and self._watched is not None:
            self._is_untidy = False
            try:
                self._watched.vault.tidy_index()
            except (MemvaultError, OSError) as error:
                self._report_update(0, f"memvault: {error}")

    def _report_update(self, taken: int, trouble: str) -> None:
        if trouble and trouble != self._told:
            self._print_message(trouble)
        self._told = trouble
        self._is_untidy |= bool(taken)
        if taken:
            self._print_message(f"took in {taken:,} changed note{'s' if taken != 1 else ''}")

    def _apply_changes(self, hints: ChangeSet) -> int:
        began, taken, eyes = self._clock(), 0, self._watched
        assert eyes is not None, "the thread begins with them"
        try:
            facts = eyes.read_facts()
            if facts != eyes.facts:  # where opening fails, the old eyes stay, and it is tried again at the next look
                what = _FACT_CHANGES[min(2, next(n for n, fact in enumerate(facts) if fact != eyes.facts[n]))]
                eyes = WatchedVault(self._open, facts=facts)
                self._watch_opened(eyes)
                self._print_message(f"{what}: opened the vault anew")
                hints.everything = True
            try:
                for folder in ("",) if hints.everything else hints.vault_part().outermost_folders():
                    self._subscribe_folders(folder, eyes.vault.list_folders(folder))
            finally:
                is_ours = eyes.is_same_place()
                if not is_ours:  # then nobody knows what was listened to, and it is to be tried again soon
                    self._on_change(ChangeSet(everything=True))
            if not is_ours:
                raise Unreadable(path=eyes.vault.root, reason="another folder was put in its place just now")
            self._scan_sooner()
            taken = eyes.update_index(hints)
            return taken
        finally:
            if hints.everything:
                with self._changed:
                    self._timer.note_scan(self._clock(), took=0.0 if taken else self._clock() - began)

    def _watch_opened(self, eyes: WatchedVault) -> None:
        """Listen to a vault, and to no other any longer."""
        self._close_vault()
        settings = eyes.vault.settings
        quiet, scan = settings.number("watch.debounce_ms") / 1000, settings.number("watch.scan_seconds")
        with self._changed:
            self._timer = ScanTimer(quiet=quiet, scan=scan, now=self._clock())
            if self._changes:  # heard by the source before
                self._timer.note_change(self._clock())
        self._source = self._listen(eyes.vault.root, self._on_change, self._print_message)
        self._watched = eyes
        # What is done to the vault's own folder must be heard from the moment on that others are told of the watch.
        self._subscribe_folders("", ("",))
        self._scan_sooner()

    def _subscribe_folders(self, below: str, folders: Iterable[str]) -> None:
        try:
            self._source.watch_folders(below, folders)
        except OSError as error:
            self._source.close()
            self._source = fall_back_to_polling(error, self._print_message)

    def _scan_sooner(self) -> None:
        if self._source.coverage is Coverage.LITTLE and self._timer.scan_seconds > POLL_SECONDS:
            with self._changed:
                self._timer.scan_sooner(self._clock(), scan=POLL_SECONDS)

    def _close_vault(self) -> None:
        ear, self._source = self._source, PollingSource()
        eyes, self._watched = self._watched, None
        ear.close()
        if eyes is not None:
            eyes.vault.close()


class WatchedVault:
    """The open vault of a watcher, and the facts on which it was opened."""

    def __init__(self, open_vault: Callable[[], OpenVault], *, facts: VaultFacts | None = None) -> None:
        """Open the vault; `facts` are those of the moment before, so that what changes meanwhile is noticed later."""
        self.vault = open_vault()
        self.index_folder = self.vault.index_folder
        self.linked: frozenset[str] = frozenset()
        self.facts = facts or self.read_facts()

    def read_facts(self) -> VaultFacts:
        """Which folder it is, on which disks, and the state of the rules by which it is read."""
        root = self.vault.root
        if not root.is_dir():
            raise NotAVault(path=root, missing="the folder itself")
        return (_identify_folder(root), mounts_at(root), *(_stamp_file(root / name) for name in (CONFIG, IGNORE)))

    def is_same_place(self) -> bool:
        """Return whether the vault's path still leads to the folder that is listened to."""
        return _identify_folder(self.vault.root) == self.facts[0]

    def update_index(self, hints: ChangeSet) -> int:
        """Take in what changed where something was heard; says how many notes that were."""
        taken = self.vault.refresh(only=None if hints.everything else hints.vault_part())
        if not hints.everything and self.vault.linked_notes - self.linked:
            taken += self.vault.refresh()  # nothing was heard of what else bears the other names
        self.linked = self.vault.linked_notes
        return taken


def _identify_folder(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino


def _stamp_file(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()  # not there, or just being replaced
    return found.st_size, found.st_mtime_ns, found.st_ino


# The watchers of the daemon: one for each index that is asked for, given up when nobody asks any more.

VaultFactory = Callable[[], "OpenVault"]

_CURRENT_SECONDS = 1.2  # seconds for what is dirty to be taken in; after that the caller looks for itself
_HURRIED_SECONDS = 0.5
_RESTART_SECONDS = 60.0  # seconds before one that could not go on is replaced
_IN_USE_SECONDS = 60.0  # to begin costs a look at everything: who goes from vault to vault is not to pay that each time


@dataclass(slots=True)
class _WatcherEntry:
    watcher: VaultWatcher
    began: float
    asked: float


class WatcherPool:
    """Says of an index whether it is up to date, without a look at the files where a watcher has been watching."""

    def __init__(self, *, idle_seconds: float = 3600.0, most: int = 8, clock: Callable[[], float] = monotonic) -> None:
        self._idle_seconds = idle_seconds
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._entries: dict[Path, _WatcherEntry] = {}

    def is_ready(self, catalogue: Path, open_vault: VaultFactory) -> bool:
        """Return whether little is to be taken in; the first call for an index begins the watching.

        One that is still to be built is left to whoever needs it first, and waits for it anyway.
        """
        if not catalogue.is_dir():
            return False
        with self._lock:
            now, watch = self._clock(), self._entries.get(catalogue)
            if watch is None or (watch.watcher.is_over and now - watch.began > _RESTART_SECONDS):
                watch = self._entries[catalogue] = _WatcherEntry(VaultWatcher(open_vault), now, now)
                watch.watcher.start()
            watch.asked = now
        return watch.watcher.has_looked or watch.watcher.is_over

    def is_current(self, catalogue: Path, *, hurried: bool = False) -> bool:
        """Return whether an index is as current as the files at this call."""
        # To wait is cheap. A caller who is sent away looks at all the files, and keeps others from the index meanwhile:
        # where many come at once, each whom that delays would be sent away in turn.
        watch = self._entries.get(catalogue)
        return watch is not None and watch.watcher.is_index_current(
            catalogue, _HURRIED_SECONDS if hurried else _CURRENT_SECONDS
        )

    def is_busy(self, catalogue: Path) -> bool:
        """Return whether much is just being taken in, so that whoever needs the index has to wait."""
        watch = self._entries.get(catalogue)
        return watch is not None and watch.watcher.is_looking

    def trim(self, *, is_scarce: bool = False) -> None:
        """Watch no longer what nobody asked for in a long time, nor more than a few vaults besides those in use.

        Where memory, or what the system watches, is scarce, no more than a few in all.
        """
        with self._lock:
            now = self._clock()
            before = now - self._idle_seconds
            order = sorted(self._entries, key=lambda folder: self._entries[folder].asked)
            surplus = order[: max(0, len(order) - self._most)]
            if not is_scarce and not any(watch.watcher.is_over_limit for watch in self._entries.values()):
                surplus = [folder for folder in surplus if self._entries[folder].asked < now - _IN_USE_SECONDS]
            going = {folder for folder in order if self._entries[folder].asked < before} | set(surplus)
            going |= {folder for folder in order if self._entries[folder].watcher.has_other_index(folder)}
            gone = [self._entries.pop(folder) for folder in going]
        for watch in gone:
            _stop_watcher(watch.watcher)

    def close(self) -> None:
        """Watch nothing any more."""
        with self._lock:
            gone = list(self._entries.values())
            self._entries.clear()
        for watch in gone:
            _stop_watcher(watch.watcher)

    def list_polled(self) -> dict[str, str]:
        """Return the vaults in which changes have to be looked for again and again, and why."""
        with self._lock:
            lookouts = [watch.watcher for watch in self._entries.values()]
        return {
            str(lookout.root): lookout.polling_reason for lookout in lookouts if lookout.root and lookout.polling_reason
        }

    def __len__(self) -> int:
        """Return how many vaults are watched."""
        return len(self._entries)


def _stop_watcher(lookout: VaultWatcher) -> None:
    with suppress(MemvaultError, OSError):  # what ended it before was noticed by whoever asked
        lookout.stop()
