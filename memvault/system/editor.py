"""A person's editor, started on a text and waited for."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from memvault.errors import NoEditor
from memvault.system.programs import find_program

_USUAL = ("sensible-editor", "nano", "vim", "vi", "notepad")


def command(environment: Mapping[str, str], configured: str = "") -> list[str]:
    """The editor's command: VISUAL, EDITOR, the setting, else what is usually there."""
    for said in (environment.get("VISUAL"), environment.get("EDITOR"), configured):
        if said and said.strip():
            return _split(said)
    found = next((path for name in _USUAL if (path := find_program(name, os.environ))), None)
    if found is None:
        raise NoEditor(reason="neither VISUAL nor EDITOR is set, and none of the usual ones is installed")
    return [found]


def _split(said: str) -> list[str]:
    try:
        return shlex.split(said, posix=os.name != "nt")
    except ValueError:
        raise NoEditor(reason=f"its command, {said}, has an unfinished quote") from None


def edit(data: bytes, *, name: str, editor: list[str]) -> bytes:
    """The bytes as the person left them; the editor works on a private copy, never on the note itself."""
    folder = Path(tempfile.mkdtemp(prefix="memvault-"))
    try:
        return edit_in(folder, data, name=name, editor=editor)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def edit_in(folder: Path, data: bytes, *, name: str, editor: list[str]) -> bytes:
    """The same, with the copy in a folder that the caller made, and removes."""
    path = folder / name
    try:
        path.write_bytes(data)
        _run([*editor, str(path)])
        return path.read_bytes()
    except OSError as error:
        raise NoEditor(reason=f"{editor[0]}: {error.strerror or error}") from None


def _run(words: list[str]) -> None:
    code = subprocess.run(words, check=False).returncode
    if code:
        raise NoEditor(reason=f"{words[0]} ended with exit code {code}; nothing was saved")
