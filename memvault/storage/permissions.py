"""What only a person may do, whatever an agent was told by a page that it read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memvault.core.memory import SOURCES, Memory, Place
from memvault.core.plan import Operation
from memvault.errors import OnlyAPerson
from memvault.storage.vault.context import Actor, VaultContext
from memvault.storage.vault.layout import STATE


def require_person(context: VaultContext, does: str) -> None:
    """Refuse an agent what only a person may do."""
    if context.actor.agent:
        raise OnlyAPerson(does=does)


def require_person_for_identity(context: VaultContext, memories: Iterable[Memory], does: str) -> None:
    """Refuse an agent what would change Tier 0 or take something from it."""
    if any(memory.place is Place.IDENTITY for memory in memories):
        require_person(context, f"{does} what is in Tier 0")


def check_trust_not_raised(context: VaultContext, before: Memory, after: Memory) -> None:
    """Refuse an agent to raise how far a memory is trusted."""
    if not context.actor.agent:
        return
    if SOURCES.index(after.source) < SOURCES.index(before.source):
        raise OnlyAPerson(does="says that a memory may be trusted more")
    if before.more.get("tainted") and not after.more.get("tainted"):
        raise OnlyAPerson(does="takes the mark of the web from a memory")


def check_own_operation(actor: Actor, operation: Operation, does: str) -> None:
    """Refuse an agent to undo what others did, or what it did in other sessions."""
    if actor.agent and not is_own_operation(actor, operation):
        raise OnlyAPerson(does=does)


def is_own_operation(actor: Actor, operation: Operation) -> bool:
    """Return whether this actor did an operation in this session."""
    return (operation.agent, operation.session) == (actor.agent, actor.session)


# Files outside the vault that may hold a block for an agent.

_ENDINGS = (".md", ".mdc", ".markdown")
_CLOSED = frozenset({".git", ".hg", ".svn", STATE})


def refusal_reason(path: Path) -> str:
    """Return why nothing may be written into a file outside the vault; empty where it may hold a block."""
    closed = next((part for part in path.parts if part.casefold() in _CLOSED), "")
    if closed:
        return f"nothing but its owner writes into {closed}"
    if not path.name.casefold().endswith(_ENDINGS):
        return f"there is no such folder, and a file must end in {', '.join(_ENDINGS)}"
    return ""
