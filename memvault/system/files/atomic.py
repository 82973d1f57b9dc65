"""The optimistic write: a note is replaced only while it holds what was read; what it held is kept a while."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from memvault.errors import ChangedMeanwhile, MemvaultError, NotAPlainFile, Unreadable, Unwritable
from memvault.system.files.displaced import drop, new_slot, slots
from memvault.system.files.folders import make_folder, opened, sync_opened
from memvault.system.files.links import check_write
from memvault.system.files.new_file import NO_LINKS, give_name, is_same, kind_of
from memvault.system.files.reader import raw, writing
from memvault.system.files.rename import swap
from memvault.system.files.temp import erase, leftovers, put_over, written

# Each round gives an editor some microseconds to save once more; what is left after the last is kept.
_ROUNDS = 16


def replace(path: Path, data: bytes, *, expected: bytes, hold: Path) -> None:
    """Replace a note that still holds what was read, or raise ChangedMeanwhile; the old file is kept in `hold`."""
    _check_ways(path, hold)
    with writing(path):
        try:
            mode = _plain_mode(path, hold)
            _compare(path, expected)
            if data != expected:
                make_folder(hold)
                _replace(path, data, expected=expected, hold=hold, mode=mode)
        except FileNotFoundError as error:
            raise ChangedMeanwhile(path=path) from error


def discard(path: Path, *, expected: bytes, hold: Path) -> None:
    """Take away a note that still holds what was read, or raise ChangedMeanwhile; the file is kept in `hold`."""
    _check_ways(path, hold)
    with writing(path):
        try:
            _plain_mode(path, hold)
            _compare(path, expected)
            make_folder(hold)
            _take_away(path, expected=expected, hold=hold)
        except FileNotFoundError as error:
            raise ChangedMeanwhile(path=path) from error


def _check_ways(path: Path, hold: Path) -> None:
    check_write(path, itself=False)
    check_write(hold)


def _replace(path: Path, data: bytes, *, expected: bytes, hold: Path, mode: int) -> None:
    with opened(path.parent) as folder, written(hold, data, mode=mode, like=path) as temporary:
        slot = new_slot(hold, path, old=expected, new=data)
        try:
            exchanged = _exchange(temporary, slot, path, expected)
            if not exchanged:
                _put_over(temporary, slot, path, expected)
        except (OSError, MemvaultError):
            drop(slot)
            raise
        if not exchanged:
            sync_opened(folder)
            return
        try:
            _check_came_out(slot, path, expected)
            sync_opened(folder)
        except (OSError, ChangedMeanwhile):
            _give_back(slot, path, given=data)
            raise


def _take_away(path: Path, *, expected: bytes, hold: Path) -> None:
    with opened(path.parent) as folder:
        slot = new_slot(hold, path, old=expected, new=expected)
        try:
            path.rename(slot)
        except OSError:
            drop(slot)
            raise
        try:
            _check_came_out(slot, path, expected)
            sync_opened(folder)
        except (OSError, ChangedMeanwhile):
            with suppress(OSError):  # saved anew by now: then this older save comes to light when it is settled
                give_name(slot, path)
                drop(slot)
            raise


def _check_came_out(slot: Path, path: Path, expected: bytes) -> None:
    if _content(slot) != expected:  # saved between the last look and the exchange
        raise ChangedMeanwhile(path=path)


def _exchange(temporary: Path, slot: Path, path: Path, expected: bytes) -> bool:
    # Under its final name before the exchange, so that a kill right after it leaves nothing in a wrong place.
    temporary.rename(slot)
    _compare(path, expected)
    if swap(slot, path):
        return True
    slot.rename(temporary)
    return False


def _put_over(temporary: Path, slot: Path, path: Path, expected: bytes) -> None:
    try:
        os.link(path, slot)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        with written(slot.parent, expected, mode=0o600) as copy:
            copy.rename(slot)
        _compare(path, expected)
    else:
        _compare(slot, expected)
        # What is written into the file from now on is not lost, as the slot has it; but it may give way to another.
        # Between this look and the next line lies the one moment in which an editor's rename can be lost.
        if not os.path.samestat(slot.lstat(), path.lstat()):
            raise ChangedMeanwhile(path=path)
    put_over(temporary, path)


def _give_back(slot: Path, path: Path, *, given: bytes | None) -> None:
    # Exchanged until what comes out is what was put in before: then the editor's newest save is in place.
    # Whatever else came out stays in its slot, and comes to light when that is settled.
    with suppress(OSError):  # the editor may have removed the note by now
        for _ in range(_ROUNDS):
            taken = _content(slot)
            swap(slot, path)
            if _content(slot) == given:
                return
            given = taken


def _content(slot: Path) -> bytes | None:
    try:
        return raw(slot)
    except Unreadable:  # a folder, or worse, had taken the note's place
        return None


def _compare(path: Path, expected: bytes) -> None:
    if raw(path) != expected:
        raise ChangedMeanwhile(path=path)


def _plain_mode(path: Path, hold: Path) -> int:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise NotAPlainFile(path=path, what=kind_of(found))
    if found.st_nlink > 1:
        _shed_own_names(path, hold)
        if path.lstat().st_nlink > 1:
            raise NotAPlainFile(path=path, what="a file with several names (hard links)")
    if not found.st_mode & 0o222:
        raise Unwritable(path=path, reason="it is write-protected")
    return stat.S_IMODE(found.st_mode)


def _shed_own_names(path: Path, hold: Path) -> None:
    # A writer killed half-way may have left second names for a note, where names cannot be given in one step.
    for own in (*leftovers(path.parent), *slots(hold)):
        if is_same(own, path):
            erase(own)
