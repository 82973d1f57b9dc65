"""Parts of a vault looked at for themselves: single notes, and folders with all that lies below them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.storage.vault.entries import StatKey
from memvault.storage.vault.layout import STATE
from memvault.storage.vault.listing import Listing, Walk, is_text
from memvault.storage.vault.vault import Vault
from memvault.system import files


@dataclass(frozen=True, slots=True)
class Part:
    """What is to be looked at, by vault paths; folders end in a slash."""

    notes: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def outermost(self) -> tuple[str, ...]:
        """The folders that lie in no other of them."""
        kept: list[str] = []
        for folder in sorted(self.folders):
            if not kept or not folder.startswith(kept[-1]):
                kept.append(folder)
        return tuple(kept)

    def apart(self) -> tuple[str, ...]:
        """The notes that lie in none of the folders."""
        within = self.outermost()
        return tuple(sorted(note for note in self.notes if not note.startswith(within)))


class PartWalk(Walk):
    """A walk that goes straight to some place, and finds there what a walk through all of the vault finds there."""

    def __init__(self, vault: Vault) -> None:
        super().__init__(vault.root, vault.layout, vault.hides)
        self._come_by: dict[str, bool] = {"": True}

    def listing(self, folders: Iterable[str]) -> Listing:
        """These folders and all below them with their notes; those that no walk comes by are left out."""
        for folder in folders:
            if self.comes_by(folder):
                yield from self.folders(folder)

    def note(self, path: str) -> StatKey | None:
        """The stat key of one note; None where a walk would find none."""
        above, slash, name = path.rpartition("/")
        folder = above + slash
        if not (is_text(name) and self.comes_by(folder) and self._test(folder)(name)):
            return None
        return self._key(folder, self._root / path)

    def comes_by(self, folder: str) -> bool:
        """Whether a walk through all of the vault looks into a folder, and finds no vault of its own there."""
        if folder not in self._come_by:
            self._come_by[folder] = self._leads_to(folder) and not os.path.lexists(self._root / folder / STATE)
        return self._come_by[folder]

    def ways(self, folder: str = "") -> Iterator[str]:
        """Every folder from that one on that a walk looks into, each before it is looked into."""
        if folder and not self._leads_to(folder):
            return
        yield folder
        try:
            with os.scandir(self._root / folder) as found:
                names = [entry.name for entry in found if self._is_folder(folder, entry)]
        except OSError:
            return
        if not folder or STATE not in names:
            for name in names:
                yield from self.ways(f"{folder}{name}/")

    def _is_folder(self, folder: str, entry: os.DirEntry[str]) -> bool:
        return entry.is_dir(follow_symlinks=False) or self._is_let_in(folder, entry)

    def _leads_to(self, folder: str) -> bool:
        above, slash, _ = folder[:-1].rpartition("/")
        if not (self.comes_by(above + slash) and is_text(folder) and self._layout.walks_into(folder)):
            return False
        full = self._root / folder
        try:
            is_folder = stat.S_ISDIR(full.lstat().st_mode) or (files.allows(full) and full.is_dir())
        except OSError:
            return False
        return is_folder and not self._hides(folder) and os.access(full, os.R_OK | os.X_OK)
