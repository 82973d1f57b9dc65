"""The store of private memories: files sealed by `system/age.py` under random names, and the list of recipients."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from memvault.errors import NothingToDo
from memvault.storage.vault.layout import TRASH
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.system.age import PrivateKeys, parse_recipients

ENDING = ".md.age"
RECIPIENTS = ".recipients"
_NAME = re.compile(r"[0-9a-f]{16}\.md\.age")
_HEAD = "# The keys of those who seal here, for them to confirm. `memvault private` looks after this list."
_MOST = 100_000  # bytes of the list
_BINARY, _ARMOUR = b"age-encryption.org/v1\n", b"-----BEGIN AGE ENCRYPTED FILE-----"
HEAD = len(_ARMOUR)
"""Bytes by which it is seen that a file is sealed."""


def is_sealed(head: bytes) -> bool:
    """Return whether bytes begin as age's do."""
    return head.startswith((_BINARY, _ARMOUR))


def has_sealed_name(name: str) -> bool:
    """Return whether a file is named like a sealed memory."""
    return _NAME.fullmatch(name) is not None


class PrivateStore:
    """The sealed memories of a vault; no text in the clear goes in or out."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._folder = vault.layout.private

    def memory_paths(self) -> tuple[str, ...]:
        """Return the vault paths of the sealed memories, in order."""
        return self._sealed_in(self._folder)

    def trashed_paths(self) -> tuple[str, ...]:
        """Return the vault paths of those in the trash."""
        return self._sealed_in(f"{TRASH}/")

    def all_paths(self) -> tuple[str, ...]:
        """Return both: what can still be restored is sealed to the same keys."""
        return (*self.memory_paths(), *self.trashed_paths())

    def _sealed_in(self, folder: str) -> tuple[str, ...]:
        if files.leads_out(self._vault.root / folder):
            return ()
        try:
            with os.scandir(self._vault.root / folder) as found:
                names = [
                    entry.name
                    for entry in found
                    if entry.name.endswith(ENDING) and entry.name[0] != "." and entry.is_file()
                ]
        except OSError:
            return ()
        return tuple(f"{folder}{name}" for name in sorted(names))

    def absolute_path(self, path: str) -> Path:
        """Return the file of a vault path."""
        return self._vault.absolute_path(path)

    def read_sealed(self, path: str) -> bytes:
        """Return the sealed bytes of a memory."""
        return files.read_file(self.absolute_path(path))

    # -- writing, under the vault's lock

    def add_note(self, note: bytes, keys: PrivateKeys) -> str:
        """Seal a new memory; return its path."""
        sealed = keys.seal_bytes(note)
        if not self.named_recipients():
            self.name_recipients(keys.recipients())
        return self.put_sealed(f"{os.urandom(8).hex()}{ENDING}", sealed)

    def put_sealed(self, name: str, sealed: bytes) -> str:
        """Store a file sealed elsewhere, under its own name, or another where that is taken."""
        path = f"{self._folder}{name}"
        if self._vault.exists(path):
            path = f"{self._folder}{files.digest(sealed)[:16]}{ENDING}"
        self._make_folder(self._folder)
        files.create_file(self.absolute_path(path), sealed, mode=self._vault.file_mode)
        return path

    def change_note(self, path: str, note: bytes, keys: PrivateKeys, *, expected: bytes) -> None:
        """Seal other text under the same name, if the sealed file is still the one that was read."""
        sealed = keys.seal_bytes(note)
        files.replace_note(self.absolute_path(path), sealed, expected=expected, hold=self._vault.displaced_folder)

    def delete_file(self, path: str) -> str:
        """Delete a memory for good; it has no path then."""
        files.remove_file(self.absolute_path(path))
        files.sync_folder(self.absolute_path(path).parent)
        return ""

    def move_file(self, path: str, *, to_trash: bool) -> str:
        """Move a sealed memory to the trash, or back from there; return its path then."""
        folder = f"{TRASH}/" if to_trash else self._folder
        target = f"{folder}{path.rpartition('/')[2]}"
        if self._vault.exists(target):
            raise NothingToDo(reason=f"{target} is there already.")
        self._make_folder(folder)
        files.move_file(self.absolute_path(path), self.absolute_path(target))
        return target

    def _make_folder(self, folder: str) -> None:
        files.make_folder(self._vault.absolute_path(folder), self._vault.folder_mode)

    # -- the list that travels with the vault

    def named_recipients(self) -> tuple[str, ...]:
        """Return the recipients that the vault names; none where there is no list."""
        return parse_recipients(self.read_list()) if os.path.lexists(self._list_path) else ()

    def read_list(self) -> bytes:
        """Return the bytes of the list."""
        return files.read_file(self._list_path, limit=_MOST)

    def name_recipients(self, recipients: Iterable[str]) -> None:
        """Name recipients, so that the other machines of a person show them; nothing is sealed to them by that."""
        self._make_folder(self._folder)
        text = "".join(f"{line}\n" for line in (_HEAD, *dict.fromkeys(recipients)))
        files.overwrite_file(self._list_path, text.encode(), mode=self._vault.file_mode)

    @property
    def _list_path(self) -> Path:
        return self.absolute_path(f"{self._folder}{RECIPIENTS}")
