"""Which disks tell of every change: a network's may be changed by another machine, of which this one hears nothing."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

from memvault.storage.vault.layout import CONFIG, ENDINGS, IGNORE, STATE
from memvault.storage.vault.listing import VaultPart, is_text

_MOUNTS = Path("/proc/self/mountinfo")
# Those that only this machine writes to, through its own kernel. What is not known here is looked at again and again.
_LOCAL_TYPES = frozenset(
    {
        *("ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "zfs", "jfs", "nilfs2", "reiserfs", "overlay"),
        *("tmpfs", "ramfs", "aufs", "ecryptfs", "vfat", "msdos", "exfat", "ntfs", "ntfs3", "fuseblk", "hfs", "hfsplus"),
        *("udf", "iso9660", "squashfs", "erofs"),
    }
)
_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """Something mounted: which, where, of what type."""

    number: str
    place: str
    type: str


Mounts = tuple[Mount, ...]


def mounts_at(root: Path, *, mounts: Path = _MOUNTS) -> Mounts:
    """Return what a folder lies on, then what is mounted below it; nothing where the system does not say."""
    try:
        text = mounts.read_text("utf-8", errors="surrogateescape")
    except OSError:
        return ()
    return select_mounts(os.path.realpath(root), text)


def find_foreign_disk(root: Path, *, mounts: Path = _MOUNTS) -> str:
    """Return the type of a disk at or below a folder that others may write to unheard; empty where there is none."""
    return foreign_mount_type(mounts_at(root, mounts=mounts))


def foreign_mount_type(mounts: Mounts) -> str:
    """Return the same, of what was mounted there."""
    return next((mount.type for mount in mounts if mount.type not in _LOCAL_TYPES), "")


def select_mounts(root: str, mountinfo: str) -> Mounts:
    """Return what matters to a real path of all that the system says of its mounts."""
    holding: Mount | None = None
    inner: list[Mount] = []
    for mount in _parse_mounts(mountinfo):
        # Of several at one place, the last is on top.
        if _contains_path(mount.place, root) and (holding is None or len(mount.place) >= len(holding.place)):
            holding = mount
        elif _contains_path(root, mount.place):
            inner.append(mount)
    return (*((holding,) if holding else ()), *inner)


class MountWatcher:
    """Says whether anything was mounted or unmounted at a folder or below it, which no folder there tells of."""

    def __init__(self, root: Path) -> None:
        """Take note of what is mounted now."""
        self._root = root
        self._poll: select.poll | None = None
        if sys.platform == "linux":
            with suppress(OSError):  # a system without /proc: nothing is known of its mounts at all
                self._file = os.open(_MOUNTS, os.O_RDONLY | os.O_CLOEXEC)
                self._poll = select.poll()
                self._poll.register(self._file, select.POLLPRI | select.POLLERR)
        self._mounts = mounts_at(root)

    def has_changed(self) -> bool:
        """Return whether something there differs since the last call; the kernel knows of it before `mount` returns."""
        if self._poll is None or not self._poll.poll(0):
            return False
        before, self._mounts = self._mounts, mounts_at(self._root)
        return self._mounts != before

    def close(self) -> None:
        """Give everything back."""
        if self._poll is not None:
            os.close(self._file)


def _parse_mounts(mountinfo: str) -> Iterator[Mount]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        yield Mount(fields[0], _OCTAL.sub(lambda code: chr(int(code[1], 8)), fields[4]), after.partition(" ")[0])


def _contains_path(above: str, path: str) -> bool:
    return path == above or path.startswith(above if above.endswith("/") else f"{above}/")


# Changes at changes: what was heard of a vault since somebody looked, and how far silence can be trusted.

MAX_NOTES = 5_000  # with more notes than that, a look at everything costs no more
_RULE_FILES = frozenset({CONFIG, IGNORE})


class Coverage(Enum):
    """How much a source hears."""

    ALL = "all"  # its silence proves that nothing changed
    MOST = "most"  # it may miss something without knowing
    LITTLE = "little"  # what it does not hear has to be looked for all the time


@dataclass(slots=True)
class ChangeSet:
    """Notes and folders, by vault paths, that may have changed."""

    notes: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)  # each with all that lies below it, ending in a slash
    everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.everything or self.notes or self.folders)

    def add(self, other: ChangeSet) -> None:
        """Take further changes in."""
        self.notes |= other.notes
        self.folders |= other.folders
        self.everything |= other.everything or len(self.notes) > MAX_NOTES
        if self.everything:  # which is all there is to know
            self.notes.clear()
            self.folders.clear()

    def add_event(self, folder: str, name: str, *, is_folder: bool) -> None:
        """Something happened to what bears that name in a folder; most of what is not a note does not matter."""
        path = folder + name
        if path in _RULE_FILES:
            self.everything = True
        elif not is_text(path):
            return
        elif name == STATE and folder:
            self.folders.add(folder)  # it became a vault of its own, or is none any longer
        elif name.startswith("."):
            return
        elif is_folder:
            self.folders.add(f"{path}/")
        elif name.casefold().endswith(ENDINGS):
            self.notes.add(path)

    def vault_part(self) -> VaultPart:
        """Return the part of the vault that they are about."""
        return VaultPart(frozenset(self.notes), frozenset(self.folders))


class ChangeSource(Protocol):
    """What hears of changes in one vault, and passes them on from a thread of its own."""

    @property
    def coverage(self) -> Coverage:
        """How much it hears."""

    @property
    def limitation(self) -> str:
        """What keeps it from hearing enough; empty where nothing does."""

    def watch_folders(self, below: str, folders: Iterable[str]) -> None:
        """Listen to these folders, and no longer to others below that one; OSError where that is impossible."""

    def catch_up(self) -> bool:
        """Pass on what happened before this call; False where it cannot be sure of that."""

    def close(self) -> None:
        """Hear no more."""


class PollingSource:
    """A source where the system tells nothing."""

    coverage = Coverage.LITTLE

    def __init__(self, limitation: str = "") -> None:
        """Hear nothing, for some reason."""
        self.limitation = limitation

    def watch_folders(self, below: str, folders: Iterable[str]) -> None:
        """There is nothing to listen to."""

    def catch_up(self) -> bool:
        """It never knows."""
        return False

    def close(self) -> None:
        """There is nothing to let go of."""


# When to look: at once, then after a quiet moment, or when it has been long enough.

MAX_WAIT = 2.0  # however busy an editor is, its work is taken in after so many seconds
POLL_SECONDS = 5.0  # where no events come, everything is looked over this often
_SHARE = 50  # to look everything over takes at most one part in so many of the time


class ScanTimer:
    """The rhythm of one watch."""

    def __init__(self, *, quiet: float, scan: float, now: float) -> None:
        self._quiet = min(quiet, MAX_WAIT)
        self._first: float | None = None  # the first hint that was not looked into yet
        self._last = now
        self._scan_at = now
        self.scan_seconds = scan

    def note_change(self, now: float) -> None:
        """A hint came that something changed."""
        self._first = now if self._first is None else self._first
        self._last = now

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was heard since somebody looked."""
        return self._first is None

    def note_update(self) -> None:
        """What was heard was looked into."""
        self._first = None

    def note_scan(self, now: float, *, took: float) -> None:
        """Everything was looked over."""
        self._scan_at = now + max(
            self.scan_seconds, took * _SHARE
        )  # what was heard meanwhile may have come after the look

    def scan_sooner(self, now: float, *, scan: float) -> None:
        """From now on everything is to be looked over more often."""
        self.scan_seconds, self._scan_at = scan, min(self._scan_at, now + scan)

    def is_scan_due(self, now: float) -> bool:
        """Return whether it is time to look everything over."""
        return now >= self._scan_at

    def seconds_left(self, now: float) -> float:
        """Seconds until it is time to look; zero where it is."""
        due = self._scan_at
        if self._first is not None:
            due = min(due, self._last + self._quiet, self._first + MAX_WAIT)
        return max(0.0, due - now)
