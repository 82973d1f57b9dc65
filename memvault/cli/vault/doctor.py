"""`memvault vault doctor`: find what is wrong, and mend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from memvault import __version__
from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Several, action_argument, check_action
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import undo_message
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import take_fields
from memvault.errors import FAILED
from memvault.memories.tidy import TidyResult, tidy_memories
from memvault.text.display import format_count, neutralize_text, to_one_line

if TYPE_CHECKING:
    from memvault.maintenance.doctor import DoctorFinding, DoctorResult
    from memvault.maintenance.doctor.verify import VerifyTally

DOCTOR_EXAMPLES = (
    "memvault vault doctor",
    "memvault vault doctor fix --dry-run",
    "memvault vault doctor fix",
    "memvault vault doctor verify",
)

ACTIONS = ("fix", "verify", "accept")
Action = Annotated[str, action_argument(ACTIONS, f"What to do besides looking: {', '.join(ACTIONS)}.")]


def doctor(cli: CliContext, action: Action = "", *, dry_run: DryRun = False) -> CommandResult:
    """Find what is wrong with the vault and say how to mend it.

    `fix` mends what needs no decision of yours; all else changes nothing. `verify` reads notes, conversations, sealed
    files, records and what is kept for undo to their end, compares each with its recorded digest, and tells apart: as
    memvault wrote them, edited by hand, your own, damaged, missing. `accept` does the same, and takes what is missing
    or looks damaged as meant so, or lost for good. The exit code is 1 while anything but notes is left.
    """
    check_action(action or "fix", ACTIONS, "memvault vault doctor")
    fix, accept = action == "fix", action == "accept"
    with cli.open_vault(may_ask=False) as vault, cli.progress_bar("Checking") as bar:
        found = vault.doctor(fix=fix, dry_run=dry_run, verify=accept or action == "verify", accept=accept, progress=bar)
    return CommandResult(
        result=_build_json(found, dry_run=dry_run),
        text=lambda paper: _format_diagnosis(found, paper, dry_run=dry_run),
        messages=(_fix_hint(found, fix=fix), undo_message(found.op, dry_run=dry_run and fix)),
        exit_code=0 if found.is_sound else FAILED,
        warnings=_daemon_warnings(cli.environment),
    )


def _daemon_warnings(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What is wrong with the daemon, which is no part of any vault."""
    from memvault.system.daemon import read_status

    found = read_status(environment)
    if not found.running or (found.answers and found.version == __version__):
        return ()
    if not found.answers:
        return ("The daemon does not answer; stop it with `memvault vault watch stop`.",)
    other = f"The daemon runs memvault {found.version}, but this is {__version__}"
    return (f"{other}; stop it with `memvault vault watch stop`.",)


def _build_json(found: DoctorResult, *, dry_run: bool) -> dict[str, object]:
    return {
        "sound": found.is_sound,
        "findings": [_finding_json(finding) for finding in found.findings],
        "fixed": [_finding_json(finding) for finding in found.fixed],
        "left": [_finding_json(finding) for finding in found.left],
        "checked": found.checked,
        **({"verified": found.verified} if found.verified else {}),
        "op": found.op,
        "dry_run": dry_run,
    }


def _finding_json(finding: DoctorFinding) -> dict[str, object]:
    return {
        **take_fields(finding, "check", "severity", "path"),
        "message": finding.sentence,
        "hint": finding.advice,
        "mendable": finding.is_fixable,
        "cure": finding.fix_reason,
    }


def _format_diagnosis(found: DoctorResult, paper: TerminalFormat, *, dry_run: bool) -> str:
    fixed = [_format_fixed(path, cure) for finding in found.fixed for path, cure in finding.file_fixes]
    head = "Would fix:" if dry_run else "Fixed:"
    parts = [
        "\n".join([head, *fixed]) if fixed else "",
        *(_format_finding(finding, paper) for finding in found.left),
        _format_summary(found, paper),
    ]
    return "\n\n".join(filter(None, parts))


def _format_fixed(where: str, cure: str) -> str:
    return to_one_line(f"  {where}: {cure}" if where else f"  {cure}")


def _format_finding(finding: DoctorFinding, paper: TerminalFormat) -> str:
    """One thing that is wrong: how bad it is, where, what, and how to mend it."""
    styles = {"error": paper.styles.bad, "warning": paper.styles.warning}
    mark = styles.get(finding.severity, paper.styles.faint)(finding.severity)
    advice = paper.styles.faint(paper.wrap_block(neutralize_text(finding.advice), "  ")) if finding.advice else ""
    head = f"{mark}  {to_one_line(finding.path)}".rstrip()
    return "\n".join(filter(None, [head, paper.wrap_block(neutralize_text(finding.sentence), "  "), advice]))


def _format_summary(found: DoctorResult, paper: TerminalFormat) -> str:
    looked = f"Looked at {format_count(found.checked.get('notes', 0), 'note', 'notes')}.{_format_tally(found.verified)}"
    if not found.left and (then := dict.fromkeys(one.then for one in found.fixed if one.then)):
        return f"{looked} {' '.join(then)}"
    if not found.left:
        return f"{looked} {paper.styles.good('All is well.')}"
    counts = [
        (found.count_left("error"), "error"),
        (found.count_left("warning"), "warning"),
        (found.count_left("note"), "note"),
    ]
    told = ", ".join(format_count(count, name, f"{name}s") for count, name in counts if count)
    return f"{looked} {told}."


def _format_tally(tally: VerifyTally | None) -> str:
    """What became of every note, where the files were verified."""
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


def _fix_hint(found: DoctorResult, *, fix: bool) -> str:
    mendable = sum(finding.is_fixable for finding in found.left)
    return "" if fix or not mendable else f"`memvault vault doctor fix` fixes {mendable} of them."


# `memvault vault tidy`: take properties that say nothing out of memories.


TIDY_EXAMPLES = ("memvault vault tidy --dry-run", "memvault vault tidy", "memvault vault tidy 5f0c")

_SHOWN = 20

Memories = Annotated[Several, Argument(metavar="MEMORY", help="Only these; all memories without it.")]


def tidy(cli: CliContext, memory: Memories = None, *, dry_run: DryRun = False) -> CommandResult:
    """Take properties that say nothing out of memories: flags not set, empty lists, an alias that is the file's
    own name. New memories are written without them; no memory is read differently, and your own notes stay as they are.
    """
    with cli.open_vault() as vault, cli.progress_bar("Reading") as bar:
        found = vault.run(tidy_memories, memory or [], dry_run=dry_run, progress=bar)
    count = sum(len(one.properties) for one in found.memories)
    would = "would go" if dry_run else "gone"
    tidied = format_count(len(found.memories), "memory", "memories")
    summary = f"{format_count(count, 'property', 'properties')} {would}, from {tidied}." if count else "All are tidy."
    return CommandResult(
        result={
            "memories": [{**take_fields(one, "memory"), "properties": one.properties} for one in found.memories],
            **take_fields(found, "refused", "op"),
            "dry_run": dry_run,
        },
        text=lambda paper: _format_tidied(found, paper),
        messages=(summary, undo_message(found.op, dry_run=dry_run)),
        warnings=tuple(f"{path} cannot be changed: `memvault vault doctor` says why" for path in found.refused),
    )


def _format_tidied(found: TidyResult, paper: TerminalFormat) -> str:
    shown = [
        layers.format_outcome(one.memory, f"without {', '.join(one.properties)}", paper)
        for one in found.memories[:_SHOWN]
    ]
    left = len(found.memories) - len(shown)
    return "\n".join([*shown, *([f"… and {left:,} more."] if left else [])])
