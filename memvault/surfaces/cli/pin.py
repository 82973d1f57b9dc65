"""`memvault pin`: keep a memory from ever decaying."""

from __future__ import annotations

from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.changing import changed
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import DryRun, Ref

EXAMPLES = ("memvault pin 5f0c", 'memvault pin "Short answers first"')


def pin(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Keep a memory from ever decaying: its weight stays at 1."""
    with desk.open() as vault:
        return changed(vault.pin(ref, dry_run=dry_run), dry_run=dry_run)
