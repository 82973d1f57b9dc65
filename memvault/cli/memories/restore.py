"""`memvault restore`: bring a memory back from the trash or the archive."""

from __future__ import annotations

from memvault.cli.context import Answer, Desk
from memvault.cli.options import DryRun, Ref
from memvault.cli.output.changing import moved

RESTORE_EXAMPLES = ("memvault restore 5f0c", 'memvault restore "Maja and hazelnuts"')


def restore(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Bring a memory back from the trash or the archive, to where it was before."""
    with desk.open() as vault:
        return moved(vault.restore(ref, dry_run=dry_run), "brought back", dry_run=dry_run)
