"""What comes up again and again becomes lasting knowledge, or concerns every project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memvault.core.ids import derive_id
from memvault.core.kinds.procedural import NO_PRACTICE, outdated_fields, stored_practice
from memvault.core.links import target_name
from memvault.core.memory import SOURCES, Memory, Place, least_trust
from memvault.core.plan import ChangeSubject
from memvault.core.similarity.merge_memories import session_ids, source_ids, unite_texts
from memvault.maintenance.rules.case import Case, PlannedNote, RuleState
from memvault.maintenance.rules.merge_duplicates import find_duplicates

RULE = "promote"
_LIVE_PLACES = (Place.HOT, Place.MEMORIES)


def promote_repeated(state: RuleState) -> None:
    """Make knowledge of what several conversations confirmed; let reminders seen again and again concern all."""
    # The memories of what happened, in groups of those that are alike.
    groups = {case.id: [case] for case in state.cases_by_path() if _may_promote(case, state)}
    for pair in find_duplicates(state).proposals:
        if pair.left in groups and pair.right in groups and groups[pair.left] is not groups[pair.right]:
            joined = [*groups[pair.left], *groups[pair.right]]
            groups |= {case.id: joined for case in joined}
    unique = {id(group): group for group in groups.values()}
    for cases in [sorted(group, key=lambda case: case.id) for group in unique.values()]:
        sessions = sorted({session for case in cases for session in _session_ids(case, state)})
        if len(sessions) >= state.policy.promote_sessions:
            _promote_group(cases, sessions, state)
    for case in state.cases_by_path():
        _widen_scope(case, state)


def _session_ids(case: Case, state: RuleState) -> set[str]:
    return {*session_ids(case.memory), *state.snapshot.confirmed.get(case.id, frozenset())}


# -- episodes that become knowledge


def _may_promote(case: Case, state: RuleState) -> bool:
    memory = case.memory
    kind = state.policy.kinds.get(memory.kind)
    is_live = memory.place in _LIVE_PLACES and memory.status != "archived" and not memory.problem
    return is_live and kind is not None and bool(kind.settles_as) and not case.is_vetoed(RULE)


def _promote_group(cases: Sequence[Case], sessions: list[str], state: RuleState) -> None:
    memories = [case.memory for case in cases]
    links = tuple(f"[[{memory.name}]]" for memory in memories)
    known = _find_knowledge(memories, state)
    if known is not None:
        # What is less trusted is no evidence for what is trusted more.
        if SOURCES.index(str(least_trust(memories)["source"])) <= SOURCES.index(known.memory.source):
            _confirm_knowledge(known, sessions, links)
        return
    lead = max(memories, key=lambda memory: (memory.base, memory.created, memory.id))
    one = _build_knowledge(lead, cases, sessions, links, state)
    if one.id in state.cases or _was_taken_away(one, state):
        return
    why = f"“{lead.title}” came up in {len(sessions)} conversations"
    # The count tells later runs that it was made: what a person then takes away is not made again.
    notes = (({"e": "count", "id": one.id, "value": 0}, None),)
    state.add_planned(PlannedNote(one, why, ChangeSubject(id=one.id, rules=(RULE,), notes=notes)))


def _was_taken_away(one: Memory, state: RuleState) -> bool:
    decided = state.snapshot.decided
    return (one.id, RULE) in decided.vetoes or one.id in decided.counted or state.snapshot.is_forgotten(one.body or "")


def _find_knowledge(memories: Sequence[Memory], state: RuleState) -> Case | None:
    """Return the knowledge that was made of one of these episodes before, whatever they have been merged into since."""
    wanted = {*source_ids(memories), *(memory.id for memory in memories)}
    ids = {case.original.name: case.id for case in state.cases.values()}
    for case in state.cases_by_path():
        if case.memory.more.get("promoted_from"):
            linked = {ids.get(target_name(link.strip("[]"))) for link in _extends_links(case.memory)}
            if wanted & linked:
                return case
    return None


def _extends_links(memory: Memory) -> tuple[str, ...]:
    links = memory.more.get("extends", ())
    return links if isinstance(links, tuple) else (str(links),)


def _confirm_knowledge(known: Case, sessions: list[str], links: tuple[str, ...]) -> None:
    """Add the new sessions to knowledge that is there already."""
    before = known.memory.more.get("source_sessions", ())
    merged = tuple(sorted({*(before if isinstance(before, tuple) else ()), *sessions}))
    is_more = len(merged) > len(before if isinstance(before, tuple) else ())
    if is_more and not known.is_new and known.memory.place in _LIVE_PLACES and not known.is_vetoed(RULE):
        extends = tuple(dict.fromkeys((*_extends_links(known.memory), *links)))
        why = f"confirmed in {len(merged)} conversations"
        known.set_fields(RULE, why, source_sessions=merged, evidence_count=len(merged), extends=extends)


def _build_knowledge(
    lead: Memory, cases: Sequence[Case], sessions: list[str], links: tuple[str, ...], state: RuleState
) -> Memory:
    memories = [case.memory for case in cases]
    ids = source_ids(memories)
    bodies = [case.memory.body if case.is_new else state.snapshot.body(case.memory) for case in cases]
    created = max(memory.created for memory in memories)
    kind = state.policy.kinds[lead.kind].settles_as
    is_told = any("source" in memory.more or memory.more.get("tainted") for memory in memories)
    trust = least_trust(memories) if is_told else {}
    project = {"project": lead.more["project"]} if "project" in lead.more else {}
    return Memory(
        id=derive_id(state.snapshot.vault_id, "promoted:" + ",".join(ids)),
        path=state.new_path(Place.MEMORIES, created.date(), lead.title),
        place=Place.MEMORIES,
        title=lead.title,
        type="learning",
        kind=kind,
        created=created,
        last_accessed=max(case.use.last for case in cases),
        weight=max(memory.base for memory in memories),
        emotional_flag=any(memory.emotional_flag for memory in memories),
        aliases=(lead.title,),
        tags=_unique_texts(memory.tags for memory in memories),
        topics=_unique_texts(memory.topics for memory in memories),
        people=_unique_texts(memory.people for memory in memories),
        more={
            **trust,
            **project,
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


def _widen_scope(case: Case, state: RuleState) -> None:
    memory, kind = case.memory, state.policy.kinds.get(case.memory.kind)
    if kind is None or not kind.spreads or memory.place not in _LIVE_PLACES or memory.more.get("scope") == "global":
        return
    seen = max(len(_session_ids(case, state)), len(source_ids([memory])))
    is_open = memory.more.get("state", "pending") in ("pending", "active")
    if seen >= state.policy.promote_sessions and is_open and not case.is_vetoed(RULE):
        case.set_fields(RULE, f"seen {seen} times: it concerns every project", scope="global")


# How often a way was followed and worked goes into its file, as the journals tell it.

_WRITABLE_PLACES = (Place.HOT, Place.MEMORIES)
PRACTICE_RULE = "practice"


def fold_practice(case: Case, state: RuleState) -> None:
    """Bring the numbers in a file up to what the journals tell; they are written by grid and by status alike."""
    memory, practice = case.memory, state.snapshot.practices.get(case.id, NO_PRACTICE)
    if case.is_new or memory.place not in _WRITABLE_PLACES or state.policy.write == "never":
        return
    values = outdated_fields(memory, practice)
    if not values:
        return
    if case.id not in state.snapshot.decided.practised:
        before = stored_practice(memory)
        rate = {} if before.rate is None else {"rate": before.rate}
        case.add_note({"e": "practice", "id": case.id, "count": before.count, **rate})
    count, worked = len(practice.followed), sum(ok for _, ok in practice.followed)
    case.set_fields(PRACTICE_RULE, f"followed {count} {'time' if count == 1 else 'times'}, worked {worked}", **values)
