"""`memvault list`: the memories that meet some conditions."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Kind,
    Limit,
    Option,
    Person,
    Since,
    Status,
    Tag,
    Tier,
    Type,
    build_filters,
    choice_option,
)
from memvault.cli.output import table
from memvault.errors import BadInput
from memvault.recall.show import list_memories
from memvault.text.display import format_count

LIST_EXAMPLES = (
    "memvault list --tier hot",
    "memvault list --kind procedural --tag deploy",
    "memvault list --sort weight --limit 20",
)

ORDERS = ("recent", "created", "weight", "title", "path")

Pinned = Annotated[bool | None, Option("--pinned/--not-pinned", help="Only the pinned ones, or only the others.")]
Sort = Annotated[
    str, choice_option("--sort", ORDERS, "In which order: {}. The latest used go first unless you say otherwise.")
]


def list_(
    cli: CliContext,
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
) -> CommandResult:
    """List the memories that meet some conditions; all of them where there is none."""
    if sort not in ORDERS:
        raise BadInput(what="the order", value=sort, reason=f"it must be one of {', '.join(ORDERS)}")
    conditions = build_filters(
        cli, kind=kind, type_=type_, tag=tag, person=person, since=since, tier=tier, status=status, pinned=pinned
    )
    with cli.open_vault() as vault:
        found = vault.run(list_memories, conditions, order=sort, limit=limit)
    rows = [(row.memory, row.weight, row.last_used) for row in found.rows]
    left = found.total - len(rows)
    return CommandResult(
        result={"memories": found.rows, "total": found.total},
        text=lambda paper: table.format_memory_list(rows, paper) if rows else "",
        messages=(
            f"{format_count(left, 'more', 'more')} not shown."
            if left
            else ""
            if rows
            else _empty_message(any_=conditions.is_empty),
        ),
    )


def _empty_message(*, any_: bool) -> str:
    return "There are no memories in this vault yet." if any_ else "No memory meets these conditions."
