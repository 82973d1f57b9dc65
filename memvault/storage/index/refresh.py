"""Bring the catalogue up to what the files say: compare, and take in what differs."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError, Unwritable
from memvault.storage.index.derived import UsageUpdate
from memvault.storage.index.index import Index, IndexDiff, folder_of
from memvault.storage.journal.journal import read_news
from memvault.storage.vault.listing import StatKey, unsure_key
from memvault.storage.vault.vault import Vault
from memvault.system import files

if TYPE_CHECKING:
    from collections.abc import Callable

    from memvault.storage.vault.codec import VaultPart

KILO = 1024
_LOOKS = 5  # until two are alike: who moves a note to and fro without end is not waited for


def refresh(vault: Vault, index: Index, *, now: datetime, zone: tzinfo) -> IndexDiff:
    """Take every difference between the vault and the catalogue in; nothing in the vault's notes is written."""
    _fold_journals(vault, index, now)  # first: what another machine saw a person do is not seen again here
    diff = _compare_vault(vault, index)
    if diff:
        with index.lock():  # whoever had it before may have taken the same in: so look again
            diff = _compare_vault(vault, index)
            if not _update_notes(vault, index, diff, now=now, zone=zone):
                _find_moved_notes(vault, index, now=now, zone=zone)
        _fold_journals(vault, index, now)
    return diff


def _find_moved_notes(vault: Vault, index: Index, *, now: datetime, zone: tzinfo) -> None:
    """Look again while notes are gone by the time they are read: one that was moved is where it was not looked for."""
    for _ in range(_LOOKS):
        if _update_notes(vault, index, _compare_vault(vault, index), now=now, zone=zone):
            break


def refresh_part(vault: Vault, index: Index, part: VaultPart, *, now: datetime, zone: tzinfo) -> IndexDiff:
    """As `freshen`, where it is known that nothing outside one part of the vault differs.

    A catalogue that was never compared with the whole vault, or was repaired since, is brought up to all of it.
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
    """What differs, but for notes that were read too soon after they were saved, and say what they said then."""
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
    from memvault.storage.vault.codec import PartWalk  # deferred: only who watches a vault knows which part differs

    walk, below = PartWalk(vault), part.outermost_folders()
    notes = _stable_keys(lambda: {path: walk.note_key(path) for path in part.notes_outside()})
    diff = _confirm_unsure(vault, index, index.compare_part(notes, walk.list_folders(below), below=below))
    for path, key in notes.items():
        if key is not None and index.stat_key(path) == key and not _has_same_text(vault, index, path):
            diff.compare_note(path, key, (-1, *key[1:]))
    vault.linked_notes = (vault.linked_notes - diff.gone) | walk.linked_notes
    return diff


def _stable_keys(look: Callable[[], dict[str, StatKey | None]]) -> dict[str, StatKey | None]:
    """Notes as they are: what is moved during a look may be seen in neither place, but not so twice."""
    found = look()
    for _ in range(_LOOKS):
        if None not in found.values() or (again := look()) == found:
            break
        found = again
    return found


def _has_same_text(vault: Vault, index: Index, path: str) -> bool:
    """Whether a note of which something was heard is word for word the known one.

    Clocks of file systems tick slowly: two saves in one tick, of one size, leave the same stat key.
    """
    known = index.find_memories(path)
    try:
        version = vault.read_note(path, limit=vault.settings.integer("index.max_kilobytes") * KILO).version
    except MemvaultError:
        version = ""
    return bool(known) and known[0].version == version


def _fold_journals(vault: Vault, index: Index, now: datetime) -> None:
    with suppress(Unwritable):  # then uses are counted when the disk takes it
        _fold_all_journals(vault, index, now)


def _fold_all_journals(vault: Vault, index: Index, now: datetime) -> None:
    for name, offset, news in read_news(vault.journal, vault.ledger, index.read_offsets()):
        told = UsageUpdate(
            touches=[(touch.id, touch.who, touch.at) for touch in news.touches],
            typed_values=news.typed_values,
            baseline_counts=news.baseline_counts,
            confirmations=news.confirmations,
            outcomes=news.outcomes,
            practice_counts=news.practice_counts,
            archive_marks=news.archive_marks,
            lifted_counts=news.lifted_counts,
            now=now,
        )
        index.fold_update(name, offset, told)


def _update_notes(
    vault: Vault, index: Index, diff: IndexDiff, *, now: datetime, zone: tzinfo, is_heard: bool = False
) -> bool:
    """Take some differences in; return whether all notes were still where they had been seen."""
    from memvault.storage.index.update import NoteReader  # most recalls find nothing new, and need no reader of notes

    intake = NoteReader(vault, index, diff, now=now, zone=zone, is_heard=is_heard)
    index.update_notes(diff, intake.read_entries(), fallback_id=intake.fallback_id)
    intake.write_decisions()
    return not intake.has_lost_notes
