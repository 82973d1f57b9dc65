"""Settling: what stays, what goes, which of two holds, what is taken back, and upkeep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import Call
from memvault.agents.mcp.results import Change, Done, Kept, Undone
from memvault.agents.mcp.schema import Texts, said
from memvault.agents.mcp.tools import Tool
from memvault.agents.mcp.tools.read import REF
from memvault.agents.mcp.tools.write import done
from memvault.core.ids import short

if TYPE_CHECKING:
    from memvault.storage.journal.runs import Done as Changed

_MOST_CHANGES = 50
_MOST_STEPS = 20
_DID = {"create": "made", "rewrite": "changed", "move": "moved", "remove": "removed", "note": "noted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Keep a memory from ever fading, or let it fade again. Call it when the user says that something must be kept."""

    memory: Annotated[str, said(REF, min_length=1)]
    pinned: Annotated[bool, said("False lets it fade again.")] = True


def pin(call: Call, asked: Pin) -> Done:
    """Pin a memory, or unpin it."""
    changed = call.vault.pin(asked.memory) if asked.pinned else call.vault.unpin(asked.memory)
    return done("Pinned" if asked.pinned else "Unpinned", changed.memory, changed.op)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Move a memory to the trash, and do not learn the same again. ONLY when the user asks to forget it.

    What is merely out of date is not forgotten: `update` it, or `resolve` it against what holds now.
    """

    memory: Annotated[str, said(REF, min_length=1)]


def forget(call: Call, asked: Forget) -> Done:
    """Let a memory go."""
    moved = call.vault.forget(asked.memory)
    return done("Moved to the trash, and not to be learnt again", moved.memory, moved.op)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Say how one memory stands to another, so that each leads to the other."""

    memory: Annotated[str, said(REF, min_length=1)]
    to: Annotated[str, said(f"The other one. {REF}", min_length=1)]
    relation: Annotated[
        Literal["extends", "refines", "reinforces", "contradicts"], said("What the first does to the other.")
    ] = "extends"


def link(call: Call, asked: Link) -> Done:
    """Link two memories."""
    changed = call.vault.link(asked.memory, asked.to, relation=asked.relation)
    return done("Linked", changed.memory, changed.op, f"It {results.name(changed.did)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve:
    """Settle a contradiction between two memories: one takes the place of the other, or both hold.

    The one that gives way stays and is marked as superseded. Where you are not sure which holds, ask the user.
    """

    keep: Annotated[str, said(f"The memory that holds. {REF}", min_length=1)]
    other: Annotated[str, said(f"The one that gives way. {REF}", min_length=1)]
    holds: Annotated[
        Literal["keep", "newest", "both"], said("Which holds: `keep`, the newer of the two, or both of them.")
    ] = "keep"


def resolve(call: Call, asked: Resolve) -> Done:
    """Settle which of two memories holds."""
    settled = call.vault.resolve(asked.keep, asked.other, both=asked.holds == "both", newest=asked.holds == "newest")
    other = f"{results.called(settled.other)} {'holds too' if settled.both else 'is superseded'}."
    return done("Holds", settled.kept, settled.op, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Take back what you did in this session, byte for byte. Where the user has edited since, nothing is changed."""

    operation: Annotated[
        str, said("The `operation` that the tool gave; without it, the last thing that you did in this session.")
    ] = ""


def undo(call: Call, asked: Undo) -> Undone:
    """Take an operation back."""
    taken = call.vault.undo(asked.operation.strip())
    steps = (f"it had {_DID.get(step.do, step.do)} {results.name(step.path)}" for step in taken.steps if step.path)
    return Undone(did=f"Took back: {taken.verb}", operation=taken.op, steps=tuple(dict.fromkeys(steps))[:_MOST_STEPS])


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintain:
    """Keep the vault in order: let weights fade, archive what faded, merge what says the same, refresh what is hot.

    Call it when the user asks for memory maintenance; begin with `dry_run` and tell what it would do. It deletes
    nothing.
    """

    dry_run: Annotated[bool, said("Only say what would be done.")] = False
    only: Annotated[Texts, said("Only these rules, such as decay, stale, archive; all of them otherwise.")] = ()


def maintain(call: Call, asked: Maintain) -> Kept:
    """Carry out a run of upkeep, or say what it would do."""
    found = call.vault.maintain(only=asked.only, dry_run=asked.dry_run)
    ran = "Would be done:" if asked.dry_run else "Done:"
    did = f"There is nothing to do: {found.skipped}." if found.skipped else ran
    return Kept(
        did=did,
        memories=found.memories,
        changes=tuple(map(_change, found.done[:_MOST_CHANGES])),
        left_out=max(0, len(found.done) - _MOST_CHANGES),
        refused=tuple(f"{results.name(path)}: {results.name(why)}" for path, why in found.refused[:_MOST_CHANGES]),
        conflicts=found.conflicts,
        duplicates=found.proposals,
        operation=found.op,
    )


def _change(change: Changed) -> Change:
    return Change(
        id=short(change.id),
        title=results.name(change.title or change.path),
        why=results.name(change.why),
        to=results.name(change.to),
    )


PIN = Tool(name="pin", title="Pin a memory", asked=Pin, answer=Done, act=pin, idempotent=True)
FORGET = Tool(name="forget", title="Forget a memory", asked=Forget, answer=Done, act=forget, destroys=True)
LINK = Tool(name="link", title="Link two memories", asked=Link, answer=Done, act=link, idempotent=True)
RESOLVE = Tool(name="resolve", title="Settle a contradiction", asked=Resolve, answer=Done, act=resolve, destroys=True)
UNDO = Tool(name="undo", title="Take back", asked=Undo, answer=Undone, act=undo, destroys=True)
MAINTAIN = Tool(name="maintain", title="Upkeep", asked=Maintain, answer=Kept, act=maintain, idempotent=True)
