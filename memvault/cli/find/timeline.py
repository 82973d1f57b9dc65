"""`memvault timeline`: what stands before and after memories in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, number_of
from memvault.cli.output.disclosure import moment_line
from memvault.core.ids import short
from memvault.text.figures import plural

if TYPE_CHECKING:
    from memvault.recall.timeline import Timeline


TIMELINE_EXAMPLES = (
    "memvault timeline 5f0c",
    "memvault timeline 5f0c 81ab --around 1",
    "memvault timeline going-places --budget 1000",
)

Refs = Annotated[
    list[str],
    Argument(metavar="MEMORY", help="Ids (4 characters or more), file names or titles.", show_default=False),
]
Around = Annotated[int, number_of("--around", metavar="N", help_="So many before and after each; 3 unless set.")]
TimelineBudgetOption = Annotated[
    int, number_of("--budget", metavar="TOKENS", help_="At most so many tokens; 500 unless set.")
]


def timeline(desk: Desk, refs: Refs, *, around: Around = 0, budget: TimelineBudgetOption = 0) -> Answer:
    """Show what was remembered just before and after some memories: a line for each, and how it begins.

    The chosen ones are marked with `>`. Looking counts as no use; `memvault show ID` gives the text.
    """
    with desk.open() as vault:
        found = vault.timeline(refs, around=around, budget=budget)
    return Answer(
        result=_told(found),
        text=lambda paper: "\n".join(
            moment_line(each.memory, each.gist, chosen=each.chosen, paper=paper) for each in found.moments
        ),
        talk=(_left_out(found),),
    )


def _told(found: Timeline) -> dict[str, object]:
    return {
        "moments": [
            {
                "id": each.memory.id,
                "short": short(each.memory.id),
                "created": each.memory.created,
                "kind": each.memory.kind,
                "title": each.memory.title,
                "gist": each.gist,
                "chosen": each.chosen,
            }
            for each in found.moments
        ],
        "tokens": found.tokens,
        "budget": found.budget,
        "left_out": found.left_out,
    }


def _left_out(found: Timeline) -> str:
    if not found.left_out:
        return ""
    more = plural(found.left_out, "neighbour", "neighbours")
    return f"{more} did not fit into {found.budget:,} tokens; --budget allows more."
