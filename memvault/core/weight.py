"""The weight of a memory at a given moment: two models, both pure functions of dates and counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import exp, log
from types import MappingProxyType

from memvault.core.memory import Memory, Place
from memvault.core.value import Record

DAY = 86_400.0
_NEVER = datetime(9990, 1, 1, tzinfo=UTC)
FOREVER = timedelta(days=365_000)


class Decay(Record):
    """How weights fade: the name of a model, and its constants."""

    model: str = "weighted"
    daily: float = 0.99
    significant_floor: float = 0.8
    use_boost: float = 0.02
    use_boost_most: float = 0.3
    importance_boost: float = 2.0
    consolidated_after: float = 3
    half_life_scale: float = 1.0


WEIGHTED = Decay()


class MemoryUse(Record):
    """The count and the last moment of a memory's uses, from files and journals together."""

    count: int
    last: datetime
    base: float | None = None  # what decay starts from, if a person typed a weight that is not in the file yet
    typed: datetime | None = None  # when a person last typed a weight

    def to_json(self) -> dict[str, object]:
        """Return the use as `--json` prints it."""
        return {"count": self.count, "last": self.last}

    @property
    def start(self) -> datetime:
        """Return the moment that decay starts from: the last use, or the day the weight was typed."""
        return self.last if self.typed is None else max(self.last, self.typed)


def decay_base(memory: Memory, use: MemoryUse) -> float:
    """Return the weight that decay starts from."""
    return memory.base if use.base is None else use.base


def use_boost(count: int, decay: Decay = WEIGHTED) -> float:
    """Return what frequent use adds to a weight."""
    return min(decay.use_boost * count, decay.use_boost_most)


def never_decays(memory: Memory) -> bool:
    """Return whether a memory is exempt from decay for good: identity, or marked so."""
    return memory.place is Place.IDENTITY or not memory.decay_eligible


def open_due_date(memory: Memory) -> datetime | None:
    """Return the due date of an open reminder, before which it does not decay; what comes again never does."""
    due = _NEVER if memory.more.get("repeat") else memory.more.get("due")
    is_open = memory.more.get("state", "pending") in ("pending", "active")
    return due if isinstance(due, datetime) and is_open else None


def is_paused(memory: Memory, now: datetime) -> bool:
    """Return whether a memory does not decay at the moment: exempt, or a reminder that is not due yet."""
    due = open_due_date(memory)
    return never_decays(memory) or (due is not None and due > now)


def days_idle(use: MemoryUse, now: datetime) -> float:
    """Return the days since the last use, or since a weight was typed; a date in the future counts as now."""
    return max(0.0, (now - use.start).total_seconds() / DAY)


# -- the models


def weighted_model(memory: Memory, use: MemoryUse, now: datetime, decay: Decay = WEIGHTED) -> float:
    """Return the weight by exponential decay from the base weight, plus a boost for frequent use."""
    fade = 1.0 if is_paused(memory, now) else decay.daily ** days_idle(use, now)
    if memory.emotional_flag:
        fade = max(fade, decay.significant_floor)
    return min(decay_base(memory, use) * fade + use_boost(use.count, decay), 1.0)


def _days_weighted(memory: Memory, use: MemoryUse, threshold: float, decay: Decay) -> float | None:
    """Return after how many days of decay the weight falls below a threshold; None for never."""
    base, need = decay_base(memory, use), threshold - use_boost(use.count, decay)
    if base < need:
        return 0.0
    floor = base * decay.significant_floor if memory.emotional_flag else 0.0
    return None if need <= floor else log(need / base) / log(decay.daily)


def biomimetic_model(memory: Memory, use: MemoryUse, now: datetime, decay: Decay) -> float:
    """Return the weight by half-lives that differ by kind, slowed by importance and by use."""
    fade = 1.0 if is_paused(memory, now) else exp(-log(2) * days_idle(use, now) / _half_life(memory, decay))
    return min(1.0, fade * _initial_strength(decay_base(memory, use), use.count, decay))


def _days_biomimetic(memory: Memory, use: MemoryUse, threshold: float, decay: Decay) -> float | None:
    strength = _initial_strength(decay_base(memory, use), use.count, decay)
    return max(0.0, _half_life(memory, decay) * log(strength / threshold) / log(2))


def _initial_strength(base: float, count: int, decay: Decay) -> float:
    """Return how strong a memory is right after use; above 1 it can fade for a while and still be whole."""
    return (1 + decay.importance_boost * base) * _practice_factor(count, decay)


def _biomimetic_base(weight: float, count: int, decay: Decay) -> float:
    boost = decay.importance_boost or 1.0  # where importance does not count, any base does
    return min(1.0, max(0.0, (weight / _practice_factor(count, decay) - 1) / boost))


def _practice_factor(count: int, decay: Decay) -> float:
    return (2 if count >= decay.consolidated_after else 1) * (1 + 0.1 * log(1 + count))


def _half_life(memory: Memory, decay: Decay) -> float:
    from memvault.core.kinds import KINDS  # only this model asks for the kinds and all their fields

    days = memory.half_life or KINDS.get(memory.kind, KINDS["semantic"]).half_life_days
    return days * decay.half_life_scale * (2 if memory.emotional_flag else 1)


class DecayModel(Record):
    """One model of decay: the weight at a moment, and both of its inverses."""

    weight: Callable[[Memory, MemoryUse, datetime, Decay], float]
    days_above: Callable[[Memory, MemoryUse, float, Decay], float | None]
    base_for: Callable[[float, int, Decay], float]  # the base from which a memory just used has that weight


MODELS: MappingProxyType[str, DecayModel] = MappingProxyType(
    {
        "weighted": DecayModel(
            weighted_model, _days_weighted, lambda weight, count, decay: max(0.0, weight - use_boost(count, decay))
        ),
        "biomimetic": DecayModel(biomimetic_model, _days_biomimetic, _biomimetic_base),
    }
)


def effective_weight(memory: Memory, use: MemoryUse, now: datetime, *, decay: Decay = WEIGHTED) -> float:
    """Return the exact weight of a memory at this moment; a pinned one always has 1."""
    return 1.0 if memory.pinned else MODELS[decay.model].weight(memory, use, now, decay)


def falls_below(memory: Memory, use: MemoryUse, threshold: float, *, decay: Decay = WEIGHTED) -> datetime | None:
    """Return the moment a weight falls below a threshold if the memory is not used again; None for never."""
    if memory.pinned or threshold <= 0:
        return None
    days = MODELS[decay.model].days_above(memory, use, threshold, decay)
    if days == 0.0:
        return use.start
    if days is None or never_decays(memory):
        return None
    due = open_due_date(memory)
    return max(add_days(use.start, days), due) if due else add_days(use.start, days)


def add_days(moment: datetime, days: float) -> datetime:
    """Return a moment so many days on, as far as the calendar goes."""
    try:
        return moment + min(timedelta(days=days), FOREVER)
    except OverflowError:
        return moment.max.replace(tzinfo=moment.tzinfo)


# The use of a memory at any moment, from its file, the journals and the ledgers.

SAME_WEIGHT = 1e-6


class TypedValue(Record):
    """A value that a person typed into a note, and when that was seen."""

    value: object
    at: datetime


class UsageHistory(Record, kw_only=True):
    """Everything that journals and ledgers know of one memory's use."""

    baseline: int | None = None  # `access_count` before a program first changed it
    uses: tuple[tuple[datetime, datetime], ...] = ()  # each counted use: its first and its last moment, in order
    weight: TypedValue | None = None
    status: TypedValue | None = None
    pinned: TypedValue | None = None


NO_USAGE = UsageHistory()


class TierMove(Record):
    """A note that changed its tier: from where to where, when, and whether maintenance or a person moved it."""

    source: str
    target: str
    at: datetime
    by_keeper: bool


def current_use(memory: Memory, past: UsageHistory, now: datetime, *, decay: Decay = WEIGHTED) -> MemoryUse:
    """Return a memory's use up to now; what is dated in the future counts as now."""
    if past is NO_USAGE:  # as of most memories
        return MemoryUse(count=memory.access_count, last=min(memory.last_accessed, now))
    last = max((memory.last_accessed, *(last for _, last in past.uses[-1:])))
    return _build_use(memory, past, len(past.uses), min(last, now), past.weight, now, decay)


def use_at(memory: Memory, past: UsageHistory, moment: datetime, *, decay: Decay = WEIGHTED) -> MemoryUse:
    """Return a memory's use as it was at a past moment."""
    wish = past.weight if past.weight is not None and past.weight.at <= moment else None
    uses = sum(first <= moment for first, _ in past.uses)
    return _build_use(memory, past, uses, last_use_by(memory, past, moment), wish, moment, decay)


def last_use_by(memory: Memory, past: UsageHistory, moment: datetime) -> datetime:
    """Return the last use that is dated no later than a moment."""
    lasts = (last if last <= moment else first for first, last in past.uses if first <= moment)
    return max((min(memory.last_accessed, moment), *lasts))


def _build_use(
    memory: Memory,
    past: UsageHistory,
    uses: int,
    last: datetime,
    wish: TypedValue | None,
    moment: datetime,
    decay: Decay,
) -> MemoryUse:
    start = memory.access_count if past.baseline is None else past.baseline
    count = max(memory.access_count, start + uses)
    if wish is None:
        return MemoryUse(count, last)
    base = None
    # While the weight in the file is the one that a person typed, decay starts where it was that with the uses of then.
    if isinstance(wish.value, int | float) and abs(memory.weight - wish.value) < SAME_WEIGHT:
        then = sum(first <= wish.at for first, _ in past.uses)
        base = MODELS[decay.model].base_for(float(wish.value), start + then, decay)
    return MemoryUse(count, last, base, min(wish.at, moment))


def used_since(memory: Memory, past: UsageHistory, moment: datetime, now: datetime) -> bool:
    """Return whether a memory was used after a moment; dates in the future do not count."""
    return any(moment < last <= now for last in (memory.last_accessed, *(last for _, last in past.uses)))
