"""What `--fix` does outside the notes: one function for each chore."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from memvault.core.plan import LedgerNote, MoveFile, Plan, PlanChange
from memvault.errors import DamagedIndex, MemvaultError, Unwritable
from memvault.maintenance.doctor.finding import (
    Chore,
    ClearLeftovers,
    ClearSetAside,
    DoctorFinding,
    DoctorResult,
    FinishInterrupted,
    JoinRecordCopy,
    MakeFolder,
    RebuildIndex,
    RemoveGitLock,
    RestrictModes,
    ShrinkUndo,
)
from memvault.maintenance.doctor.records import folders_set_aside
from memvault.maintenance.doctor.scan import KILO
from memvault.storage.journal.apply import apply
from memvault.storage.journal.recover import recover_vault
from memvault.storage.merging.lines import merge_records
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.system.git import find_locks


def do_chore(chore: Chore, context: VaultContext) -> None:
    """Do one chore; raise what goes wrong."""
    match chore:
        case RebuildIndex():
            _rebuild_index(context)
        case ClearSetAside():
            _clear_set_aside(context)
        case RestrictModes(modes):
            _restrict_modes(modes, context)
        case MakeFolder(path):
            files.make_folder(context.vault.absolute_path(path), mode=context.vault.folder_mode)
        case ClearLeftovers(folder):
            _clear_leftovers(folder, context)
        case FinishInterrupted():
            with context.vault.lock_vault():
                recover_vault(context.vault, context.now)
        case JoinRecordCopy() | ShrinkUndo() | RemoveGitLock():
            _do_record_chore(chore, context)


def _do_record_chore(chore: JoinRecordCopy | ShrinkUndo | RemoveGitLock, context: VaultContext) -> None:
    """Do a chore on what is kept beside the notes."""
    match chore:
        case JoinRecordCopy(copy, record):
            with context.vault.lock_vault():
                _join_record(context.vault.absolute_path(copy), context.vault.absolute_path(record))
        case ShrinkUndo():
            _shrink_undo(context)
        case RemoveGitLock(path):
            _remove_git_lock(path, context)


def _rebuild_index(context: VaultContext) -> None:
    """Empty the index and fill it again; raise DamagedIndex if it does not let go of something."""
    with context.index.lock():
        context.index.update_notes(context.index.compare_listing(()), (), fallback_id=str)
    if any(context.index.row_and_backend_numbers()):
        raise DamagedIndex(path=context.index.folder, reason="it holds what belongs to no note")
    context.refresh()


def _restrict_modes(modes: tuple[tuple[str, int], ...], context: VaultContext) -> None:
    for path, mode in modes:
        target = context.vault.absolute_path(path)
        # A link in its place by now could lead anywhere.
        if not os.path.lexists(target) or target.is_symlink() or files.find_link_out(target):
            continue
        try:
            target.chmod(mode)
        except OSError as error:
            raise Unwritable(path=path or ".", reason=error.strerror or error) from None


def _clear_set_aside(context: VaultContext) -> None:
    for folder in folders_set_aside(context.index):
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise Unwritable(path=folder, reason="something in it cannot be removed")


def _clear_leftovers(folder: str, context: VaultContext) -> None:
    with context.vault.lock_vault():
        for path in files.orphaned_files(context.vault.root / folder):
            files.remove_file(path)


def _shrink_undo(context: VaultContext) -> None:
    with context.vault.lock_vault():
        context.vault.log.shrink_to(keep_bytes=context.settings.integer("undo.keep_megabytes") * KILO * KILO)


def _join_record(copy: Path, record: Path) -> None:
    """Add the lines of a copy to its record, so that somebody who appends at the same moment loses nothing."""
    files.append_line(record, b"", durable=True)
    ours = files.read_file(record)
    whole = merge_records(None, ours, files.read_file(copy))
    files.overwrite_spans(record, _changed_lines(ours, whole))
    if rest := whole[len(ours) :].removeprefix(b"\n"):
        files.append_line(record, rest, durable=True)
    files.remove_file(copy)


def _changed_lines(before: bytes, after: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for old, new in zip(before.splitlines(keepends=True), after.splitlines(keepends=True), strict=False):
        if len(old) == len(new) and old != new:
            yield at, new
        at += len(old)


def _remove_git_lock(path: Path, context: VaultContext) -> None:
    """Remove a git lock, after checking once more that no git has begun its work since."""
    if any(lock.path == path and lock.is_stale(context.now) for lock in find_locks(context.vault.root)):
        files.remove_file(path)


# Carry out what findings say would mend them: changes of notes as one operation, chores one by one.


@dataclass(slots=True)
class _FixOutcome:
    """What came of mending: the operation, and what went wrong by file and by chore."""

    op: str = ""
    refused: dict[str, MemvaultError] = field(default_factory=dict)
    chores: dict[Chore, MemvaultError | None] = field(default_factory=dict)

    def error_for(self, finding: DoctorFinding) -> MemvaultError | None:
        """Return why a finding could not be fixed; None where it was."""
        if finding.chore is not None:
            return self.chores.get(finding.chore)
        paths = (path for change in finding.mends for path in _changed_paths(change))
        return next((self.refused[path] for path in paths if path in self.refused), None)


def fix_findings(diagnosis: DoctorResult, context: VaultContext, *, dry_run: bool) -> DoctorResult:
    """Return the result with everything fixed that can be; in a dry run, as it would be."""
    chosen = _without_overlap(diagnosis.findings)
    wanted = [finding for finding, takes_part in zip(diagnosis.findings, chosen, strict=True) if takes_part]
    outcome = _FixOutcome() if dry_run else _apply_fixes(wanted, context)
    fixed, left = [], []
    for finding, takes_part in zip(diagnosis.findings, chosen, strict=True):
        trouble = outcome.error_for(finding) if takes_part else None
        if takes_part and trouble is None:
            fixed.append(finding)
        else:
            left.append(_with_error(finding, trouble))
    return replace(diagnosis, fixed=tuple(fixed), left=tuple(left), op=outcome.op)


def _without_overlap(findings: Iterable[DoctorFinding]) -> list[bool]:
    """Return which findings are fixed now: of two that would change one file, the next doctor fixes the second."""
    touched: set[str] = set()
    chosen = []
    for finding in findings:
        paths = {path for change in finding.mends for path in _changed_paths(change)}
        chosen.append(finding.is_fixable and not paths & touched)
        touched |= paths
    return chosen


def _changed_paths(change: PlanChange) -> tuple[str, ...]:
    match change:
        case LedgerNote():
            return ()
        case MoveFile(path, to):
            return path, to
        case _:
            return (change.path,)


def _apply_fixes(findings: list[DoctorFinding], context: VaultContext) -> _FixOutcome:
    """Change the notes in one operation, and do each chore once, however many findings ask for it."""
    chores = dict.fromkeys(finding.chore for finding in findings if finding.chore is not None)
    if RebuildIndex() in chores:
        # Before anything is written: should the index turn out to be damaged, the doctor begins again with a new one.
        do_chore(RebuildIndex(), context)
        del chores[RebuildIndex()]
    outcome = _apply_changes(tuple(change for finding in findings for change in finding.mends), context)
    outcome.chores = {chore: _try_chore(chore, context) for chore in chores}
    return outcome


def _apply_changes(changes: tuple[PlanChange, ...], context: VaultContext) -> _FixOutcome:
    if not changes:
        return _FixOutcome()
    try:
        done = apply(Plan("doctor", changes), context)
    except MemvaultError as error:  # the vault cannot be written at all: what was found is still worth saying
        return _FixOutcome(refused={path: error for change in changes for path in _changed_paths(change)})
    refused = {path: error for change, error in done.refused for path in _changed_paths(change)}
    return _FixOutcome(done.operation.op if done.operation.steps else "", refused)


def _try_chore(chore: Chore, context: VaultContext) -> MemvaultError | None:
    try:
        do_chore(chore, context)
    except MemvaultError as error:
        return error
    return None


def _with_error(finding: DoctorFinding, trouble: MemvaultError | None) -> DoctorFinding:
    if trouble is None:
        return finding
    return replace(finding, advice=f"It could not be fixed: {trouble} {finding.advice}".rstrip())
