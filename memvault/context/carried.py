"""What Claude Code reads of a vault by itself: the blocks in its instructions, in every file that it loads."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.system import files
from memvault.text.managed_block import region

_NAMES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/memvault.md")
_OWN = ("CLAUDE.md", "rules/memvault.md")  # below the folder of its settings
_MOST_FOLDERS = 32  # above the one in which it works
_MOST_BYTES = 1_000_000
_IMPORT = re.compile(r"^@((?:\\ |\S)+\.md)\s*$", re.MULTILINE)


def blocks(folder: Path | None, home: Path) -> tuple[str, ...]:
    """Our blocks in the instructions that are loaded in a folder, with those that they import; `home` is Claude's."""
    found: dict[Path, str] = {}
    for path in (*(home / name for name in _OWN), *_in_project(folder)):
        if not (text := _text(path)):
            continue
        found[path] = _block(text)
        for imported in _imports(text, path):
            if imported not in found:
                found[imported] = _block(_text(imported))
    return tuple(block for block in found.values() if block)


def _in_project(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        return
    for each in (folder, *folder.parents)[:_MOST_FOLDERS]:
        yield from (each / name for name in _NAMES)


def _imports(text: str, path: Path) -> Iterator[Path]:
    for found in _IMPORT.finditer(text):
        named = found[1].replace("\\ ", " ")
        with suppress(RuntimeError):  # a home that nobody knows
            yield path.parent / Path(named).expanduser()


def _text(path: Path) -> str:
    with suppress(MemvaultError, OSError, ValueError):  # what is imported may be no name of a file
        found = path.stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES:
            return files.read(path).decode(errors="replace").replace("\r\n", "\n")
    return ""


def _block(text: str) -> str:
    data = text.encode()
    with suppress(MemvaultError):  # marks that do not belong together carry nothing that could be relied on
        if found := region(data, path=""):
            return data[found.start : found.end].decode()
    return ""
