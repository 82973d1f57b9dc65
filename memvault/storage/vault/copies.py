"""Copies that a syncing program made of a note: told by their names, and by what lies beside them."""

from __future__ import annotations

import re
from pathlib import Path

from memvault.errors import Unreadable
from memvault.storage.vault.layout import unmarked
from memvault.system import files
from memvault.text.patterns import pattern

_HEAD = 65_536  # bytes in which a note's frontmatter ends
_ID = r"^id:[ \t]*['\"]?([0-9a-fA-F-]{36})\b"


def is_copy(root: Path, path: str) -> bool:
    """Whether a file whose name has the mark of a copy is one, and no person's note that is only called like it.

    It is none where it and the file of that name without the mark are two memories, and where there is no such file and
    it says of no memory that it is that: the original of such a one may have been moved.
    """
    folder, slash, name = path.rpartition("/")
    own, original = root / path, root / f"{folder}{slash}{unmarked(name)}"
    id_ = _id_of(own)
    if original == own or not original.is_file():
        return bool(id_)
    return not id_ or _id_of(original) in (id_, "")


def _id_of(path: Path) -> str:
    """The id that a file gives itself in its frontmatter; empty where it gives none, or cannot be read."""
    try:
        head = files.read(path, limit=_HEAD)
    except Unreadable:
        return ""
    block = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    ends = block.find("\n---", 3)
    found = pattern(_ID, re.MULTILINE).search(block, 0, ends) if block.startswith("---") and ends > 0 else None
    return found[1].lower() if found else ""
