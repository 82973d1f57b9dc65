"""Order memories by validity: what replaces another, or of two that contradict the newer, goes first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo

from memvault.core.links import NAMED_DAY, is_named, linked_names
from memvault.core.memory import Memory
from memvault.storage.vault.context import VaultContext

_FOLLOWED = {  # without `supersedes`: what is superseded does not hold any more
    "superseded_by": "is superseded by",
    "extends": "extends",
    "refines": "refines",
    "reinforces": "reinforces",
    "contradicts": "contradicts",
}


def stated_at(context: VaultContext, memory: Memory) -> datetime:
    """Return when a memory came to say what it says: when it was made, as it says itself, or last seen edited."""
    edited = context.index.last_edit(memory.id)
    made = memory.created
    if "created" not in memory.stated and (day := _named_day(memory, context.zone)):
        made = day  # the time of a file is that of a copy or a clone
    return made if edited is None else max(made, edited)


def _named_day(memory: Memory, zone: tzinfo) -> datetime | None:
    """Return the day in the name of a memory."""
    if found := NAMED_DAY.search(memory.name):
        year, month, day = map(int, found.groups())
        with suppress(ValueError):  # there is no such day
            return datetime(year, month, day, tzinfo=zone)
    return None


def find_contradicting(context: VaultContext, memory: Memory) -> tuple[Memory, ...]:
    """Return the memories found to contradict this one, unless that has been settled since."""
    if memory.more.get("superseded_by"):
        return ()
    found = filter(None, map(context.index.memory_by_id, context.index.contradicting_ids(memory.id)))
    return tuple(
        other
        for other in found
        if other.status != "archived"
        and not other.more.get("superseded_by")
        and not does_supersede(memory, other)
        and not does_supersede(other, memory)
    )


def find_replacing(context: VaultContext, memory: Memory) -> tuple[Memory, ...]:
    """Return the memories that replaced this one."""
    named = [context.index.find_memories(name) for name in linked_names(memory, "superseded_by")]
    linking = (other for other in context.index.links_to(memory.name) if does_supersede(other, memory))
    found = {other.id: other for other in (*(others[0] for others in named if others), *linking)}
    return tuple(other for other in found.values() if other.id != memory.id)


def find_linked(context: VaultContext, memory: Memory) -> Iterator[tuple[str, Memory]]:
    """Yield what a memory extends, contradicts or was replaced by, each with the word for it."""
    for relation, phrase in _FOLLOWED.items():
        for name in linked_names(memory, relation):
            found = [other for other in context.index.find_memories(name) if other.id != memory.id]
            if len(found) == 1 and found[0].status != "archived" and not found[0].more.get("cleared_at"):
                yield phrase, found[0]


def does_supersede(one: Memory, other: Memory) -> bool:
    """Return whether one memory replaces the other, as either of them says."""
    return is_named(other, linked_names(one, "supersedes")) or is_named(one, linked_names(other, "superseded_by"))


def order_by_validity(context: VaultContext, memories: Sequence[Memory]) -> list[Memory]:
    """Order memories so that none comes before its successor, and contradicting ones together, newer first."""
    units = _group_units(context, memories)
    order: dict[str, Memory] = {}
    entered: set[str] = set()

    def add_unit(memory: Memory) -> None:
        unit = units[memory.id]
        if unit[0].id in entered:
            return
        entered.add(unit[0].id)  # before its successors: two that name each other must not loop
        for member in unit:
            is_linked = member.more.get("superseded_by")
            for other in memories:
                may_replace = other.id != member.id and (is_linked or other.more.get("supersedes"))
                if may_replace and does_supersede(other, member):
                    add_unit(other)
        order.update((member.id, member) for member in unit)

    for memory in memories:
        add_unit(memory)
    return list(order.values())


def _group_units(context: VaultContext, memories: Sequence[Memory]) -> Mapping[str, tuple[Memory, ...]]:
    """Return the memories in groups that stay together, the newest first; most stand alone."""
    shown = {memory.id: memory for memory in memories}
    units: dict[str, tuple[Memory, ...]] = {memory.id: (memory,) for memory in memories}
    doubted = context.index.contradicted_among([*shown])
    for memory in memories:
        for other in find_contradicting(context, memory) if memory.id in doubted else ():
            if other.id in shown and units[other.id] is not units[memory.id]:
                together = (*units[memory.id], *units[other.id])
                joined = tuple(sorted(together, key=lambda one: stated_at(context, one), reverse=True))
                units |= dict.fromkeys((one.id for one in joined), joined)
    return units
