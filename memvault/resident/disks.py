"""Which disks tell of every change: a network's may be changed by another machine, of which this one hears nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

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


def foreign_disk(root: Path, *, mounts: Path = _MOUNTS) -> str:
    """The type of a disk at or below a folder that others may write to unheard; empty where there is none."""
    try:
        text = mounts.read_text("utf-8", errors="surrogateescape")
    except OSError:
        return ""
    return foreign_type(os.path.realpath(root), text)


def foreign_type(root: str, mountinfo: str) -> str:
    """The same, of a real path and what the system says of its mounts."""
    holding, kind, inner = "", "", ""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        place, type_ = _OCTAL.sub(_character, before.split(" ")[4]), after.partition(" ")[0]
        if _holds(place, root) and len(place) >= len(holding):  # of several at one place, the last is on top
            holding, kind = place, type_
        elif _holds(root, place) and type_ not in _OWN:
            inner = type_
    return kind if kind not in _OWN else inner


def _holds(above: str, path: str) -> bool:
    return path == above or path.startswith(above if above.endswith("/") else f"{above}/")


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 8))
