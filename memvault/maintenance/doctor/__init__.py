"""Find what is wrong with a vault, say how to mend it, and mend what needs nobody's word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from memvault.errors import DamagedIndex, MemvaultError
from memvault.maintenance.doctor.checks import CHECKS, DoctorCheck
from memvault.maintenance.doctor.deep import (
    ACCEPTABLE_CHECKS,
    DEEP_CHECKS,
    DeepScan,
    OpenSealed,
    accept_findings,
    save_digests,
)
from memvault.maintenance.doctor.finding import DoctorFinding, DoctorResult
from memvault.maintenance.doctor.fix import fix_findings
from memvault.maintenance.doctor.scan import VaultScan
from memvault.privacy.private.recipients import KeyStatus
from memvault.storage.vault.context import VaultContext

__all__ = ["CHECKS", "DEEP_CHECKS", "DeepOptions", "DoctorCheck", "DoctorFinding", "DoctorResult", "check_vault"]


def check_vault(
    context: VaultContext,
    *,
    hooks: Callable[[], Iterable[DoctorFinding]],
    syncing: Callable[[], Sequence[str]],
    keys: Callable[[], KeyStatus],
    fix: bool,
    dry_run: bool = False,
    deep_options: DeepOptions | None = None,
) -> DoctorResult:
    """Check the whole vault and what leads to it and from it. Without `fix`, nothing is changed.

    With `deeper`, every byte is held against what the records say it should be, too.
    """
    scan = VaultScan(context, hooks, syncing, keys)
    deep = (
        DeepScan(scan, deep_options.opens, deep_options.progress) if deep_options else None
    )  # before anything is brought up to date
    checks = (*_bind_deep_checks(deep), *CHECKS)
    findings = tuple(found for check in checks for found in _run_check(check, scan))
    checked = {
        "notes": len(scan.notes) + len(scan.unread_notes),
        "files": sum(not entry.is_folder for entry in scan.entries),
        "folders": sum(entry.is_folder for entry in scan.entries),
        "checks": len(checks),
    }
    if deep and deep_options and not dry_run:
        save_digests(deep, is_accepted=deep_options.accept)
        if deep_options.accept:
            meant = accept_findings(deep)
            findings = tuple(one for one in findings if one.check not in ACCEPTABLE_CHECKS or one.path not in meant)
    tally = deep.tally if deep else None
    diagnosis = DoctorResult(findings=findings, left=findings, checked=MappingProxyType(checked), deep=tally)
    return fix_findings(diagnosis, context, dry_run=dry_run) if fix else diagnosis


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepOptions:
    """How deep to look: what opens sealed files, whom to tell how far it is, whether what is found is meant to be."""

    opens: OpenSealed
    progress: Callable[[int, int], None]
    accept: bool = False


def _bind_deep_checks(deep: DeepScan | None) -> tuple[DoctorCheck, ...]:
    return tuple(DoctorCheck(name, lambda _scan, find=find: find(deep)) for name, find in DEEP_CHECKS) if deep else ()  # type: ignore[misc]


def _run_check(check: DoctorCheck, scan: VaultScan) -> Iterator[DoctorFinding]:
    """Yield what a check finds; report a check that fails, and go on with the next."""
    try:
        for finding in check.run(scan):
            yield _make_printable(replace(finding, check=check.name))
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
