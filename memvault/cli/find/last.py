"""`memvault last`: what was put before a model last, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Limit, Option
from memvault.cli.output import memory as layers
from memvault.cli.output.terminal import Paper
from memvault.text.escape import one_line

if TYPE_CHECKING:
    from memvault.context.injection_log import Given, Shown


LAST_EXAMPLES = ("memvault last", "memvault last -n 5", "memvault last --session 5f0c1234 --json")

LastSessionOption = Annotated[str, Option("--session", metavar="ID", help="Only of this session.", show_default=False)]


def last(desk: Desk, *, session: LastSessionOption = "", limit: Limit = 1) -> Answer:
    """Show what memvault put before a model without being asked: which memories, when, and why each of them.

    The newest comes first. Looking counts as no use.
    """
    with desk.open() as vault:
        found = vault.last(session=session, limit=limit or 1)
    return Answer(
        result={"injections": [_told(shown) for shown in found]},
        text=lambda paper: "\n\n".join(_text(shown, paper) for shown in found),
        talk=("" if found else "Nothing was injected yet, as far as is known here.",),
    )


def _text(shown: Shown, paper: Paper) -> str:
    row = shown.injection
    facts = [row.event, f"session {row.session}" if row.session else "", row.project, f"{row.tokens:,} tokens"]
    head = paper.facts([paper.minute(row.at), *(one_line(fact) for fact in facts if fact)])
    also = [paper.facts([f"and {', '.join(map(one_line, row.also))}"], "  ")] if row.also else []
    return "\n".join([head, *(_line(given, paper) for given in shown.given), *also])


def _line(given: Given, paper: Paper) -> str:
    if given.memory is None:
        return paper.facts([one_line(given.id), "gone since", one_line(given.why)], "  ")
    return layers.named(given.memory, one_line(given.why), paper)


def _told(shown: Shown) -> dict[str, object]:
    row = shown.injection
    memories = [
        {"id": given.id, "why": given.why, "title": given.memory.title, "path": given.memory.path}
        if given.memory
        else {"id": given.id, "why": given.why, "title": "", "path": ""}
        for given in shown.given
    ]
    return {
        "at": row.at,
        "session": row.session,
        "event": row.event,
        "project": row.project,
        "tokens": row.tokens,
        "memories": memories,
        "also": list(row.also),
    }
