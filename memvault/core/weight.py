"""How much a memory matters at a given moment: two models, both pure functions of dates and counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from math import exp, log
from types import MappingProxyType

from memvault.core.memory import Memory, Place
from memvault.core.value import Frozen

DAY = 86_400.0
DAILY = 0.99
SIGNIFICANT_FLOOR = 0.8
BOOST_EACH, BOOST_MOST = 0.02, 0.3
CONSOLIDATED_AFTER = 3
FOREVER = timedelta(days=365_000)


class Use(Frozen):
    """How often and when a memory was last used, files and journals taken together."""

    count: int
    last: datetime
    base: float | None = None  # what decay starts from, where a person typed a weight that is not settled in the file
    typed: datetime | None = None  # when a person last typed a weight

    @property
    def start(self) -> datetime:
        """From when on it decays: the last use, or the day its weight was typed."""
        return self.last if self.typed is None else max(self.last, self.typed)


def use_of(memory: Memory) -> Use:
    """What the file itself says of its use."""
    return Use(memory.access_count, memory.last_accessed)


def base_of(memory: Memory, use: Use) -> float:
    """The weight that decay starts from."""
    return memory.base if use.base is None else use.base


def boost(count: int) -> float:
    """What frequent use adds to a weight."""
    return min(BOOST_EACH * count, BOOST_MOST)


def never_decays(memory: Memory) -> bool:
    """Whether decay passes this memory by for good: identity, or exempt."""
    return memory.place is Place.IDENTITY or not memory.decay_eligible


def awaited(memory: Memory) -> datetime | None:
    """The day that an open reminder waits for, before which it does not decay."""
    due = memory.more.get("due")
    is_open = memory.more.get("state", "pending") in ("pending", "active")
    return due if isinstance(due, datetime) and is_open else None


def holds_still(memory: Memory, now: datetime) -> bool:
    """Whether decay passes this memory by at the moment: identity, exempt, or a reminder whose day has not come."""
    due = awaited(memory)
    return never_decays(memory) or (due is not None and due > now)


def days_idle(use: Use, now: datetime) -> float:
    """Days since the last use, or since a weight was typed; a date in the future counts as now."""
    return max(0.0, (now - use.start).total_seconds() / DAY)


# -- the models


def weighted(memory: Memory, use: Use, now: datetime) -> float:
    """Exponential decay from the base weight, plus a boost for frequent use."""
    decay = 1.0 if holds_still(memory, now) else DAILY ** days_idle(use, now)
    if memory.emotional_flag:
        decay = max(decay, SIGNIFICANT_FLOOR)
    return min(base_of(memory, use) * decay + boost(use.count), 1.0)


def _days_weighted(memory: Memory, use: Use, threshold: float) -> float | None:
    """After how many days of decay the weight falls below a threshold; None for never."""
    base, need = base_of(memory, use), threshold - boost(use.count)
    if base < need:
        return 0.0
    floor = base * SIGNIFICANT_FLOOR if memory.emotional_flag else 0.0
    return None if need <= floor else log(need / base) / log(DAILY)


def biomimetic(memory: Memory, use: Use, now: datetime) -> float:
    """Forgetting by half-lives that differ by kind, slowed by importance and by use."""
    fade = 1.0 if holds_still(memory, now) else exp(-log(2) * days_idle(use, now) / _half_life(memory))
    return min(1.0, fade * _strength(base_of(memory, use), use.count))


def _days_biomimetic(memory: Memory, use: Use, threshold: float) -> float | None:
    strength = _strength(base_of(memory, use), use.count)
    return max(0.0, _half_life(memory) * log(strength / threshold) / log(2))


def _strength(base: float, count: int) -> float:
    """How strong a memory is when it was used just now; above 1 it can fade for a while and still be whole."""
    return (1 + 2 * base) * _practice(count)


def _practice(count: int) -> float:
    return (2 if count >= CONSOLIDATED_AFTER else 1) * (1 + 0.1 * log(1 + count))


def _half_life(memory: Memory) -> float:
    from memvault.core.kinds import KINDS  # only this model asks for the kinds and all their fields

    days = memory.half_life or KINDS.get(memory.kind, KINDS["semantic"]).half_life_days
    return days * (2 if memory.emotional_flag else 1)


class Model(Frozen):
    """One way to forget: the weight at a moment, and both of its inverses."""

    weight: Callable[[Memory, Use, datetime], float]
    days_above: Callable[[Memory, Use, float], float | None]
    base_for: Callable[[float, int], float]  # the base from which a memory just used has that weight


MODELS: MappingProxyType[str, Model] = MappingProxyType(
    {
        "weighted": Model(weighted, _days_weighted, lambda weight, count: max(0.0, weight - boost(count))),
        "biomimetic": Model(
            biomimetic,
            _days_biomimetic,
            lambda weight, count: min(1.0, max(0.0, (weight / _practice(count) - 1) / 2)),
        ),
    }
)


def effective(memory: Memory, use: Use, now: datetime, *, model: str = "weighted") -> float:
    """The exact weight of a memory at this moment; a pinned one always has 1."""
    return 1.0 if memory.pinned else MODELS[model].weight(memory, use, now)


def falls_below(memory: Memory, use: Use, threshold: float, *, model: str = "weighted") -> datetime | None:
    """The moment a memory's weight falls below a threshold if it is not used again; None for never."""
    if memory.pinned or threshold <= 0:
        return None
    days = MODELS[model].days_above(memory, use, threshold)
    if days == 0.0:
        return use.start
    if days is None or never_decays(memory):
        return None
    due = awaited(memory)
    return max(later(use.start, days), due) if due else later(use.start, days)


def later(moment: datetime, days: float) -> datetime:
    """A moment so many days on, as far as the calendar goes."""
    try:
        return moment + min(timedelta(days=days), FOREVER)
    except OverflowError:
        return moment.max.replace(tzinfo=moment.tzinfo)


# What journals and ledgers know of a memory's use, and what follows for any moment.

SAME = 1e-6


class Wish(Frozen):
    """A value that a person typed into a note by hand, and when that was seen."""

    value: object
    at: datetime


class Past(Frozen, kw_only=True):
    """All that was noted of one memory outside its file."""

    baseline: int | None = None  # `access_count` before a program first changed it
    uses: tuple[tuple[datetime, datetime], ...] = ()  # each counted use: its first and its last moment, in order
    weight: Wish | None = None
    status: Wish | None = None
    pinned: Wish | None = None


NO_PAST = Past()


class Moving(Frozen):
    """A note that changed its tier: from which path to which, when, and whether upkeep moved it or a person."""

    source: str
    target: str
    at: datetime
    by_keeper: bool


def present(memory: Memory, past: Past, now: datetime, *, model: str = "weighted") -> Use:
    """A memory's use up to now; what is dated in the future counts as now."""
    if past is NO_PAST:  # as of most memories
        return Use(count=memory.access_count, last=min(memory.last_accessed, now))
    last = max((memory.last_accessed, *(last for _, last in past.uses[-1:])))
    return _use(memory, past, len(past.uses), min(last, now), past.weight, now, model)


def at(memory: Memory, past: Past, moment: datetime, *, model: str = "weighted") -> Use:
    """A memory's use as it stood at a moment that has passed."""
    wish = past.weight if past.weight is not None and past.weight.at <= moment else None
    uses = sum(first <= moment for first, _ in past.uses)
    return _use(memory, past, uses, last_by(memory, past, moment), wish, moment, model)


def last_by(memory: Memory, past: Past, moment: datetime) -> datetime:
    """The last use that is dated no later than a moment."""
    lasts = (last if last <= moment else first for first, last in past.uses if first <= moment)
    return max((min(memory.last_accessed, moment), *lasts))


def _use(memory: Memory, past: Past, uses: int, last: datetime, wish: Wish | None, moment: datetime, model: str) -> Use:
    count = _count(memory, past, uses)
    if wish is None:
        return Use(count, last)
    base = typed_base(memory, past, wish, model) if stands(memory, wish) else None
    return Use(count, last, base, min(wish.at, moment))


def _count(memory: Memory, past: Past, uses: int) -> int:
    start = memory.access_count if past.baseline is None else past.baseline
    return max(memory.access_count, start + uses)


def used_since(memory: Memory, past: Past, moment: datetime, now: datetime) -> bool:
    """Whether a memory was used after a moment; what is dated ahead tells nothing."""
    return any(moment < last <= now for last in (memory.last_accessed, *(last for _, last in past.uses)))


def stands(memory: Memory, wish: Wish) -> bool:
    """Whether the weight in the file is still the one that a person typed."""
    return isinstance(wish.value, int | float) and abs(memory.weight - wish.value) < SAME


def typed_base(memory: Memory, past: Past, wish: Wish, model: str) -> float:
    """The base from which a memory has the weight that was typed, with the uses it had then."""
    assert isinstance(wish.value, int | float)
    uses = sum(first <= wish.at for first, _ in past.uses)
    start = memory.access_count if past.baseline is None else past.baseline
    return MODELS[model].base_for(float(wish.value), start + uses)
