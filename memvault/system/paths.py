"""Where this machine keeps what is not the vault's: caches, settings, state, sockets."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "memvault"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~"))  # noqa: PTH111 - pathlib raises where there is no home


def _xdg(environment: Mapping[str, str], name: str, below_home: str) -> Path:
    given = environment.get(name, "")
    return Path(given) if given.startswith("/") else _home(environment) / below_home


def cache(environment: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """The folder for what can be rebuilt: indexes."""
    if platform == "win32":
        return _windows(environment, "LOCALAPPDATA", "AppData/Local") / NAME / "cache"
    if platform == "darwin":
        return _home(environment) / "Library/Caches" / NAME
    return _xdg(environment, "XDG_CACHE_HOME", ".cache") / NAME


def config(environment: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """The folder for this person's own settings."""
    if platform == "win32":
        return _windows(environment, "APPDATA", "AppData/Roaming") / NAME
    return _xdg(environment, "XDG_CONFIG_HOME", ".config") / NAME


def state(environment: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """The folder for what this machine must remember: its device name."""
    if platform == "win32":
        return _windows(environment, "LOCALAPPDATA", "AppData/Local") / NAME / "state"
    if platform == "darwin":
        return _home(environment) / "Library/Application Support" / NAME
    return _xdg(environment, "XDG_STATE_HOME", ".local/state") / NAME


def _windows(environment: Mapping[str, str], name: str, below_home: str) -> Path:
    given = environment.get(name, "")
    return Path(given) if given else _home(environment) / below_home
