"""The folders of this machine: caches, settings, state, Claude Code's own."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from memvault.errors import AlreadyThere, MemvaultError, Unreadable
from memvault.system import files

NAME = "memvault"


def _home_folder(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~"))  # noqa: PTH111 - pathlib raises where there is no home


def _xdg_folder(environment: Mapping[str, str], name: str, below_home: str) -> Path:
    given = environment.get(name, "")
    return Path(given) if given.startswith("/") else _home_folder(environment) / below_home


def cache_folder(environment: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """Return the folder for what can be rebuilt: indexes."""
    if platform == "win32":
        return _windows_folder(environment, "LOCALAPPDATA", "AppData/Local") / NAME / "cache"
    if platform == "darwin":
        return _home_folder(environment) / "Library/Caches" / NAME
    return _xdg_folder(environment, "XDG_CACHE_HOME", ".cache") / NAME


def config_folder(environment: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """Return the folder for this person's own settings."""
    if platform == "win32":
        return _windows_folder(environment, "APPDATA", "AppData/Roaming") / NAME
    return _xdg_folder(environment, "XDG_CONFIG_HOME", ".config") / NAME


def state_folder(environment: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """Return the folder for what this machine must remember, such as its device name."""
    if platform == "win32":
        return _windows_folder(environment, "LOCALAPPDATA", "AppData/Local") / NAME / "state"
    if platform == "darwin":
        return _home_folder(environment) / "Library/Application Support" / NAME
    return _xdg_folder(environment, "XDG_STATE_HOME", ".local/state") / NAME


def _windows_folder(environment: Mapping[str, str], name: str, below_home: str) -> Path:
    given = environment.get(name, "")
    return Path(given) if given else _home_folder(environment) / below_home


# The name of this device, under which its journal is kept.

_SHORTEST, _LONGEST = 4, 64
_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def device_name(folder: Path) -> str:
    """Return this device's name, drawn once and kept in the state folder, where a person may change it."""
    path = folder / "device"
    try:
        return _read_device(path) or _draw_device(path)
    except MemvaultError:
        return "unnamed"  # nothing can be kept on this machine: reading must work all the same


def _read_device(path: Path) -> str:
    if not path.is_file():
        return ""
    found = files.read_file(path).decode("ascii", errors="replace").strip()
    # No pattern: to compile one takes longer than to find the vault.
    fits = _SHORTEST <= len(found) <= _LONGEST and _CHARACTERS.issuperset(found) and found[0] != "-"
    return found if fits else ""


def _draw_device(path: Path) -> str:
    drawn = os.urandom(4).hex()  # not the host's name: the journal travels, and that is nobody's business
    files.make_folder(path.parent)
    try:
        files.create_file(path, f"{drawn}\n".encode())
    except AlreadyThere:
        if found := _read_device(path):
            return found
        files.overwrite_file(path, f"{drawn}\n".encode())
    return drawn


def claude_folder(environment: Mapping[str, str]) -> Path:
    """Return Claude Code's folder of settings and sessions."""
    given = environment.get("CLAUDE_CONFIG_DIR", "")
    if given:
        return Path(given)
    return _home_folder(environment) / ".claude"


def claude_projects(environment: Mapping[str, str]) -> Path:
    """Return the folder in which Claude Code has one for each project, with a transcript for each session."""
    return claude_folder(environment) / "projects"


# Find git's own folder of a working tree, by its files alone.

_LONGEST_POINTER = 65_536  # bytes of a file that says where another folder is


def repository_top(folder: Path) -> Path | None:
    """Return the top of the repository that a folder lies in; None where there is none to be seen."""
    # Not of pathlib, which raises for somebody else's folder above it, or a disk in trouble.
    return next((each for each in (folder, *folder.parents) if os.path.exists(each / ".git")), None)  # noqa: PTH110


def git_folder(top: Path) -> Path | None:
    """Return git's own folder of a working tree: `.git`, or where a file of that name leads."""
    entry = top / ".git"
    if os.path.isdir(entry):  # noqa: PTH112 - a folder that nobody may look into is none, and no error
        return entry
    text = read_text(entry)
    return Path(os.path.normpath(top / text[7:].strip())) if text.startswith("gitdir:") else None


def shared_folder(git_dir: Path) -> Path:
    """Return the folder in which all working trees of a repository keep what they share."""
    named = read_text(git_dir / "commondir").strip()
    return Path(os.path.normpath(git_dir / named)) if named else git_dir


def read_text(path: Path) -> str:
    """Return what stands in one of git's small files, empty where there is none that can be read.

    A process that may open no more files has seen nothing, and says so.
    """
    try:
        return path.read_bytes()[:_LONGEST_POINTER].decode("utf-8", "surrogateescape") if path.is_file() else ""
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise Unreadable(path=path, reason=files.describe_error(error)) from error
        return ""
