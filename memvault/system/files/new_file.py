"""Create and move files, whole and without ever overwriting another."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memvault.errors import AlreadyThere, MemvaultError, NotAPlainFile
from memvault.system.files.folders import open_folders, sync_descriptors, sync_folder
from memvault.system.files.links import check_write
from memvault.system.files.reader import write_errors
from memvault.system.files.temp import NEW, temporary_file, try_remove

# What disks without hard links answer; FAT says EPERM.
NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}


def create_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a new file, whole and durable, or raise AlreadyThere and leave what is there alone."""
    check_write(path, itself=False)
    with write_errors(path), open_folders(path.parent) as folder:
        if os.path.lexists(path):
            raise AlreadyThere(path=path)
        with temporary_file(path.parent, data, mode=mode) as temporary:
            try:
                rename_exclusive(temporary, path)
            except FileExistsError as error:
                raise AlreadyThere(path=path) from error
        try:
            sync_descriptors(folder)
        except OSError:
            try_remove(path)
            raise


def move_file(source: Path, target: Path) -> None:
    """Give a file another name or folder, durably, or raise AlreadyThere; called again, it finishes the job."""
    check_write(source, itself=False)
    check_write(target, itself=False)
    with write_errors(source), open_folders(target.parent, source.parent) as folders:
        check_plain(source, source.lstat())
        try:
            rename_exclusive(source, target)
        except FileExistsError as error:
            if not _merge_names(source, target):
                raise AlreadyThere(path=target) from error
        try:
            sync_descriptors(folders)
        except OSError:
            with suppress(OSError):
                rename_exclusive(target, source)
            raise


def finish_move(source: Path, target: Path) -> bool:
    """Complete a move that was killed while the file had both names; False if these are two files, or one is not."""
    check_write(source, itself=False)
    check_write(target, itself=False)
    with write_errors(source), open_folders(source.parent) as folder:
        if not (is_same(source, target) and _merge_names(source, target)):
            return False
        sync_descriptors(folder)
        return True


def is_same(one: Path, other: Path) -> bool:
    """Tell whether two names stand for one file."""
    try:
        return os.path.samestat(one.lstat(), other.lstat())
    except OSError:
        return False


def check_plain(path: Path, found: os.stat_result) -> None:
    """Raise NotAPlainFile where something else stands in the place of an ordinary file."""
    if not stat.S_ISREG(found.st_mode):
        is_link, is_folder = stat.S_ISLNK(found.st_mode), stat.S_ISDIR(found.st_mode)
        what = "a symbolic link" if is_link else "a folder" if is_folder else "not an ordinary file"
        raise NotAPlainFile(path=path, what=what)


def rename_exclusive(source: Path, target: Path) -> None:
    """Rename without overwriting (FileExistsError); whenever it is killed, the file has one name or both."""
    if not rename_no_replace(source, target) and not _link_over(source, target):
        # No way to rename without overwriting: so overwrite an empty file that is certainly our own.
        descriptor = os.open(target, NEW, 0o600)
        claim = os.fstat(descriptor)
        os.close(descriptor)
        found = target.lstat()
        if found.st_size or not os.path.samestat(found, claim):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        try:
            source.replace(target)
        except OSError:
            try_remove(target)
            raise


def _link_over(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno in NO_LINKS:
            return False
        raise
    try:
        sync_folder(target.parent)  # the disk must know the new name before it is told to forget the old
        source.unlink()
    except (OSError, MemvaultError):  # not an interrupt: it may have come after the unlink
        try_remove(target)
        raise
    return True


def _merge_names(source: Path, target: Path) -> bool:
    if not is_same(source, target):
        return False
    if _are_two_entries(source, target):
        source.unlink()  # linked by an earlier move that was killed before this step
    else:
        source.rename(target)  # the disk ignores the difference between these names: case, or how accents are coded
    return True


def _are_two_entries(source: Path, target: Path) -> bool:
    if not source.parent.samefile(target.parent):
        return True
    with os.scandir(source.parent) as entries:
        return source.name != target.name and {source.name, target.name} <= {entry.name for entry in entries}


# Claims: empty files that of any number of processes exactly one can make.


def create_claim(path: Path) -> bool:
    """Make an empty file, and tell whether it was not there; nothing about it outlives a power cut."""
    check_write(path)
    with write_errors(path):
        try:
            os.close(os.open(path, NEW, 0o600))
        except FileExistsError:
            return False
    return True


# The two renames that Python lacks: exchange two files, and rename without overwriting.

KernelRename = Callable[[bytes, bytes, int], int]

# RENAME_EXCHANGE and RENAME_NOREPLACE of Linux; RENAME_SWAP and RENAME_EXCL of macOS
_EXCHANGE = 2
_NO_REPLACE = 4 if sys.platform == "darwin" else 1
_AT_FDCWD = -100
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
# A C library older than the system call (musl, for long) still lets it be made by number.
_SYSCALL = {"x86_64": 316, "aarch64": 276, "riscv64": 276}

_loaded: dict[str, KernelRename] = {}


def exchange_files(one: Path, other: Path) -> bool:
    """Exchange two files in one step, or return False where the system cannot."""
    return _call_rename(one, other, _EXCHANGE)


def rename_no_replace(source: Path, target: Path) -> bool:
    """Rename in one step unless the target exists (FileExistsError); return False where the system cannot."""
    if sys.platform == "win32":
        source.rename(target)
        return True
    return _call_rename(source, target, _NO_REPLACE)


def _call_rename(source: Path, target: Path, flag: int) -> bool:
    call = kernel_rename()
    if call is None:
        return False
    names = os.fsencode(source), os.fsencode(target)
    if b"\0" in names[0] + names[1]:
        raise ValueError("embedded null byte")  # C would take what stands before it for the whole name
    code = call(*names, flag)
    if code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(source), None, str(target))
    return True


def kernel_rename() -> KernelRename | None:
    """Return the kernel's rename with flags, which answers with an error number; None where there is none."""
    if "call" not in _loaded:
        try:
            found = _find_call()
        except (ImportError, OSError):  # no ctypes in this Python, or no descriptor left to load it with
            found = None
        if found is None:
            return None
        _loaded["call"] = found
    return _loaded["call"]


def _find_call() -> KernelRename | None:
    if sys.platform == "win32":
        return None
    from ctypes import CDLL, c_char_p, c_int, c_long, c_uint, get_errno  # only a writer should pay for it

    library = CDLL(None, use_errno=True)
    number = _SYSCALL.get(os.uname().machine)
    lead: tuple[int, ...]
    between: tuple[int, ...]
    if sys.platform == "darwin":
        call, lead, between = library.renamex_np, (), ()
        call.argtypes = (c_char_p, c_char_p, c_uint)
    elif hasattr(library, "renameat2"):
        call, lead, between = library.renameat2, (_AT_FDCWD,), (_AT_FDCWD,)
        call.argtypes = (c_int, c_char_p, c_int, c_char_p, c_uint)
    elif number:
        call, lead, between = library.syscall, (number, _AT_FDCWD), (_AT_FDCWD,)
        call.argtypes = (c_long, c_long, c_char_p, c_long, c_char_p, c_long)
    else:
        return None
    return lambda source, target, flag: call(*lead, source, *between, target, flag) and get_errno()
