"""`memvault schedule`: have upkeep run every day by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import DryRun, Option, action_argument, check_action, choice_option
from memvault.cli.output import report
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import Misused
from memvault.text.display import escape_controls

if TYPE_CHECKING:
    from memvault.maintenance.schedule.install import (
        Schedule,
        ScheduleDraft,
        ScheduleInstalled,
        ScheduleRemoved,
        ScheduleStatus,
    )


SCHEDULE_EXAMPLES = (
    "memvault schedule install",
    "memvault schedule install --at 06:30",
    "memvault schedule print --scheduler cron",
    "memvault schedule status",
    "memvault schedule remove",
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
                return _install_result(entry.install(scheduler=scheduler, at=at, dry_run=dry_run))
            case "remove":
                return _remove_result(entry.remove(scheduler=scheduler, dry_run=dry_run))
            case "print":
                return _print_draft(entry.draft(scheduler=scheduler, at=at))
            case _:
                return _status_result(entry, vault.settings.text("schedule.at"))


def _check_options(action: str, at: str) -> None:
    check_action(action, ACTIONS, "memvault schedule")
    if at and action in ("status", "remove"):
        raise Misused(reason="--at goes with install and print.", command="memvault schedule")


def _print_draft(draft: ScheduleDraft) -> CommandResult:
    parts = [f"{piece.where}:\n\n{piece.text}" for piece in draft.pieces]
    return CommandResult(
        result=draft, text=lambda _paper: escape_controls("\n".join(parts)), messages=("Nothing was written.",)
    )


def _install_result(done: ScheduleInstalled) -> CommandResult:
    would = "Would install" if done.dry_run else "Installed" if done.changed else "It is installed already"
    instead = f" instead of {' and '.join(done.removed)}" if done.removed else ""
    head = f"{would}: upkeep every day at {done.at}, by {done.scheduler}{instead}"
    return CommandResult(
        result=done,
        text=lambda paper: _format_rows(head, done.command, done.where, paper),
        messages=(done.missed, DRY_RUN if done.dry_run else ""),
        warnings=done.warnings,
    )


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
        messages=(f"`memvault schedule install` has its upkeep run every day at {at}.",),
    )


def _format_status(found: ScheduleStatus, paper: TerminalFormat) -> str:
    when = f"every day at {found.at}" if found.at else "at a time that cannot be read here"
    return "\n".join(
        filter(
            None,
            (
                _format_rows(f"Installed: upkeep {when}, by {found.scheduler}", found.command, found.where, paper),
                report.format_label("next run", found.next_run, paper) if found.next_run else "",
                report.format_label("missed", found.missed, paper),
            ),
        )
    )


def _format_rows(head: str, command: tuple[str, ...], where: tuple[str, ...], paper: TerminalFormat) -> str:
    runs = " ".join(f'"{word}"' if " " in word else word for word in command)
    rows = [report.format_label("runs", runs, paper)] if command else []
    return "\n".join([head, *rows, *(report.format_label("in", place, paper) for place in where)])
