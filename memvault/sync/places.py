"""Which names are taken in a tree that is being made: nothing is ever put over anything else."""

from __future__ import annotations

import unicodedata
from collections.abc import Container
from pathlib import PurePosixPath

from memvault.sync.commits import Entry
from memvault.sync.merge_driver import beside


class Places:
    """The names of a tree, as any disk would tell them apart."""

    def __init__(self, taken: dict[str, Entry], ours: Container[str]) -> None:
        self.taken = taken
        self._ours = ours  # names that were good so far: whatever disk this is, it can tell them apart
        self._files = {_alike(path): path for path in taken}
        self._folders = {_alike(folder) for path in taken for folder in _above(path)}

    def put(self, path: str, entry: Entry, name: str) -> str:
        """Give a file its name, or one beside it where that is taken by something else; which of the two."""
        if self.taken.get(path) == entry:
            return path
        for folder in _above(path):
            if blocking := self._files.get(_alike(folder)):
                self._make_way(blocking)
        free, turn = path, 1
        while self._is_taken(free):
            free = beside(path, name if turn == 1 else f"{name[:6]}-{turn}")
            turn += 1
            if self.taken.get(free) == entry:
                return free
        self._take(free, entry)
        return free

    def _is_taken(self, path: str) -> bool:
        if path in self.taken or _alike(path) in self._folders:
            return True
        return path not in self._ours and _alike(path) in self._files

    def _make_way(self, path: str) -> None:
        """A file stands where a folder is to be."""
        entry = self.taken.pop(path)
        self._files.pop(_alike(path), None)
        self._take(beside(path, entry.blob), entry)

    def _take(self, path: str, entry: Entry) -> None:
        self.taken[path] = entry
        self._files[_alike(path)] = path
        self._folders |= {_alike(folder) for folder in _above(path)}


def _above(path: str) -> list[str]:
    return [str(folder) for folder in PurePosixPath(path).parents][:-1]


def _alike(path: str) -> str:
    """A name as the least discerning of disks has it."""
    return unicodedata.normalize("NFC", path).casefold()
