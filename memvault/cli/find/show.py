"""`memvault show`: one memory whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, Option, Ref, number_of
from memvault.cli.output import memory as layers
from memvault.cli.output.transcript import moment_line
from memvault.core import json as jsonable
from memvault.core.ids import short
from memvault.core.weight import Use
from memvault.errors import Misused
from memvault.text.display import plural

if TYPE_CHECKING:
    from memvault.cli.output.terminal import Paper
    from memvault.core.memory import Memory
    from memvault.recall.show import Shown
    from memvault.recall.timeline import Timeline


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
    int, number_of("--budget", metavar="TOKENS", help_="So many tokens of the text at once; 800 unless set.")
]
From = Annotated[int, number_of("--from", metavar="N", help_="Go on from there, as the answer before said.")]
All = Annotated[bool, Option("--all", "-a", help="The whole text, however long.")]


def show(
    desk: Desk,
    ref: Ref,
    *,
    raw: Raw = False,
    path: OnlyPath = False,
    budget: Budget = 0,
    from_: From = 0,
    all_: All = False,
) -> Answer | None:
    """Show one memory: what is known of it, and its text; of a long one the beginning, and how to read on.

    That counts as a use, which keeps it from fading; --path alone does not. With --json the text comes whole, unless
    --budget or --from is given.
    """
    if raw and desk.as_json:
        raise Misused(
            reason="--raw prints the bytes of the file, so it cannot go with --json.", command="memvault show"
        )
    with desk.open() as vault:
        if path:
            where = str(vault.path_of(ref))
            return Answer(result={"path": where}, text=lambda _paper: where)
        is_whole = raw or all_ or (desk.as_json and not (budget or from_))
        usual = vault.settings.whole("recall.text_tokens")
        shown = vault.show(ref, budget=0 if is_whole else budget or usual, start=from_)
        if raw:
            desk.put_bytes(vault.source(shown.memory.path)[1])
            return None
    return Answer(result=_told(shown), text=lambda paper: _text(shown, paper), talk=_talk(shown))


def _text(shown: Shown, paper: Paper) -> str:
    if shown.start:
        return layers.continued(shown.memory, paper)
    return layers.whole(
        shown.memory,
        paper,
        weight=shown.weight,
        use=Use(shown.uses, shown.last_used),
        links=shown.links,
        linked_from=shown.linked_from,
        against=shown.contradicts,
    )


def _talk(shown: Shown) -> tuple[str, ...]:
    """That there is more, and which memory took this one's place, or speaks against it."""
    id_ = short(shown.memory.id)
    return (
        *(
            [f"The text goes on (it has {shown.tokens:,} tokens in all): memvault show {id_} --from {shown.next}"]
            if shown.cut
            else []
        ),
        *(f"Superseded by {_named(other)}: memvault show {short(other.id)}" for other in shown.superseded_by),
        *(f"Contradicts {_named(other)}: memvault resolve {id_} {short(other.id)}" for other in shown.contradicts),
    )


def _named(memory: Memory) -> str:
    return f"“{memory.title}” ({short(memory.id)})"


def _told(shown: Shown) -> dict[str, object]:
    return {
        "memory": jsonable.memory(shown.memory, body=True),
        "weight": shown.weight,
        "uses": shown.uses,
        "last_used": shown.last_used,
        "links": shown.links,
        "linked_from": shown.linked_from,
        "tokens": shown.tokens,
        "cut": shown.cut,
        "start": shown.start,
        "next": shown.next,
        "superseded_by": [_other(memory) for memory in shown.superseded_by],
        "contradicts": [_other(memory) for memory in shown.contradicts],
    }


def _other(memory: Memory) -> dict[str, str]:
    return {"id": memory.id, "path": memory.path, "title": memory.title}


# `memvault open`: a memory in Obsidian, or in what opens such files.

OPEN_EXAMPLES = ("memvault open 5f0c", "memvault open --print 5f0c")

Print = Annotated[bool, Option("--print", help="Only print the address; open nothing.")]


def open_(desk: Desk, ref: Ref, *, print_: Print = False) -> Answer:
    """Open a memory in Obsidian, where the vault is one of Obsidian's, or else in what opens such files."""
    from memvault.system import programs

    with desk.open() as vault:
        path = vault.path_of(ref)
        target = programs.obsidian_uri(path) if (vault.root / ".obsidian").is_dir() else str(path)
    if not print_:
        programs.open_(target)
    return Answer(
        result={"path": str(path), "target": target, "opened": not print_},
        text=lambda _paper: target if print_ else "",
        talk=() if print_ else (f"Opened {target}.",),
    )


# `memvault timeline`: what stands before and after memories in time.

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
        result=_timeline_told(found),
        text=lambda paper: "\n".join(
            moment_line(each.memory, each.gist, chosen=each.chosen, paper=paper) for each in found.moments
        ),
        talk=(_left_out(found),),
    )


def _timeline_told(found: Timeline) -> dict[str, object]:
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
