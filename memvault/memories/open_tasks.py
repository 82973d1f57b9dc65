"""The tasks in hand, as they stand: what an agent is shown at every moment of its work."""

from __future__ import annotations

from memvault.core.kinds.working import WORKING
from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.storage.vault.context import VaultContext

# Every hook asks this, so nothing is imported here that begins and ends tasks.

_PLACES = frozenset((Place.HOT, Place.MEMORIES))
_CACHE_KEY = "open tasks"


def list_open_tasks(context: VaultContext) -> list[Memory]:
    """Return the memories of tasks that are not over, the latest begun first."""
    context.refresh()
    held = context.index.derived.current()
    known: tuple[Memory, ...] | None = held.get(_CACHE_KEY)
    if known is None:
        found = context.index.memories(Filters(kinds=frozenset((WORKING.name,)), places=_PLACES))
        live = (memory for memory in found if is_open_task(memory))
        known = held[_CACHE_KEY] = tuple(sorted(live, key=lambda memory: (memory.created, memory.path), reverse=True))
    return list(known)


def is_open_task(memory: Memory) -> bool:
    """Return whether a memory is of a task that is not over."""
    # What was only guessed to be working memory is somebody's note, and no task that was begun.
    return memory.status != "archived" and not memory.more.get("cleared_at") and "kind" in memory.stated
