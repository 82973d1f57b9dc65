"""The lookout of one vault: takes in what changes, and vouches for it; hints are followed, a scan is the truth."""

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

from memvault.daemon.changes import POLL_SECONDS, Deaf, Ear, Hearing, Hints, Pace, mounts_at
from memvault.daemon.notify import Say, deafened, listen
from memvault.errors import MemvaultError, NotAVault, Unreadable
from memvault.storage.vault.layout import CONFIG, IGNORE

if TYPE_CHECKING:
    from memvault.api import Memvault


PATIENCE = 5.0
MOST_LINKED = 500  # notes with other names elsewhere, which have to be looked at each time

Clock = Callable[[], float]
Listen = Callable[[Path, Callable[[Hints], None], Say], Ear]
Facts = tuple[tuple[object, ...], ...]
# What it means that one of the facts is another by now, the first that is.
_OTHERWISE = ("another folder is in its place", "other disks are mounted there", "the settings changed")


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of a watch: how often something was taken in, and how many notes."""

    batches: int
    notes: int


def _silent(_said: object) -> None:
    """What is said to nobody."""


class Lookout:
    """Watches a vault from a thread of its own, in which the vault is opened and closed."""

    def __init__(
        self,
        open_vault: Callable[[], Memvault],
        *,
        say: Say = _silent,
        ready: Callable[[Path], None] = _silent,
        ended: Callable[[], None] = lambda: None,
        clock: Clock = time.monotonic,
        listen: Listen = listen,
    ) -> None:
        """`ready` is called with the vault's folder as soon as it is listened to, `ended` when it is over."""
        self._open, self._say, self._ready, self._ended = open_vault, say, ready, ended
        self._clock, self._listen = clock, listen
        self._ear: Ear = Deaf()
        self._eyes: Eyes | None = None
        self._pace = Pace(quiet=0.0, scan=POLL_SECONDS, now=clock())
        self._thread = threading.Thread(target=self._run, name="memvault-lookout", daemon=True)
        self._trouble: BaseException | None = None
        self._told = ""
        self._is_untidy = False
        self._changed = threading.Condition()  # guards what follows
        self._hints = Hints(everything=True)
        self._asked = self._begun = self._done = self._good = 0  # looks by their numbers
        self._batches = self._notes = 0
        self._over = False

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> Watched:
        """Watch no longer; raises what ended the watch before."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(PATIENCE)  # to be ended in the middle of a look does no harm
        if self._trouble is not None:
            raise self._trouble
        return Watched(self._batches, self._notes)

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
    def polled(self) -> str:
        """Why it has to look for changes again and again; empty where it is told of them."""
        ear = self._ear
        return ear.why if ear.hearing is Hearing.LITTLE else ""

    @property
    def lacks_room(self) -> bool:
        """Whether the system tells it nothing, as it may where there are too many folders in all."""
        return isinstance(self._ear, Deaf) and bool(self._ear.why)

    @property
    def root(self) -> Path | None:
        """The vault's folder, while it is watched."""
        eyes = self._eyes
        return eyes.vault.root if eyes is not None else None

    def is_astray(self, catalogue: Path) -> bool:
        """Whether it keeps another catalogue up to date by now, as other settings ask for another way of reading."""
        eyes = self._eyes
        return eyes is not None and eyes.catalogue != catalogue

    def vouch(self, seconds: float) -> bool:
        """Whether the catalogue is as current as the files were at this call, which took at most so many seconds.

        False says nothing about the catalogue: then the caller has to look for itself.
        """
        eyes, ear = self._eyes, self._ear
        if eyes is None or self._over or ear.hearing is not Hearing.ALL or not eyes.is_same_place():
            return False
        if not ear.catch_up() or len(eyes.linked) > MOST_LINKED:
            return False
        with self._changed:
            self._hints.notes |= eyes.linked
            # What was heard by now is in the look that is going on, or in the next one.
            need = self._begun + 1 if self._hints else self._begun
            if need > self._begun:
                self._asked = max(self._asked, need)
                self._changed.notify_all()
            self._changed.wait_for(lambda: self._over or self._done >= need, seconds)
            return self._good >= need and not self._over

    def vouch_for(self, catalogue: Path, seconds: float) -> bool:
        """As `vouch`, for one who reads the catalogue in a folder, which may be another one."""
        return not self.is_astray(catalogue) and self.vouch(seconds)

    # -- in the thread

    def _run(self) -> None:
        try:
            eyes = Eyes(self._open)
            self._settle_in(eyes)
            self._ready(eyes.vault.root)
            while self._wait():
                self._tidy(is_quiet=self._look())
        except BaseException as error:
            self._trouble = error
        finally:
            self._close()
            with self._changed:
                self._over = True
                self._changed.notify_all()
            self._ended()

    def _wait(self) -> bool:
        """Rest until it is time to look; False when it is over."""
        with self._changed:
            while not self._over and self._asked <= self._begun and (rest := self._pace.rest(self._clock())):
                self._changed.wait(rest)
            return not self._over

    def _heard(self, hints: Hints) -> None:
        """Called by the ear, in a thread of its own."""
        with self._changed:
            was_quiet = self._pace.is_quiet
            self._hints.add(hints)
            self._pace.heard(self._clock())
            if was_quiet:  # it sleeps until the next scan, and must learn that there is something before
                self._changed.notify_all()

    def _look(self) -> bool:
        """Take in what changed; says whether everything was looked over, and nothing had."""
        with self._changed:
            hints, self._hints = self._hints, Hints()
            hints.everything |= self._pace.is_scan_due(self._clock())
            self._begun += 1
            self._pace.looked()
        trouble, taken = "", 0
        try:
            taken = self._take_in(hints)
        except NotAVault:
            raise
        except (MemvaultError, OSError) as error:
            trouble = f"memvault: {error}"
        self._tell(taken, trouble)
        with self._changed:
            self._hints.everything |= bool(trouble)  # nobody knows what was taken in, and what not
            self._done = self._begun
            self._good = self._good if trouble else self._begun
            self._batches, self._notes = self._batches + bool(taken), self._notes + taken
            self._changed.notify_all()
        return hints.everything and not taken and not trouble

    def _tidy(self, *, is_quiet: bool) -> None:
        """What may take long is done when nobody writes, and only where something was written before."""
        if is_quiet and self._is_untidy and self._eyes is not None:
            self._is_untidy = False
            try:
                self._eyes.vault.tidy_index()
            except (MemvaultError, OSError) as error:
                self._tell(0, f"memvault: {error}")

    def _tell(self, taken: int, trouble: str) -> None:
        if trouble and trouble != self._told:
            self._say(trouble)
        self._told = trouble
        self._is_untidy |= bool(taken)
        if taken:
            self._say(f"took in {taken:,} changed note{'s' if taken != 1 else ''}")

    def _take_in(self, hints: Hints) -> int:
        began, taken, eyes = self._clock(), 0, self._eyes
        assert eyes is not None, "the thread begins with them"
        try:
            facts = eyes.facts_now()
            if facts != eyes.facts:  # where opening fails, the old eyes stay, and it is tried again at the next look
                what = _OTHERWISE[min(2, next(n for n, fact in enumerate(facts) if fact != eyes.facts[n]))]
                eyes = Eyes(self._open, facts=facts)
                self._settle_in(eyes)
                self._say(f"{what}: opened the vault anew")
                hints.everything = True
            self._follow(eyes, ("",) if hints.everything else hints.part().outermost())
            taken = eyes.take_in(hints)
            return taken
        finally:
            if hints.everything:
                self._scanned(took=0.0 if taken else self._clock() - began)

    def _scanned(self, *, took: float) -> None:
        with self._changed:
            self._pace.scanned(self._clock(), took=took)

    def _settle_in(self, eyes: Eyes) -> None:
        """Listen to a vault, and to no other any longer."""
        self._close()
        settings = eyes.vault.settings
        quiet, scan = settings.number("watch.debounce_ms") / 1000, settings.number("watch.scan_seconds")
        with self._changed:
            self._pace = Pace(quiet=quiet, scan=scan, now=self._clock())
            if self._hints:  # heard by the ear before
                self._pace.heard(self._clock())
        self._ear = self._listen(eyes.vault.root, self._heard, self._say)
        self._eyes = eyes
        # What is done to the vault's own folder must be heard from the moment on that others are told of the watch.
        self._listen_to("", ("",))
        self._hurry()

    def _follow(self, eyes: Eyes, folders: tuple[str, ...]) -> None:
        """Listen before looking: what changes after the look is heard."""
        try:
            for folder in folders:
                self._listen_to(folder, eyes.vault.ways(folder))
        finally:
            is_ours = eyes.is_same_place()
            if not is_ours:  # then nobody knows what was listened to, and it is to be tried again soon
                self._heard(Hints(everything=True))
        if not is_ours:
            raise Unreadable(path=eyes.vault.root, reason="another folder was put in its place just now")
        self._hurry()

    def _listen_to(self, below: str, folders: Iterable[str]) -> None:
        try:
            self._ear.follow(below, folders)
        except OSError as error:
            self._ear.close()
            self._ear = deafened(error, self._say)

    def _hurry(self) -> None:
        if self._ear.hearing is Hearing.LITTLE and self._pace.scan > POLL_SECONDS:
            with self._changed:
                self._pace.hurry(self._clock(), scan=POLL_SECONDS)

    def _close(self) -> None:
        ear, self._ear = self._ear, Deaf()
        eyes, self._eyes = self._eyes, None
        ear.close()
        if eyes is not None:
            eyes.vault.close()


class Eyes:
    """The open vault of a lookout, and the facts on which it was opened."""

    def __init__(self, open_vault: Callable[[], Memvault], *, facts: Facts | None = None) -> None:
        """Open the vault; `facts` are those of the moment before, so that what changes meanwhile is noticed later."""
        self.vault = open_vault()
        self.catalogue = self.vault.catalogue_folder
        self.linked: frozenset[str] = frozenset()
        self.facts = facts or self.facts_now()

    def facts_now(self) -> Facts:
        """Which folder it is, on which disks, and the state of the rules by which it is read."""
        root = self.vault.root
        if not root.is_dir():
            raise NotAVault(path=root, missing="the folder itself")
        return (_place(root), mounts_at(root), *(_stamp(root / name) for name in (CONFIG, IGNORE)))

    def is_same_place(self) -> bool:
        """Whether the vault's path still leads to the folder that is listened to."""
        return _place(self.vault.root) == self.facts[0]

    def take_in(self, hints: Hints) -> int:
        """Take in what changed where something was heard; says how many notes that were."""
        taken = self.vault.freshen(only=None if hints.everything else hints.part())
        if not hints.everything and self.vault.linked_notes - self.linked:
            taken += self.vault.freshen()  # nothing was heard of what else bears the other names
        self.linked = self.vault.linked_notes
        return taken


def _place(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()  # not there, or just being replaced
    return found.st_size, found.st_mtime_ns, found.st_ino


# The lookouts of the warm process: one for each catalogue that is asked for, given up when nobody asks any more.

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
