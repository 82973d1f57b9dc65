"""Keeps the catalogue current while people work: events are hints, a scan is the truth, no note is ever written."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memvault.errors import MemvaultError, NotAVault

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

    from memvault.api import Memvault

LONGEST_WAIT = 2.0  # however busy an editor is, its work is taken in after so many seconds
POLL_SECONDS = 5.0  # where no events come, everything is looked over this often
_WRITING = frozenset({"created", "modified", "moved", "deleted", "closed"})  # to look at a file is no change
_RULES = frozenset({"memvault.toml", ".memvaultignore"})


class Pace:
    """When to look: at once, then after a quiet moment, or when it has been long enough."""

    def __init__(self, *, quiet: float, scan: float, now: float) -> None:
        self._quiet = min(quiet, LONGEST_WAIT)
        self._scan = scan
        self._first: float | None = None  # the first hint that was not looked into yet
        self._last = now
        self._looked = now - scan

    def heard(self, now: float) -> None:
        """A hint came that something changed."""
        self._first = now if self._first is None else self._first
        self._last = now

    def looked(self, now: float) -> None:
        """Everything was looked over."""
        self._first, self._looked = None, now

    def rest(self, now: float) -> float:
        """Seconds until it is time to look; zero where it is."""
        due = self._looked + self._scan
        if self._first is not None:
            due = min(due, self._last + self._quiet, self._first + LONGEST_WAIT)
        return max(0.0, due - now)


class Bell(Protocol):
    """What the watch waits at: rung when something may have changed, silenced when it is over."""

    over: bool

    def wait(self, seconds: float) -> bool:
        """Wait to be rung; says whether it was."""


class ThreadBell:
    """A bell for threads and signal handlers to ring."""

    def __init__(self) -> None:
        self.over = False
        self._rung = threading.Event()

    def ring(self) -> None:
        """Something may have changed."""
        self._rung.set()

    def silence(self) -> None:
        """It is over."""
        self.over = True
        self._rung.set()

    def wait(self, seconds: float) -> bool:
        """Wait to be rung; says whether it was."""
        rung = self._rung.wait(seconds)
        self._rung.clear()
        return rung


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of a watch: how often something was taken in, and how many notes."""

    batches: int
    notes: int


def keep_watch(look: Callable[[], int], pace: Pace, bell: Bell, clock: Callable[[], float]) -> Watched:
    """Look whenever it is time, until the bell is silenced; `look` says how many notes it took in."""
    batches = notes = 0
    while not bell.over:
        rest = pace.rest(clock())
        if rest and bell.wait(rest):
            pace.heard(clock())
        if bell.over or pace.rest(clock()):
            continue
        taken = look()
        pace.looked(clock())
        batches, notes = batches + bool(taken), notes + taken
    return Watched(batches, notes)


def hints_at_change(event: FileSystemEvent, root: Path) -> bool:
    """Whether an event may be about a note; hidden folders hold none."""
    if event.event_type not in _WRITING:
        return False
    return any(_may_be_note(os.fsdecode(path), root) for path in (event.src_path, event.dest_path) if path)


def _may_be_note(path: str, root: Path) -> bool:
    try:
        parts = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return parts[-1:] == (".memvaultignore",) or not any(part.startswith(".") for part in parts)


class Lookout:
    """The vault that is watched; opened anew when the rules by which it is read have changed."""

    def __init__(self, open_vault: Callable[[], Memvault], say: Callable[[str], None]) -> None:
        self._open = open_vault
        self._say = say
        self.vault = open_vault()
        self._rules = self._stamps()

    def look(self) -> int:
        """Take in what changed; trouble is told, and the watch goes on."""
        if not self.vault.root.is_dir():
            raise NotAVault(path=self.vault.root, missing="the folder itself")
        try:
            self._reopen_if_rules_changed()
            taken = self.vault.freshen()
        except MemvaultError as error:
            self._say(f"memvault: {error}")
            return 0
        if taken:
            self._say(f"took in {taken:,} changed note{'s' if taken != 1 else ''}")
        return taken

    def close(self) -> None:
        """Let go of the vault."""
        self.vault.close()

    def _reopen_if_rules_changed(self) -> None:
        stamps = self._stamps()
        if stamps == self._rules:
            return
        self._rules = stamps
        fresh = self._open()
        self.vault.close()
        self.vault = fresh
        self._say("the settings changed: opened the vault anew")

    def _stamps(self) -> list[int]:
        return [_stamp(self.vault.root / name) for name in sorted(_RULES)]


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0  # not there, or just being replaced


def watch(open_vault: Callable[[], Memvault], bell: ThreadBell, say: Callable[[str], None]) -> Watched:
    """Keep the catalogue of a vault current until the bell is silenced."""
    lookout = Lookout(open_vault, say)
    try:
        settings = lookout.vault.settings
        quiet, scan = settings.number("watch.debounce_ms") / 1000, settings.number("watch.scan_seconds")
        with _events(lookout.vault.root, bell, say) as come:
            say(f"Watching {lookout.vault.root}; Ctrl-C ends it.")
            pace = Pace(quiet=quiet, scan=scan if come else min(scan, POLL_SECONDS), now=time.monotonic())
            return keep_watch(lookout.look, pace, bell, time.monotonic)
    finally:
        lookout.close()


@contextmanager
def _events(root: Path, bell: ThreadBell, say: Callable[[str], None]) -> Iterator[bool]:
    """The bell is rung by events while this lasts; says whether events come at all."""
    from watchdog.observers import Observer

    observer = Observer()
    observer.schedule(_Ringer(root, bell), str(root), recursive=True)  # type: ignore[arg-type]  # all it calls is `dispatch`
    try:
        observer.start()
    except OSError as error:
        reason = error.strerror or error
        say(f"This system does not tell of changes here ({reason}); looking every {POLL_SECONDS:g} seconds instead.")
        yield False
        return
    try:
        yield True
    finally:
        observer.stop()
        observer.join()


class _Ringer:
    """Rings the bell for events that may matter."""

    def __init__(self, root: Path, bell: ThreadBell) -> None:
        self._root = root
        self._bell = bell

    def dispatch(self, event: FileSystemEvent) -> None:
        """Called by watchdog, in a thread of its own."""
        if hints_at_change(event, self._root):
            self._bell.ring()
