"""`memvault done`: say that something was done, or will not be."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import DryRun, Option, Ref
from memvault.cli.output.changing import changed

DONE_EXAMPLES = ("memvault done 5f0c", 'memvault done "Renew the certificate" --cancel')

Cancel = Annotated[bool, Option("--cancel", help="It will not be done.")]


def done(desk: Desk, ref: Ref, *, cancel: Cancel = False, dry_run: DryRun = False) -> Answer:
    """Say that a reminder was seen to; it is not shown again, and stays as a memory of what was done."""
    with desk.open() as vault:
        return changed(vault.done(ref, cancel=cancel, dry_run=dry_run), dry_run=dry_run)
