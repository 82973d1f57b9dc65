"""`memvault vault tidy`: take properties that say nothing out of memories."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Several
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import undo_message
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import take_fields
from memvault.memories.tidy import TidyResult, tidy_memories
from memvault.text.display import format_count

TIDY_EXAMPLES = ("memvault vault tidy --dry-run", "memvault vault tidy", "memvault vault tidy 5f0c")

_SHOWN = 20

Memories = Annotated[Several, Argument(metavar="MEMORY", help="Only these; all memories without it.")]


def tidy(cli: CliContext, memory: Memories = None, *, dry_run: DryRun = False) -> CommandResult:
    """Take properties that say nothing out of memories: flags not set, empty lists, an alias that is the file's
    own name. New memories are written without them; no memory is read differently, and your own notes stay as they are.
    """
    with cli.open_vault() as vault, cli.progress_bar("Reading") as bar:
        found = vault.run(tidy_memories, memory or [], dry_run=dry_run, progress=bar)
    count = sum(len(one.properties) for one in found.memories)
    would = "would go" if dry_run else "gone"
    tidied = format_count(len(found.memories), "memory", "memories")
    summary = f"{format_count(count, 'property', 'properties')} {would}, from {tidied}." if count else "All are tidy."
    return CommandResult(
        result={
            "memories": [{**take_fields(one, "memory"), "properties": one.properties} for one in found.memories],
            **take_fields(found, "refused", "op"),
            "dry_run": dry_run,
        },
        text=lambda paper: _format_tidied(found, paper),
        messages=(summary, undo_message(found.op, dry_run=dry_run)),
        warnings=tuple(f"{path} cannot be changed: `memvault vault doctor` says why" for path in found.refused),
    )


def _format_tidied(found: TidyResult, paper: TerminalFormat) -> str:
    shown = [
        layers.format_outcome(one.memory, f"without {', '.join(one.properties)}", paper)
        for one in found.memories[:_SHOWN]
    ]
    left = len(found.memories) - len(shown)
    return "\n".join([*shown, *([f"… and {left:,} more."] if left else [])])
