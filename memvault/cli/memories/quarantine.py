"""`memvault quarantine`: look through what came from the web or from tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Option, Several, action_argument, check_action
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import undo_message
from memvault.cli.output.memory import format_passage
from memvault.cli.output.terminal import Column, TerminalFormat, format_table
from memvault.core.ids import short_id
from memvault.errors import Misused
from memvault.memories.quarantine import accept_waiting, list_waiting, refuse_waiting
from memvault.text.display import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.core.memory import Memory
    from memvault.memories.quarantine import QuarantineResult


QUARANTINE_EXAMPLES = (
    "memvault quarantine",
    "memvault quarantine list --text",
    "memvault quarantine accept 5f0c 0d1c",
    "memvault quarantine refuse --all",
)

ACTIONS = ("list", "accept", "refuse")
_COMMAND = "memvault quarantine"

Action = Annotated[str, action_argument(ACTIONS, "What to do: list, accept or refuse; list unless you say otherwise.")]
Refs = Annotated[Several, Argument(metavar="MEMORY", help="Ids (4 characters or more), file names or titles.")]
All = Annotated[bool, Option("--all", help="All that wait.")]
Text = Annotated[bool, Option("--text", help="List them with their texts.")]


def quarantine(
    cli: CliContext,
    action: Action = "list",
    refs: Refs = None,
    *,
    all_: All = False,
    text: Text = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Look through what came from the web or from tools, take it in, or refuse it.

    What waits is not searched and not shown to any assistant. What is accepted becomes a memory like others, but
    never rises to Tier 1 by itself; what is refused goes to the trash and is not learnt again. Both can be undone.
    """
    check_action(action, ACTIONS, _COMMAND)
    if action == "list" and (refs or all_):
        raise Misused(reason="A list shows all that waits: nothing needs to be named.", command=_COMMAND)
    if action != "list" and (text or bool(refs) == all_):
        reason = "--text goes with list." if text else f"Name what to {action}, or say --all."
        raise Misused(reason=reason, command=_COMMAND)
    with cli.open_vault() as vault:
        waiting = vault.run(list_waiting) if action == "list" or all_ else ()
        chosen = [memory.path for memory in waiting] if all_ else refs or []
        match action:
            case "list":
                return _list_result(waiting, text=text)
            case _ if not chosen:
                return CommandResult(result={"memories": [], "op": "", "dry_run": dry_run}, messages=(_NOTHING,))
            case "accept":
                return _decision_result(vault.run(accept_waiting, chosen, dry_run=dry_run), "accepted", dry_run=dry_run)
            case _:
                return _decision_result(vault.run(refuse_waiting, chosen, dry_run=dry_run), "refused", dry_run=dry_run)


_NOTHING = "Nothing waits in quarantine."


def _list_result(waiting: Sequence[Memory], *, text: bool) -> CommandResult:
    if not waiting:
        return CommandResult(result={"memories": [], "total": 0}, messages=(_NOTHING,))
    show = _format_texts if text else _format_columns
    return CommandResult(
        result={"memories": list(waiting), "total": len(waiting)},
        text=lambda paper: show(waiting, paper),
        messages=(
            f"{format_count(len(waiting), 'memory waits', 'memories wait')}: accept or refuse them by their ids.",
        ),
    )


def _format_columns(waiting: Sequence[Memory], paper: TerminalFormat) -> str:
    columns = (Column("ID"), Column("CAME"), Column("FROM"), Column("TITLE", may_shrink=True))
    rows = [
        [short_id(memory.id) or "-", paper.format_day(memory.created), str(memory.more.get("source")), memory.title]
        for memory in waiting
    ]
    return format_table(columns, rows, paper)


def _format_texts(waiting: Sequence[Memory], paper: TerminalFormat) -> str:
    return "\n\n".join(_format_memory(memory, paper) for memory in waiting)


def _format_memory(memory: Memory, paper: TerminalFormat) -> str:
    head = layers.format_outcome(memory, f"from {memory.more.get('source')}", paper)
    return f"{head}\n{format_passage(memory.body or '', (), paper, indent='    ')}"


def _decision_result(done: QuarantineResult, did: str, *, dry_run: bool) -> CommandResult:
    said = f"would be {did}" if dry_run else did
    pairs = list(zip(done.memories, done.came_from, strict=True))
    return CommandResult(
        result={
            "memories": [{"memory": memory, "from": source} for memory, source in pairs],
            "op": done.op,
            "dry_run": dry_run,
        },
        text=lambda paper: "\n".join(
            layers.format_outcome(memory, f"{said} (was {source})", paper) for memory, source in pairs
        ),
        messages=(undo_message(done.op, dry_run=dry_run),),
    )
