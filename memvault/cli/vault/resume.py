"""`memvault resume`: end a pause."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import DryRun, Option
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.vault.pause import Here, Project, Session, line, one_scope, option, told

RESUME_EXAMPLES = ("memvault resume", "memvault resume --here", "memvault resume --all")

All = Annotated[bool, Option("--all", "-a", help="End every pause there is.")]


def resume(
    desk: Desk,
    *,
    project: Project = "",
    here: Here = False,
    session: Session = "",
    all_: All = False,
    dry_run: DryRun = False,
) -> Answer:
    """End a pause: that of everything, unless you name a project or a session. What else is paused, it says."""
    one_scope("resume", project=project, here=here, session=session)
    with desk.open() as vault:
        ended = vault.resume(project=project, here=here, session=session, everything=all_, dry_run=dry_run)
        left = [quiet for quiet in vault.pauses() if quiet not in ended]
    did = "Would resume" if dry_run else "Resumed"
    return Answer(
        result={"ended": [told(quiet) for quiet in ended], "left": [told(quiet) for quiet in left], "dry_run": dry_run},
        text=lambda paper: "\n".join(f"{did} what was paused {line(quiet, paper)}." for quiet in ended),
        talk=(
            *(f"Still paused {quiet.scope.words}: memvault resume{option(quiet)}" for quiet in left),
            DRY_RUN if dry_run else "",
        ),
    )
