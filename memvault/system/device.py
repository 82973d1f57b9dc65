"""The name of this device, under which its journal is kept."""

from __future__ import annotations

import os
from pathlib import Path

from memvault.errors import AlreadyThere, MemvaultError
from memvault.system import files

_SHORTEST, _LONGEST = 4, 64
_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def name(folder: Path) -> str:
    """This device's name: drawn once, kept in the state folder; a person may write a better one there."""
    path = folder / "device"
    try:
        return _kept(path) or _drawn(path)
    except MemvaultError:
        return "unnamed"  # nothing can be kept on this machine: reading must work all the same


def _kept(path: Path) -> str:
    if not path.is_file():
        return ""
    found = files.read(path).decode("ascii", errors="replace").strip()
    # No pattern: to compile one takes longer than to find the vault.
    fits = _SHORTEST <= len(found) <= _LONGEST and _CHARACTERS.issuperset(found) and found[0] != "-"
    return found if fits else ""


def _drawn(path: Path) -> str:
    drawn = os.urandom(4).hex()  # not the host's name: the journal travels, and that is nobody's business
    files.make_folder(path.parent)
    try:
        files.create(path, f"{drawn}\n".encode())
    except AlreadyThere:
        return _kept(path) or _replaced(path, drawn)
    return drawn


def _replaced(path: Path, drawn: str) -> str:
    files.overwrite(path, f"{drawn}\n".encode())
    return drawn
