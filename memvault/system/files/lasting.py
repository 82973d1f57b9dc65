"""Files that another program wrote, made to last: until then a power cut may leave them empty."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from memvault.system.files.folders import sync_folder
from memvault.system.files.links import exit_on
from memvault.system.files.temp import sync
from memvault.system.files.trouble import writing

# Windows syncs no file that was opened for reading alone.
_FLAGS = (os.O_RDWR if sys.platform == "win32" else os.O_RDONLY) | getattr(os, "O_NOFOLLOW", 0)
_MANY = 200  # from here on it is quicker to ask for all that the system has


def make_last(root: Path, names: Sequence[str]) -> None:
    """Wait until the disk has these files below a root, and which of them there are."""
    if len(names) >= _MANY and sys.platform != "win32":
        os.sync()
        return
    for name in names:
        if not exit_on(root / name):
            _sync_file(root / name)
    for folder in sorted({folder for name in names for folder in Path(name).parents}):
        if (root / folder).is_dir():
            sync_folder(root / folder)


def _sync_file(path: Path) -> None:
    with writing(path):
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                return
            descriptor = os.open(path, _FLAGS | getattr(os, "O_CLOEXEC", 0))
        except FileNotFoundError:
            return
        try:
            sync(descriptor)
        finally:
            os.close(descriptor)
