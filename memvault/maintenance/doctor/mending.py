"""Carry out what findings say would mend them: changes of notes as one operation, chores one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memvault.core.plan import Change, Move, Note, Plan
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import Chore, Diagnosis, Finding, Rebuild
from memvault.maintenance.doctor.fix import carry_out
from memvault.storage.journal.apply import apply
from memvault.storage.vault.context import Bench


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
