"""The last contents that were remembered on this machine: a short list beside the upkeep's, quickly read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memvault.errors import MemvaultError
from memvault.storage.vault.context import Bench
from memvault.system import files

LAST = 100
_FILE = "recent"
_FULL = 60_000  # bytes: then the list is written anew


class Kept(NamedTuple):
    """Which memory holds a content."""

    id: str
    path: str


def recent(bench: Bench) -> Mapping[str, Kept]:
    """The digests of the last contents, the latest last, each with the memory that holds it."""
    path = _path(bench)
    if path is None or not path.exists():
        return {}
    with suppress(MemvaultError):  # what cannot be read is no reason to remember nothing
        return _read(files.read(path))
    return {}


def keep_recent(bench: Bench, digest: str, kept: Kept) -> None:
    """Put a content at the end of the list."""
    path = _path(bench)
    if path is None:
        return
    with suppress(MemvaultError, OSError):
        files.append(path, f"{digest} {kept.id} {kept.path}\n".encode())
        if path.stat().st_size > _FULL:
            rows = (f"{digest} {kept.id} {kept.path}\n" for digest, kept in recent(bench).items())
            files.overwrite(path, "".join(rows).encode())


def _read(data: bytes) -> Mapping[str, Kept]:
    found: dict[str, Kept] = {}
    for line in data.decode(errors="replace").splitlines()[-LAST:]:
        parts = line.split(" ", 2)
        if len(parts) == 3:
            found.pop(parts[0], None)
            found[parts[0]] = Kept(parts[1], parts[2])
    return found


def _path(bench: Bench) -> Path | None:
    return None if bench.state is None else bench.state / _FILE
