"""`memvault log`: what was done to the vault."""

from __future__ import annotations

from typing import Annotated

from memvault.render import reports
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.declare import Argument
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import Limit

EXAMPLES = ("memvault log", "memvault log 20260129T0930", "memvault log --limit 5")
USUAL = 20

Operation = Annotated[
    str, Argument(metavar="OPERATION", help="One operation, by the beginning of its name.", show_default=False)
]


def log(desk: Desk, operation: Operation = "", *, limit: Limit = 0) -> Answer:
    """List what was done to the vault, the newest first; or show one operation whole."""
    with desk.open() as vault:
        if operation:
            found = vault.operation(operation)
            return Answer(result={"operations": [found]}, text=lambda paper: reports.operation(found, paper))
        everything = vault.log()
    shown = everything[: limit or USUAL]
    left = len(everything) - len(shown)
    return Answer(
        result={"operations": shown, "total": len(everything)},
        text=lambda paper: reports.operations(shown, paper) if shown else "",
        talk=(f"{left:,} earlier ones: memvault log --limit {len(everything)}" if left else "",)
        if shown
        else ("Nothing was done to this vault yet.",),
    )
