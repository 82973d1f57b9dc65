"""What keeps an index from being used though nothing is wrong with it: the disk, and not what is written there."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from memvault.system.files import plain

# Whatever else fails may be a damage, and is mended by building the index again; these would meet that as well.
_OF_THE_DISK = {errno.ENOSPC, errno.EROFS, errno.EMFILE, errno.ENFILE, getattr(errno, "EDQUOT", errno.ENOSPC)}
_DOUBTFUL = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR}


def hindrance(error: BaseException, folder: Path) -> str:
    """Why the disk keeps an index in this folder from being used; nothing where it does not."""
    if isinstance(error, OSError):
        return plain(error) if error.errno in _OF_THE_DISK else ""
    if not isinstance(error, sqlite3.Error):
        return ""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest of it says in more detail what went wrong
    if code == sqlite3.SQLITE_FULL:
        return plain(OSError(errno.ENOSPC, ""))
    return _state_of(folder) if code in _DOUBTFUL else ""


def _state_of(folder: Path) -> str:
    """What a disk itself says that would keep anybody from writing there."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
        disk = os.statvfs(folder) if hasattr(os, "statvfs") else None
    except OSError as error:
        return plain(error) if error.errno in _OF_THE_DISK else ""
    if disk is None:
        return ""
    if disk.f_flag & os.ST_RDONLY:
        return plain(OSError(errno.EROFS, ""))
    return plain(OSError(errno.ENOSPC, "")) if disk.f_blocks and not disk.f_bavail else ""
