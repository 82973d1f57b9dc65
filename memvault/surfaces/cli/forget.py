"""`memvault forget`: move a memory to the trash, and do not learn it again."""

from __future__ import annotations

from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.changing import moved
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import DryRun, Ref

EXAMPLES = ("memvault forget 5f0c", "memvault forget --dry-run 5f0c")


def forget(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Move a memory to the trash, and do not learn it again.

    Nothing is deleted: `memvault restore` brings it back from the vault's .trash folder.
    """
    with desk.open() as vault:
        return moved(vault.forget(ref, dry_run=dry_run), "moved to the trash", dry_run=dry_run)
