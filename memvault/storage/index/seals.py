"""The seal on a database file that nobody has open: an empty file beside it, with what it was in its name."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import sleep

from memvault.errors import MemvaultError
from memvault.system import files

_SEAL = ".seal"
_LOOKS, _PAUSE = 5, 0.005


def is_broken(path: Path) -> bool:
    """Whether somebody else wrote to the file since it was closed; of one that was left open nothing can be told."""
    for _ in range(_LOOKS):
        if not _looks_broken(path):
            return False
        sleep(_PAUSE)  # somebody may be closing it at this moment
    return True


def lift(path: Path) -> None:
    """Before the file is written to: take its seal off."""
    with suppress(FileNotFoundError):  # somebody has emptied the cache
        files.remove(_seal_of(path))


def lay(path: Path) -> None:
    """After the file was closed: seal it, unless somebody else still has it open."""
    with suppress(OSError, MemvaultError):  # without a seal nothing is lost but the notice of damage
        seal = _seal_of(path)
        if seal.exists() or _is_open(path):
            return
        for other in _seals(path):
            files.remove(other)
        files.claim(seal)


def _looks_broken(path: Path) -> bool:
    with suppress(FileNotFoundError):  # it is only about to be made
        return not _seal_of(path).exists() and not _is_open(path) and bool(_seals(path))
    return False


def _seal_of(path: Path) -> Path:
    found = path.stat()
    return path.with_name(f"{path.name}.{found.st_size:x}-{found.st_mtime_ns:x}{_SEAL}")


def _seals(path: Path) -> list[Path]:
    names = [name for name in os.listdir(path.parent) if name.startswith(f"{path.name}.") and name.endswith(_SEAL)]  # noqa: PTH208  # names are all that is needed
    return [path.with_name(name) for name in names]


def _is_open(path: Path) -> bool:
    """Whether SQLite's log of changes is there, which the last to close it takes away."""
    return path.with_name(f"{path.name}-wal").exists()
