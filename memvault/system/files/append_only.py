"""Write memvault's own files: journals that only grow, and derived files that are replaced whole."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memvault.errors import ChangedMeanwhile, Unreadable
from memvault.system.files.folders import make_folder, open_folders, sync_descriptors, sync_folder
from memvault.system.files.links import check_write, find_link_out
from memvault.system.files.new_file import check_plain
from memvault.system.files.reader import NO_FOLLOW, OPEN_SAFELY, write_errors
from memvault.system.files.temp import rename_over, sync_descriptor, temporary_file, write_all

_CHANGE = os.O_RDWR | NO_FOLLOW | OPEN_SAFELY  # readable too, for a look at the last byte
_EXTEND = _CHANGE | os.O_CREAT

_A_MOMENT = 0.001


def overwrite_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a derived file anew, whole and durable, whatever it held; not for what people edit."""
    check_write(path)
    with write_errors(path), open_folders(path.parent) as folder:
        if os.path.lexists(path):
            check_plain(path, path.lstat())
        with temporary_file(path.parent, data, mode=mode) as temporary:
            rename_over(temporary, path)
        sync_descriptors(folder)


def append_line(path: Path, data: bytes, *, durable: bool = False, full: int = 0) -> None:
    """Add to the end of a file in one write, on a line of its own, making the file and its folder if need be.

    A log that is longer than `full` by then is put aside as `NAME.old`, in place of the one that was put aside before:
    by a rename, so that a line which somebody else is just adding is not lost.
    """
    with _open_own(path, _EXTEND | os.O_APPEND) as (descriptor, size):
        if data and not _ends_in_newline(descriptor):
            time.sleep(_A_MOMENT)  # of a writer that is in the middle of its write, the end comes at once
            if not _ends_in_newline(descriptor):  # that of one that was killed does not
                data = b"\n" + data
        if os.write(descriptor, data) != len(data):  # a second write could land behind somebody else's line
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if durable:
            sync_descriptor(descriptor)
    if durable and size == 0:
        sync_folder(path.parent)
    if full and size + len(data) > full:
        path.replace(path.with_stem(f"{path.stem}.old"))


def extend_at(path: Path, data: bytes, *, at: int) -> None:
    """Add to a file whose whole part ends at a place, durably and all or nothing; what lies behind it is cut off.

    For whoever is the only writer and has seen that a dead writer left what is cut off.
    """
    with _open_own(path, _EXTEND) as (descriptor, size):
        if size < at:
            raise ChangedMeanwhile(path=path)
        try:
            if size > at:
                os.ftruncate(descriptor, at)
            os.lseek(descriptor, at, os.SEEK_SET)
            write_all(descriptor, data)
            sync_descriptor(descriptor)
        except OSError:
            with suppress(OSError):  # if even that fails, whoever extends it next does it
                os.ftruncate(descriptor, at)
            raise
    if at == 0:
        sync_folder(path.parent)


def overwrite_spans(path: Path, changes: Iterable[tuple[int, bytes]]) -> None:
    """Write some bytes over as many that stand at each of some places, durably; the file stays as long as it is.

    Whoever appends to the same file at that moment loses nothing.
    """
    with _open_own(path, _CHANGE) as (descriptor, _):
        for at, data in changes:
            os.lseek(descriptor, at, os.SEEK_SET)
            write_all(descriptor, data)
        sync_descriptor(descriptor)


@contextmanager
def _open_own(path: Path, flags: int) -> Iterator[tuple[int, int]]:
    """Open a file of our own, in a folder that is made if need be, and give its size, too."""
    check_write(path)
    with write_errors(path):
        if flags & os.O_CREAT:
            make_folder(path.parent)
        descriptor = os.open(path, flags, 0o600)
        try:
            found = os.fstat(descriptor)
            check_plain(path, found)
            yield descriptor, found.st_size
        finally:
            os.close(descriptor)


def remove_file(path: Path) -> None:
    """Remove a file of our own; one that is not there is fine, and of a link only the link is removed."""
    check_write(path, itself=False)
    with write_errors(path):
        path.unlink(missing_ok=True)


def _ends_in_newline(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    if size == 0:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


# Archives that others have made, and what becomes of damage in them.


@contextmanager
def archive_errors(path: Path) -> Iterator[None]:
    """Turn whatever a damaged archive comes to into Unreadable."""
    from struct import error as Unpacked
    from zipfile import BadZipFile

    plain = (RuntimeError, ValueError, KeyError, OverflowError, OSError, EOFError)
    damage: tuple[type[Exception], ...] = (BadZipFile, zlib.error, Unpacked, *plain)
    with suppress(ImportError):  # some Pythons are built without it
        from lzma import LZMAError

        damage = (*damage, LZMAError)
    try:
        yield
    except damage as error:
        raise Unreadable(path=path, reason="it is damaged, or needs a password") from error


# Files that another program wrote, made to last: until then a power cut may leave them empty.

# Windows syncs no file that was opened for reading alone.
_LASTING = (os.O_RDWR if sys.platform == "win32" else os.O_RDONLY) | NO_FOLLOW | OPEN_SAFELY
_MANY = 200  # from here on it is quicker to ask for all that the system has


def sync_files(root: Path, names: Sequence[str]) -> None:
    """Wait until the disk has these files below a root, and which of them there are."""
    if len(names) >= _MANY and sys.platform != "win32":
        os.sync()
        return
    for name in names:
        if not find_link_out(root / name):
            _sync_file(root / name)
    for folder in sorted({folder for name in names for folder in Path(name).parents}):
        if (root / folder).is_dir():
            sync_folder(root / folder)


def _sync_file(path: Path) -> None:
    with write_errors(path):
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                return
            descriptor = os.open(path, _LASTING)
        except FileNotFoundError:
            return
        try:
            sync_descriptor(descriptor)
        finally:
            os.close(descriptor)
