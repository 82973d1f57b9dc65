"""Memories that say the same become one; what contradicts each other is left for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memvault.core.memory import Memory, Place
from memvault.core.plan import About, Entry
from memvault.core.similarity.compare import Compared, compare
from memvault.core.similarity.merge import merged
from memvault.core.weight import Use, effective
from memvault.maintenance.rules.case import Course, Made, World
from memvault.maintenance.rules.decay import cell
from memvault.maintenance.rules.status import is_placed_by_hand

RULE = "consolidate"
_ROUNDS = 5  # what was merged may itself say the same as another; more rounds than this are for tomorrow
_COMPARED = (Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.FOREIGN)


def consolidate(world: World) -> None:
    """Merge what says the same; what may, and what contradicts each other, is only found out."""
    if world.compared is not None:
        return
    read = _texts(world)
    found = compare(list(read.values()), refused=_refusal(world))
    for _ in range(_ROUNDS if world.policy.merge and RULE in world.rules else 0):
        if not found.groups:
            break
        for group in found.groups:
            _merge([read.pop(id_) for id_ in group], read, world)
        found = compare(list(read.values()), refused=_refusal(world))
    world.compared = found


def look(world: World) -> Compared:
    """What is alike, without merging any of it."""
    if world.compared is None:
        world.compared = compare(list(_texts(world).values()), refused=_refusal(world))
    return world.compared


def merge_by_hand(world: World, ids: Sequence[str]) -> Memory:
    """Merge some memories because a person says so, as a run would; the memory that they become."""
    read = {id_: _read(world.courses[id_], world) for id_ in ids}
    return _merge(list(read.values()), read, world)


def _texts(world: World) -> dict[str, Memory]:
    """The memories with their texts and all of their uses."""
    courses = [course for course in world.in_order() if course.memory.place in _COMPARED and not course.is_frozen]
    return {course.id: _read(course, world) for course in courses if course.memory.status != "archived"}


def _read(course: Course, world: World) -> Memory:
    body = course.memory.body if course.made else world.survey.body(course.memory)
    base = {} if course.use.base is None else {"base_weight": course.use.base}  # a weight that a person just typed
    use = course.use
    return course.memory.changed(body=body or "", access_count=use.count, last_accessed=use.last, **base)


def _refusal(world: World) -> Callable[[str, str], bool]:
    refused, courses = world.survey.decided.refused, world.courses

    def is_refused(one: str, other: str) -> bool:
        pair = (min(one, other), max(one, other))
        return pair in refused or any(courses[id_].is_vetoed(RULE) for id_ in pair)

    return is_refused


def _merge(memories: Sequence[Memory], read: dict[str, Memory], world: World) -> Memory:
    """Make one of several, which go to the archive and say what they have become."""
    one = _weighed(merged(memories, vault_id=world.survey.vault_id), memories, world)
    there = world.courses.get(one.id)  # one of the sources was changed while it was merged before
    one = one.changed(path=there.first.path if there else world.new_path(one.place, one.created.date(), one.title))
    titles = ", ".join(dict.fromkeys(f"“{memory.title}”" for memory in memories))
    notes = (_counted(one), *_raised(one, memories, world))
    about = About(id=one.id, rules=(RULE,), group=f"merge:{one.id}", notes=notes)
    sources = tuple(source for memory in memories for source in _notes_of(memory, world))
    for memory in memories:
        if memory.id != one.id:
            _put_away(world.courses[memory.id], one, world)
    former = there.first if there and not there.made else None
    why = f"merged from {len(memories)} that say the same: {titles}"
    world.make(Made(one, why, about, former, sources))
    read[one.id] = one
    return one


def _notes_of(memory: Memory, world: World) -> tuple[Memory, ...]:
    """The notes that a memory lies in: its own, or, where it was made in this very run, those it was made of."""
    made = world.made.get(memory.id)
    return made.sources if made else (world.courses[memory.id].first,)


def _weighed(one: Memory, memories: Sequence[Memory], world: World) -> Memory:
    base = max(memory.base for memory in memories)
    use = Use(one.access_count, one.last_accessed)
    exact = effective(one.changed(base_weight=base), use, world.now, model=world.policy.model)
    return one.changed(base_weight=base, weight=cell(exact))


def _counted(one: Memory) -> tuple[Entry, Entry]:
    """Its count is the sum of the others'; uses from now on are added to that."""
    return {"e": "count", "id": one.id, "value": one.access_count}, {"e": "lift", "of": "count", "id": one.id}


def _raised(one: Memory, memories: Sequence[Memory], world: World) -> Iterator[tuple[Entry, None]]:
    """In Tier 1 it lies there by our doing, unless a person put one of the others there."""
    hot = [memory for memory in memories if memory.place is Place.HOT]
    if one.place is Place.HOT and not any(is_placed_by_hand(memory, world.survey) for memory in hot):
        yield {"e": "moved", "id": one.id, "from": "", "to": one.path, "by": "keeper"}, None


def _put_away(course: Course, one: Memory, world: World) -> None:
    group = f"merge:{one.id}"
    if course.made:  # in this very run: what went into it goes into the new one
        del world.courses[course.id], world.made[course.id]
        for other in world.courses.values():
            if other.group == f"merge:{course.id}":
                other.group = group
                other.fields["merged_into"] = one.id
        return
    course.group = group
    world.put_away(course, RULE, f"it is part of “{one.title}” now", merged_into=one.id)
