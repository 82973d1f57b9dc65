"""Lines of our own records made void in place: whoever appends to the same file at that moment loses nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from memvault.errors import NotAPlainFile
from memvault.system.files.links import check_write
from memvault.system.files.new_file import kind_of
from memvault.system.files.temp import sync, write_all
from memvault.system.files.trouble import writing

_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


def amend(path: Path, changes: Iterable[tuple[int, bytes]]) -> None:
    """Write some bytes over as many that stand at each of some places, durably; the file stays as long as it is."""
    check_write(path)
    with writing(path):
        descriptor = os.open(path, _FLAGS | _BINARY)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise NotAPlainFile(path=path, what=kind_of(found))
            for at, data in changes:
                os.lseek(descriptor, at, os.SEEK_SET)
                write_all(descriptor, data)
            sync(descriptor)
        finally:
            os.close(descriptor)
