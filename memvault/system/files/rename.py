"""The two renames that Python lacks: exchange two files, and rename without overwriting."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

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
