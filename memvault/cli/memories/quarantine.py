"""`memvault quarantine`: look through what came from the web or from tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Option, Several
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import undo_hint
from memvault.cli.output.memory import passage
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.errors import Misused
from memvault.text.display import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.core.memory import Memory
    from memvault.memories.quarantine import Decided


QUARANTINE_EXAMPLES = (
    "memvault quarantine",
    "memvault quarantine list --text",
    "memvault quarantine accept 5f0c 0d1c",
    "memvault quarantine refuse --all",
)

ACTIONS = ("list", "accept", "refuse")
_COMMAND = "memvault quarantine"

Action = Annotated[
    str,
    Argument(
        metavar="ACTION",
        help="What to do: list, accept or refuse; list unless you say otherwise.",
        show_default=False,
        autocompletion=lambda: list(ACTIONS),
    ),
]
Refs = Annotated[
    Several, Argument(metavar="MEMORY", help="Ids (4 characters or more), file names or titles.", show_default=False)
]
All = Annotated[bool, Option("--all", help="All that wait.")]
Text = Annotated[bool, Option("--text", help="List them with their texts.")]


def quarantine(
    desk: Desk,
    action: Action = "list",
    refs: Refs = None,
    *,
    all_: All = False,
    text: Text = False,
    dry_run: DryRun = False,
) -> Answer:
    """Look through what came from the web or from tools, take it in, or refuse it.

    What waits is not searched and not shown to any assistant. What is accepted becomes a memory like others, but
    never rises to Tier 1 by itself; what is refused goes to the trash and is not learnt again. Both can be undone.
    """
    _check(action, refs, is_all=all_, text=text)
    with desk.open() as vault:
        waiting = vault.quarantine() if action == "list" or all_ else ()
        chosen = [memory.path for memory in waiting] if all_ else refs or []
        match action:
            case "list":
                return _listed(waiting, text=text)
            case _ if not chosen:
                return Answer(result={"memories": [], "op": "", "dry_run": dry_run}, talk=(_NOTHING,))
            case "accept":
                return _decided(vault.accept(*chosen, dry_run=dry_run), "accepted", dry_run=dry_run)
            case _:
                return _decided(vault.refuse(*chosen, dry_run=dry_run), "refused", dry_run=dry_run)


_NOTHING = "Nothing waits in quarantine."


def _check(action: str, refs: Several, *, is_all: bool, text: bool) -> None:
    if action not in ACTIONS:
        raise Misused(reason=f"{action!r} is none of {', '.join(ACTIONS)}.", command=_COMMAND)
    if action == "list" and (refs or is_all):
        raise Misused(reason="A list shows all that waits: nothing needs to be named.", command=_COMMAND)
    if action != "list" and (text or bool(refs) == is_all):
        reason = "--text goes with list." if text else f"Name what to {action}, or say --all."
        raise Misused(reason=reason, command=_COMMAND)


def _listed(waiting: Sequence[Memory], *, text: bool) -> Answer:
    if not waiting:
        return Answer(result={"memories": [], "total": 0}, talk=(_NOTHING,))
    show = _with_texts if text else _in_columns
    return Answer(
        result={"memories": list(waiting), "total": len(waiting)},
        text=lambda paper: show(waiting, paper),
        talk=(f"{plural(len(waiting), 'memory waits', 'memories wait')}: accept or refuse them by their ids.",),
    )


def _in_columns(waiting: Sequence[Memory], paper: Paper) -> str:
    columns = (Column("ID"), Column("CAME"), Column("FROM"), Column("TITLE", gives_way=True))
    rows = [
        [short(memory.id) or "-", paper.day(memory.created), str(memory.more.get("source")), memory.title]
        for memory in waiting
    ]
    return table(columns, rows, paper)


def _with_texts(waiting: Sequence[Memory], paper: Paper) -> str:
    return "\n\n".join(_with_text(memory, paper) for memory in waiting)


def _with_text(memory: Memory, paper: Paper) -> str:
    head = layers.named(memory, f"from {memory.more.get('source')}", paper)
    return f"{head}\n{passage(memory.body or '', (), paper, indent='    ')}"


def _decided(done: Decided, did: str, *, dry_run: bool) -> Answer:
    said = f"would be {did}" if dry_run else did
    pairs = list(zip(done.memories, done.came_from, strict=True))
    return Answer(
        result={
            "memories": [{"memory": memory, "from": source} for memory, source in pairs],
            "op": done.op,
            "dry_run": dry_run,
        },
        text=lambda paper: "\n".join(layers.named(memory, f"{said} (was {source})", paper) for memory, source in pairs),
        talk=(undo_hint(done.op, dry_run=dry_run),),
    )
