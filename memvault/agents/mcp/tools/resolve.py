"""Tools that settle what holds: pin, forget, link, resolve, undo and maintain.

Each imports its capability when it is called: the first answer of a server needs none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import McpCall
from memvault.agents.mcp.results import McpChange, McpChangeResult, McpMaintainResult, McpUndoResult
from memvault.agents.mcp.schema import Texts, describe_argument
from memvault.agents.mcp.tools import McpTool
from memvault.agents.mcp.tools.read import REF
from memvault.agents.mcp.tools.write import build_result
from memvault.core.ids import short_id

if TYPE_CHECKING:
    from memvault.storage.journal.runs import MaintenanceChange as Changed

_MAX_CHANGES = 50
_MAX_STEPS = 20
_STEP_VERBS = {"create": "made", "rewrite": "changed", "move": "moved", "remove": "removed", "note": "noted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PinArguments:
    """Keep a memory from ever fading, or let it fade again. Call it when the user says that something must be kept."""

    memory: Annotated[str, describe_argument(REF, min_length=1)]
    pinned: Annotated[bool, describe_argument("False lets it fade again.")] = True


def pin(call: McpCall, asked: PinArguments) -> McpChangeResult:
    """Pin a memory, or unpin it."""
    from memvault.memories.edit import pin_memory

    changed = call.vault.run(pin_memory, asked.memory, pinned=asked.pinned)
    return build_result("Pinned" if asked.pinned else "Unpinned", changed.memory, changed.op)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetArguments:
    """Move a memory to the trash, and do not learn the same again. ONLY when the user asks to forget it.

    What is merely out of date is not forgotten: `update` it, or `resolve` it against what holds now.
    """

    memory: Annotated[str, describe_argument(REF, min_length=1)]


def forget(call: McpCall, asked: ForgetArguments) -> McpChangeResult:
    """Let a memory go."""
    from memvault.memories.forget import forget_memory

    moved = call.vault.run(forget_memory, asked.memory)
    return build_result("Moved to the trash, and not to be learnt again", moved.memory, moved.op)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkArguments:
    """Say how one memory stands to another, so that each leads to the other."""

    memory: Annotated[str, describe_argument(REF, min_length=1)]
    to: Annotated[str, describe_argument(f"The other one. {REF}", min_length=1)]
    relation: Annotated[
        Literal["extends", "refines", "reinforces", "contradicts"],
        describe_argument("What the first does to the other."),
    ] = "extends"


def link(call: McpCall, asked: LinkArguments) -> McpChangeResult:
    """Link two memories."""
    from memvault.memories.edit import link_memories

    changed = call.vault.run(link_memories, asked.memory, asked.to, relation=asked.relation)
    return build_result("Linked", changed.memory, changed.op, f"It {results.quote_line(changed.did)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveArguments:
    """Settle a contradiction between two memories: one takes the place of the other, or both hold.

    The one that gives way stays and is marked as superseded. Where you are not sure which holds, ask the user.
    """

    keep: Annotated[str, describe_argument(f"The memory that holds. {REF}", min_length=1)]
    other: Annotated[str, describe_argument(f"The one that gives way. {REF}", min_length=1)]
    holds: Annotated[
        Literal["keep", "newest", "both"],
        describe_argument("Which holds: `keep`, the newer of the two, or both of them."),
    ] = "keep"


def resolve(call: McpCall, asked: ResolveArguments) -> McpChangeResult:
    """Settle which of two memories holds."""
    from memvault.maintenance.conflicts import resolve_conflict

    both, newest = asked.holds == "both", asked.holds == "newest"
    settled = call.vault.run(resolve_conflict, asked.keep, asked.other, both=both, newest=newest)
    other = f"{results.name_memory(settled.other)} {'holds too' if settled.both else 'is superseded'}."
    return build_result("Holds", settled.kept, settled.op, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoArguments:
    """Take back what you did in this session, byte for byte. Where the user has edited since, nothing is changed."""

    operation: Annotated[
        str,
        describe_argument(
            "The `operation` that the tool gave; without it, the last thing that you did in this session."
        ),
    ] = ""


def undo(call: McpCall, asked: UndoArguments) -> McpUndoResult:
    """Take an operation back."""
    from memvault.storage.journal.undo import undo_operation

    taken = call.vault.run(undo_operation, asked.operation.strip())
    steps = (
        f"it had {_STEP_VERBS.get(step.do, step.do)} {results.quote_line(step.path)}"
        for step in taken.steps
        if step.path
    )
    return McpUndoResult(
        did=f"Took back: {taken.verb}", operation=taken.op, steps=tuple(dict.fromkeys(steps))[:_MAX_STEPS]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainArguments:
    """Keep the vault in order: let weights fade, archive what faded, merge what says the same, refresh what is hot.

    Call it when the user asks for memory maintenance; begin with `dry_run` and tell what it would do. It deletes
    nothing.
    """

    dry_run: Annotated[bool, describe_argument("Only say what would be done.")] = False
    only: Annotated[
        Texts, describe_argument("Only these rules, such as decay, stale, archive; all of them otherwise.")
    ] = ()


def maintain(call: McpCall, asked: MaintainArguments) -> McpMaintainResult:
    """Carry out a run of maintenance, or say what it would do."""
    from memvault.maintenance.maintain import MaintainOptions
    from memvault.maintenance.maintain import maintain as maintain_vault

    found = call.vault.run(maintain_vault, MaintainOptions(only=asked.only, dry_run=asked.dry_run))
    ran = "Would be done:" if asked.dry_run else "Done:"
    did = f"There is nothing to do: {found.skipped}." if found.skipped else ran
    return McpMaintainResult(
        did=did,
        memories=found.memories,
        changes=tuple(map(_describe_change, found.done[:_MAX_CHANGES])),
        left_out=max(0, len(found.done) - _MAX_CHANGES),
        refused=tuple(
            f"{results.quote_line(path)}: {results.quote_line(why)}" for path, why in found.refused[:_MAX_CHANGES]
        ),
        conflicts=found.conflicts,
        duplicates=found.proposals,
        operation=found.op,
    )


def _describe_change(change: Changed) -> McpChange:
    return McpChange(
        id=short_id(change.id),
        title=results.quote_line(change.title or change.path),
        why=results.quote_line(change.why),
        to=results.quote_line(change.to),
    )


PIN = McpTool(
    name="pin", title="Pin a memory", arguments=PinArguments, result=McpChangeResult, handler=pin, idempotent=True
)
FORGET = McpTool(
    name="forget",
    title="Forget a memory",
    arguments=ForgetArguments,
    result=McpChangeResult,
    handler=forget,
    is_destructive=True,
)
LINK = McpTool(
    name="link",
    title="Link two memories",
    arguments=LinkArguments,
    result=McpChangeResult,
    handler=link,
    idempotent=True,
)
RESOLVE = McpTool(
    name="resolve",
    title="Settle a contradiction",
    arguments=ResolveArguments,
    result=McpChangeResult,
    handler=resolve,
    is_destructive=True,
)
UNDO = McpTool(
    name="undo", title="Take back", arguments=UndoArguments, result=McpUndoResult, handler=undo, is_destructive=True
)
MAINTAIN = McpTool(
    name="maintain",
    title="Upkeep",
    arguments=MaintainArguments,
    result=McpMaintainResult,
    handler=maintain,
    idempotent=True,
)
