"""`memvault stats`: the vault in figures."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Option
from memvault.cli.output.stats import stats as rendered

STATS_EXAMPLES = ("memvault stats", "memvault stats --days 7", "memvault stats --json")

Days = Annotated[int, Option("--days", metavar="N", help="Look back so many days.")]


def stats(desk: Desk, *, days: Days = 30) -> Answer:
    """Show the vault in figures: counts and weights, how much it is used, what is about to fade, what faded and came
    back, what is used and linked most."""
    with desk.open() as vault:
        found = vault.stats(days=days)
    return Answer(result=found, text=lambda paper: rendered(found, paper))
