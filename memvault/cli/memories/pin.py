"""`memvault pin`: keep a memory from ever decaying."""

from __future__ import annotations

from memvault.cli.context import Answer, Desk
from memvault.cli.options import DryRun, Ref
from memvault.cli.output.changing import changed

PIN_EXAMPLES = ("memvault pin 5f0c", 'memvault pin "Short answers first"')


def pin(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Keep a memory from ever decaying: its weight stays at 1."""
    with desk.open() as vault:
        return changed(vault.pin(ref, dry_run=dry_run), dry_run=dry_run)
