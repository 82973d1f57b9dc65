"""Whether a daemon is wanted, and whether there is one: asked by every command that found none, so quickly."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.core.settings import Settings
from memvault.errors import Busy, MemvaultError
from memvault.open_vault import load_own_settings
from memvault.storage.vault.config import from_environment
from memvault.system import files, ipc_client

_TRIED, _NOT_AGAIN_SECONDS = "porter.tried", 60.0


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """How this person wants the daemon to be."""

    autostart: bool
    idle_seconds: float
    megabytes: float


def load_daemon_settings(environment: Mapping[str, str]) -> DaemonSettings:
    """Return what the user's own config says about it."""
    settings = Settings({**load_own_settings(environment), **from_environment(environment)})
    return DaemonSettings(
        settings.flag("live.autostart"),
        settings.number("live.idle_minutes") * 60,
        settings.number("live.memory_megabytes"),
    )


def find_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that it is found in."""
    return Path(ipc_client.socket_folder(environment))


def is_running(environment: Mapping[str, str], *, wait: float = 0.0) -> bool:
    """Return whether one is running, hung ones included; with `wait`, whether it still is after so many seconds."""
    where = find_folder(environment)
    if not where.is_dir():
        return False
    try:
        with files.lock(where / ipc_client.LOCK, wait=wait):
            return False
    except Busy:
        return True


def can_start(environment: Mapping[str, str]) -> bool:
    """Return whether the user allows it, and none is there, and none was started in vain a moment ago."""
    with suppress(MemvaultError, OSError):
        if not load_daemon_settings(environment).autostart or is_running(environment):
            return False
        where = find_folder(environment)
        files.make_folder(where)
        if (
            _seconds_since_start(where / _TRIED) > _NOT_AGAIN_SECONDS
        ):  # one that cannot live is not started at every hook
            files.overwrite_file(where / _TRIED, b"")
            return True
    return False


def _seconds_since_start(path: Path) -> float:
    try:
        return abs(time.time() - path.stat().st_mtime)
    except OSError:
        return float("inf")
