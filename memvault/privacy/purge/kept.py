"""Bytes kept for undo, and displaced files of late editors, that hold what was forgotten for good."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from memvault.core.secrets.erase import Erase
from memvault.errors import MemvaultError
from memvault.privacy.purge.blocks import has_mark
from memvault.privacy.purge.subject import Subject
from memvault.storage.journal import tombstones
from memvault.storage.seeing import seen
from memvault.storage.vault.context import Bench
from memvault.storage.vault.seen import Seen, Version
from memvault.system import files

_OWN_ID = re.compile(r"^id:[ \t]*['\"]?([0-9a-f-]{36})", re.MULTILINE)
_LABEL = ".note"  # beside a displaced file: the path of its note


def forgotten(bench: Bench, found: Subject) -> int:
    """Let go of all that undo or a late save would bring back of it; copies of other notes stay. How many."""
    seen_before = seen(bench).forget(lambda version: _is_said_by(version, found))
    return seen_before + _dropped(bench, lambda path, data: _is_of(bench, path, data, found))


def obeyed(bench: Bench, eraser: Erase) -> int:
    """The same for all that was ever marked, wherever that was done; what lists memories may show one in few words."""
    is_purged = tombstones.is_purged(bench)

    def is_meant(_path: Path, data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        named = _OWN_ID.search(text)
        return has_mark(data) or (named is not None and is_purged(named[1])) or eraser(text) != text

    seen_before = seen(bench).forget(lambda version: is_purged(version.id) or is_meant(bench.vault.undo, version.data))
    return seen_before + _dropped(bench, is_meant)


def _dropped(bench: Bench, is_meant: Callable[[Path, bytes], bool]) -> int:
    gone = 0
    for path in _every(bench):
        try:
            is_gone = is_meant(path, files.read(path))
        except MemvaultError:
            continue  # gone by now, or unreadable for everybody
        if is_gone:
            files.remove(path)
            gone += 1
    return gone


def _every(bench: Bench) -> Iterator[Path]:
    found = files.below(bench.vault.root, bench.vault.undo)
    return (path for path in list(found) if not Seen.holds(path))


def _is_said_by(version: Version, found: Subject) -> bool:
    """Most say nothing of it, and are told by a word that they lack."""
    if version.id in found.ids:
        return True
    return found.may_be_in(version.data.decode("utf-8", "replace")) and found.is_in(version.data)


def _is_of(bench: Bench, path: Path, data: bytes, found: Subject) -> bool:
    if (path.parent.name, path.name) in found.past.kept or found.is_in(data):
        return True
    if path.name.endswith(_LABEL):
        note = os.path.normpath(path.parent / os.fsdecode(data))
        return note in {str(bench.vault.root / name) for name in found.names}
    return has_mark(data) and found.is_shown_in(data.decode("utf-8", "replace"))
