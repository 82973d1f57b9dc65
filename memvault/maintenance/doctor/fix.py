"""What `--fix` does outside the notes: one function for each chore."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from memvault.core.plan import Change, Move, Note, Plan
from memvault.errors import DamagedIndex, MemvaultError, Unwritable
from memvault.maintenance.doctor.finding import (
    Chore,
    ClearLeftovers,
    ClearSetAside,
    CloseUp,
    Diagnosis,
    Finding,
    JoinRecord,
    MakeFolder,
    Rebuild,
    Settle,
    ShrinkUndo,
    Unlock,
)
from memvault.maintenance.doctor.records import folders_set_aside
from memvault.maintenance.doctor.scan import KILO
from memvault.storage.journal.apply import apply
from memvault.storage.journal.recover import recover
from memvault.storage.vault.context import Bench
from memvault.sync.merging.records import united
from memvault.system import files
from memvault.system.git import locks


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


# Carry out what findings say would mend them: changes of notes as one operation, chores one by one.


@dataclass(slots=True)
class _Outcome:
    """What came of mending: the operation, and what went wrong by file and by chore."""

    op: str = ""
    refused: dict[str, MemvaultError] = field(default_factory=dict)
    chores: dict[Chore, MemvaultError | None] = field(default_factory=dict)

    def trouble_with(self, finding: Finding) -> MemvaultError | None:
        """Why a finding could not be mended; None where it was."""
        if finding.chore is not None:
            return self.chores.get(finding.chore)
        paths = (path for change in finding.mends for path in _paths(change))
        return next((self.refused[path] for path in paths if path in self.refused), None)


def mend(diagnosis: Diagnosis, bench: Bench, *, dry_run: bool) -> Diagnosis:
    """The same diagnosis with all mended that can be; in a dry run, as it would be."""
    chosen = _without_overlap(diagnosis.findings)
    wanted = [finding for finding, takes_part in zip(diagnosis.findings, chosen, strict=True) if takes_part]
    outcome = _Outcome() if dry_run else _carried_out(wanted, bench)
    fixed, left = [], []
    for finding, takes_part in zip(diagnosis.findings, chosen, strict=True):
        trouble = outcome.trouble_with(finding) if takes_part else None
        if takes_part and trouble is None:
            fixed.append(finding)
        else:
            left.append(_with_trouble(finding, trouble))
    return replace(diagnosis, fixed=tuple(fixed), left=tuple(left), op=outcome.op)


def _without_overlap(findings: Iterable[Finding]) -> list[bool]:
    """Which findings are mended now: of two that would change one file, the next doctor sees to the second."""
    touched: set[str] = set()
    chosen = []
    for finding in findings:
        paths = {path for change in finding.mends for path in _paths(change)}
        chosen.append(finding.mendable and not paths & touched)
        touched |= paths
    return chosen


def _paths(change: Change) -> tuple[str, ...]:
    match change:
        case Note():
            return ()
        case Move(path, to):
            return path, to
        case _:
            return (change.path,)


def _carried_out(findings: list[Finding], bench: Bench) -> _Outcome:
    """Change the notes in one operation, and do each chore once, however many findings ask for it."""
    chores = dict.fromkeys(finding.chore for finding in findings if finding.chore is not None)
    if Rebuild() in chores:
        # Before anything is written: should the index turn out to be damaged, the doctor begins again with a new one.
        carry_out(Rebuild(), bench)
        del chores[Rebuild()]
    outcome = _changed(tuple(change for finding in findings for change in finding.mends), bench)
    outcome.chores = {chore: _tried(chore, bench) for chore in chores}
    return outcome


def _changed(changes: tuple[Change, ...], bench: Bench) -> _Outcome:
    if not changes:
        return _Outcome()
    try:
        done = apply(Plan("doctor", changes), bench)
    except MemvaultError as error:  # the vault cannot be written at all: what was found is still worth saying
        return _Outcome(refused={path: error for change in changes for path in _paths(change)})
    refused = {path: error for change, error in done.refused for path in _paths(change)}
    return _Outcome(done.operation.op if done.operation.steps else "", refused)


def _tried(chore: Chore, bench: Bench) -> MemvaultError | None:
    try:
        carry_out(chore, bench)
    except MemvaultError as error:
        return error
    return None


def _with_trouble(finding: Finding, trouble: MemvaultError | None) -> Finding:
    if trouble is None:
        return finding
    return replace(finding, advice=f"It could not be mended: {trouble} {finding.advice}".rstrip())
