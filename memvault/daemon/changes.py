"""Which disks tell of every change: a network's may be changed by another machine, of which this one hears nothing."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_MOUNTS = Path("/proc/self/mountinfo")
# Those that only this machine writes to, through its own kernel. What is not known here is looked at again and again.
_OWN = frozenset(
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
    """What a folder lies on, then what is mounted below it; nothing where the system does not say."""
    try:
        text = mounts.read_text("utf-8", errors="surrogateescape")
    except OSError:
        return ()
    return chosen(os.path.realpath(root), text)


def foreign_disk(root: Path, *, mounts: Path = _MOUNTS) -> str:
    """The type of a disk at or below a folder that others may write to unheard; empty where there is none."""
    return foreign_type(mounts_at(root, mounts=mounts))


def foreign_type(mounts: Mounts) -> str:
    """The same, of what was mounted there."""
    return next((mount.type for mount in mounts if mount.type not in _OWN), "")


def chosen(root: str, mountinfo: str) -> Mounts:
    """What matters to a real path of all that the system says of its mounts."""
    holding: Mount | None = None
    inner: list[Mount] = []
    for mount in _mounts(mountinfo):
        # Of several at one place, the last is on top.
        if _holds(mount.place, root) and (holding is None or len(mount.place) >= len(holding.place)):
            holding = mount
        elif _holds(root, mount.place):
            inner.append(mount)
    return (*((holding,) if holding else ()), *inner)


class Mounting:
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
        """Whether something there differs since the last call; the kernel knows of it before `mount` returns."""
        if self._poll is None or not self._poll.poll(0):
            return False
        before, self._mounts = self._mounts, mounts_at(self._root)
        return self._mounts != before

    def close(self) -> None:
        """Give everything back."""
        if self._poll is not None:
            os.close(self._file)


def _mounts(mountinfo: str) -> Iterator[Mount]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        yield Mount(fields[0], _OCTAL.sub(_character, fields[4]), after.partition(" ")[0])


def _holds(above: str, path: str) -> bool:
    return path == above or path.startswith(above if above.endswith("/") else f"{above}/")


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 8))
