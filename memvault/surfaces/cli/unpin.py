"""`memvault unpin`: let a pinned memory decay again."""

from __future__ import annotations

from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.changing import changed
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import DryRun, Ref

EXAMPLES = ("memvault unpin 5f0c",)


def unpin(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Let a pinned memory decay again, like any other."""
    with desk.open() as vault:
        return changed(vault.unpin(ref, dry_run=dry_run), dry_run=dry_run)
