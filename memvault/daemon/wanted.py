"""Whether a warm process is wanted, and whether there is one: asked by every command that found none, so quickly."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.core.settings import Settings
from memvault.errors import Busy, MemvaultError
from memvault.open_vault import load_personal
from memvault.storage.vault.config import from_environment
from memvault.system import files, ipc_client

_TRIED, _NOT_AGAIN_SECONDS = "porter.tried", 60.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """How this person wants the warm process to be."""

    autostart: bool
    idle_seconds: float
    megabytes: float


def wishes(environment: Mapping[str, str]) -> Wishes:
    """What the user's own config says about it."""
    settings = Settings({**load_personal(environment), **from_environment(environment)})
    return Wishes(
        settings.flag("live.autostart"),
        settings.number("live.idle_minutes") * 60,
        settings.number("live.memory_megabytes"),
    )


def place(environment: Mapping[str, str]) -> Path:
    """The folder that it is found in."""
    return Path(ipc_client.folder(environment))


def is_there(environment: Mapping[str, str], *, wait: float = 0.0) -> bool:
    """Whether one is running, hung ones included; with `wait`, whether it still is after so many seconds."""
    where = place(environment)
    if not where.is_dir():
        return False
    try:
        with files.lock(where / ipc_client.LOCK, wait=wait):
            return False
    except Busy:
        return True


def is_to_be_started(environment: Mapping[str, str]) -> bool:
    """Whether the user allows it, and none is there, and none was started in vain a moment ago."""
    with suppress(MemvaultError, OSError):
        if not wishes(environment).autostart or is_there(environment):
            return False
        where = place(environment)
        files.make_folder(where)
        if _seconds_since(where / _TRIED) > _NOT_AGAIN_SECONDS:  # one that cannot live is not started at every hook
            files.overwrite(where / _TRIED, b"")
            return True
    return False


def _seconds_since(path: Path) -> float:
    try:
        return abs(time.time() - path.stat().st_mtime)
    except OSError:
        return float("inf")
