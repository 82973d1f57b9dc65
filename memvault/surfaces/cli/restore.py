"""`memvault restore`: bring a memory back from the trash or the archive."""

from __future__ import annotations

from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.changing import moved
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import DryRun, Ref

EXAMPLES = ("memvault restore 5f0c", 'memvault restore "Maja and hazelnuts"')


def restore(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Bring a memory back from the trash or the archive, to where it was before."""
    with desk.open() as vault:
        return moved(vault.restore(ref, dry_run=dry_run), "brought back", dry_run=dry_run)
