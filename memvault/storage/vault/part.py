"""Parts of a vault: single notes and folders, looked up without a walk through the whole vault."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.storage.vault.layout import STATE
from memvault.storage.vault.listing import Listing, StatKey, VaultWalk, is_text
from memvault.storage.vault.vault import Vault
from memvault.system import files


@dataclass(frozen=True, slots=True)
class VaultPart:
    """A part of a vault: notes and folders by vault path; folders end in a slash."""

    notes: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def outermost_folders(self) -> tuple[str, ...]:
        """Return the folders that lie in no other of them."""
        kept: list[str] = []
        for folder in sorted(self.folders):
            if not kept or not folder.startswith(kept[-1]):
                kept.append(folder)
        return tuple(kept)

    def notes_outside(self) -> tuple[str, ...]:
        """Return the notes that lie in none of the folders."""
        within = self.outermost_folders()
        return tuple(sorted(note for note in self.notes if not note.startswith(within)))


class PartWalk(VaultWalk):
    """Goes straight to some place, and finds there what a walk through the whole vault would."""

    def __init__(self, vault: Vault) -> None:
        super().__init__(vault.root, vault.layout, vault.hides)
        self._come_by: dict[str, bool] = {"": True}

    def list_folders(self, folders: Iterable[str]) -> Listing:
        """Yield these folders and all below them with their notes; those that no walk enters are left out."""
        for folder in folders:
            if self.is_walked(folder):
                yield from self.walk_folders(folder)

    def note_key(self, path: str) -> StatKey | None:
        """Return the stat key of one note; None where a walk would find none."""
        above, slash, name = path.rpartition("/")
        folder = above + slash
        if not (is_text(name) and self.is_walked(folder) and self._note_test(folder)(name)):
            return None
        return self._stat_key(folder, self._root / path)

    def is_walked(self, folder: str) -> bool:
        """Return whether a walk through the vault enters a folder and finds no inner vault there."""
        if folder not in self._come_by:
            self._come_by[folder] = self._leads_to(folder) and not os.path.lexists(self._root / folder / STATE)
        return self._come_by[folder]

    def walked_folders(self, folder: str = "") -> Iterator[str]:
        """Yield every folder below that a walk enters, each before it is read."""
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
                yield from self.walked_folders(f"{folder}{name}/")

    def _is_folder(self, folder: str, entry: os.DirEntry[str]) -> bool:
        return entry.is_dir(follow_symlinks=False) or self._is_allowed_link(folder, entry)

    def _leads_to(self, folder: str) -> bool:
        above, slash, _ = folder[:-1].rpartition("/")
        if not (self.is_walked(above + slash) and is_text(folder) and self._layout.walks_into(folder)):
            return False
        full = self._root / folder
        try:
            is_folder = stat.S_ISDIR(full.lstat().st_mode) or (files.is_allowed_link(full) and full.is_dir())
        except OSError:
            return False
        return is_folder and not self._hides(folder) and os.access(full, os.R_OK | os.X_OK)
