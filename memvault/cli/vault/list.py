"""`memvault list`: the memories that meet some conditions."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Kind, Limit, Option, Person, Since, Status, Tag, Tier, Type, filters, one_of
from memvault.cli.output import table
from memvault.errors import BadInput
from memvault.text.display import plural

LIST_EXAMPLES = (
    "memvault list --tier hot",
    "memvault list --kind procedural --tag deploy",
    "memvault list --sort weight --limit 20",
)

ORDERS = ("recent", "created", "weight", "title", "path")

Pinned = Annotated[
    bool | None, Option("--pinned/--not-pinned", help="Only the pinned ones, or only the others.", show_default=False)
]
Sort = Annotated[
    str, one_of("--sort", ORDERS, "In which order: {}. The latest used go first unless you say otherwise.")
]


def list_(
    desk: Desk,
    *,
    tier: Tier = None,
    kind: Kind = None,
    type_: Type = None,
    tag: Tag = None,
    person: Person = None,
    status: Status = None,
    pinned: Pinned = None,
    since: Since = None,
    sort: Sort = "recent",
    limit: Limit = 0,
) -> Answer:
    """List the memories that meet some conditions; all of them where there is none."""
    if sort not in ORDERS:
        raise BadInput(what="the order", value=sort, reason=f"it must be one of {', '.join(ORDERS)}")
    conditions = filters(
        desk, kind=kind, type_=type_, tag=tag, person=person, since=since, tier=tier, status=status, pinned=pinned
    )
    with desk.open() as vault:
        found = vault.list(conditions, order=sort, limit=limit)
    rows = [(row.memory, row.weight, row.last_used) for row in found.rows]
    left = found.total - len(rows)
    return Answer(
        result={"memories": found.rows, "total": found.total},
        text=lambda paper: table.listed(rows, paper) if rows else "",
        talk=(
            f"{plural(left, 'more', 'more')} not shown." if left else "" if rows else _nothing(any_=conditions.empty),
        ),
    )


def _nothing(*, any_: bool) -> str:
    return "There are no memories in this vault yet." if any_ else "No memory meets these conditions."
