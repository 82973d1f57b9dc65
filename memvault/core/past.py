"""What journals and ledgers know of a memory's use, and what follows for any moment."""

from __future__ import annotations

from datetime import datetime

from memvault.core.memory import Memory
from memvault.core.value import Frozen
from memvault.core.weight import MODELS, Use

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
