"""The tasks in hand, as they stand: what an agent is shown at every moment of its work."""

from __future__ import annotations

from memvault.core.kinds.working import WORKING
from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.storage.vault.context import Bench

# Every hook asks this, so nothing is imported here that begins and ends tasks.

_PLACES = frozenset((Place.HOT, Place.MEMORIES))
_OPEN = "open tasks"


def open_tasks(bench: Bench) -> list[Memory]:
    """The memories of tasks that are not over, the latest begun first."""
    bench.freshen()
    held = bench.catalogue.worked_out.now()
    known: tuple[Memory, ...] | None = held.get(_OPEN)
    if known is None:
        found = bench.catalogue.memories(Filters(kinds=frozenset((WORKING.name,)), places=_PLACES))
        live = (memory for memory in found if is_open(memory))
        known = held[_OPEN] = tuple(sorted(live, key=lambda memory: (memory.created, memory.path), reverse=True))
    return list(known)


def is_open(memory: Memory) -> bool:
    """Whether a memory is of a task that is not over."""
    # What was only guessed to be working memory is somebody's note, and no task that was begun.
    return memory.status != "archived" and not memory.more.get("cleared_at") and "kind" in memory.stated
