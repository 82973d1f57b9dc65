"""Remember which reports and exports were written from a vault, wherever they lie: a purge must reach them."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.storage.vault.context import VaultContext
from memvault.system import files

_FILE = "written.json"


def note_written(context: VaultContext, path: Path, data: bytes) -> None:
    """Remember a file that was just written, and forget those that are gone."""
    if context.state is None:
        return
    there = {name: digest for name, digest in _read_written(context).items() if Path(name).is_file()}
    files.make_folder(context.state)
    files.overwrite_file(
        context.state / _FILE, json.dumps({**there, str(path.absolute()): files.digest(data)}).encode()
    )


def list_written(context: VaultContext) -> dict[Path, bool]:
    """Return the files that were written and are still there, and whether each is as it was written."""
    found: dict[Path, bool] = {}
    for name, digest in _read_written(context).items():
        with suppress(MemvaultError):
            if (path := Path(name)).is_file():
                found[path] = files.digest(files.read_file(path)) == digest
    return found


def _read_written(context: VaultContext) -> dict[str, str]:
    try:
        found = json.loads(files.read_file(context.state / _FILE)) if context.state else {}
    except (MemvaultError, ValueError):
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}
