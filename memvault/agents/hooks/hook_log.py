"""The log of hooks on this machine: what went wrong in one, without a word of what was said."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from memvault.errors import MemvaultError
from memvault.system import files
from memvault.system import paths as folders

_FILE, _BEFORE = "hooks.log", "hooks.old.log"
_FULL = 200_000  # bytes: then the log is put aside, and the one put aside before goes
_LONGEST = 400


def note(environment: Mapping[str, str], line: str, now: datetime) -> None:
    """Add a line; one that cannot be written stops nobody."""
    path = folders.state(environment) / _FILE
    told = " ".join(line.split())[:_LONGEST].encode("ascii", "replace")
    with suppress(MemvaultError, OSError):
        files.append(path, f"{now:%Y-%m-%dT%H:%M:%SZ} ".encode() + told + b"\n")
        if path.stat().st_size > _FULL:
            path.replace(path.with_name(_BEFORE))
