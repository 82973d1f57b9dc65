"""Taking a note away: only while it holds what was read, and what it held is kept a while."""

from __future__ import annotations

import os
from pathlib import Path

from memvault.errors import ChangedMeanwhile, NotAPlainFile
from memvault.files.folders import make_folder, opened, sync_opened
from memvault.files.held import drop, new_slot
from memvault.files.naming import give_name, kind_of
from memvault.files.reading import raw
from memvault.files.trouble import writing


def withdraw(path: Path, *, expected: bytes, hold: Path) -> None:
    """Take a note out of the vault into `hold` while it still is what was read, or raise ChangedMeanwhile."""
    with writing(path), opened(path.parent) as folder:
        if not path.is_file() or path.is_symlink():
            if os.path.lexists(path):
                raise NotAPlainFile(path=path, what=kind_of(path.lstat()))
            raise ChangedMeanwhile(path=path)
        make_folder(hold)
        slot = new_slot(hold, path, old=expected, new=expected)
        if raw(path) != expected:
            drop(slot)
            raise ChangedMeanwhile(path=path)
        path.rename(slot)
        if raw(slot) != expected:  # saved between the last look and the rename
            give_name(slot, path)
            raise ChangedMeanwhile(path=path)
        sync_opened(folder)
