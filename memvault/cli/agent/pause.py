"""`memvault agent pause`: remember and inject nothing by itself, for a while."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import DryRun, Option, action_argument, check_action
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import BadInput, Misused
from memvault.storage.pauses import PausePeriod, active_pauses
from memvault.text.dates.time_words import read_length
from memvault.text.display import to_one_line

PAUSE_EXAMPLES = (
    "memvault agent pause",
    "memvault agent pause --for 1h",
    "memvault agent pause --here   # this project, until you resume it",
    "memvault agent pause --session 5f0c1234",
    "memvault agent pause list",
)

For = Annotated[str, Option("--for", metavar="TIME", help="How long: 30m, 1h, 2 days.")]
Project = Annotated[str, Option("--project", metavar="NAME", help="Only of this project, as `project` names it.")]
Here = Annotated[bool, Option("--here", help="Only of the project that this folder belongs to.")]
Session = Annotated[str, Option("--session", metavar="ID", help="Only of this session.")]
Action = Annotated[str, action_argument(("list",), "list: only list the pauses that hold now.")]


def pause(
    cli: CliContext,
    action: Action = "",
    *,
    for_: For = "",
    project: Project = "",
    here: Here = False,
    session: Session = "",
    dry_run: DryRun = False,
) -> CommandResult:
    """Remember and inject nothing by itself: everywhere, in one project, or in one session.

    What you do yourself works on: `memvault remember` remembers, `memvault recall` finds.
    """
    check_action(action or "list", ("list",), "memvault agent pause")
    check_one_scope("agent pause", project=project, here=here, session=session)
    with cli.open_vault() as vault:
        if action:
            found = active_pauses(vault.state_folder, vault.now())
            return CommandResult(
                result={"pauses": [pause_as_json(quiet) for quiet in found]},
                text=lambda paper: "\n".join(f"Paused {format_pause(quiet, paper)}." for quiet in found),
                messages=("" if found else "Nothing is paused.",),
            )
        quiet = vault.pause(project=project, here=here, session=session, span=_parse_length(for_), dry_run=dry_run)
    did = "Would pause" if dry_run else "Paused"
    return CommandResult(
        result={**pause_as_json(quiet), "dry_run": dry_run},
        text=lambda paper: f"{did} {format_pause(quiet, paper)}: nothing is remembered or injected by itself.",
        messages=(DRY_RUN if dry_run else f"End it with: {to_one_line(quiet.scope.resume_command)}",),
    )


def _parse_length(text: str) -> timedelta | None:
    if not text:
        return None
    found = read_length(text)
    if found is None:
        raise BadInput(what="--for", value=text, reason="it must be a length of time, such as 30m, 1h or 2 days")
    return found


def pause_as_json(quiet: PausePeriod) -> dict[str, object]:
    """A pause for a program."""
    return {"of": quiet.scope.of, "name": quiet.scope.name, "since": quiet.since, "until": quiet.until}


def format_pause(quiet: PausePeriod, paper: TerminalFormat) -> str:
    """Of what a pause is, and until when."""
    until = "until you resume it" if quiet.until is None else f"until {paper.format_minute(quiet.until)}"
    return f"{to_one_line(quiet.scope.description)}, {until}"


def check_one_scope(command: str, *, project: str, here: bool, session: str) -> None:
    """Complain where more than one thing is named."""
    if bool(project) + here + bool(session) > 1:
        raise Misused(reason="Name one of --project, --here and --session.", command=f"memvault {command}")


# `memvault agent resume`: end a pause.

RESUME_EXAMPLES = ("memvault agent resume", "memvault agent resume --here", "memvault agent resume --all")

All = Annotated[bool, Option("--all", "-a", help="End every pause there is.")]


def resume(
    cli: CliContext,
    *,
    project: Project = "",
    here: Here = False,
    session: Session = "",
    all_: All = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """End a pause: that of everything, unless you name a project or a session. What else is paused, it says."""
    check_one_scope("agent resume", project=project, here=here, session=session)
    with cli.open_vault() as vault:
        ended = vault.resume(project=project, here=here, session=session, everything=all_, dry_run=dry_run)
        left = [quiet for quiet in active_pauses(vault.state_folder, vault.now()) if quiet not in ended]
    did = "Would resume" if dry_run else "Resumed"
    return CommandResult(
        result={
            "ended": [pause_as_json(quiet) for quiet in ended],
            "left": [pause_as_json(quiet) for quiet in left],
            "dry_run": dry_run,
        },
        text=lambda paper: "\n".join(f"{did} what was paused {format_pause(quiet, paper)}." for quiet in ended),
        messages=(
            *(f"Still paused {quiet.scope.description}: {to_one_line(quiet.scope.resume_command)}" for quiet in left),
            DRY_RUN if dry_run else "",
        ),
    )
