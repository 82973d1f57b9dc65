"""Claims: empty files that of any number of processes exactly one can make."""

from __future__ import annotations

import os
from pathlib import Path

from memvault.system.files.links import check_write
from memvault.system.files.temp import NEW
from memvault.system.files.trouble import writing


def claim(path: Path) -> bool:
    """Make an empty file, and tell whether it was not there; nothing about it outlives a power cut."""
    check_write(path)
    with writing(path):
        try:
            os.close(os.open(path, NEW, 0o600))
        except FileExistsError:
            return False
    return True
