"""`memvault move`: put a memory into another tier or folder."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Ref
from memvault.cli.output.changing import changed

MOVE_EXAMPLES = ("memvault move 5f0c hot", "memvault move 5f0c 2-memories/work")

To = Annotated[
    str,
    Argument(
        metavar="TO", help="A tier (identity, hot, memories, archived, or 0 to 3), or a folder.", show_default=False
    ),
]


def move(desk: Desk, ref: Ref, to: To, *, dry_run: DryRun = False) -> Answer:
    """Put a memory into another tier or folder; its name stays, so links to it go on working."""
    with desk.open() as vault:
        return changed(vault.move(ref, to, dry_run=dry_run), dry_run=dry_run)
