"""`memvault undo`: take an operation back."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun
from memvault.cli.output import report as reports
from memvault.cli.output.changes import DRY_RUN

UNDO_EXAMPLES = ("memvault undo", "memvault undo 20260129T0930 --dry-run")

UndoArgument = Annotated[
    str,
    Argument(
        metavar="OPERATION",
        help="Which one, by the beginning of its name; without it, the last.",
        show_default=False,
    ),
]


def undo(desk: Desk, operation: UndoArgument = "", *, dry_run: DryRun = False) -> Answer:
    """Take an operation back, byte for byte.

    Where a person has edited since what the operation wrote, nothing is changed at all.
    """
    with desk.open() as vault:
        taken = vault.undo(operation, dry_run=dry_run)
    did = "Would take back" if dry_run else "Took back"
    return Answer(
        result={"operation": taken, "dry_run": dry_run},
        text=lambda paper: f"{did}: {reports.operation(taken, paper)}",
        talk=(DRY_RUN if dry_run else "",),
    )
