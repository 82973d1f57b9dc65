"""What comes up again and again becomes lasting knowledge, or concerns every project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memvault.core.ids import derive_id, target_name
from memvault.core.kinds.practice import NO_PRACTICE, outdated_fields, stored_practice
from memvault.core.memory import Memory, Place
from memvault.core.plan import ChangeSubject
from memvault.core.similarity.compare import ComparisonResult
from memvault.core.similarity.merge import session_ids, source_ids
from memvault.core.similarity.merge_text import unite_texts
from memvault.maintenance.rules.case import Case, PlannedNote, RuleState
from memvault.maintenance.rules.merge_duplicates import find_duplicates

RULE = "promote"
_LIVE_PLACES = (Place.HOT, Place.MEMORIES)


def promote_repeated(world: RuleState) -> None:
    """Make knowledge of what several conversations confirmed; let reminders seen again and again concern all."""
    for courses in _group_alike(world, find_duplicates(world)):
        sessions = sorted({session for course in courses for session in _session_ids(course, world)})
        if len(sessions) >= world.policy.promote_sessions:
            _promote_group(courses, sessions, world)
    for course in world.cases_by_path():
        _widen_scope(course, world)


def _session_ids(course: Case, world: RuleState) -> set[str]:
    return {*session_ids(course.memory), *world.snapshot.confirmed.get(course.id, frozenset())}


# -- episodes that become knowledge


def _group_alike(world: RuleState, compared: ComparisonResult) -> list[list[Case]]:
    """The memories of what happened, in groups of those that are alike."""
    groups = {course.id: [course] for course in world.cases_by_path() if _may_promote(course, world)}
    for pair in compared.proposals:
        if pair.left in groups and pair.right in groups and groups[pair.left] is not groups[pair.right]:
            joined = [*groups[pair.left], *groups[pair.right]]
            groups |= {course.id: joined for course in joined}
    unique = {id(group): group for group in groups.values()}
    return [sorted(group, key=lambda course: course.id) for group in unique.values()]


def _may_promote(course: Case, world: RuleState) -> bool:
    memory = course.memory
    kind = world.policy.kinds.get(memory.kind)
    is_live = memory.place in _LIVE_PLACES and memory.status != "archived" and not memory.problem
    return is_live and kind is not None and bool(kind.settles_as) and not course.is_vetoed(RULE)


def _promote_group(courses: Sequence[Case], sessions: list[str], world: RuleState) -> None:
    memories = [course.memory for course in courses]
    links = tuple(f"[[{memory.name}]]" for memory in memories)
    known = _find_knowledge(memories, world)
    if known is not None:
        _confirm_knowledge(known, sessions, links)
        return
    lead = max(memories, key=lambda memory: (memory.base, memory.created, memory.id))
    one = _build_knowledge(lead, courses, sessions, links, world)
    if one.id in world.cases or _was_taken_away(one, world):
        return
    why = f"“{lead.title}” came up in {len(sessions)} conversations"
    # The count tells later runs that it was made: what a person then takes away is not made again.
    notes = (({"e": "count", "id": one.id, "value": 0}, None),)
    world.add_planned(PlannedNote(one, why, ChangeSubject(id=one.id, rules=(RULE,), notes=notes)))


def _was_taken_away(one: Memory, world: RuleState) -> bool:
    decided = world.snapshot.decided
    return (one.id, RULE) in decided.vetoes or one.id in decided.counted or world.snapshot.is_forgotten(one.body or "")


def _find_knowledge(memories: Sequence[Memory], world: RuleState) -> Case | None:
    """The knowledge that was made of one of these episodes before, whatever they have been merged into since."""
    wanted = {*source_ids(memories), *(memory.id for memory in memories)}
    ids = {course.original.name: course.id for course in world.cases.values()}
    for course in world.cases_by_path():
        if course.memory.more.get("promoted_from"):
            linked = {ids.get(target_name(link.strip("[]"))) for link in _extends_links(course.memory)}
            if wanted & linked:
                return course
    return None


def _extends_links(memory: Memory) -> tuple[str, ...]:
    links = memory.more.get("extends", ())
    return links if isinstance(links, tuple) else (str(links),)


def _confirm_knowledge(known: Case, sessions: list[str], links: tuple[str, ...]) -> None:
    """Knowledge that is there already has more behind it now."""
    before = known.memory.more.get("source_sessions", ())
    merged = tuple(sorted({*(before if isinstance(before, tuple) else ()), *sessions}))
    is_more = len(merged) > len(before if isinstance(before, tuple) else ())
    if is_more and not known.is_new and known.memory.place in _LIVE_PLACES and not known.is_vetoed(RULE):
        extends = tuple(dict.fromkeys((*_extends_links(known.memory), *links)))
        why = f"confirmed in {len(merged)} conversations"
        known.set_fields(RULE, why, source_sessions=merged, evidence_count=len(merged), extends=extends)


def _build_knowledge(
    lead: Memory, courses: Sequence[Case], sessions: list[str], links: tuple[str, ...], world: RuleState
) -> Memory:
    memories = [course.memory for course in courses]
    ids = source_ids(memories)
    bodies = [course.memory.body if course.is_new else world.snapshot.body(course.memory) for course in courses]
    created = max(memory.created for memory in memories)
    kind = world.policy.kinds[lead.kind].settles_as
    kept = {name: lead.more[name] for name in ("source", "tainted", "project") if name in lead.more}
    return Memory(
        id=derive_id(world.snapshot.vault_id, "promoted:" + ",".join(ids)),
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
        tags=_unique_texts(memory.tags for memory in memories),
        topics=_unique_texts(memory.topics for memory in memories),
        people=_unique_texts(memory.people for memory in memories),
        more={
            **kept,
            "promoted_from": lead.kind,
            "extends": links,
            "evidence_count": len(sessions),
            "confidence": round(len(sessions) / (len(sessions) + 1), 2),
            "source_sessions": tuple(sessions),
        },
        body=unite_texts([body or "" for body in bodies]),
    )


def _unique_texts(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for texts in lists for text in texts))


# -- reminders that concern every project


def _widen_scope(course: Case, world: RuleState) -> None:
    memory, kind = course.memory, world.policy.kinds.get(course.memory.kind)
    if kind is None or not kind.spreads or memory.place not in _LIVE_PLACES or memory.more.get("scope") == "global":
        return
    seen = max(len(_session_ids(course, world)), len(source_ids([memory])))
    is_open = memory.more.get("state", "pending") in ("pending", "active")
    if seen >= world.policy.promote_sessions and is_open and not course.is_vetoed(RULE):
        course.set_fields(RULE, f"seen {seen} times: it concerns every project", scope="global")


# How often a way was followed and worked goes into its file, as the journals tell it.

_WRITABLE_PLACES = (Place.HOT, Place.MEMORIES)
PRACTICE_RULE = "practice"


def fold_practice(course: Case, world: RuleState) -> None:
    """Bring the numbers in a file up to what the journals tell; they are written by grid and by status alike."""
    memory, practice = course.memory, world.snapshot.practices.get(course.id, NO_PRACTICE)
    if course.is_new or memory.place not in _WRITABLE_PLACES or world.policy.write == "never":
        return
    values = outdated_fields(memory, practice)
    if not values:
        return
    if course.id not in world.snapshot.decided.practised:
        before = stored_practice(memory)
        rate = {} if before.rate is None else {"rate": before.rate}
        course.add_note({"e": "practice", "id": course.id, "count": before.count, **rate})
    count, worked = len(practice.followed), sum(ok for _, ok in practice.followed)
    course.set_fields(PRACTICE_RULE, f"followed {count} {'time' if count == 1 else 'times'}, worked {worked}", **values)
