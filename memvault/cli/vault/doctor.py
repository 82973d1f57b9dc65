"""`memvault doctor`: find what is wrong, and mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault import __version__
from memvault.cli.context import Answer, Desk
from memvault.cli.options import DryRun, Option
from memvault.cli.output import report
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.report import Bar
from memvault.cli.output.terminal import Paper
from memvault.errors import FAILED, Misused
from memvault.text.display import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memvault.maintenance.doctor import Diagnosis, Finding
    from memvault.maintenance.doctor.finding import Tally


DOCTOR_EXAMPLES = (
    "memvault doctor",
    "memvault doctor --fix --dry-run",
    "memvault doctor --fix",
    "memvault doctor --deep",
)

Fix = Annotated[bool, Option("--fix", help="Mend what can be mended without asking you.")]

Deep = Annotated[bool, Option("--deep", help="Hold every byte against what the records say it should be.")]
Accept = Annotated[
    bool,
    Option("--accept", help="With --deep: what is missing or looks damaged is meant so; what records lack is lost."),
]


def doctor(
    desk: Desk, *, fix: Fix = False, deep: Deep = False, accept: Accept = False, dry_run: DryRun = False
) -> Answer:
    """Find what is wrong with the vault, say how to mend it, and mend it with --fix.

    Looking changes nothing. The exit code is 1 while anything but notes is left. With --deep notes, conversations,
    sealed files, records and what is kept for undo are read through, and told apart: as memvault wrote them, edited by
    hand, your own, damaged, missing.
    """
    if accept and not deep:
        raise Misused(reason="--accept goes with --deep.", command="memvault doctor")
    bar = Bar(desk, "Looking")
    with desk.open(asks=False) as vault:
        try:
            found = vault.doctor(fix=fix, dry_run=dry_run, deep=deep, accept=accept, progress=bar)
        finally:
            bar.close()
    return Answer(
        result=_told(found, dry_run=dry_run),
        text=lambda paper: _text(found, paper, dry_run=dry_run),
        talk=(_advice(found, fix=fix), undo_hint(found.op, dry_run=dry_run and fix)),
        exit_code=0 if found.sound else FAILED,
        warnings=_about_the_porter(desk.environment),
    )


def _about_the_porter(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What is wrong with the warm process, which is no part of any vault."""
    from memvault.daemon import lifecycle

    found = lifecycle.status(environment)
    if not found.running or (found.answers and found.version == __version__):
        return ()
    if not found.answers:
        return ("The warm process does not answer; `memvault watch --stop` ends it.",)
    other = f"The warm process is of memvault {found.version}, and this is {__version__}"
    return (f"{other}; `memvault watch --stop` ends it.",)


def _told(found: Diagnosis, *, dry_run: bool) -> dict[str, object]:
    return {
        "sound": found.sound,
        "findings": [_finding(finding) for finding in found.findings],
        "fixed": [_finding(finding) for finding in found.fixed],
        "left": [_finding(finding) for finding in found.left],
        "checked": found.checked,
        **({"deep": found.deep} if found.deep else {}),
        "op": found.op,
        "dry_run": dry_run,
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "check": finding.check,
        "severity": finding.severity,
        "path": finding.path,
        "message": finding.sentence,
        "hint": finding.advice,
        "mendable": finding.mendable,
        "cure": finding.cure,
    }


def _text(found: Diagnosis, paper: Paper, *, dry_run: bool) -> str:
    fixed = [report.mended(path, cure) for finding in found.fixed for path, cure in finding.cures]
    head = "Would mend:" if dry_run else "Mended:"
    parts = ["\n".join([head, *fixed]) if fixed else "", *_by_severity(found.left, paper), _summary(found, paper)]
    return "\n\n".join(filter(None, parts))


def _by_severity(left: Sequence[Finding], paper: Paper) -> list[str]:
    return [report.finding(finding.severity, finding.path, finding.sentence, finding.advice, paper) for finding in left]


def _summary(found: Diagnosis, paper: Paper) -> str:
    looked = f"Looked at {plural(found.checked.get('notes', 0), 'note', 'notes')}.{_depth(found.deep)}"
    if not found.left and (then := dict.fromkeys(one.then for one in found.fixed if one.then)):
        return f"{looked} {' '.join(then)}"
    if not found.left:
        return f"{looked} {paper.styles.good('All is well.')}"
    counts = [(found.count("error"), "error"), (found.count("warning"), "warning"), (found.count("note"), "note")]
    told = ", ".join(plural(count, name, f"{name}s") for count, name in counts if count)
    return f"{looked} {told}."


def _depth(tally: Tally | None) -> str:
    """What became of every note, where the look was deep."""
    if tally is None:
        return ""
    counts = (
        (tally.as_written, "as written"),
        (len(tally.edited), "edited by hand"),
        (len(tally.own), "your own"),
        (len(tally.damaged), "damaged"),
        (len(tally.missing), "missing"),
    )
    return f" {', '.join(f'{count:,} {what}' for count, what in counts if count)}.".replace(" .", "")


def _advice(found: Diagnosis, *, fix: bool) -> str:
    mendable = sum(finding.mendable for finding in found.left)
    if fix or not mendable:
        return ""
    return f"`memvault doctor --fix` mends {mendable} of them."
