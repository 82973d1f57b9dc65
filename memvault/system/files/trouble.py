"""What the operating system refuses, in plain words."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memvault.errors import Hindered, Unwritable

_REASONS = {
    errno.ENOENT: "it, or the folder it belongs in, does not exist",
    errno.ENOTDIR: "part of its path is a file, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EEXIST: "something with that name is in the way",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
    errno.EIO: "the disk reports an error",
    errno.ELOOP: "it is a symbolic link, or leads in a circle of them",
    errno.ENAMETOOLONG: "its name is too long",
    errno.EXDEV: "it lies on another disk than the rest of the vault",
    errno.ENXIO: "it is not an ordinary file",
    errno.EFBIG: "it is too large",
    errno.EBUSY: "another program is using it",
    errno.ENOLCK: "this disk cannot lock files",
}
if hasattr(errno, "EDQUOT"):  # not on Windows
    _REASONS[errno.EDQUOT] = "the disk quota is used up"


def plain(error: OSError | ValueError) -> str:
    """Say in plain words why the system refused."""
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0) or error.strerror or "the system refuses"
    return "its name cannot be used here"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the system's refusals into Unwritable."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise Unwritable(path=path, reason=plain(error)) from error


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Wherever the system refuses, and however far from the files that is, it is told as an error of ours."""
    try:
        yield
    except BrokenPipeError:  # of whoever is told how it goes on, not of the vault
        raise
    except OSError as error:
        raise Hindered(path=error.filename or path, reason=plain(error)) from error
