"""`memvault maintain`, and its daily run: keep the vault in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import DryRun, Option, Several, action_argument, check_action, choice_option, split_values
from memvault.cli.output.changes import DRY_RUN, undo_message
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.ids import short_id
from memvault.core.value import take_fields
from memvault.errors import MaintenanceUnderWay, Misused
from memvault.text.display import format_count, neutralize_text, to_one_line

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.maintenance.schedule.install import Schedule, ScheduleRemoved, ScheduleStatus
    from memvault.storage.journal.runs import MaintainResult, MaintenanceChange


_SHOWN, _SHOWN_CHANGES = 5, 10
MAINTAIN_EXAMPLES = ("memvault maintain --dry-run", "memvault maintain", "memvault maintain --only decay,stale,archive")

Only = Annotated[
    Several, Option("--only", metavar="RULES", help="Only these rules, such as decay,archive; see the manual.")
]
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
    with cli.progress_bar("Maintaining", is_silent=scheduled) as bar:
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


def _build_json(found: MaintainResult, *, dry_run: bool) -> dict[str, object]:
    return {
        "changes": [take_fields(done, "id", "title", "path", "to", "rules", "why") for done in found.done],
        "counts": _count_rules(found.done),
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
    faded = [each for each in found.done if not each.path and "archive" in each.rules]  # of these no file is written
    written = [each for each in found.done if each not in faded]
    groups: dict[str, list[MaintenanceChange]] = {rule: [] for rule in _HEADINGS}
    for line in written:
        heading = next((rule for rule in _HEADINGS if rule in line.rules), "touches")
        groups[heading].append(line)
    changes = "\n\n".join(
        _format_group(rule, found, paper, everything=everything) for rule, found in groups.items() if found
    )
    summary = _summarize_run(found.memories, len(written), len(found.refused), dry_run=dry_run)
    return "\n\n".join(filter(None, [changes, _format_faded(faded, paper, everything=everything), summary]))


def _format_faded(faded: Sequence[MaintenanceChange], paper: TerminalFormat, *, everything: bool) -> str:
    """What is said of notes outside the tiers that count as faded: their files stay as they are."""
    if not faded:
        return ""
    count = "1 of your notes counts" if len(faded) == 1 else f"{len(faded)} of your notes count"
    named = [_format_line(line, paper) for line in faded] if everything else []
    return "\n".join([f"{count} as faded; no file was touched.", *named])


# What a change is listed under: the first of these rules that it was made by.
_HEADINGS: Mapping[str, str] = {
    "prune": "To the trash",
    "archive": "Into the archive",
    "consolidate": "Merged",
    "promote": "Become lasting knowledge",
    "expire": "Cleared away",
    "hot": "Up to Tier 1, or back",
    "stale": "Stale",
    "revive": "Active again",
    "adopt": "Weights you set",
    "decay": "Weights",
    "practice": "Ways that were followed",
    "touches": "Uses",
    "claude-md": "CLAUDE.md",
}


def _format_group(rule: str, lines: Sequence[MaintenanceChange], paper: TerminalFormat, *, everything: bool) -> str:
    head = f"{paper.styles.title(_HEADINGS[rule])}  {paper.styles.faint(str(len(lines)))}"
    shown = lines if everything else lines[:_SHOWN_CHANGES]
    rest = len(lines) - len(shown)
    more = [paper.styles.faint(f"  and {format_count(rest, 'other', 'others')} (--all shows them)")] if rest else []
    return "\n".join([head, *(_format_line(line, paper) for line in shown), *more])


def _format_line(line: MaintenanceChange, paper: TerminalFormat) -> str:
    named = (
        f"{short_id(line.id)}  {to_one_line(line.title or line.path)}"
        if line.id
        else to_one_line(line.title or line.path)
    )
    return paper.wrap_block(f"{named}: {to_one_line(line.why)}", "  ")


def _count_rules(lines: Iterable[MaintenanceChange]) -> dict[str, int]:
    """How many changes each rule made."""
    found: dict[str, int] = {}
    for line in lines:
        for rule in line.rules:
            found[rule] = found.get(rule, 0) + 1
    return found


def _summarize_run(memories: int, changes: int, refused: int, *, dry_run: bool) -> str:
    """What a run came to, in a sentence."""
    if not (changes or refused):
        return f"Looked at {format_count(memories, 'memory', 'memories')}: there is nothing to do."
    verb = "would change" if dry_run else "changed"
    told = f"Looked at {format_count(memories, 'memory', 'memories')}, {verb} {format_count(changes, 'file', 'files')}"
    return f"{told}; {format_count(refused, 'change', 'changes')} could not be made." if refused else f"{told}."


def _format_waiting(conflicts: int, proposals: int) -> str:
    """What waits for a person."""
    parts = [
        f"{format_count(conflicts, 'contradiction', 'contradictions')} (memvault review)" if conflicts else "",
        f"{format_count(proposals, 'possible duplicate', 'possible duplicates')} (memvault review)"
        if proposals
        else "",
    ]
    told = " and ".join(filter(None, parts))
    return f"For you to decide: {told}." if told else ""


def _list_messages(found: MaintainResult, *, dry_run: bool) -> tuple[str, ...]:
    prunable = format_count(len(found.prunable), "archived memory", "archived memories")
    expired = format_count(len(found.expired), "file", "files")
    goes = "would go" if dry_run else "went"
    parts = (
        f"{expired} {goes}, kept as long as you set: {', '.join(found.expired[:_SHOWN])}" if found.expired else "",
        _format_waiting(found.conflicts, found.proposals),
        f"{prunable} may go to the trash: `memvault maintain --yes` lets go of them." if found.prunable else "",
        undo_message(found.op, dry_run=dry_run),
    )
    return tuple(filter(None, parts))


# `memvault vault reindex`: build the index again from the files.

REINDEX_EXAMPLES = ("memvault vault reindex",)


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


# `memvault vault schedule`: have upkeep run every day by itself.

SCHEDULE_EXAMPLES = (
    "memvault vault schedule install",
    "memvault vault schedule install --at 06:30",
    "memvault vault schedule print --scheduler cron",
    "memvault vault schedule status",
    "memvault vault schedule remove",
)

ACTIONS = ("status", "install", "remove", "print")
# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
SCHEDULERS = ("auto", "systemd", "launchd", "cron", "windows")

Action = Annotated[
    str, action_argument(ACTIONS, "What to do: status, install, remove or print; status unless you say otherwise.")
]
At = Annotated[str, Option("--at", metavar="HH:MM", help="When, by this machine's clock; schedule.at otherwise.")]
By = Annotated[
    str, choice_option("--scheduler", SCHEDULERS, "Who runs it: {}. The usual one of this system otherwise.")
]


def schedule(
    cli: CliContext, action: Action = "status", *, at: At = "", scheduler: By = "auto", dry_run: DryRun = False
) -> CommandResult:
    """Have this vault's upkeep run once a day by itself, see whether it does, or stop that.

    `print` shows what would be installed, and where. Each vault has an entry of its own, and never two.
    """
    _check_options(action, at)
    with cli.open_vault() as vault:
        entry = vault.schedule()
        match action:
            case "install":
                done = entry.install(scheduler=scheduler, at=at, dry_run=dry_run)
                would = "Would install" if done.dry_run else "Installed" if done.changed else "It is installed already"
                instead = f" instead of {' and '.join(done.removed)}" if done.removed else ""
                head = f"{would}: upkeep every day at {done.at}, by {done.scheduler}{instead}"
                return CommandResult(
                    result=done,
                    text=lambda paper: _format_rows(head, done.command, done.where, paper),
                    messages=(done.missed, DRY_RUN if done.dry_run else ""),
                    warnings=done.warnings,
                )
            case "remove":
                return _remove_result(entry.remove(scheduler=scheduler, dry_run=dry_run))
            case "print":
                draft = entry.draft(scheduler=scheduler, at=at)
                parts = [f"{piece.where}:\n\n{piece.text}" for piece in draft.pieces]
                return CommandResult(
                    result=draft,
                    text=lambda _paper: neutralize_text("\n".join(parts)),
                    messages=("Nothing was written.",),
                )
            case _:
                return _status_result(entry, vault.settings.text("schedule.at"))


def _check_options(action: str, at: str) -> None:
    check_action(action, ACTIONS, "memvault vault schedule")
    if at and action in ("status", "remove"):
        raise Misused(reason="--at goes with install and print.", command="memvault vault schedule")


def _remove_result(done: ScheduleRemoved) -> CommandResult:
    if not done.removed:
        return CommandResult(
            result=done, messages=("Nothing is installed for this vault, so there is nothing to remove.",)
        )
    head = f"{'Would remove' if done.dry_run else 'Removed'}: the daily upkeep, from {' and '.join(done.removed)}"
    return CommandResult(
        result=done,
        text=lambda paper: _format_rows(head, (), done.where, paper),
        messages=(DRY_RUN if done.dry_run else "",),
    )


def _status_result(entry: Schedule, at: str) -> CommandResult:
    found = entry.status()
    if found.installed:
        return CommandResult(result=found, text=lambda paper: _format_status(found, paper), warnings=found.problems)
    return CommandResult(
        result=found,
        text=lambda _paper: "Not installed: nothing runs by itself for this vault.",
        messages=(f"`memvault vault schedule install` has its upkeep run every day at {at}.",),
    )


def _format_status(found: ScheduleStatus, paper: TerminalFormat) -> str:
    when = f"every day at {found.at}" if found.at else "at a time that cannot be read here"
    return "\n".join(
        filter(
            None,
            (
                _format_rows(f"Installed: upkeep {when}, by {found.scheduler}", found.command, found.where, paper),
                paper.format_label("next run", found.next_run) if found.next_run else "",
                paper.format_label("missed", found.missed),
            ),
        )
    )


def _format_rows(head: str, command: tuple[str, ...], where: tuple[str, ...], paper: TerminalFormat) -> str:
    runs = " ".join(f'"{word}"' if " " in word else word for word in command)
    rows = [paper.format_label("runs", runs)] if command else []
    return "\n".join([head, *rows, *(paper.format_label("in", place) for place in where)])
