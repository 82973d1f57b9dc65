"""`memvault link`: say how one memory stands to another."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Ref, one_of
from memvault.cli.output.changing import changed
from memvault.core.fields import RELATIONS

LINK_EXAMPLES = ("memvault link 5f0c 0d1c", "memvault link 5f0c 0d1c --relation contradicts")

Other = Annotated[str, Argument(metavar="OTHER", help="The memory it stands to, named likewise.", show_default=False)]
Relation = Annotated[str, one_of("--relation", RELATIONS, "How: {}. It extends the other unless you say otherwise.")]


def link(desk: Desk, ref: Ref, other: Other, *, relation: Relation = "extends", dry_run: DryRun = False) -> Answer:
    """Say how one memory stands to another.

    The link is written into the first memory as a wikilink, so Obsidian's graph shows it.
    """
    with desk.open() as vault:
        return changed(vault.link(ref, other, relation=relation, dry_run=dry_run), dry_run=dry_run)
