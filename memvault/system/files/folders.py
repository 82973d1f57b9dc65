"""Make folders, make their names durable, and check that paths stay below them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memvault.errors import OutsideVault
from memvault.system.files.links import check_write
from memvault.system.files.reader import write_errors
from memvault.system.files.temp import sync_descriptor

# Some network and FUSE disks have nothing to say about folders.
_NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF}


def make_folder(path: Path, mode: int = 0o700) -> None:
    """Make a folder and its missing parents, durably; one that is there already stays as it is."""
    check_write(path)
    with write_errors(path):
        if path.is_dir():
            return
        if path.parent != path:
            make_folder(path.parent, mode)
        try:
            path.mkdir(mode)
        except FileExistsError:
            if not path.is_dir():
                raise
        else:
            with open_folders(path.parent) as parent:
                sync_descriptors(parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable: what was created, renamed or removed in it."""
    with write_errors(path), open_folders(path) as folder:
        sync_descriptors(folder)


@contextmanager
def open_folders(*paths: Path) -> Iterator[tuple[int, ...]]:
    """Hold folders open, so that once something was renamed in them, nothing but the sync itself can fail."""
    descriptors: list[int] = []
    try:
        if sys.platform != "win32":  # which has no such thing, and needs none
            for path in dict.fromkeys(paths):
                descriptors.append(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        yield tuple(descriptors)
    finally:
        for descriptor in descriptors:
            with suppress(OSError):  # nothing was written through it
                os.close(descriptor)


def sync_descriptors(descriptors: tuple[int, ...]) -> None:
    """Make the names in these folders durable, where the disk can."""
    for descriptor in descriptors:
        try:
            sync_descriptor(descriptor)
        except OSError as error:
            if error.errno not in _NO_SYNC:
                raise


def is_inside(root: Path, path: Path) -> bool:
    """Tell whether a path, all its symbolic links followed, stays under the root."""
    try:
        real_root, real = (os.path.normcase(os.path.realpath(name)) for name in (root, path))
        return os.path.commonpath((real_root, real)) == real_root
    except (OSError, ValueError):  # not a name at all, or on another Windows drive
        return False


def is_in_place(root: Path, path: Path) -> bool:
    """Tell whether a path lies where its name says: no link on the way from the root to it leads elsewhere."""
    try:
        named = Path(os.path.realpath(root)) / path.relative_to(root)
        return os.path.normcase(os.path.realpath(path)) == os.path.normcase(str(named))
    except (OSError, ValueError):  # not a name at all, or not under that root
        return False


def list_files(root: Path, folder: Path) -> Iterator[Path]:
    """Yield the files at any depth of a folder, in order, without following links."""
    for above, folders, names in os.walk(folder) if is_in_place(root, folder) else ():
        folders.sort()
        paths = (Path(above, name) for name in sorted(names))
        yield from (path for path in paths if path.is_file() and not path.is_symlink())


def check_inside(root: Path, path: Path) -> None:
    """Raise OutsideVault unless a path, all its symbolic links followed, stays under the root."""
    if not is_inside(root, path):
        raise OutsideVault(path=path)
