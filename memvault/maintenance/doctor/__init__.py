"""Find what is wrong with a vault, say how to mend it, and mend what needs nobody's word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from memvault.core.plan import LedgerNote, MoveFile, Plan, PlanChange
from memvault.errors import DamagedIndex, MemvaultError
from memvault.maintenance.doctor import copies, links, notes, records, vault
from memvault.maintenance.doctor.records import REBUILD_INDEX
from memvault.maintenance.doctor.scan import VaultScan
from memvault.maintenance.doctor.verify import VERIFY_CHECKS, VaultVerifier, VerifyOptions, VerifyTally
from memvault.storage.finding import Chore, DoctorFinding, Severity
from memvault.storage.journal.apply import apply
from memvault.storage.vault.context import VaultContext

__all__ = ["CHECKS", "VERIFY_CHECKS", "DoctorFinding", "DoctorResult", "FeatureCheck", "VerifyOptions", "check_vault"]

FeatureCheck = tuple[str, Callable[[VaultContext], Iterable[DoctorFinding]]]
"""What a feature checks of its own: the name that findings carry, and the function that makes the check."""

# The doctor's own checks, in the order in which they are made and reported.
CHECKS: tuple[tuple[str, Callable[[VaultScan], Iterable[DoctorFinding]]], ...] = (
    ("settings", vault.check_settings),
    ("folders", vault.check_folders),
    ("nested", vault.check_nested_vaults),
    ("links-out", links.check_outside_links),
    ("unreadable", notes.check_unreadable),
    ("encoding", notes.check_encoding),
    ("frontmatter", notes.check_frontmatter),
    ("merge-markers", notes.check_merge_markers),
    ("conflict-copies", copies.check_conflict_copies),
    ("twins", copies.check_duplicate_ids),
    ("ids", copies.check_ids),
    ("case-twins", notes.check_case_twins),
    ("shared-names", notes.check_shared_names),
    ("portable-names", notes.check_portable_names),
    ("status", notes.check_status),
    ("dates", notes.check_dates),
    ("values", notes.check_values),
    ("empty", notes.check_empty),
    ("too-long", notes.check_too_long),
    ("borrowed", notes.check_linked_files),
    ("triggers", notes.check_triggers),
    ("links", links.check_dangling_links),
    ("faded-links", links.check_faded_links),
    ("references", links.check_references),
    ("always-loaded", vault.check_always_loaded),
    ("interrupted", records.check_interrupted),
    ("late-writes", records.check_late_writes),
    ("leftovers", records.check_leftovers),
    ("permissions", vault.check_permissions),
    ("log-lines", records.check_lines),
    ("marks", records.check_tombstones),
    ("forgotten", records.check_returned),
    ("log-dates", records.check_future_entries),
    ("log-writable", records.check_writable),
    ("undo-store", records.check_undo_store),
    ("index", records.check_index),
    ("set-aside", records.check_set_aside),
)


def check_vault(
    context: VaultContext,
    *,
    features: Sequence[FeatureCheck],
    fix: bool,
    dry_run: bool = False,
    verify: VerifyOptions | None = None,
) -> DoctorResult:
    """Check the whole vault and what leads to it and from it. Without `fix`, nothing is changed.

    With `verify`, every file is compared with what is recorded of it, too.
    """
    scan = VaultScan(context)
    verifier = VaultVerifier(scan, verify) if verify else None  # before anything is brought up to date
    findings = (
        *(_run_check("verify", verifier.find_problems) if verifier else ()),
        *(finding for name, check in CHECKS for finding in _run_check(name, check, scan)),
        *(finding for name, check in features for finding in _run_check(name, check, context)),
    )
    checked = {
        "notes": len(scan.notes) + len(scan.unread_notes),
        "files": sum(not entry.is_folder for entry in scan.entries),
        "folders": sum(entry.is_folder for entry in scan.entries),
        "checks": len(CHECKS) + len(features) + (len(VERIFY_CHECKS) if verify else 0),
    }
    if verify and verifier and not dry_run:
        if verify.accept:
            findings = verifier.accept_problems(findings)
        else:
            verifier.save_digests()
    result = DoctorResult(
        findings=findings,
        left=findings,
        checked=MappingProxyType(checked),
        verified=verifier.tally if verifier else None,
    )
    return fix_findings(result, context, dry_run=dry_run) if fix else result


def _run_check(name: str, check: Callable[..., Iterable[DoctorFinding]], *given: object) -> Iterator[DoctorFinding]:
    """Yield what a check finds; report a check that fails, and go on with the next."""
    try:
        for finding in check(*given):
            yield _make_printable(replace(finding, check=finding.check or name))
    except DamagedIndex:
        raise  # whoever opened the vault sets such an index aside, and the doctor begins again with a new one
    except (MemvaultError, OSError, ValueError) as error:
        sentence = f"This check could not be completed: {error}"
        yield _make_printable(DoctorFinding(severity="error", path="", sentence=sentence, check=name))


def _make_printable(finding: DoctorFinding) -> DoctorFinding:
    """Return the finding in printable characters, even where a name's bytes are no text."""
    return replace(
        finding,
        path=_escape_text(finding.path),
        sentence=_escape_text(finding.sentence),
        advice=_escape_text(finding.advice),
    )


def _escape_text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


# What would mend findings is carried out: changes of notes as one operation, chores one by one.


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
