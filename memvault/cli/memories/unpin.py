"""`memvault unpin`: let a pinned memory decay again."""

from __future__ import annotations

from memvault.cli.context import Answer, Desk
from memvault.cli.options import DryRun, Ref
from memvault.cli.output.changing import changed

UNPIN_EXAMPLES = ("memvault unpin 5f0c",)


def unpin(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Let a pinned memory decay again, like any other."""
    with desk.open() as vault:
        return changed(vault.unpin(ref, dry_run=dry_run), dry_run=dry_run)
