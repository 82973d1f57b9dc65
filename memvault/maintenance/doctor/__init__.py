"""Find what is wrong with a vault, say how to mend it, and mend what needs nobody's word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from memvault.errors import DamagedIndex, MemvaultError
from memvault.maintenance.doctor import copies, ids, links, notes, records, vault
from memvault.maintenance.doctor.fix import DoctorResult, fix_findings
from memvault.maintenance.doctor.scan import VaultScan
from memvault.maintenance.doctor.verify import VERIFY_CHECKS, VaultVerifier, VerifyOptions
from memvault.storage.finding import DoctorFinding
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
    ("twins", ids.check_duplicate_ids),
    ("ids", ids.check_ids),
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
