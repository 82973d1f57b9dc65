"""`memvault status`: the vault at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.render import reports
from memvault.render.figures import plural, size
from memvault.render.paper import Paper
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.desk import Desk

if TYPE_CHECKING:
    from memvault.verbs.look import Status

EXAMPLES = ("memvault status", "memvault --vault ~/memory status --json")


def status(desk: Desk) -> Answer:
    """Show the vault at a glance: what it holds, what is due, whether all is well."""
    with desk.open() as vault:
        found = vault.status()
    return Answer(result=found, text=lambda paper: _text(found, paper))


def _text(found: Status, paper: Paper) -> str:
    counts = {"tiers": found.tiers, "kinds": found.kinds, "statuses": found.statuses}
    sizes = f"identity {size(found.identity_bytes)} of about 3 KB, hot {size(found.hot_bytes)} of 10-20 KB"
    parts = [
        reports.glance(found.vault, counts, paper),
        f"  pinned    {found.pinned}" if found.pinned else "",
        f"  size      {sizes}",
        f"  index     {found.backend}, in {found.index}",
        reports.due(found.due),
        _health(found, paper),
    ]
    return "\n".join(filter(None, parts))


def _health(found: Status, paper: Paper) -> str:
    if not found.problems:
        return ""
    told = plural(found.problems, "file could not be read whole", "files could not be read whole")
    return paper.styles.warning(f"  {told}: `memvault doctor` says which, and why")
