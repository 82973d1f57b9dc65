"""Tier 1: what is used often and lately moves up until it is full; what cooled moves back."""

from __future__ import annotations

from datetime import datetime
from math import log2

from memvault.core.fields import SOURCES
from memvault.core.kinds import Kinds
from memvault.core.memory import Memory, Place
from memvault.core.weight import DAY, NO_USAGE, add_days
from memvault.maintenance.rules.case import Case, RuleState
from memvault.maintenance.rules.status import is_placed_by_hand

RULE = "hot"
_TRUSTED = SOURCES[: SOURCES.index("import")]
_MUCH_HOTTER = 2  # what takes another's place, or fills the last kilobytes, is not just a little hotter


def is_trusted(memory: Memory) -> bool:
    """Whether a memory may rise by itself: from a person, an agent or a hook, and not written after reading the web."""
    return memory.more.get("source", SOURCES[0]) in _TRUSTED and not memory.more.get("tainted")


def recent_use(course: Case, world: RuleState) -> float:
    """How much a memory was used lately: each use counts half after every half-life."""
    half_life, now = world.policy.hot_half_life, world.now
    ids = (course.id, *_merged_from(course.memory))
    lasts = (last for id_ in ids for _, last in world.snapshot.pasts.get(id_, NO_USAGE).uses if last <= now)
    return float(sum(0.5 ** (_days_since(last, now) / half_life) for last in lasts))


def _merged_from(memory: Memory) -> tuple[str, ...]:
    found = memory.more.get("merged_from", ())
    return found if isinstance(found, tuple) else ()


def _days_since(moment: datetime, now: datetime) -> float:
    return max(0.0, (now - moment).total_seconds() / DAY)


def refresh_hot_tier(world: RuleState) -> None:
    """Fill Tier 1 with what is used most; nothing that a person put there is touched."""
    if world.policy.hot_most:
        _HotTier(world).rearrange()


class _HotTier:
    """Tier 1 while it is being put in order."""

    def __init__(self, world: RuleState) -> None:
        self._world = world
        self._policy = world.policy
        hot = [course for course in world.cases_by_path() if course.memory.place is Place.HOT]
        held = {course.id for course in hot}
        self._heat = {
            course.id: recent_use(course, world)
            for course in world.cases_by_path()
            if _may_rise(course, world.policy.kinds) or course.id in held
        }
        self._size = sum(self._size_of(course) for course in hot)
        self._ours = [course for course in hot if self._may_demote(course)]

    def _may_demote(self, course: Case) -> bool:
        is_held = course.memory.pinned or course.is_new or course.is_vetoed(RULE) or course.is_frozen
        return not is_held and not is_placed_by_hand(course.original, self._world.snapshot)

    def _size_of(self, course: Case) -> int:
        body = course.memory.body
        made = len((body or "").encode()) + 500 if course.is_new else 0
        return self._world.snapshot.sizes.get(course.original.path, made)

    def rearrange(self) -> None:
        self._move_out()
        self._move_in()
        for course in self._ours:
            if course.memory.place is Place.HOT:
                self._world.note_due(self._cools_at(course))

    # -- out

    def _move_out(self) -> None:
        for course in sorted(self._ours, key=self._by_heat):
            if self._heat[course.id] < self._policy.hot_leave:
                self._demote(course, "not used much lately")
            elif self._size > self._policy.hot_most:
                self._demote(course, "Tier 1 is full of what is used more")

    def _demote(self, course: Case, why: str) -> None:
        if self._world.snapshot.is_linked_by_path(course.original):
            return
        self._size -= self._size_of(course)
        moving = self._world.snapshot.decided.moved.get(course.id)
        memories = self._world.snapshot.folders[Place.MEMORIES]
        came_from = moving.source.rpartition("/")[0] + "/" if moving else memories
        folder = came_from if came_from.startswith(memories) else memories
        name = course.original.path.rpartition("/")[2]
        course.move_to(RULE, f"back to Tier 2: {why}", self._world.claim_path(folder, name), Place.MEMORIES)

    # -- in

    def _move_in(self) -> None:
        waiting = 0.0  # how hot the hottest is for which there was no room: nothing much cooler may pass it by
        for course in sorted(self._candidates_to_rise(), key=self._by_heat, reverse=True):
            hotness = self._heat[course.id]
            if hotness * _MUCH_HOTTER < waiting:
                return
            if self._has_room(course) or self._makes_room(course):
                self._promote(course)
            else:
                waiting = waiting or hotness

    def _candidates_to_rise(self) -> list[Case]:
        enter = self._policy.hot_enter
        found = (course for course in self._world.cases_by_path() if course.id in self._heat)
        return [
            course
            for course in found
            if course.memory.place is Place.MEMORIES
            and self._heat[course.id] >= enter
            and self._is_small(course)
            and not (course.is_vetoed(RULE) or course.is_frozen or self._was_taken_down(course) or course.moved_to)
        ]

    def _is_small(self, course: Case) -> bool:
        return self._size_of(course) <= self._policy.hot_most // 2

    def _was_taken_down(self, course: Case) -> bool:
        """Whether a person took it out of Tier 1, and it was not used since."""
        moving = self._world.snapshot.decided.moved.get(course.id)
        if moving is None or moving.by_keeper:
            return False
        return moving.source.startswith(self._world.snapshot.folders[Place.HOT]) and course.use.last <= moving.at

    def _has_room(self, course: Case) -> bool:
        size = self._size + self._size_of(course)
        is_much_used = self._heat[course.id] >= _MUCH_HOTTER * self._policy.hot_enter
        return size <= (self._policy.hot_most if is_much_used else self._policy.hot_fill)

    def _makes_room(self, course: Case) -> bool:
        """Let the coolest go for one that is much hotter, where that is enough."""
        ours = [other for other in self._ours if other.memory.place is Place.HOT]
        if not ours:
            return False
        coolest = min(ours, key=self._by_heat)
        size = self._size - self._size_of(coolest) + self._size_of(course)
        if self._heat[coolest.id] * _MUCH_HOTTER > self._heat[course.id] or size > self._policy.hot_most:
            return False
        before = self._size
        self._demote(coolest, "Tier 1 is full of what is used more")
        return self._size < before

    def _promote(self, course: Case) -> None:
        if self._world.snapshot.is_linked_by_path(course.original):
            return
        self._size += self._size_of(course)
        path = self._world.free_path(Place.HOT, course.memory)
        course.move_to(RULE, "up to Tier 1: used often and lately", path, Place.HOT)

    # -- how hot

    def _by_heat(self, course: Case) -> tuple[float, str]:
        return self._heat[course.id], course.id

    def _cools_at(self, course: Case) -> datetime | None:
        """When it will have cooled so far that it goes back."""
        now, leave = self._heat.get(course.id, 0.0), self._policy.hot_leave
        if now <= leave or leave <= 0:
            return None
        return add_days(self._world.now, self._policy.hot_half_life * log2(now / leave) + 1e-6)


def _may_rise(course: Case, kinds: Kinds) -> bool:
    memory = course.memory
    is_live = memory.status == "active" and not memory.problem and not memory.more.get("superseded_by")
    is_lasting = memory.kind in kinds and not kinds[memory.kind].idle_hours
    return memory.place is Place.MEMORIES and is_live and is_lasting and is_trusted(memory)
