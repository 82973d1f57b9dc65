"""The word that a caller over HTTP must know: in a file that nobody but this person can read."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from pathlib import Path

from memvault.errors import BadInput
from memvault.system import files

SHORTEST = 16


def token(path: Path) -> str:
    """The token in a file; where there is no such file, it is made with a new one."""
    if not os.path.lexists(path):
        files.make_folder(path.parent)
        files.overwrite(path, f"{secrets.token_urlsafe(32)}\n".encode())
    if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise BadInput(what="the token file", value=str(path), reason="others can read it (chmod 600 mends that)")
    found = files.read(path).decode("utf-8", "replace").strip()
    if len(found) < SHORTEST or not found.isascii() or not found.isprintable() or " " in found:
        reason = f"it must hold one word of {SHORTEST} characters or more, in plain letters, digits and signs"
        raise BadInput(what="the token file", value=str(path), reason=reason)
    return found
