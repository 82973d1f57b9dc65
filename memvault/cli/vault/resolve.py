"""`memvault resolve`: say which of two memories holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Option
from memvault.cli.output import memory
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.terminal import Paper
from memvault.errors import Misused

if TYPE_CHECKING:
    from memvault.maintenance.conflicts import Settled


RESOLVE_EXAMPLES = (
    "memvault resolve 5f0c 0d1c",
    "memvault resolve 5f0c 0d1c --newest",
    "memvault resolve 5f0c 0d1c --both",
)

Keep = Annotated[str, Argument(metavar="KEEP", help="The memory that holds.", show_default=False)]
Other = Annotated[str, Argument(metavar="OTHER", help="The one whose place it takes.", show_default=False)]
Both = Annotated[bool, Option("--both", help="Both are right; they are not listed again.")]
Newest = Annotated[bool, Option("--newest", help="The newer of the two holds, in whatever order you name them.")]


def resolve(
    desk: Desk, keep: Keep, other: Other, *, both: Both = False, newest: Newest = False, dry_run: DryRun = False
) -> Answer:
    """Say which of two memories holds: the first one, the newer one, or both.

    The one that holds takes the other's place; the other stays where it is and is found, marked as superseded and after
    the one that holds. Any two memories can be settled so, whether `memvault conflicts` lists them or not.
    """
    if both and newest:
        raise Misused(reason="--both and --newest exclude each other.", command="memvault resolve")
    with desk.open() as vault:
        settled = vault.resolve(keep, other, both=both, newest=newest, dry_run=dry_run)
    return answer(settled, dry_run=dry_run)


def answer(settled: Settled, *, dry_run: bool) -> Answer:
    """The answer to a decision about two memories."""
    return Answer(
        result={
            "kept": settled.kept,
            "other": settled.other,
            "both": settled.both,
            "op": settled.op,
            "dry_run": dry_run,
        },
        text=lambda paper: _text(settled, paper, dry_run=dry_run),
        talk=(undo_hint(settled.op, dry_run=dry_run),),
    )


def _text(settled: Settled, paper: Paper, *, dry_run: bool) -> str:
    would = "would hold" if dry_run else "holds"
    first, second = (would, would) if settled.both else (would, "would be superseded" if dry_run else "superseded")
    return "\n".join((memory.named(settled.kept, first, paper), memory.named(settled.other, second, paper)))
