"""Replace a note only while it holds what was read; the replaced file is kept a while."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from memvault.errors import ChangedMeanwhile, MemvaultError, NotAPlainFile, Unreadable, Unwritable
from memvault.system.files.displaced import drop_slot, list_slots, new_slot
from memvault.system.files.folders import make_folder, open_folders, sync_descriptors
from memvault.system.files.links import check_write
from memvault.system.files.new_file import NO_LINKS, describe_kind, is_same, rename_exclusive
from memvault.system.files.reader import read_raw, write_errors
from memvault.system.files.rename import exchange_files
from memvault.system.files.temp import orphaned_files, rename_over, temporary_file, try_remove

# Each round gives an editor some microseconds to save once more; what is left after the last is kept.
_ROUNDS = 16


def replace_note(path: Path, data: bytes, *, expected: bytes, hold: Path) -> None:
    """Replace a note that still holds what was read, or raise ChangedMeanwhile; the old file is kept in `hold`."""
    _check_paths(path, hold)
    with write_errors(path):
        try:
            mode = _check_plain(path, hold)
            _check_content(path, expected)
            if data != expected:
                make_folder(hold)
                _replace_checked(path, data, expected=expected, hold=hold, mode=mode)
        except FileNotFoundError as error:
            raise ChangedMeanwhile(path=path) from error


def discard_note(path: Path, *, expected: bytes, hold: Path) -> None:
    """Take away a note that still holds what was read, or raise ChangedMeanwhile; the file is kept in `hold`."""
    _check_paths(path, hold)
    with write_errors(path):
        try:
            _check_plain(path, hold)
            _check_content(path, expected)
            make_folder(hold)
            _take_away(path, expected=expected, hold=hold)
        except FileNotFoundError as error:
            raise ChangedMeanwhile(path=path) from error


def _check_paths(path: Path, hold: Path) -> None:
    check_write(path, itself=False)
    check_write(hold)


def _replace_checked(path: Path, data: bytes, *, expected: bytes, hold: Path, mode: int) -> None:
    with open_folders(path.parent) as folder, temporary_file(hold, data, mode=mode, like=path) as temporary:
        slot = new_slot(hold, path, old=expected, new=data)
        try:
            exchanged = _exchange_files(temporary, slot, path, expected)
            if not exchanged:
                _put_over(temporary, slot, path, expected)
        except (OSError, MemvaultError):
            drop_slot(slot)
            raise
        if not exchanged:
            sync_descriptors(folder)
            return
        try:
            _check_came_out(slot, path, expected)
            sync_descriptors(folder)
        except (OSError, ChangedMeanwhile):
            _give_back(slot, path, given=data)
            raise


def _take_away(path: Path, *, expected: bytes, hold: Path) -> None:
    with open_folders(path.parent) as folder:
        slot = new_slot(hold, path, old=expected, new=expected)
        try:
            path.rename(slot)
        except OSError:
            drop_slot(slot)
            raise
        try:
            _check_came_out(slot, path, expected)
            sync_descriptors(folder)
        except (OSError, ChangedMeanwhile):
            with suppress(OSError):  # saved anew by now: then this older save comes to light when it is settled
                rename_exclusive(slot, path)
                drop_slot(slot)
            raise


def _check_came_out(slot: Path, path: Path, expected: bytes) -> None:
    if _slot_content(slot) != expected:  # saved between the last look and the exchange
        raise ChangedMeanwhile(path=path)


def _exchange_files(temporary: Path, slot: Path, path: Path, expected: bytes) -> bool:
    # Under its final name before the exchange, so that a kill right after it leaves nothing in a wrong place.
    temporary.rename(slot)
    _check_content(path, expected)
    if exchange_files(slot, path):
        return True
    slot.rename(temporary)
    return False


def _put_over(temporary: Path, slot: Path, path: Path, expected: bytes) -> None:
    try:
        os.link(path, slot)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        with temporary_file(slot.parent, expected, mode=0o600) as copy:
            copy.rename(slot)
        _check_content(path, expected)
    else:
        _check_content(slot, expected)
        # What is written into the file from now on is not lost, as the slot has it; but it may give way to another.
        # Between this look and the next line lies the one moment in which an editor's rename can be lost.
        if not os.path.samestat(slot.lstat(), path.lstat()):
            raise ChangedMeanwhile(path=path)
    rename_over(temporary, path)


def _give_back(slot: Path, path: Path, *, given: bytes | None) -> None:
    # Exchanged until what comes out is what was put in before: then the editor's newest save is in place.
    # Whatever else came out stays in its slot, and comes to light when that is settled.
    with suppress(OSError):  # the editor may have removed the note by now
        for _ in range(_ROUNDS):
            taken = _slot_content(slot)
            exchange_files(slot, path)
            if _slot_content(slot) == given:
                return
            given = taken


def _slot_content(slot: Path) -> bytes | None:
    try:
        return read_raw(slot)
    except Unreadable:  # a folder, or worse, had taken the note's place
        return None


def _check_content(path: Path, expected: bytes) -> None:
    if read_raw(path) != expected:
        raise ChangedMeanwhile(path=path)


def _check_plain(path: Path, hold: Path) -> int:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise NotAPlainFile(path=path, what=describe_kind(found))
    if found.st_nlink > 1:
        _remove_own_links(path, hold)
        if path.lstat().st_nlink > 1:
            raise NotAPlainFile(path=path, what="a file with several names (hard links)")
    if not found.st_mode & 0o222:
        raise Unwritable(path=path, reason="it is write-protected")
    return stat.S_IMODE(found.st_mode)


def _remove_own_links(path: Path, hold: Path) -> None:
    # A writer killed half-way may have left second names for a note, where names cannot be given in one step.
    for own in (*orphaned_files(path.parent), *list_slots(hold)):
        if is_same(own, path):
            try_remove(own)
