"""Find what is wrong with a vault, say how to mend it, and mend what needs nobody's word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from memvault.agents.setup.hooks import Standing
from memvault.errors import DamagedIndex, MemvaultError
from memvault.maintenance.doctor.checks import CHECKS, Check
from memvault.maintenance.doctor.deep import ACCEPTED, DEEP, Deep, Opens, accept, settled
from memvault.maintenance.doctor.finding import Diagnosis, Finding
from memvault.maintenance.doctor.fix import mend
from memvault.maintenance.doctor.scan import Survey
from memvault.privacy.private.recipients import Ready
from memvault.storage.vault.context import Bench

__all__ = ["CHECKS", "DEEP", "Check", "Deeper", "Diagnosis", "Finding", "doctor"]


def doctor(
    bench: Bench,
    *,
    hooks: Callable[[], Standing],
    syncing: Callable[[], Sequence[str]],
    keys: Callable[[], Ready],
    fix: bool,
    dry_run: bool = False,
    deeper: Deeper | None = None,
) -> Diagnosis:
    """Look the whole vault over, and what leads to it and from it; without `fix`, nothing is changed by a byte.

    With `deeper`, every byte is held against what the records say it should be, too.
    """
    survey = Survey(bench, hooks, syncing, keys)
    deep = Deep(survey, deeper.opens, deeper.progress) if deeper else None  # before anything is brought up to date
    checks = (*_deep_checks(deep), *CHECKS)
    findings = tuple(found for check in checks for found in _found_by(check, survey))
    checked = {
        "notes": len(survey.looks) + len(survey.unread),
        "files": sum(not entry.is_folder for entry in survey.entries),
        "folders": sum(entry.is_folder for entry in survey.entries),
        "checks": len(checks),
    }
    if deep and deeper and not dry_run:
        settled(deep, accepted=deeper.accept)
        if deeper.accept:
            meant = accept(deep)
            findings = tuple(one for one in findings if one.check not in ACCEPTED or one.path not in meant)
    tally = deep.tally if deep else None
    diagnosis = Diagnosis(findings=findings, left=findings, checked=MappingProxyType(checked), deep=tally)
    return mend(diagnosis, bench, dry_run=dry_run) if fix else diagnosis


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeper:
    """How deep to look: what opens sealed files, whom to tell how far it is, whether what is found is meant to be."""

    opens: Opens
    progress: Callable[[int, int], None]
    accept: bool = False


def _deep_checks(deep: Deep | None) -> tuple[Check, ...]:
    return tuple(Check(name, lambda _survey, find=find: find(deep)) for name, find in DEEP) if deep else ()  # type: ignore[misc]


def _found_by(check: Check, survey: Survey) -> Iterator[Finding]:
    """What a check finds; one that comes to grief says so, and the next one goes on."""
    try:
        for finding in check.find(survey):
            yield _sayable(replace(finding, check=check.name))
    except DamagedIndex:
        raise  # the hall sets such an index aside, and the doctor begins again with a new one
    except (MemvaultError, OSError, ValueError) as error:
        sentence = f"This could not be looked into to the end: {error}"
        yield _sayable(Finding(severity="error", path="", sentence=sentence, check=check.name))


def _sayable(finding: Finding) -> Finding:
    """The finding in characters that can be printed, also where the bytes of a name are no text."""
    return replace(
        finding,
        path=_printable(finding.path),
        sentence=_printable(finding.sentence),
        advice=_printable(finding.advice),
    )


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
