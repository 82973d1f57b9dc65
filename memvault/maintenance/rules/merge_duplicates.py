"""Memories that say the same become one; what contradicts each other is left for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memvault.core.memory import Memory, Place
from memvault.core.plan import ChangeSubject, LedgerLine
from memvault.core.similarity.merge_memories import merge_memories
from memvault.core.similarity.verdict import ComparisonResult, compare_memories
from memvault.core.weight import MemoryUse, effective_weight
from memvault.maintenance.rules.case import Case, PlannedNote, RuleState, is_placed_by_hand
from memvault.maintenance.rules.decay import round_to_grid

RULE = "consolidate"
_LONGEST_COMPARED = 256 * 1024  # bytes: a longer file is a document, which nothing is merged with
_ROUNDS = 5  # what was merged may itself say the same as another; more rounds than this are for tomorrow
_COMPARED = (Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.FOREIGN)


def merge_duplicates(state: RuleState) -> None:
    """Merge what says the same; only note what may say the same or contradicts."""
    if state.compared is not None:
        return
    read = _read_texts(state)
    found = compare_memories(list(read.values()), refused=_refusal_test(state))
    for _ in range(_ROUNDS if state.policy.merge and RULE in state.rules else 0):
        if not found.groups:
            break
        for group in found.groups:
            _merge_group([read.pop(id_) for id_ in group], read, state)
        found = compare_memories(list(read.values()), refused=_refusal_test(state))
    state.compared = found


def find_duplicates(state: RuleState) -> ComparisonResult:
    """Return what is alike, without merging any of it."""
    if state.compared is None:
        state.compared = compare_memories(list(_read_texts(state).values()), refused=_refusal_test(state))
    return state.compared


def merge_by_hand(state: RuleState, ids: Sequence[str]) -> Memory:
    """Merge some memories on a person's word; return the memory that they become."""
    read = {id_: _read_memory(state.cases[id_], state) for id_ in ids}
    return _merge_group(list(read.values()), read, state)


def _read_texts(state: RuleState) -> dict[str, Memory]:
    """Return the memories with their texts and all of their uses."""
    return {case.id: _read_memory(case, state) for case in state.cases_by_path() if _is_compared(case, state)}


def _is_compared(case: Case, state: RuleState) -> bool:
    if case.memory.place not in _COMPARED or case.is_frozen or case.memory.status == "archived":
        return False
    return state.snapshot.sizes.get(case.original.path, 0) <= _LONGEST_COMPARED


def _read_memory(case: Case, state: RuleState) -> Memory:
    body = case.memory.body if case.is_new else state.snapshot.body(case.memory)
    base = {} if case.use.base is None else {"base_weight": case.use.base}  # a weight that a person just typed
    use = case.use
    return case.memory.with_changes(body=body or "", access_count=use.count, last_accessed=use.last, **base)


def _refusal_test(state: RuleState) -> Callable[[str, str], bool]:
    refused, cases = state.snapshot.decided.refused, state.cases

    def is_refused(one: str, other: str) -> bool:
        pair = (min(one, other), max(one, other))
        return pair in refused or any(cases[id_].is_vetoed(RULE) for id_ in pair)

    return is_refused


def _merge_group(memories: Sequence[Memory], read: dict[str, Memory], state: RuleState) -> Memory:
    """Merge several memories into one; the others go to the archive and name it."""
    one = _with_weight(merge_memories(memories, vault_id=state.snapshot.vault_id), memories, state)
    there = state.cases.get(one.id)  # one of the sources was changed while it was merged before
    one = one.with_changes(
        path=there.original.path if there else state.new_path(one.place, one.created.date(), one.title)
    )
    titles = ", ".join(dict.fromkeys(f"“{memory.title}”" for memory in memories))
    notes = (
        ({"e": "count", "id": one.id, "value": one.access_count}, {"e": "lift", "of": "count", "id": one.id}),
        *_hot_entries(one, memories, state),
    )
    about = ChangeSubject(id=one.id, rules=(RULE,), group=f"merge:{one.id}", notes=notes)
    sources = tuple(source for memory in memories for source in _source_notes(memory, state))
    for memory in memories:
        if memory.id != one.id:
            _archive_source(state.cases[memory.id], one, state)
    former = there.original if there and not there.is_new else None
    why = f"merged from {len(memories)} that say the same: {titles}"
    state.add_planned(PlannedNote(one, why, about, former, sources))
    read[one.id] = one
    return one


def _source_notes(memory: Memory, state: RuleState) -> tuple[Memory, ...]:
    """Return the notes that a memory lies in: its own, or, where it was made in this very run, those it was made of."""
    made = state.planned_notes.get(memory.id)
    return made.sources if made else (state.cases[memory.id].original,)


def _with_weight(one: Memory, memories: Sequence[Memory], state: RuleState) -> Memory:
    base = max(memory.base for memory in memories)
    use = MemoryUse(one.access_count, one.last_accessed)
    exact = effective_weight(one.with_changes(base_weight=base), use, state.now, decay=state.policy.decay)
    return one.with_changes(base_weight=base, weight=round_to_grid(exact))


def _hot_entries(one: Memory, memories: Sequence[Memory], state: RuleState) -> Iterator[tuple[LedgerLine, None]]:
    """Yield the entry that says memvault put it into Tier 1, unless a person put one of the sources there."""
    hot = [memory for memory in memories if memory.place is Place.HOT]
    if one.place is Place.HOT and not any(is_placed_by_hand(memory, state.snapshot) for memory in hot):
        yield {"e": "moved", "id": one.id, "from": "", "to": one.path, "by": "keeper"}, None


def _archive_source(case: Case, one: Memory, state: RuleState) -> None:
    group = f"merge:{one.id}"
    if case.is_new:  # in this very run: what went into it goes into the new one
        del state.cases[case.id], state.planned_notes[case.id]
        for other in state.cases.values():
            if other.group == f"merge:{case.id}":
                other.group = group
                other.fields["merged_into"] = one.id
        return
    case.group = group
    state.archive_case(case, RULE, f"it is part of “{one.title}” now", merged_into=one.id)
