"""Replace a note atomically, and only while it holds what was read; the replaced file is kept a while."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memvault.core.value import Record
from memvault.errors import ChangedMeanwhile, MemvaultError, NotAPlainFile, Unreadable, Unwritable
from memvault.system.files.folders import make_folder, open_folders, sync_descriptors
from memvault.system.files.links import check_write, find_link_out
from memvault.system.files.new_file import NO_LINKS, check_plain, exchange_files, is_same, rename_exclusive
from memvault.system.files.reader import digest, read_file, read_raw, write_errors
from memvault.system.files.temp import (
    NEW,
    orphaned_files,
    remove_orphans,
    rename_over,
    temporary_file,
    try_remove,
    write_all,
)
from memvault.text.characters import compile_pattern

# Each round gives an editor some microseconds to save once more; what is left after the last is kept.
_ROUNDS = 16


def replace_note(path: Path, data: bytes, *, expected: bytes, hold: Path) -> None:
    """Replace a note that still holds what was read, or raise ChangedMeanwhile; the old file is kept in `hold`."""
    with _checked_note(path, expected, hold) as mode:
        if data != expected:
            make_folder(hold)
            _replace_checked(path, data, expected=expected, hold=hold, mode=mode)


def discard_note(path: Path, *, expected: bytes, hold: Path) -> None:
    """Take away a note that still holds what was read, or raise ChangedMeanwhile; the file is kept in `hold`."""
    with _checked_note(path, expected, hold):
        make_folder(hold)
        _take_away(path, expected=expected, hold=hold)


@contextmanager
def _checked_note(path: Path, expected: bytes, hold: Path) -> Iterator[int]:
    """Check that a note may be changed and still holds what was read; give its mode."""
    check_write(path, itself=False)
    check_write(hold)
    with write_errors(path):
        try:
            found = path.lstat()
            check_plain(path, found)
            if found.st_nlink > 1:
                # A writer killed half-way may have left second names, where names cannot be given in one step.
                for own in (*orphaned_files(path.parent), *list_slots(hold)):
                    if is_same(own, path):
                        try_remove(own)
                if path.lstat().st_nlink > 1:
                    raise NotAPlainFile(path=path, what="a file with several names (hard links)")
            if not found.st_mode & 0o222:
                raise Unwritable(path=path, reason="it is write-protected")
            mode = stat.S_IMODE(found.st_mode)
            _check_content(path, expected)
            yield mode
        except FileNotFoundError as error:
            raise ChangedMeanwhile(path=path) from error


def _replace_checked(path: Path, data: bytes, *, expected: bytes, hold: Path, mode: int) -> None:
    with open_folders(path.parent) as folder, temporary_file(hold, data, mode=mode, like=path) as temporary:
        slot = new_slot(hold, path, old=expected, new=data)
        try:
            # Under its final name before the exchange, so that a kill right after it leaves nothing in a wrong place.
            temporary.rename(slot)
            _check_content(path, expected)
            exchanged = exchange_files(slot, path)
            if not exchanged:
                slot.rename(temporary)
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


# Keep the files of replaced notes until it is sure that no editor writes into them any more.

# The two digests are of contents that are safe elsewhere: what was replaced, and what replaced it.
# Beside each such file lies TOKEN.note, its label: the path of the note as seen from this folder.
_SLOT = r"([0-9a-f]{16})-([0-9a-f]{32})-([0-9a-f]{32})\.held"
_LABEL = r"([0-9a-f]{16})\.note"


class LateWrite(Record):
    """What an editor wrote into a note's file after that was displaced by what has digest `replaced_by`."""

    path: Path
    slot: Path
    data: bytes
    replaced_by: str


def new_slot(hold: Path, note: Path, *, old: bytes, new: bytes) -> Path:
    """Return a name for the displaced file of a note, and put down beside it whose it is."""
    slot = hold / f"{os.urandom(8).hex()}-{digest(old)}-{digest(new)}.held"
    descriptor = os.open(_label_path(slot), NEW, 0o600)
    try:
        write_all(descriptor, os.fsencode(os.path.relpath(note, hold)))
    except OSError:
        drop_slot(slot)
        raise
    finally:
        os.close(descriptor)
    return slot


def drop_slot(slot: Path) -> None:
    """Remove a displaced file and its label."""
    with suppress(OSError):
        slot.unlink(missing_ok=True)
        _label_path(slot).unlink(missing_ok=True)


def collect_late_writes(hold: Path, *, older_than_ns: int, now_ns: int) -> tuple[LateWrite, ...]:
    """Look again at displaced files: forget the quiet ones, return those that an editor wrote into late."""
    if find_link_out(hold):
        return ()  # what lies behind a link was displaced by somebody else
    before_ns = now_ns - older_than_ns
    with write_errors(hold):
        remove_orphans(hold, older_than_ns=older_than_ns, now_ns=now_ns)
        found = _stat_entries(hold)
        tokens = {name[:16] for name in found if compile_pattern(_SLOT).fullmatch(name)}
        for name, stats in found.items():
            if compile_pattern(_LABEL).fullmatch(name) and name[:16] not in tokens and stats.st_mtime_ns <= before_ns:
                try_remove(hold / name)
        judged = [
            _check_slot(hold / name, found, before_ns)
            for name in sorted(found)
            if compile_pattern(_SLOT).fullmatch(name)
        ]
        return tuple(late for late in judged if late is not None)


def release_slot(late: LateWrite) -> None:
    """Put down that a late write is safe elsewhere now; what is written after it comes back in its turn."""
    check_write(late.slot, itself=False)
    known = digest(late.data)
    with write_errors(late.slot), suppress(FileNotFoundError):
        late.slot.rename(late.slot.with_name(f"{late.slot.name[:16]}-{known}-{known}.held"))


def list_slots(hold: Path) -> list[Path]:
    """Return the displaced files that are kept in a folder."""
    return [hold / name for name in sorted(_stat_entries(hold)) if compile_pattern(_SLOT).fullmatch(name)]


def _stat_entries(hold: Path) -> dict[str, os.stat_result]:
    try:
        with os.scandir(hold) as entries:
            return {entry.name: entry.stat(follow_symlinks=False) for entry in entries}
    except FileNotFoundError:
        return {}


def _check_slot(slot: Path, found: dict[str, os.stat_result], before_ns: int) -> LateWrite | None:
    own, label = found[slot.name], found.get(_label_path(slot).name)
    if not stat.S_ISREG(own.st_mode):
        return None
    # The change time cannot be set by hand as the other can; on Windows it means something else.
    changed_ns = own.st_mtime_ns if sys.platform == "win32" else own.st_ctime_ns
    quiet = max(changed_ns, label.st_mtime_ns if label else 0) <= before_ns
    if not quiet and label and own.st_mtime_ns < label.st_mtime_ns:  # nothing seems to have been written so far
        return None
    try:
        # Asked before reading: whoever does not have it open now cannot get at it any more.
        busy = _is_open_for_writing(slot)
        data = read_file(slot)
    except (OSError, Unreadable):
        return None
    # Where files cannot be exchanged, a killed replacement leaves the note itself under both names.
    try:
        name = os.fsdecode(read_file(_label_path(slot)))
    except Unreadable:
        name = ""
    # A power cut may have taken the label: then what was written stays here, under a name that says so.
    note = Path(os.path.normpath(slot.parent / (name or "unknown.md")))
    known = digest(data) in slot.name or is_same(slot, note)
    if known and quiet and not busy:
        drop_slot(slot)
    return None if known or (busy and not quiet) else LateWrite(note, slot, data, replaced_by=slot.stem[-32:])


def _label_path(slot: Path) -> Path:
    return slot.with_name(f"{slot.name[:16]}.note")


if sys.platform == "linux":

    def _is_open_for_writing(path: Path) -> bool:
        # A read lease is granted only on a file that nobody has open for writing.
        from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, F_UNLCK, fcntl
        from signal import SIGURG

        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            # Should somebody contest the lease: a signal that is ignored, instead of SIGIO, which kills.
            fcntl(descriptor, F_SETSIG, SIGURG)
            fcntl(descriptor, F_SETLEASE, F_RDLCK)
            fcntl(descriptor, F_SETLEASE, F_UNLCK)
        except OSError as error:
            return error.errno == errno.EAGAIN
        finally:
            os.close(descriptor)
        return False

else:

    def _is_open_for_writing(path: Path) -> bool:  # noqa: ARG001 - no way to ask: age alone decides
        return False
