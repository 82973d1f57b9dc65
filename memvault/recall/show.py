"""Look at memories: one whole, many in a list, the vault at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memvault.core.memory import Memory
from memvault.core.query import Filters
from memvault.errors import BadInput
from memvault.recall.superseded import find_contradicting, find_replacing
from memvault.storage.vault.context import VaultContext, expand_people
from memvault.text.terms import ELLIPSIS, clip_to_budget, estimate_tokens

if TYPE_CHECKING:
    pass

ORDERS = ("recent", "created", "weight", "title", "path")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetails:
    """One whole memory: its text, its weight now, and how it is linked with others."""

    memory: Memory
    weight: float
    uses: int
    last_used: datetime
    links: tuple[str, ...]
    linked_from: tuple[str, ...]
    tokens: int
    cut: bool = False  # the text was longer than the budget
    start: int = 0  # the character of the text that this begins at
    next: int = 0  # where it goes on; 0 where this is its end
    superseded_by: tuple[Memory, ...] = ()  # what replaced it
    contradicts: tuple[Memory, ...] = ()  # what was found to contradict it


def show_memory(context: VaultContext, ref: str, *, budget: int = 0, start: int = 0) -> MemoryDetails:
    """Return a memory's own text from some character on, as its file is now; that counts as a use."""
    memory = context.find_memory(ref)
    whole, _ = context.read_memory(memory)
    body = whole.body or ""
    if start < 0 or (start and start >= len(body)):
        raise BadInput(what="the beginning", value=start, reason=f"the text has {len(body):,} characters")
    text, next_ = cut_page(body, start, budget)
    use = context.memory_uses([whole])[whole.id]
    shown = MemoryDetails(
        memory=whole if text == body else whole.with_changes(body=text),
        weight=context.memory_weight(whole, use),
        uses=use.count,
        last_used=use.last,
        links=context.index.links_from(memory.path),
        linked_from=tuple(sorted(other.path for other in context.index.links_to(memory.name))),
        tokens=estimate_tokens(body),
        cut=text != body[start:],
        start=start,
        next=next_,
        superseded_by=find_replacing(context, whole),
        contradicts=find_contradicting(context, whole),
    )
    context.record_uses([whole], why="show")
    return shown


def cut_page(body: str, start: int, budget: int) -> tuple[str, int]:
    """Return the text from a character on within the budget, and where it continues; 0 at its end."""
    rest = body[start:]
    if not budget or estimate_tokens(rest) <= budget:
        return rest, 0
    shown = clip_to_budget(rest, budget)
    length = len(shown.removesuffix(ELLIPSIS).rstrip())
    if shown and not length:  # not even a word fits: yet whoever reads on is to come to an end
        length, shown = 1, rest[0] + ELLIPSIS
    after = rest[length:]
    if not after.strip():
        return rest, 0
    return shown, len(body) - len(after.lstrip(" ").lstrip("\n"))


@dataclass(frozen=True, slots=True)
class ListedMemory:
    """One line of a list."""

    memory: Memory
    weight: float
    last_used: datetime


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The memories that meet the conditions, and how many more there are."""

    rows: tuple[ListedMemory, ...]
    total: int


def list_memories(context: VaultContext, filters: Filters, *, order: str = "recent", limit: int = 0) -> MemoryList:
    """List memories that meet some conditions, in an order of choice."""
    if order not in ORDERS:
        raise BadInput(what="the order", value=order, reason=f"it must be one of {', '.join(ORDERS)}")
    context.refresh()
    found = context.index.memories(expand_people(context, filters))
    uses = context.memory_uses(found)
    rows = [
        ListedMemory(memory, context.memory_weight(memory, uses[memory.id]), uses[memory.id].last) for memory in found
    ]
    rows.sort(key=_ORDERINGS[order])
    return MemoryList(tuple(rows[:limit] if limit else rows), len(rows))


_ORDERINGS = {
    "recent": lambda row: (-row.last_used.timestamp(), row.memory.path),
    "created": lambda row: (-row.memory.created.timestamp(), row.memory.path),
    "weight": lambda row: (-row.weight, row.memory.path),
    "title": lambda row: (row.memory.title.casefold(), row.memory.path),
    "path": lambda row: row.memory.path,
}
