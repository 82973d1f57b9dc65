"""`memvault maintain`: keep the vault in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import DryRun, Option, Several, list_option, split_values
from memvault.cli.output import report
from memvault.cli.output.changes import undo_message
from memvault.cli.output.report import ProgressBar
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import take_fields
from memvault.errors import MaintenanceUnderWay
from memvault.text.display import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.api import Memvault
    from memvault.storage.journal.runs import MaintainResult, MaintenanceChange


_SHOWN = 5
MAINTAIN_EXAMPLES = (
    "memvault maintain --dry-run",
    "memvault maintain",
    "memvault maintain --only decay,stale,archive",
)

Only = Annotated[Several, list_option("--only", "RULES", "Only these rules, such as decay,archive; see the manual.")]
Scheduled = Annotated[bool, Option("--scheduled", help="For timers: says nothing, asks nothing, keeps a log.")]
All = Annotated[bool, Option("--all", help="List every change, however many there are.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Agree beforehand to what would be asked (prune.after_months).")]


def maintain(
    cli: CliContext,
    *,
    dry_run: DryRun = False,
    only: Only = None,
    scheduled: Scheduled = False,
    everything: All = False,
    yes: Yes = False,
) -> CommandResult:
    """Keep the vault in order: let weights fade, put away what faded, merge what says the same, refresh Tier 1.

    Every change has its reason, shown by --dry-run; nothing is deleted; `memvault undo` takes a run back. It may run
    as often or as seldom as you like: everything follows from dates.
    """
    with cli.open_vault(may_ask=not scheduled) as vault:
        try:
            found = _run_maintenance(cli, vault, split_values(only), dry_run=dry_run, scheduled=scheduled, yes=yes)
        except MaintenanceUnderWay:
            if scheduled:
                return CommandResult(result={"skipped": "upkeep is under way already"})
            raise
    if scheduled:
        return CommandResult(
            result=_build_json(found, dry_run=dry_run)
        )  # what was refused stands in the log, and is no failure
    return CommandResult(
        result=_build_json(found, dry_run=dry_run),
        text=lambda paper: _format_run(found, paper, dry_run=dry_run, everything=everything),
        messages=_list_messages(found, dry_run=dry_run),
        warnings=tuple(f"{path}: {why}" for path, why in found.refused),
    )


def _run_maintenance(
    cli: CliContext, vault: Memvault, only: Sequence[str], *, dry_run: bool, scheduled: bool, yes: bool
) -> MaintainResult:
    if not (dry_run or scheduled or yes) and cli.has_person:
        yes = _confirm_prune(cli, vault, only)
    with ProgressBar(cli, "Upkeep") as bar:
        return vault.maintain(only=only, prune=yes, dry_run=dry_run, scheduled=scheduled, progress=bar)


def _confirm_prune(cli: CliContext, vault: Memvault, only: Sequence[str]) -> bool:
    """Whether the person lets go of what may be pruned, where anything may."""
    if not vault.settings.integer("prune.after_months") or (only and "prune" not in only):
        return False
    found = vault.maintain(only=only, dry_run=True).prunable
    if not found:
        return False
    for done in found:
        cli.print_message(f"  {done.title}: {done.why}")
    return cli.confirm(f"Move {format_count(len(found), 'archived memory', 'archived memories')} to the trash?")


def _list_lines(found: Sequence[MaintenanceChange]) -> list[report.MaintainLine]:
    return [report.MaintainLine(done.id, done.title or done.path, done.to, done.rules, done.why) for done in found]


def _build_json(found: MaintainResult, *, dry_run: bool) -> dict[str, object]:
    return {
        "changes": [take_fields(done, "id", "title", "path", "to", "rules", "why") for done in found.done],
        "counts": report.count_rules(_list_lines(found.done)),
        "refused": [{"path": path, "why": why} for path, why in found.refused],
        "prunable": [done.path for done in found.prunable],
        "expired": found.expired,
        "conflicts": found.conflicts,
        "duplicates": found.proposals,
        **take_fields(found, "memories", "skipped", "next", "op"),
        "dry_run": dry_run,
    }


def _format_run(found: MaintainResult, paper: TerminalFormat, *, dry_run: bool, everything: bool) -> str:
    if found.skipped:
        return f"There is nothing to do: {found.skipped}."
    changes = report.format_run(_list_lines(found.done), paper, everything=everything)
    summary = report.summarize_run(found.memories, len(found.done), len(found.refused), dry_run=dry_run)
    return "\n\n".join(filter(None, [changes, summary]))


def _list_messages(found: MaintainResult, *, dry_run: bool) -> tuple[str, ...]:
    prunable = format_count(len(found.prunable), "archived memory", "archived memories")
    expired = format_count(len(found.expired), "file", "files")
    goes = "would go" if dry_run else "went"
    parts = (
        f"{expired} {goes}, kept as long as you set: {', '.join(found.expired[:_SHOWN])}" if found.expired else "",
        report.format_waiting(found.conflicts, found.proposals),
        f"{prunable} may go to the trash: `memvault maintain --yes` lets go of them." if found.prunable else "",
        undo_message(found.op, dry_run=dry_run),
    )
    return tuple(filter(None, parts))


# `memvault reindex`: build the index again from the files.

REINDEX_EXAMPLES = ("memvault reindex",)


def reindex(cli: CliContext) -> CommandResult:
    """Throw the index away and build it again from the files.

    It is never needed: the index mends itself. It is there for when you would rather be sure.
    """
    with cli.open_vault() as vault:
        built = vault.reindex()
    talked = f" and {format_count(built.turns, 'turn', 'turns')} of conversations" if built.turns else ""
    return CommandResult(
        result={"memories": built.memories, "turns": built.turns},
        text=lambda _paper: f"Indexed {format_count(built.memories, 'memory', 'memories')}{talked}.",
        warnings=built.problems,
    )
