"""Displaced files: what a replaced note was, kept until it is sure that no editor writes into it any more."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from memvault.core.value import Frozen
from memvault.errors import Unreadable
from memvault.system.files.links import check_write, exit_on
from memvault.system.files.new_file import is_same
from memvault.system.files.reader import digest, read, writing
from memvault.system.files.temp import NEW, erase, sweep, write_all
from memvault.text.characters import pattern

# The two digests are of contents that are safe elsewhere: what was replaced, and what replaced it.
# Beside each such file lies TOKEN.note, its label: the path of the note as seen from this folder.
_SLOT = r"([0-9a-f]{16})-([0-9a-f]{32})-([0-9a-f]{32})\.held"
_LABEL = r"([0-9a-f]{16})\.note"


class Late(Frozen):
    """What an editor wrote into the file of a note after it was displaced by what has digest `replaced_by`."""

    path: Path
    held: Path
    data: bytes
    replaced_by: str


def new_slot(hold: Path, note: Path, *, old: bytes, new: bytes) -> Path:
    """Return a name for the displaced file of a note, and put down beside it whose it is."""
    slot = hold / f"{os.urandom(8).hex()}-{digest(old)}-{digest(new)}.held"
    descriptor = os.open(_label(slot), NEW, 0o600)
    try:
        write_all(descriptor, os.fsencode(os.path.relpath(note, hold)))
    except OSError:
        drop(slot)
        raise
    finally:
        os.close(descriptor)
    return slot


def drop(slot: Path) -> None:
    """Forget a displaced file and its label."""
    with suppress(OSError):
        slot.unlink(missing_ok=True)
        _label(slot).unlink(missing_ok=True)


def settle(hold: Path, *, older_than_ns: int, now_ns: int) -> tuple[Late, ...]:
    """Look again at displaced files: forget the quiet ones, return those that an editor wrote into late."""
    if exit_on(hold):
        return ()  # what lies behind a link was displaced by somebody else
    before_ns = now_ns - older_than_ns
    with writing(hold):
        sweep(hold, older_than_ns=older_than_ns, now_ns=now_ns)
        found = _stats(hold)
        _drop_lone_labels(hold, found, before_ns)
        judged = [_judge(hold / name, found, before_ns) for name in sorted(found) if pattern(_SLOT).fullmatch(name)]
        return tuple(late for late in judged if late is not None)


def release(late: Late) -> None:
    """Put down that a late write is safe elsewhere now; what is written after it comes back in its turn."""
    check_write(late.held, itself=False)
    known = digest(late.data)
    with writing(late.held), suppress(FileNotFoundError):
        late.held.rename(late.held.with_name(f"{_token(late.held)}-{known}-{known}.held"))


def slots(hold: Path) -> list[Path]:
    """Return the displaced files that are kept in a folder."""
    return [hold / name for name in sorted(_stats(hold)) if pattern(_SLOT).fullmatch(name)]


def _stats(hold: Path) -> dict[str, os.stat_result]:
    try:
        with os.scandir(hold) as entries:
            return {entry.name: entry.stat(follow_symlinks=False) for entry in entries}
    except FileNotFoundError:
        return {}


def _drop_lone_labels(hold: Path, found: dict[str, os.stat_result], before_ns: int) -> None:
    tokens = {name[:16] for name in found if pattern(_SLOT).fullmatch(name)}
    for name, stats in found.items():
        if pattern(_LABEL).fullmatch(name) and name[:16] not in tokens and stats.st_mtime_ns <= before_ns:
            erase(hold / name)


def _judge(slot: Path, found: dict[str, os.stat_result], before_ns: int) -> Late | None:
    own, label = found[slot.name], found.get(_label(slot).name)
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
        data = read(slot)
    except (OSError, Unreadable):
        return None
    # Where files cannot be exchanged, a killed replacement leaves the note itself under both names.
    note = _note_of(slot)
    known = digest(data) in slot.name or is_same(slot, note)
    if known and quiet and not busy:
        drop(slot)
    return None if known or (busy and not quiet) else Late(note, slot, data, replaced_by=slot.stem[-32:])


def _token(path: Path) -> str:
    return path.name[:16]


def _label(slot: Path) -> Path:
    return slot.with_name(f"{_token(slot)}.note")


def _note_of(slot: Path) -> Path:
    try:
        name = os.fsdecode(read(_label(slot)))
    except Unreadable:
        name = ""
    # A power cut may have taken the label: then what was written stays here, under a name that says so.
    return Path(os.path.normpath(slot.parent / (name or "unknown.md")))


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
