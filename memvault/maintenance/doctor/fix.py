"""Carry out what findings say would mend them: changes of notes as one operation, chores one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from memvault.core.plan import LedgerNote, MoveFile, Plan, PlanChange
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.records import REBUILD_INDEX
from memvault.maintenance.doctor.verify import VerifyTally
from memvault.storage.finding import Chore, DoctorFinding, Severity
from memvault.storage.journal.apply import apply
from memvault.storage.vault.context import VaultContext


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorResult:
    """All that was found, what of it was mended (or would be, in a dry run), and what is left."""

    findings: tuple[DoctorFinding, ...]
    fixed: tuple[DoctorFinding, ...] = ()
    left: tuple[DoctorFinding, ...] = ()
    op: str = ""  # the operation that `undo` takes back; empty where no note was changed
    checked: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    verified: VerifyTally | None = None  # what became of every note, where the files were verified

    @property
    def is_sound(self) -> bool:
        """Return whether nothing is left but notes."""
        return all(finding.severity == "note" for finding in self.left)

    def count_left(self, severity: Severity) -> int:
        """Return how many findings of one severity are left."""
        return sum(finding.severity == severity for finding in self.left)


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
    if REBUILD_INDEX in chores:
        # Before anything is written: should the index turn out to be damaged, the doctor begins again with a new one.
        REBUILD_INDEX.run(context)
        del chores[REBUILD_INDEX]
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
        chore.run(context, *chore.given)
    except MemvaultError as error:
        return error
    return None


def _with_error(finding: DoctorFinding, trouble: MemvaultError | None) -> DoctorFinding:
    if trouble is None:
        return finding
    return replace(finding, advice=f"It could not be fixed: {trouble} {finding.advice}".rstrip())
