"""Write durable temporary files, and remove those of writers that were killed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memvault.system.files.links import find_link_out
from memvault.system.files.reader import NO_FOLLOW, OPEN_SAFELY, write_errors
from memvault.text.characters import compile_pattern

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | OPEN_SAFELY
# The leading dot hides it from Obsidian, the ending from everything that looks for notes.
_NAME = r"\.mv-(\d+)-[0-9a-f]{12}\.tmp"
_PAUSES = (0.01, 0.02, 0.04, 0.08)


@contextmanager
def temporary_file(folder: Path, data: bytes, *, mode: int, like: Path | None = None) -> Iterator[Path]:
    """Give a durable temporary file with this content, which is gone afterwards unless it was renamed."""
    path = folder / f".mv-{os.getpid()}-{os.urandom(6).hex()}.tmp"
    descriptor = os.open(path, NEW, 0o600)
    try:
        try:
            write_all(descriptor, data)
            _set_attributes(descriptor, mode, like)
            sync_descriptor(descriptor)
        finally:
            os.close(descriptor)
        yield path
    finally:
        try_remove(path)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, however many calls the system makes of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def sync_descriptor(descriptor: int) -> None:
    """Wait until the disk has what was written."""
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # network disks know only the ordinary kind
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def rename_over(source: Path, target: Path) -> None:
    """Rename over whatever stands there."""
    if sys.platform == "win32":
        for pause in _PAUSES:  # there, a file that anybody is reading cannot be replaced
            with suppress(PermissionError):
                source.replace(target)
                return
            time.sleep(pause)
    source.replace(target)


def try_remove(path: Path) -> None:
    """Remove a file of our own if that is possible; a later sweep gets what is not."""
    with suppress(OSError):
        path.unlink()


def orphaned_files(folder: Path) -> tuple[Path, ...]:
    """Return the temporary files of writers that are no longer alive; behind a link out of the vault none is ours."""
    if find_link_out(folder):
        return ()
    with write_errors(folder):
        try:
            with os.scandir(folder) as entries:
                return tuple(sorted(Path(entry.path) for entry in entries if _is_orphan(entry.name)))
        except FileNotFoundError:
            return ()


def remove_orphans(folder: Path, *, older_than_ns: int, now_ns: int) -> tuple[Path, ...]:
    """Remove the temporary files that dead writers left long enough ago, and return them."""
    gone = []
    for path in orphaned_files(folder):
        with suppress(OSError):
            if now_ns - path.lstat().st_mtime_ns >= older_than_ns:
                path.unlink()
                gone.append(path)
    return tuple(gone)


def clear_orphans(folder: Path) -> None:
    """Remove the temporary files of dead writers in a folder that no sweep comes to: a key may be in one of them."""
    for path in orphaned_files(folder):
        try_remove(path)


def _is_orphan(name: str) -> bool:
    found = compile_pattern(_NAME).fullmatch(name)
    if found is None or int(found[1]) == os.getpid():
        return False
    if sys.platform == "win32":  # asking would mean to end that process there
        return True
    try:
        os.kill(int(found[1]), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # alive, and somebody else's
        pass
    return False


def _set_attributes(descriptor: int, mode: int, like: Path | None) -> None:
    if sys.platform == "win32":
        return
    if like is not None:
        with suppress(OSError):  # only an administrator may give files away
            found = like.lstat()
            os.fchown(descriptor, found.st_uid, found.st_gid)
        if sys.platform == "linux":
            with suppress(OSError):
                for name in os.listxattr(like, follow_symlinks=False):
                    with suppress(OSError):
                        os.setxattr(descriptor, name, os.getxattr(like, name, follow_symlinks=False))
    os.fchmod(descriptor, mode)


# Bytes that are held for a while: in memory while they are few, then in a file without a name.

_IN_MEMORY = 8 * 1024 * 1024

SpoolPlace = tuple[int, int]  # where some bytes begin, and how many they are


class Spool:
    """A store of bytes that is gone once it is closed, or once the process ends."""

    def __init__(self) -> None:
        from tempfile import SpooledTemporaryFile, gettempdir  # deferred: only an import needs it

        self._place = Path(gettempdir())
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - whoever holds the spool closes it
        self._end = 0

    def put(self, data: bytes) -> SpoolPlace:
        """Put bytes by, and say where."""
        with write_errors(self._place):
            self._file.seek(self._end)
            self._file.write(data)
        place = (self._end, len(data))
        self._end += len(data)
        return place

    def get(self, place: SpoolPlace) -> bytes:
        """Return the bytes that were put there."""
        with write_errors(self._place):
            self._file.seek(place[0])
            return self._file.read(place[1])

    def close(self) -> None:
        """Remove all of it."""
        self._file.close()
