"""The desktop: open a note in Obsidian, or in whatever opens such files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from memvault.errors import CannotOpen
from memvault.system.programs import find_program


def obsidian_uri(path: Path) -> str:
    """The address under which Obsidian opens a file."""
    return f"obsidian://open?path={quote(str(path), safe='')}"


def open_(target: str) -> None:
    """Hand an address or a file to the desktop."""
    try:
        if sys.platform == "win32":
            os.startfile(target)
            return
        _run(["/usr/bin/open" if sys.platform == "darwin" else _opener(target), target])
    except OSError as error:
        raise CannotOpen(target=target, reason=error.strerror or error) from None


def _opener(target: str) -> str:
    found = find_program("xdg-open", os.environ) or find_program("gio", os.environ)
    if found is None:
        raise CannotOpen(target=target, reason="there is no desktop here (xdg-open is not installed)")
    return found


def _run(words: list[str]) -> None:
    done = subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode:
        raise CannotOpen(target=words[-1], reason=f"{words[0]} ended with exit code {done.returncode}")
