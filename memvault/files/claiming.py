"""Claims: empty files that of any number of processes exactly one can make."""

from __future__ import annotations

import os
from pathlib import Path

from memvault.files.temporary import NEW
from memvault.files.trouble import writing
from memvault.files.walls import check_write


def claim(path: Path) -> bool:
    """Make an empty file, and tell whether it was not there; nothing about it outlives a power cut."""
    check_write(path)
    with writing(path):
        try:
            os.close(os.open(path, NEW, 0o600))
        except FileExistsError:
            return False
    return True
