"""The rights of what git laid down: a clone gives everybody on the machine what memvault gives its person alone."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.storage.vault.layout import CONFIG, STATE
from memvault.storage.vault.vault import Vault
from memvault.system import files

_OTHERS = 0o077


def too_open(vault: Vault) -> tuple[tuple[Path, int], ...]:
    """The folders of memvault's and its settings file, as far as others have rights to them; and what is left then.

    Into a folder that is closed nobody comes, whatever the rights are of the notes that git puts there.
    """
    return tuple(_found(vault)) if sys.platform != "win32" else ()


def close_up(vault: Vault) -> None:
    """Take these rights away; what is not ours to change, the doctor tells."""
    for path, mode in too_open(vault):
        try:
            with files.plainly(path):
                path.chmod(mode)
        except MemvaultError:
            continue


def _found(vault: Vault) -> Iterator[tuple[Path, int]]:
    layout = vault.layout
    folders = (STATE, layout.identity, layout.hot, layout.memories, layout.raw, layout.quarantine, layout.private)
    allowed = {vault.root / name: vault.folder_mode for name in folders} | {vault.root / CONFIG: vault.file_mode}
    for path, mode in allowed.items():
        if path.exists() and files.in_place(vault.root, path):
            here = stat.S_IMODE(path.stat().st_mode)
            if here & _OTHERS & ~mode:
                yield path, here & ~(_OTHERS & ~mode)
