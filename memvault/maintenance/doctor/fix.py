"""What `--fix` does outside the notes: one function for each chore."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from memvault.errors import DamagedIndex, Unwritable
from memvault.maintenance.doctor.finding import (
    Chore,
    ClearLeftovers,
    ClearSetAside,
    CloseUp,
    JoinRecord,
    MakeFolder,
    Rebuild,
    Settle,
    ShrinkUndo,
    Unlock,
)
from memvault.maintenance.doctor.index import folders_set_aside
from memvault.maintenance.doctor.scan import KILO
from memvault.storage.journal.recover import recover
from memvault.storage.vault.context import Bench
from memvault.sync.merging.records import united
from memvault.system import files
from memvault.system.git_locks import locks


def carry_out(chore: Chore, bench: Bench) -> None:
    """Do one chore; trouble with it is raised."""
    match chore:
        case Rebuild():
            _rebuild(bench)
        case ClearSetAside():
            _clear_set_aside(bench)
        case CloseUp(modes):
            _close_up(modes, bench)
        case MakeFolder(path):
            files.make_folder(bench.vault.absolute(path), mode=bench.vault.folder_mode)
        case ClearLeftovers(folder):
            _clear_leftovers(folder, bench)
        case Settle():
            with bench.vault.locked():
                recover(bench.vault, bench.now)
        case JoinRecord() | ShrinkUndo() | Unlock():
            _put_right(chore, bench)


def _put_right(chore: JoinRecord | ShrinkUndo | Unlock, bench: Bench) -> None:
    """Chores around what is kept beside the notes."""
    match chore:
        case JoinRecord(copy, record):
            with bench.vault.locked():
                _join(bench.vault.absolute(copy), bench.vault.absolute(record))
        case ShrinkUndo():
            _shrink_undo(bench)
        case Unlock(path):
            _unlock(path, bench)


def _rebuild(bench: Bench) -> None:
    """Take everything out of the catalogue and in again; one that does not let go of it is beyond that."""
    with bench.catalogue.lock():
        bench.catalogue.take_in(bench.catalogue.diff(()), (), fallback_id=str)
    if any(bench.catalogue.numbers()):
        raise DamagedIndex(path=bench.catalogue.folder, reason="it holds what belongs to no note")
    bench.freshen()


def _close_up(modes: tuple[tuple[str, int], ...], bench: Bench) -> None:
    for path, mode in modes:
        target = bench.vault.absolute(path)
        # A link in its place by now could lead anywhere.
        if not os.path.lexists(target) or target.is_symlink() or files.exit_on(target):
            continue
        try:
            target.chmod(mode)
        except OSError as error:
            raise Unwritable(path=path or ".", reason=error.strerror or error) from None


def _clear_set_aside(bench: Bench) -> None:
    for folder in folders_set_aside(bench.catalogue):
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise Unwritable(path=folder, reason="something in it cannot be removed")


def _clear_leftovers(folder: str, bench: Bench) -> None:
    with bench.vault.locked():
        for path in files.leftovers(bench.vault.root / folder):
            files.remove(path)


def _shrink_undo(bench: Bench) -> None:
    with bench.vault.locked():
        bench.vault.log.shrink(keep_bytes=bench.settings.whole("undo.keep_megabytes") * KILO * KILO)


def _join(copy: Path, record: Path) -> None:
    """Whoever appends to the record at that moment loses nothing: it grows, and a void line is put where it stood."""
    files.append(record, b"", durable=True)
    ours = files.read(record)
    whole = united(None, ours, files.read(copy))
    files.amend(record, _changes(ours, whole))
    if rest := whole[len(ours) :].removeprefix(b"\n"):
        files.append(record, rest, durable=True)
    files.remove(copy)


def _changes(before: bytes, after: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for old, new in zip(before.splitlines(keepends=True), after.splitlines(keepends=True), strict=False):
        if len(old) == len(new) and old != new:
            yield at, new
        at += len(old)


def _unlock(path: Path, bench: Bench) -> None:
    """Looked at once more: a git may have begun its work since."""
    if any(lock.path == path and lock.is_left(bench.now) for lock in locks(bench.vault.root)):
        files.remove(path)
