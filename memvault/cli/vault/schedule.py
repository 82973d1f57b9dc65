"""`memvault schedule`: have upkeep run every day by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Option, one_of
from memvault.cli.output import report
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.terminal import Paper
from memvault.errors import Misused
from memvault.text.display import printable

if TYPE_CHECKING:
    from memvault.maintenance.schedule.install import Draft, Installed, Removed, Schedule, Standing


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
    str,
    Argument(
        metavar="ACTION",
        help="What to do: status, install, remove or print; status unless you say otherwise.",
        show_default=False,
        autocompletion=lambda: list(ACTIONS),
    ),
]
At = Annotated[
    str,
    Option("--at", metavar="HH:MM", help="When, by this machine's clock; schedule.at otherwise.", show_default=False),
]
By = Annotated[str, one_of("--scheduler", SCHEDULERS, "Who runs it: {}. The usual one of this system otherwise.")]


def schedule(
    desk: Desk, action: Action = "status", *, at: At = "", scheduler: By = "auto", dry_run: DryRun = False
) -> Answer:
    """Have this vault's upkeep run once a day by itself, see whether it does, or stop that.

    `print` shows what would be installed, and where. Each vault has an entry of its own, and never two.
    """
    _check(action, at)
    with desk.open() as vault:
        entry = vault.schedule()
        match action:
            case "install":
                return _installed(entry.install(scheduler=scheduler, at=at, dry_run=dry_run))
            case "remove":
                return _removed(entry.remove(scheduler=scheduler, dry_run=dry_run))
            case "print":
                return _printed(entry.draft(scheduler=scheduler, at=at))
            case _:
                return _status(entry, vault.settings.text("schedule.at"))


def _check(action: str, at: str) -> None:
    if action not in ACTIONS:
        raise Misused(reason=f"{action!r} is none of {', '.join(ACTIONS)}.", command="memvault schedule")
    if at and action in ("status", "remove"):
        raise Misused(reason="--at goes with install and print.", command="memvault schedule")


def _printed(draft: Draft) -> Answer:
    parts = [f"{piece.where}:\n\n{piece.text}" for piece in draft.pieces]
    return Answer(result=draft, text=lambda _paper: printable("\n".join(parts)), talk=("Nothing was written.",))


def _installed(done: Installed) -> Answer:
    would = "Would install" if done.dry_run else "Installed" if done.changed else "It is installed already"
    instead = f" instead of {' and '.join(done.removed)}" if done.removed else ""
    head = f"{would}: upkeep every day at {done.at}, by {done.scheduler}{instead}"
    return Answer(
        result=done,
        text=lambda paper: _told(head, done.command, done.where, paper),
        talk=(done.missed, DRY_RUN if done.dry_run else ""),
        warnings=done.warnings,
    )


def _removed(done: Removed) -> Answer:
    if not done.removed:
        return Answer(result=done, talk=("Nothing is installed for this vault, so there is nothing to remove.",))
    head = f"{'Would remove' if done.dry_run else 'Removed'}: the daily upkeep, from {' and '.join(done.removed)}"
    return Answer(
        result=done,
        text=lambda paper: _told(head, (), done.where, paper),
        talk=(DRY_RUN if done.dry_run else "",),
    )


def _status(entry: Schedule, at: str) -> Answer:
    found = entry.status()
    if found.installed:
        return Answer(result=found, text=lambda paper: _standing(found, paper), warnings=found.problems)
    return Answer(
        result=found,
        text=lambda _paper: "Not installed: nothing runs by itself for this vault.",
        talk=(f"`memvault schedule install` has its upkeep run every day at {at}.",),
    )


def _standing(found: Standing, paper: Paper) -> str:
    when = f"every day at {found.at}" if found.at else "at a time that cannot be read here"
    return "\n".join(
        filter(
            None,
            (
                _told(f"Installed: upkeep {when}, by {found.scheduler}", found.command, found.where, paper),
                report.labelled("next run", found.next_run, paper) if found.next_run else "",
                report.labelled("missed", found.missed, paper),
            ),
        )
    )


def _told(head: str, command: tuple[str, ...], where: tuple[str, ...], paper: Paper) -> str:
    runs = " ".join(f'"{word}"' if " " in word else word for word in command)
    rows = [report.labelled("runs", runs, paper)] if command else []
    return "\n".join([head, *rows, *(report.labelled("in", place, paper) for place in where)])
