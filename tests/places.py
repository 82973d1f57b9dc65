"""Where the tests keep their folders, and how many workers share them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
_ROOM = 2 << 30  # bytes; a whole run needs less than a quarter of it
_GIVEN = ("PYTEST_DEBUG_TEMPROOT", "TMPDIR", "TEMP", "TMP")


def in_memory(environment: Mapping[str, str], disk: Path = IN_MEMORY) -> str:
    """Name the disk in memory that the temporary folders are quickest on; nothing where a place was chosen, or none will do."""
    if any(environment.get(name) for name in _GIVEN):
        return ""
    if not (disk.is_dir() and os.access(disk, os.W_OK | os.X_OK)):
        return ""
    left = os.statvfs(disk)
    return str(disk) if left.f_bavail * left.f_frsize >= _ROOM else ""


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
