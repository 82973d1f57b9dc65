"""What comes up again and again becomes lasting knowledge, or concerns every project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memvault.core.ids import derived_id, target_name
from memvault.core.kinds.practice import NO_PRACTICE, fields_of, in_file
from memvault.core.memory import Memory, Place
from memvault.core.plan import About
from memvault.core.similarity.compare import Compared
from memvault.core.similarity.merge import sessions_of, sources_of
from memvault.core.similarity.merge_text import united
from memvault.maintenance.rules.case import Course, Made, World
from memvault.maintenance.rules.merge import look

RULE = "promote"
_LIVE = (Place.HOT, Place.MEMORIES)


def promote(world: World) -> None:
    """Make knowledge of what several conversations confirmed; let reminders seen again and again concern all."""
    for courses in _alike(world, look(world)):
        sessions = sorted({session for course in courses for session in _sessions(course, world)})
        if len(sessions) >= world.policy.promote_sessions:
            _settle(courses, sessions, world)
    for course in world.in_order():
        _widen(course, world)


def _sessions(course: Course, world: World) -> set[str]:
    return {*sessions_of(course.memory), *world.survey.confirmed.get(course.id, frozenset())}


# -- episodes that become knowledge


def _alike(world: World, compared: Compared) -> list[list[Course]]:
    """The memories of what happened, in groups of those that are alike."""
    groups = {course.id: [course] for course in world.in_order() if _may_settle(course, world)}
    for pair in compared.proposals:
        if pair.left in groups and pair.right in groups and groups[pair.left] is not groups[pair.right]:
            joined = [*groups[pair.left], *groups[pair.right]]
            groups |= {course.id: joined for course in joined}
    unique = {id(group): group for group in groups.values()}
    return [sorted(group, key=lambda course: course.id) for group in unique.values()]


def _may_settle(course: Course, world: World) -> bool:
    memory = course.memory
    kind = world.policy.kinds.get(memory.kind)
    is_live = memory.place in _LIVE and memory.status != "archived" and not memory.problem
    return is_live and kind is not None and bool(kind.settles_as) and not course.is_vetoed(RULE)


def _settle(courses: Sequence[Course], sessions: list[str], world: World) -> None:
    memories = [course.memory for course in courses]
    links = tuple(f"[[{memory.name}]]" for memory in memories)
    known = _knowledge_of(memories, world)
    if known is not None:
        _confirm(known, sessions, links)
        return
    lead = max(memories, key=lambda memory: (memory.base, memory.created, memory.id))
    one = _knowledge(lead, courses, sessions, links, world)
    if one.id in world.courses or _was_taken_away(one, world):
        return
    why = f"“{lead.title}” came up in {len(sessions)} conversations"
    # The count tells later runs that it was made: what a person then takes away is not made again.
    notes = (({"e": "count", "id": one.id, "value": 0}, None),)
    world.make(Made(one, why, About(id=one.id, rules=(RULE,), notes=notes)))


def _was_taken_away(one: Memory, world: World) -> bool:
    decided = world.survey.decided
    return (one.id, RULE) in decided.vetoes or one.id in decided.counted or world.survey.is_forgotten(one.body or "")


def _knowledge_of(memories: Sequence[Memory], world: World) -> Course | None:
    """The knowledge that was made of one of these episodes before, whatever they have been merged into since."""
    wanted = {*sources_of(memories), *(memory.id for memory in memories)}
    ids = {course.first.name: course.id for course in world.courses.values()}
    for course in world.in_order():
        if course.memory.more.get("promoted_from"):
            linked = {ids.get(target_name(link.strip("[]"))) for link in _links(course.memory)}
            if wanted & linked:
                return course
    return None


def _links(memory: Memory) -> tuple[str, ...]:
    links = memory.more.get("extends", ())
    return links if isinstance(links, tuple) else (str(links),)


def _confirm(known: Course, sessions: list[str], links: tuple[str, ...]) -> None:
    """Knowledge that is there already has more behind it now."""
    before = known.memory.more.get("source_sessions", ())
    merged = tuple(sorted({*(before if isinstance(before, tuple) else ()), *sessions}))
    is_more = len(merged) > len(before if isinstance(before, tuple) else ())
    if is_more and not known.made and known.memory.place in _LIVE and not known.is_vetoed(RULE):
        extends = tuple(dict.fromkeys((*_links(known.memory), *links)))
        why = f"confirmed in {len(merged)} conversations"
        known.set(RULE, why, source_sessions=merged, evidence_count=len(merged), extends=extends)


def _knowledge(
    lead: Memory, courses: Sequence[Course], sessions: list[str], links: tuple[str, ...], world: World
) -> Memory:
    memories = [course.memory for course in courses]
    ids = sources_of(memories)
    bodies = [course.memory.body if course.made else world.survey.body(course.memory) for course in courses]
    created = max(memory.created for memory in memories)
    kind = world.policy.kinds[lead.kind].settles_as
    kept = {name: lead.more[name] for name in ("source", "tainted", "project") if name in lead.more}
    return Memory(
        id=derived_id(world.survey.vault_id, "promoted:" + ",".join(ids)),
        path=world.new_path(Place.MEMORIES, created.date(), lead.title),
        place=Place.MEMORIES,
        title=lead.title,
        type="learning",
        kind=kind,
        created=created,
        last_accessed=max(course.use.last for course in courses),
        weight=max(memory.base for memory in memories),
        emotional_flag=any(memory.emotional_flag for memory in memories),
        aliases=(lead.title,),
        tags=_union(memory.tags for memory in memories),
        topics=_union(memory.topics for memory in memories),
        people=_union(memory.people for memory in memories),
        more={
            **kept,
            "promoted_from": lead.kind,
            "extends": links,
            "evidence_count": len(sessions),
            "confidence": round(len(sessions) / (len(sessions) + 1), 2),
            "source_sessions": tuple(sessions),
        },
        body=united([body or "" for body in bodies]),
    )


def _union(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for texts in lists for text in texts))


# -- reminders that concern every project


def _widen(course: Course, world: World) -> None:
    memory, kind = course.memory, world.policy.kinds.get(course.memory.kind)
    if kind is None or not kind.spreads or memory.place not in _LIVE or memory.more.get("scope") == "global":
        return
    seen = max(len(_sessions(course, world)), len(sources_of([memory])))
    is_open = memory.more.get("state", "pending") in ("pending", "active")
    if seen >= world.policy.promote_sessions and is_open and not course.is_vetoed(RULE):
        course.set(RULE, f"seen {seen} times: it concerns every project", scope="global")


# How often a way was followed and worked goes into its file, as the journals tell it.

_OWN = (Place.HOT, Place.MEMORIES)
PRACTICE_RULE = "practice"


def practise(course: Course, world: World) -> None:
    """Bring the numbers in a file up to what the journals tell; they are written by grid and by status alike."""
    memory, practice = course.memory, world.survey.practices.get(course.id, NO_PRACTICE)
    if course.made or memory.place not in _OWN or world.policy.write == "never":
        return
    values = fields_of(memory, practice)
    if not values:
        return
    if course.id not in world.survey.decided.practised:
        before = in_file(memory)
        rate = {} if before.rate is None else {"rate": before.rate}
        course.note({"e": "practice", "id": course.id, "count": before.count, **rate})
    count, worked = len(practice.followed), sum(ok for _, ok in practice.followed)
    course.set(PRACTICE_RULE, f"followed {count} {'time' if count == 1 else 'times'}, worked {worked}", **values)
