"""How commands that change one memory tell what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.cli.context import Answer
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import left_out, remarks, undo_hint, warnings

if TYPE_CHECKING:
    from memvault.memories.edit import Changed
    from memvault.memories.forget import Moved


def changed(found: Changed, *, dry_run: bool, more: tuple[str, ...] = ()) -> Answer:
    """The answer to a change; `more` is said besides."""
    did = f"would be {found.did}" if dry_run else found.did
    problem = (f"its frontmatter cannot be read now: {found.memory.problem}",) if found.memory.problem else ()
    result: dict[str, object] = {"memory": found.memory, "did": found.did, "op": found.op, "dry_run": dry_run}
    return Answer(
        result=result | left_out(found.left_out),
        text=lambda paper: layers.named(found.memory, did, paper),
        talk=(*remarks(found.left_out), found.remark, *more, undo_hint(found.op, dry_run=dry_run)),
        warnings=(*problem, *warnings(found.left_out)),
    )


def moved(found: Moved, did: str, *, dry_run: bool) -> Answer:
    """The answer to a memory's going or coming back."""
    said = f"would be {did}" if dry_run else did
    return Answer(
        result={"memory": found.memory, "from": found.came_from, "op": found.op, "dry_run": dry_run},
        text=lambda paper: layers.named(found.memory, f"{said} (was {found.came_from})", paper),
        talk=(undo_hint(found.op, dry_run=dry_run),),
    )
