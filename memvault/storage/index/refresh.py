"""Brings the index up to date: compares the files and journals, and takes in what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import TypeVar

from memvault.errors import MemvaultError, Unwritable
from memvault.storage.index.derived import read_news
from memvault.storage.index.index import Index, IndexDiff, folder_of
from memvault.storage.vault.listing import VaultPart, unsure_key
from memvault.storage.vault.vault import Vault
from memvault.system import files

KILO = 1024
Entry = TypeVar("Entry")
_FEW = 50  # notes, of which nobody has to be told
_LOOKS = 5  # until two looks agree; a note that moves to and fro forever is not waited for


WorkReport = Callable[[str, int, int], None]
"""Told what long work is at, and how much of how many is done; a whole of 0 is one that nobody knows."""


def refresh(
    vault: Vault, index: Index, *, now: datetime, zone: tzinfo, report_work: WorkReport | None = None
) -> IndexDiff:
    """Update the index from the vault; no note is written."""
    _fold_journals(vault, index, now)  # first: an edit that another machine journaled is not journaled again
    diff = _compare_vault(vault, index)
    if diff:
        with index.lock():  # another process may have indexed the same meanwhile
            diff = _compare_vault(vault, index)
            if not _update_notes(vault, index, diff, now=now, zone=zone, report_work=report_work):
                for _ in range(_LOOKS):  # a note that moves between listing and reading is found in its new place
                    if _update_notes(vault, index, _compare_vault(vault, index), now=now, zone=zone):
                        break
        _fold_journals(vault, index, now)
    return diff


def refresh_part(vault: Vault, index: Index, part: VaultPart, *, now: datetime, zone: tzinfo) -> IndexDiff:
    """Update the index where nothing outside one part of the vault can differ.

    An index that was never compared with the whole vault, or was repaired since, is updated from all of it.
    """
    if index.is_complete():
        _fold_journals(vault, index, now)
        diff = _compare_part(vault, index, part)
        if not diff:
            return diff
        with index.lock():
            if index.is_complete():
                diff = _compare_part(vault, index, part)
                if _update_notes(vault, index, diff, now=now, zone=zone, is_heard=True):
                    return diff
    return refresh(vault, index, now=now, zone=zone)


def _compare_vault(vault: Vault, index: Index) -> IndexDiff:
    return _confirm_unsure(vault, index, index.compare_listing(vault.list_folders()))


def _confirm_unsure(vault: Vault, index: Index, diff: IndexDiff) -> IndexDiff:
    """Drop notes from the differences that were read right after a save and still have the same text."""
    too_soon = set()
    for path, key in list(diff.changed.items()):
        if index.stat_key(path) != unsure_key(key) or not _has_same_text(vault, index, path):
            continue
        del diff.changed[path]
        if files.may_change_unseen(key[1], key[2]):
            too_soon.add(folder_of(path))
        else:
            index.confirm_key(path, key)
    for folder in too_soon:
        diff.recheck_folder(folder)
    return diff


def _compare_part(vault: Vault, index: Index, part: VaultPart) -> IndexDiff:
    from memvault.storage.vault.listing import PartWalk  # deferred: only a watcher knows which part differs

    walk, below = PartWalk(vault.root, vault.layout, vault.hides), part.outermost_folders()
    notes = {path: walk.note_key(path) for path in part.notes_outside()}
    for _ in range(_LOOKS):  # a note that moves during one look may be missed once, but not twice alike
        if None not in notes.values():
            break
        before, notes = notes, {path: walk.note_key(path) for path in part.notes_outside()}
        if notes == before:
            break
    diff = _confirm_unsure(vault, index, index.compare_part(notes, walk.list_folders(below), below=below))
    for path, key in notes.items():
        if key is not None and index.stat_key(path) == key and not _has_same_text(vault, index, path):
            diff.compare_note(path, key, (-1, *key[1:]))
    vault.linked_notes = (vault.linked_notes - diff.gone) | walk.linked_notes
    return diff


def _has_same_text(vault: Vault, index: Index, path: str) -> bool:
    """Return whether a note that was reported as changed has the known text.

    File system clocks tick slowly: two saves of one size in one tick leave the same stat key.
    """
    known = index.find_memories(path)
    try:
        version = vault.read_note(path, limit=vault.settings.integer("index.max_kilobytes") * KILO).version
    except MemvaultError:
        version = ""
    return bool(known) and known[0].version == version


def _fold_journals(vault: Vault, index: Index, now: datetime) -> None:
    """Fold in what journals and ledgers gained; uses are counted later where the disk cannot be written now."""
    with suppress(Unwritable):
        for name, offset, news in read_news(vault.journal, vault.ledger, index.read_offsets()):
            index.fold_news(name, offset, news, now=now)


def _update_notes(
    vault: Vault,
    index: Index,
    diff: IndexDiff,
    *,
    now: datetime,
    zone: tzinfo,
    is_heard: bool = False,
    report_work: WorkReport | None = None,
) -> bool:
    """Read the differing notes into the index; return whether all were still where they were listed."""
    from memvault.storage.index.update import NoteReader  # deferred: most recalls find nothing new

    reader = NoteReader(vault, index, diff, now=now, zone=zone, is_heard=is_heard)
    entries, whole = reader.read_entries(), len(diff.added) + len(diff.changed)
    if report_work is not None and whole > _FEW:
        entries = _report_entries(entries, whole, report_work)
    index.update_notes(diff, entries, fallback_id=reader.fallback_id)
    reader.write_decisions()
    return not reader.has_lost_notes


def _report_entries(entries: Iterator[Entry], whole: int, report_work: WorkReport) -> Iterator[Entry]:
    for done, entry in enumerate(entries, 1):
        report_work("Indexing", done, whole)
        yield entry
