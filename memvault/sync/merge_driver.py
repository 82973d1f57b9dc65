"""Merge two versions of one file of a vault, as git's merge driver and for other ways of syncing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from memvault.core.ids import derive_id
from memvault.core.kinds import Kinds
from memvault.core.memory import Place
from memvault.privacy.private.store import RECIPIENTS
from memvault.storage.journal.ledger import is_unreadable_line
from memvault.storage.merging.merge_lines import count_lost_lines, merge_list, merge_records, merge_text_bytes
from memvault.storage.merging.merge_note import MergedNote, NoteContext, merge_note
from memvault.storage.vault.layout import STATE
from memvault.system import files
from memvault.text import managed_block as managed

KEY, VAULT_FILE = f"{STATE}/ledger/key", f"{STATE}/vault.json"
_KEY = re.compile(rb"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class MergeContext:
    """What a merge has to know of the vault."""

    vault_id: str
    zone: tzinfo
    kinds: Kinds
    place: Callable[[str], Place | None]  # where a note lies; None for a file that is no memory
    ids_by_path: Callable[[], Mapping[str, str]]  # of notes that have none of their own, by their paths

    def note_context(self, path: str) -> NoteContext:
        """Return what a merge has to know of one note."""
        is_foreign = self.place(path) is Place.FOREIGN
        # A note that this machine has not seen yet gets the id that every machine draws from its path.
        id_ = (self.ids_by_path().get(path) or derive_id(self.vault_id, path)) if is_foreign else ""
        return NoteContext(path, self.vault_id, self.zone, id_, self.kinds, is_foreign)


def merge_file(base: bytes | None, ours: bytes, theirs: bytes, path: str, known: MergeContext) -> MergedNote | None:
    """Merge two versions of a file of the vault; None where it is no memory and only its lines can be merged."""
    if is_record(path):
        return MergedNote(merge_record(base, ours, theirs, path))
    if path.endswith(f"/{RECIPIENTS}"):
        return MergedNote(merge_list(base, ours, theirs))
    if path == VAULT_FILE:
        both = _merge_vault_file(ours, theirs)
        return None if both is None else MergedNote(both)
    return (
        merge_note(base, ours, theirs, known.note_context(path))
        if known.place(path)
        else _around_block(base, ours, theirs)
    )


def _around_block(base: bytes | None, ours: bytes, theirs: bytes) -> MergedNote | None:
    """Merge the text around a managed block; the block itself is rebuilt by maintenance."""
    block = managed.block_bytes(ours)
    if block is None or managed.block_bytes(theirs) is None:
        return None
    theirs, before = (managed.replace_block(data, block) for data in (theirs, base or ours))
    if theirs in (ours, before):
        return MergedNote(ours)
    if before == ours:
        return None if base is None else MergedNote(theirs)
    text = merge_text_bytes(before, ours, theirs)
    return None if text is None else MergedNote(text)


def is_record(path: str) -> bool:
    """Return whether a file is a record that only grows, line by line."""
    return path.startswith((f"{STATE}/journal/", f"{STATE}/ledger/"))


def merge_record(base: bytes | None, ours: bytes, theirs: bytes, path: str) -> bytes:
    """Merge two versions of a record: all lines of both, and of a key file all keys."""
    if path == KEY:
        return _merge_key_lines(ours, theirs)
    return merge_records(base, _without_ruined(ours, theirs), _without_ruined(theirs, ours))


def restore_lines(before: bytes, here: bytes, path: str) -> bytes:
    """Add to a record the lines of an earlier version that it lost without redacting them."""
    if path == KEY:
        had, has = before.split(), here.split()
        return here if set(had) <= set(has) else _merge_key_lines(before, b" ".join(filter(_KEY.fullmatch, has)))
    before = _without_ruined(before, here)
    return merge_records(before, before, here) if count_lost_lines(before, here) else here


def _without_ruined(data: bytes, other: bytes) -> bytes:
    """Drop the lines nobody can read, except those that the other version has too.

    A person may have removed them there, so that the record of what was forgotten can be read again.
    """
    known = frozenset(other.splitlines())
    ruined = {line for line in data.splitlines() if line not in known and is_unreadable_line(line)}
    return b"".join(line for line in data.splitlines(keepends=True) if line.rstrip(b"\r\n") not in ruined)


def run_driver(base: Path, ours: Path, theirs: Path, root: Path, path: str, known: MergeContext) -> bool:
    """Merge what git lays out in three files into the second of them; False where all are left as they were."""
    before, one, two = (file.read_bytes() for file in (base, ours, theirs))
    # Of a file that both sides made, git gives an empty one for what was there before.
    found = merge_file(before or None, one, two, path, known)
    if found is None:
        return False
    if found.parked is not None:
        _put_beside(root, path_beside(path, found.parked_id), found.parked)
    files.overwrite_file(ours, found.raw)
    return True


def _put_beside(root: Path, path: str, data: bytes) -> None:
    stem, dot, ending = path.rpartition(".")
    turn, full = 1, root / path
    while full.exists() and full.read_bytes() != data:
        turn += 1
        full = root / f"{stem}-{turn}{dot}{ending}"
    if not full.exists():
        files.make_folder(full.parent)
        files.create_file(full, data)


def path_beside(path: str, id_: str) -> str:
    """Return where a conflicting version is put: beside ours, under a name that every machine gives it."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    return f"{folder}{slash}{stem}-{id_[:8]}{dot}{ending}" if stem else f"{path}-{id_[:8]}"


def _merge_key_lines(ours: bytes, theirs: bytes) -> bytes:
    return b"".join(line + b"\n" for line in sorted({*ours.split(), *theirs.split()}))


def _merge_vault_file(ours: bytes, theirs: bytes) -> bytes | None:
    """Take the higher format and the earlier day; None for the files of two different vaults."""
    try:
        one, two = json.loads(ours), json.loads(theirs)
    except ValueError:
        return None
    if not (isinstance(one, Mapping) and isinstance(two, Mapping)) or one.get("id") != two.get("id"):
        return None
    created = min(filter(None, (str(side.get("created", "")) for side in (one, two))), default="")
    formats = [side.get("format") for side in (one, two)]
    known = [number for number in formats if isinstance(number, int)]
    both = {**two, **one, "format": max(known, default=1), **({"created": created} if created else {})}
    return (json.dumps(both, indent=1) + "\n").encode()
