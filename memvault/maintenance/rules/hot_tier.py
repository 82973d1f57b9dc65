"""Tier 1: what is worth most or used most lately moves up until it is full; what cooled moves back."""

from __future__ import annotations

from datetime import datetime
from math import log2

from memvault.core.kinds import Kinds
from memvault.core.kinds.infer_tags import DECISION, GOTCHA, PREFERENCE
from memvault.core.memory import Place
from memvault.core.weight import DAY, NO_USAGE, add_days
from memvault.maintenance.rules.case import Case, RuleState, is_placed_by_hand

RULE = "hot"
_WORTHY = frozenset((DECISION, GOTCHA, PREFERENCE))
_WORTH = 3.0  # uses that a new memory of weight 1 is worth
_NEW_LINE, _CHANGED_LINE = 48, 24  # bytes by which a line of frontmatter that is written may make a file longer
_SPARE = 512  # bytes left free, so that what later runs write into the files makes none move out again
_MUCH_HOTTER = 2  # what takes another's place, or fills the last kilobytes, is not just a little hotter


def recent_use(case: Case, state: RuleState) -> float:
    """Return how much a memory was used lately: each use counts half after every half-life."""
    half_life, now = state.policy.hot_half_life, state.now
    sources = case.memory.more.get("merged_from", ())
    ids = (case.id, *(sources if isinstance(sources, tuple) else ()))
    lasts = (last for id_ in ids for _, last in state.snapshot.pasts.get(id_, NO_USAGE).uses if last <= now)
    return float(sum(0.5 ** (max(0.0, (now - last).total_seconds() / DAY) / half_life) for last in lasts))


def recent_worth(case: Case, state: RuleState) -> float:
    """Return how much a memory is worth having at hand unused: what was decided, found out or is preferred lately."""
    memory, kind = case.memory, state.policy.kinds.get(case.memory.kind)
    if not _WORTHY.intersection(memory.tags) or memory.is_doubtful or (kind is not None and kind.everywhere):
        return 0.0
    days = max(0.0, (state.now - memory.created).total_seconds() / DAY)
    return float(_WORTH * min(1.0, memory.base) * 0.5 ** (days / state.policy.hot_half_life))


def refresh_hot_tier(state: RuleState) -> None:
    """Fill Tier 1 with what is used most; nothing that a person put there is touched."""
    if state.policy.hot_most:
        _HotTier(state).rearrange()


class _HotTier:
    """Tier 1 while it is being put in order."""

    def __init__(self, state: RuleState) -> None:
        self._state = state
        self._policy = state.policy
        hot = [case for case in state.cases_by_path() if case.memory.place is Place.HOT]
        held = {case.id for case in hot}
        self._heat = {
            case.id: recent_use(case, state) + recent_worth(case, state)
            for case in state.cases_by_path()
            if _may_become_hot(case, state.policy.kinds) or case.id in held
        }
        self._size = sum(self._size_of(case) for case in hot)
        self._ours = [case for case in hot if self._may_demote(case)]

    def _may_demote(self, case: Case) -> bool:
        is_held = case.memory.pinned or case.is_new or case.is_vetoed(RULE) or case.is_frozen
        return not is_held and not is_placed_by_hand(case.original, self._state.snapshot)

    def _size_of(self, case: Case) -> int:
        body = case.memory.body
        made = len((body or "").encode()) + 500 if case.is_new else 0
        known = self._state.snapshot.sizes.get(case.original.path, made)
        # What this run writes into the file counts too, so that the tier is not too large afterwards.
        written = {*case.fields, "id"} - ({"id"} if "id" in case.memory.stated else set())
        return known + sum(_CHANGED_LINE if name in case.memory.stated else _NEW_LINE for name in written)

    def rearrange(self) -> None:
        self._move_out()
        self._move_in()
        for case in self._ours:
            if case.memory.place is Place.HOT:
                self._state.note_due(self._cools_at(case))

    # -- out

    def _move_out(self) -> None:
        for case in sorted(self._ours, key=self._by_heat):
            if self._heat[case.id] < self._policy.hot_leave:
                self._demote(case, "not used much lately")
            elif self._size > self._policy.hot_most:
                self._demote(case, "Tier 1 is full of what is used more")

    def _demote(self, case: Case, why: str) -> None:
        if self._state.snapshot.is_linked_by_path(case.original):
            return
        self._size -= self._size_of(case)
        moving = self._state.snapshot.decided.moved.get(case.id)
        memories = self._state.snapshot.folders[Place.MEMORIES]
        came_from = moving.source.rpartition("/")[0] + "/" if moving else memories
        folder = came_from if came_from.startswith(memories) else memories
        name = case.original.path.rpartition("/")[2]
        case.move_to(RULE, f"back to Tier 2: {why}", self._state.claim_path(folder, name), Place.MEMORIES)

    # -- in

    def _move_in(self) -> None:
        waiting = 0.0  # how hot the hottest is for which there was no room: nothing much cooler may pass it by
        for case in sorted(self._hot_candidates(), key=self._by_heat, reverse=True):
            hotness = self._heat[case.id]
            if hotness * _MUCH_HOTTER < waiting:
                return
            size = self._size + self._size_of(case)
            is_worthy = self._heat[case.id] >= _MUCH_HOTTER * self._policy.hot_enter or recent_worth(case, self._state)
            room = max(self._policy.hot_fill, self._policy.hot_most - _SPARE) if is_worthy else self._policy.hot_fill
            if size <= room or self._makes_room(case):
                self._promote(case)
            else:
                waiting = waiting or hotness

    def _hot_candidates(self) -> list[Case]:
        enter = self._policy.hot_enter
        found = (case for case in self._state.cases_by_path() if case.id in self._heat)
        return [
            case
            for case in found
            if case.memory.place is Place.MEMORIES
            and self._heat[case.id] >= enter
            and self._size_of(case) <= self._policy.hot_most // 2
            and not (case.is_vetoed(RULE) or case.is_frozen or self._was_taken_down(case) or case.moved_to)
        ]

    def _was_taken_down(self, case: Case) -> bool:
        """Return whether a person took it out of Tier 1, and it was not used since."""
        moving = self._state.snapshot.decided.moved.get(case.id)
        if moving is None or moving.by_keeper:
            return False
        return moving.source.startswith(self._state.snapshot.folders[Place.HOT]) and case.use.last <= moving.at

    def _makes_room(self, case: Case) -> bool:
        """Demote the coolest memory for a much hotter one, where that makes enough room."""
        ours = [other for other in self._ours if other.memory.place is Place.HOT]
        if not ours:
            return False
        coolest = min(ours, key=self._by_heat)
        size = self._size - self._size_of(coolest) + self._size_of(case)
        if self._heat[coolest.id] * _MUCH_HOTTER > self._heat[case.id] or size > self._policy.hot_most:
            return False
        before = self._size
        self._demote(coolest, "Tier 1 is full of what is used more")
        return self._size < before

    def _promote(self, case: Case) -> None:
        if self._state.snapshot.is_linked_by_path(case.original):
            return
        self._size += self._size_of(case)
        path = self._state.free_path(Place.HOT, case.memory)
        case.move_to(RULE, self._why_up(case), path, Place.HOT)

    def _why_up(self, case: Case) -> str:
        is_used = recent_use(case, self._state) >= recent_worth(case, self._state)
        return f"up to Tier 1: {'used often and lately' if is_used else 'decided, found out or preferred lately'}"

    # -- how hot

    def _by_heat(self, case: Case) -> tuple[float, str]:
        return self._heat[case.id], case.id

    def _cools_at(self, case: Case) -> datetime | None:
        """Return when it will have cooled so far that it goes back."""
        now, leave = self._heat.get(case.id, 0.0), self._policy.hot_leave
        if now <= leave or leave <= 0:
            return None
        return add_days(self._state.now, self._policy.hot_half_life * log2(now / leave) + 1e-6)


def _may_become_hot(case: Case, kinds: Kinds) -> bool:
    memory = case.memory
    is_live = memory.status == "active" and not memory.problem and not memory.more.get("superseded_by")
    is_lasting = memory.kind in kinds and not kinds[memory.kind].idle_hours
    return memory.place is Place.MEMORIES and is_live and is_lasting and memory.is_trusted and not memory.is_doubtful
