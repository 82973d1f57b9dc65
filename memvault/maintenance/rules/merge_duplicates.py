"""Memories that say the same become one; what contradicts each other is left for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memvault.core.memory import Memory, Place
from memvault.core.plan import ChangeSubject, LedgerLine
from memvault.core.similarity.compare import ComparisonResult, compare_memories
from memvault.core.similarity.merge import merge_memories
from memvault.core.weight import MemoryUse, effective_weight
from memvault.maintenance.rules.case import Case, PlannedNote, RuleState
from memvault.maintenance.rules.decay import round_to_grid
from memvault.maintenance.rules.status import is_placed_by_hand

RULE = "consolidate"
_ROUNDS = 5  # what was merged may itself say the same as another; more rounds than this are for tomorrow
_COMPARED = (Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.FOREIGN)


def merge_duplicates(world: RuleState) -> None:
    """Merge what says the same; what may, and what contradicts each other, is only found out."""
    if world.compared is not None:
        return
    read = _read_texts(world)
    found = compare_memories(list(read.values()), refused=_refusal_test(world))
    for _ in range(_ROUNDS if world.policy.merge and RULE in world.rules else 0):
        if not found.groups:
            break
        for group in found.groups:
            _merge_group([read.pop(id_) for id_ in group], read, world)
        found = compare_memories(list(read.values()), refused=_refusal_test(world))
    world.compared = found


def find_duplicates(world: RuleState) -> ComparisonResult:
    """What is alike, without merging any of it."""
    if world.compared is None:
        world.compared = compare_memories(list(_read_texts(world).values()), refused=_refusal_test(world))
    return world.compared


def merge_by_hand(world: RuleState, ids: Sequence[str]) -> Memory:
    """Merge some memories because a person says so, as a run would; the memory that they become."""
    read = {id_: _read_memory(world.cases[id_], world) for id_ in ids}
    return _merge_group(list(read.values()), read, world)


def _read_texts(world: RuleState) -> dict[str, Memory]:
    """The memories with their texts and all of their uses."""
    courses = [course for course in world.cases_by_path() if course.memory.place in _COMPARED and not course.is_frozen]
    return {course.id: _read_memory(course, world) for course in courses if course.memory.status != "archived"}


def _read_memory(course: Case, world: RuleState) -> Memory:
    body = course.memory.body if course.is_new else world.snapshot.body(course.memory)
    base = {} if course.use.base is None else {"base_weight": course.use.base}  # a weight that a person just typed
    use = course.use
    return course.memory.with_changes(body=body or "", access_count=use.count, last_accessed=use.last, **base)


def _refusal_test(world: RuleState) -> Callable[[str, str], bool]:
    refused, courses = world.snapshot.decided.refused, world.cases

    def is_refused(one: str, other: str) -> bool:
        pair = (min(one, other), max(one, other))
        return pair in refused or any(courses[id_].is_vetoed(RULE) for id_ in pair)

    return is_refused


def _merge_group(memories: Sequence[Memory], read: dict[str, Memory], world: RuleState) -> Memory:
    """Make one of several, which go to the archive and say what they have become."""
    one = _with_weight(merge_memories(memories, vault_id=world.snapshot.vault_id), memories, world)
    there = world.cases.get(one.id)  # one of the sources was changed while it was merged before
    one = one.with_changes(
        path=there.original.path if there else world.new_path(one.place, one.created.date(), one.title)
    )
    titles = ", ".join(dict.fromkeys(f"“{memory.title}”" for memory in memories))
    notes = (_count_entry(one), *_hot_entries(one, memories, world))
    about = ChangeSubject(id=one.id, rules=(RULE,), group=f"merge:{one.id}", notes=notes)
    sources = tuple(source for memory in memories for source in _source_notes(memory, world))
    for memory in memories:
        if memory.id != one.id:
            _archive_source(world.cases[memory.id], one, world)
    former = there.original if there and not there.is_new else None
    why = f"merged from {len(memories)} that say the same: {titles}"
    world.add_planned(PlannedNote(one, why, about, former, sources))
    read[one.id] = one
    return one


def _source_notes(memory: Memory, world: RuleState) -> tuple[Memory, ...]:
    """The notes that a memory lies in: its own, or, where it was made in this very run, those it was made of."""
    made = world.planned_notes.get(memory.id)
    return made.sources if made else (world.cases[memory.id].original,)


def _with_weight(one: Memory, memories: Sequence[Memory], world: RuleState) -> Memory:
    base = max(memory.base for memory in memories)
    use = MemoryUse(one.access_count, one.last_accessed)
    exact = effective_weight(one.with_changes(base_weight=base), use, world.now, model=world.policy.model)
    return one.with_changes(base_weight=base, weight=round_to_grid(exact))


def _count_entry(one: Memory) -> tuple[LedgerLine, LedgerLine]:
    """Its count is the sum of the others'; uses from now on are added to that."""
    return {"e": "count", "id": one.id, "value": one.access_count}, {"e": "lift", "of": "count", "id": one.id}


def _hot_entries(one: Memory, memories: Sequence[Memory], world: RuleState) -> Iterator[tuple[LedgerLine, None]]:
    """In Tier 1 it lies there by our doing, unless a person put one of the others there."""
    hot = [memory for memory in memories if memory.place is Place.HOT]
    if one.place is Place.HOT and not any(is_placed_by_hand(memory, world.snapshot) for memory in hot):
        yield {"e": "moved", "id": one.id, "from": "", "to": one.path, "by": "keeper"}, None


def _archive_source(course: Case, one: Memory, world: RuleState) -> None:
    group = f"merge:{one.id}"
    if course.is_new:  # in this very run: what went into it goes into the new one
        del world.cases[course.id], world.planned_notes[course.id]
        for other in world.cases.values():
            if other.group == f"merge:{course.id}":
                other.group = group
                other.fields["merged_into"] = one.id
        return
    course.group = group
    world.archive_case(course, RULE, f"it is part of “{one.title}” now", merged_into=one.id)
