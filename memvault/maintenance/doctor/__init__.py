"""Find what is wrong with a vault, say how to mend it, and mend what needs nobody's word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from memvault.errors import DamagedIndex, MemvaultError
from memvault.maintenance.doctor.checks import CHECKS, DoctorCheck
from memvault.maintenance.doctor.finding import DoctorFinding, DoctorResult
from memvault.maintenance.doctor.fix import fix_findings
from memvault.maintenance.doctor.scan import VaultScan
from memvault.maintenance.doctor.verify import VERIFY_CHECKS, VaultVerifier, VerifyOptions
from memvault.privacy.private.recipients import KeyStatus
from memvault.storage.vault.context import VaultContext

__all__ = [
    "CHECKS",
    "VERIFY_CHECKS",
    "DoctorCheck",
    "DoctorFinding",
    "DoctorResult",
    "VerifyOptions",
    "check_vault",
]


def check_vault(
    context: VaultContext,
    *,
    hooks: Callable[[], Iterable[DoctorFinding]],
    syncing: Callable[[], Sequence[str]],
    keys: Callable[[], KeyStatus],
    fix: bool,
    dry_run: bool = False,
    verify: VerifyOptions | None = None,
) -> DoctorResult:
    """Check the whole vault and what leads to it and from it. Without `fix`, nothing is changed.

    With `verify`, every file is compared with what is recorded of it, too.
    """
    scan = VaultScan(context, hooks, syncing, keys)
    verifier = VaultVerifier(scan, verify) if verify else None  # before anything is brought up to date
    verifying = (DoctorCheck("verify", lambda _scan: verifier.find_problems()),) if verifier else ()
    findings = tuple(finding for check in (*verifying, *CHECKS) for finding in _run_check(check, scan))
    checked = {
        "notes": len(scan.notes) + len(scan.unread_notes),
        "files": sum(not entry.is_folder for entry in scan.entries),
        "folders": sum(entry.is_folder for entry in scan.entries),
        "checks": len(CHECKS) + (len(VERIFY_CHECKS) if verify else 0),
    }
    if verify and verifier and not dry_run:
        if verify.accept:
            findings = verifier.accept_problems(findings)
        else:
            verifier.save_digests()
    diagnosis = DoctorResult(
        findings=findings,
        left=findings,
        checked=MappingProxyType(checked),
        verified=verifier.tally if verifier else None,
    )
    return fix_findings(diagnosis, context, dry_run=dry_run) if fix else diagnosis


def _run_check(check: DoctorCheck, scan: VaultScan) -> Iterator[DoctorFinding]:
    """Yield what a check finds; report a check that fails, and go on with the next."""
    try:
        for finding in check.run(scan):
            yield _make_printable(replace(finding, check=finding.check or check.name))
    except DamagedIndex:
        raise  # the hall sets such an index aside, and the doctor begins again with a new one
    except (MemvaultError, OSError, ValueError) as error:
        sentence = f"This check could not be completed: {error}"
        yield _make_printable(DoctorFinding(severity="error", path="", sentence=sentence, check=check.name))


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
