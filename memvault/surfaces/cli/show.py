"""`memvault show`: one memory whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.core.ids import short
from memvault.core.weight import Use
from memvault.errors import Misused
from memvault.render import jsonable, layers
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.declare import Option
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import Ref, number_of

if TYPE_CHECKING:
    from memvault.core.memory import Memory
    from memvault.verbs.look import Shown

EXAMPLES = (
    "memvault show 5f0c",
    'memvault show "Portal validation needs two reviewers"',
    "memvault show --raw 5f0c > copy.md",
    "$EDITOR $(memvault show --path 5f0c)",
)

Raw = Annotated[bool, Option("--raw", help="Print the file exactly as it is, frontmatter and all.")]
OnlyPath = Annotated[bool, Option("--path", help="Print only where the file is.")]
Budget = Annotated[int, number_of("--budget", metavar="TOKENS", help_="Cut a longer text to so many tokens.")]


def show(desk: Desk, ref: Ref, *, raw: Raw = False, path: OnlyPath = False, budget: Budget = 0) -> Answer | None:
    """Show one memory whole: what is known of it, and its text.

    That counts as a use, which keeps it from fading; --path alone does not.
    """
    if raw and desk.as_json:
        raise Misused(
            reason="--raw prints the bytes of the file, so it cannot go with --json.", command="memvault show"
        )
    with desk.open() as vault:
        if path:
            where = str(vault.path_of(ref))
            return Answer(result={"path": where}, text=lambda _paper: where)
        shown = vault.show(ref, budget=budget)
        if raw:
            desk.put_bytes(vault.source(shown.memory.path)[1])
            return None
    return Answer(
        result=_told(shown),
        text=lambda paper: layers.whole(
            shown.memory,
            paper,
            weight=shown.weight,
            use=Use(shown.uses, shown.last_used),
            links=shown.links,
            linked_from=shown.linked_from,
            against=shown.contradicts,
        ),
        talk=_talk(shown),
    )


def _talk(shown: Shown) -> tuple[str, ...]:
    """That there is more, and which memory took this one's place, or speaks against it."""
    id_ = short(shown.memory.id)
    return (
        *([f"The text goes on: it has {shown.tokens:,} tokens in all."] if shown.cut else []),
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
        "superseded_by": [_other(memory) for memory in shown.superseded_by],
        "contradicts": [_other(memory) for memory in shown.contradicts],
    }


def _other(memory: Memory) -> dict[str, str]:
    return {"id": memory.id, "path": memory.path, "title": memory.title}
