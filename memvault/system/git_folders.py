"""Find git's own folder of a working tree, by its files alone."""

from __future__ import annotations

import os
from pathlib import Path

_LONGEST = 65_536  # bytes of a file that says where another folder is


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
    """Return what stands in one of git's small files, empty where there is none that can be read."""
    try:
        return path.read_bytes()[:_LONGEST].decode("utf-8", "surrogateescape") if path.is_file() else ""
    except OSError:
        return ""
