"""`memvault reindex`: build the index again from the files."""

from __future__ import annotations

from memvault.cli.context import Answer, Desk
from memvault.text.figures import plural

REINDEX_EXAMPLES = ("memvault reindex",)


def reindex(desk: Desk) -> Answer:
    """Throw the index away and build it again from the files.

    It is never needed: the index mends itself. It is there for when you would rather be sure.
    """
    with desk.open() as vault:
        built = vault.reindex()
    talked = f" and {plural(built.turns, 'turn', 'turns')} of conversations" if built.turns else ""
    return Answer(
        result={"memories": built.memories, "turns": built.turns},
        text=lambda _paper: f"Indexed {plural(built.memories, 'memory', 'memories')}{talked}.",
        warnings=built.problems,
    )
