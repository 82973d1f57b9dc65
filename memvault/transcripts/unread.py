"""Which files were read to their end, as they were then: a short list beside what upkeep remembers."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.storage.vault.context import Bench
from memvault.system import files

Stamp = list[int]

_FILE = "ingested.json"


class Read:
    """Paths with their stamps. It only spares work: without it files are looked at again, and nothing is doubled."""

    def __init__(self, bench: Bench) -> None:
        self._path = None if bench.state is None else bench.state / _FILE
        self._stamps: dict[str, Stamp] = {}
        if self._path is not None and self._path.exists():
            with suppress(MemvaultError, ValueError):
                self._stamps = json.loads(files.read(self._path))

    def stamp(self, path: Path) -> Stamp:
        """What changes about a file when its content does."""
        try:
            found = path.stat()
        except OSError:
            return []
        return [found.st_size, found.st_mtime_ns, found.st_ino]

    def has(self, path: Path, stamp: Stamp) -> bool:
        """Whether a file was read, and is as it was then."""
        return bool(stamp) and stamp in (self._stamps.get(name) for name in (_name(path), _unsaid(path)))

    def keep(self, path: Path, stamp: Stamp, *, is_gone: bool = False) -> None:
        """Remember that a file was read; of one that was forgotten for good, by a name that does not tell which."""
        self._stamps[_unsaid(path) if is_gone else _name(path)] = stamp
        if self._path is not None:
            with suppress(MemvaultError, OSError):
                files.make_folder(self._path.parent)
                files.overwrite(self._path, json.dumps(self._stamps).encode())


def _name(path: Path) -> str:
    return str(path.absolute())


def _unsaid(path: Path) -> str:
    return files.digest(_name(path).encode(errors="replace"))
