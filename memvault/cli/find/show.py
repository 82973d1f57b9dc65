"""`memvault show`, `open`, `timeline` and `list`: memories that are named, or that meet some conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Argument,
    Kind,
    Limit,
    Option,
    Person,
    Ref,
    Scope,
    Since,
    Status,
    Tag,
    Tier,
    Type,
    build_filters,
    choice_option,
    number_option,
)
from memvault.cli.output import memory as layers
from memvault.cli.output.terminal import TerminalFormat, format_table
from memvault.cli.output.transcript import format_moment_line
from memvault.core.ids import short_id
from memvault.core.memory import PLACE_REMARKS, Memory
from memvault.core.value import take_fields
from memvault.core.weight import MemoryUse
from memvault.errors import BadInput, Misused
from memvault.recall.show import (
    ListedMemory,
    MemoryDetails,
    TimelineResult,
    build_timeline,
    list_for_reader,
    show_memory,
)
from memvault.text.display import format_count
from memvault.transfer import json_values as jsonable

SHOW_EXAMPLES = (
    "memvault show 5f0c",
    'memvault show "Portal validation needs two reviewers"',
    "memvault show 5f0c --from 4012   # where the last answer ended",
    "memvault show --raw 5f0c > copy.md",
    "$EDITOR $(memvault show --path 5f0c)",
)

Raw = Annotated[bool, Option("--raw", help="Print the file exactly as it is, frontmatter and all.")]
OnlyPath = Annotated[bool, Option("--path", help="Print only where the file is.")]
Budget = Annotated[
    int, number_option("--budget", metavar="TOKENS", help_="So many tokens of the text at once; 800 unless set.")
]
From = Annotated[int, number_option("--from", metavar="N", help_="Go on from there, as the answer before said.")]
All = Annotated[bool, Option("--all", "-a", help="The whole text, however long.")]


def show(
    cli: CliContext,
    ref: Ref,
    *,
    raw: Raw = False,
    path: OnlyPath = False,
    budget: Budget = 0,
    from_: From = 0,
    all_: All = False,
) -> CommandResult | None:
    """Show one memory: what is known of it, and its text; of a long one the beginning, and how to read on.

    That counts as a use, which keeps it from fading; --path alone does not. With --json the text comes whole, unless
    --budget or --from is given.
    """
    if raw and cli.as_json:
        raise Misused(
            reason="--raw prints the bytes of the file, so it cannot go with --json.", command="memvault show"
        )
    with cli.open_vault() as vault:
        if path:
            where = str(vault.path_of(ref))
            return CommandResult(result={"path": where}, text=lambda _paper: where)
        is_whole = raw or all_ or (cli.as_json and not (budget or from_))
        usual = vault.settings.integer("recall.text_tokens")
        shown = vault.run(show_memory, ref, budget=0 if is_whole else budget or usual, start=from_)
        if raw:
            cli.print_bytes(vault.source(shown.memory.path)[1])
            return None
    return CommandResult(
        result=_show_json(shown), text=lambda paper: _format_shown(shown, paper), messages=_list_messages(shown)
    )


def _format_shown(shown: MemoryDetails, paper: TerminalFormat) -> str:
    if shown.start:
        return layers.format_continued(shown.memory, paper)
    return layers.format_memory(
        shown.memory,
        paper,
        weight=shown.weight,
        use=MemoryUse(shown.uses, shown.last_used),
        links=shown.links,
        linked_from=shown.linked_from,
        against=shown.contradicts,
    )


def _list_messages(shown: MemoryDetails) -> tuple[str, ...]:
    """That there is more, and which memory took this one's place, or speaks against it."""
    id_ = short_id(shown.memory.id)
    return (
        *(
            [f"The text goes on (it has {shown.tokens:,} tokens in all): memvault show {id_} --from {shown.next}"]
            if shown.cut
            else []
        ),
        *(["It held until a day that is over: it is found, and given to nobody unasked."] if shown.has_ended else []),
        *(f"Superseded by {_name_memory(other)}: memvault show {short_id(other.id)}" for other in shown.superseded_by),
        *(
            f"Contradicts {_name_memory(other)}: memvault review hold {id_} {short_id(other.id)}"
            for other in shown.contradicts
        ),
    )


def _name_memory(memory: Memory) -> str:
    return f"“{memory.title}” ({short_id(memory.id)})"


def _show_json(shown: MemoryDetails) -> dict[str, object]:
    return {
        "memory": jsonable.memory_to_json(shown.memory, body=True),
        **take_fields(shown, "weight", "uses", "last_used", "links", "linked_from", "tokens", "cut", "start", "next"),
        "superseded_by": [_other_json(memory) for memory in shown.superseded_by],
        "contradicts": [_other_json(memory) for memory in shown.contradicts],
    }


def _other_json(memory: Memory) -> dict[str, object]:
    return take_fields(memory, "id", "path", "title")


# `memvault vault open`: a memory in Obsidian, or in what opens such files.

OPEN_EXAMPLES = ("memvault vault open 5f0c", "memvault vault open --print 5f0c")

Print = Annotated[bool, Option("--print", help="Only print the address; open nothing.")]


def open_(cli: CliContext, ref: Ref, *, print_: Print = False) -> CommandResult:
    """Open a memory in Obsidian, where the vault is one of Obsidian's, or else in what opens such files."""
    from memvault.system import programs

    with cli.open_vault() as vault:
        path = vault.path_of(ref)
        target = programs.obsidian_uri(path) if (vault.root / ".obsidian").is_dir() else str(path)
    if not print_:
        programs.open_target(target)
    return CommandResult(
        result={"path": str(path), "target": target, "opened": not print_},
        text=lambda _paper: target if print_ else "",
        messages=() if print_ else (f"Opened {target}.",),
    )


# `memvault session timeline`: what stands before and after memories in time.

TIMELINE_EXAMPLES = (
    "memvault session timeline 5f0c",
    "memvault session timeline 5f0c 81ab --around 1",
    "memvault session timeline going-places --budget 1000",
)

Refs = Annotated[list[str], Argument(metavar="MEMORY", help="Ids (4 characters or more), file names or titles.")]
Around = Annotated[int, number_option("--around", metavar="N", help_="So many before and after each; 3 unless set.")]
TimelineBudgetOption = Annotated[
    int, number_option("--budget", metavar="TOKENS", help_="At most so many tokens; 500 unless set.")
]


def timeline(cli: CliContext, refs: Refs, *, around: Around = 0, budget: TimelineBudgetOption = 0) -> CommandResult:
    """Show what was remembered just before and after some memories: a line for each, and how it begins.

    The chosen ones are marked with `>`. Looking counts as no use; `memvault show ID` gives the text.
    """
    with cli.open_vault() as vault:
        found = vault.run(build_timeline, refs, around=around, budget=budget)
    return CommandResult(
        result={
            "moments": [
                {
                    "id": each.memory.id,
                    "short": short_id(each.memory.id),
                    **take_fields(each.memory, "created", "kind", "title"),
                    "gist": each.gist,
                    "chosen": each.chosen,
                }
                for each in found.moments
            ],
            **take_fields(found, "tokens", "budget", "left_out"),
        },
        text=lambda paper: "\n".join(
            format_moment_line(each.memory, each.gist, chosen=each.chosen, paper=paper) for each in found.moments
        ),
        messages=(_left_out_message(cli, found),),
    )


def _left_out_message(cli: CliContext, found: TimelineResult) -> str:
    if not found.left_out:
        return ""
    more = format_count(found.left_out, "neighbour", "neighbours")
    return f"{more} did not fit into {found.budget:,} tokens: {cli.more_budget(found.budget)}"


# `memvault vault list`: the memories that meet some conditions.

LIST_EXAMPLES = (
    "memvault vault list --tier hot",
    "memvault vault list --kind procedural --tag deploy",
    "memvault vault list --sort weight --limit 20",
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
    scope: Scope = None,
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
        cli,
        kind=kind,
        type_=type_,
        tag=tag,
        person=person,
        scope=scope,
        since=since,
        tier=tier,
        status=status,
        pinned=pinned,
    )
    with cli.open_vault() as vault:
        found = vault.run(list_for_reader, conditions, order=sort, limit=limit)
    left = found.total - len(found.rows)
    return CommandResult(
        result={"memories": found.rows, "total": found.total},
        text=lambda paper: _format_list(found.rows, paper) if found.rows else "",
        messages=(
            f"{format_count(left, 'more', 'more')} not shown."
            if left
            else ""
            if found.rows
            else _no_matches_message(any_=conditions.is_empty),
        ),
    )


def _no_matches_message(*, any_: bool) -> str:
    return "There are no memories in this vault yet." if any_ else "No memory meets these conditions."


def _format_list(rows: Sequence[ListedMemory], paper: TerminalFormat) -> str:
    """Memories in aligned columns, one line each."""
    lines = [_list_row(row, paper) for row in rows]
    paths = [row.memory.path for row in rows]
    return format_table("ID | USED | >WEIGHT | KIND? | PLACE? | TITLE~", lines, paper, paths)


def _list_row(row: ListedMemory, paper: TerminalFormat) -> list[str]:
    memory = row.memory
    remarks = [mark for mark in memory.remarks if mark not in PLACE_REMARKS.values()]
    title = f"{memory.title} ({', '.join(remarks)})" if remarks else memory.title
    facts = [short_id(memory.id), paper.format_day(row.last_used), f"{row.weight:.2f}"]
    return [*facts, memory.kind, memory.place.value, title]
