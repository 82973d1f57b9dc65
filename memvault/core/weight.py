"""How much a memory matters at a given moment: two models, both pure functions of dates and counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from math import exp, log
from types import MappingProxyType

from memvault.core.memory import Memory, Place

DAY = 86_400.0
DAILY = 0.99
SIGNIFICANT_FLOOR = 0.8
BOOST_EACH, BOOST_MOST = 0.02, 0.3
CONSOLIDATED_AFTER = 3


@dataclass(frozen=True, slots=True)
class Use:
    """How often and when a memory was last used, files and journals taken together."""

    count: int
    last: datetime


def use_of(memory: Memory) -> Use:
    """What the file itself says of its use."""
    return Use(memory.access_count, memory.last_accessed)


def boost(count: int) -> float:
    """What frequent use adds to a weight."""
    return min(BOOST_EACH * count, BOOST_MOST)


def holds_still(memory: Memory, now: datetime) -> bool:
    """Whether decay passes this memory by: identity, exempt, or a reminder whose day has not come."""
    if memory.place is Place.IDENTITY or not memory.decay_eligible:
        return True
    due = memory.more.get("due")
    pending = memory.more.get("state", "pending") in ("pending", "active")
    return isinstance(due, datetime) and pending and due > now


def days_idle(use: Use, now: datetime) -> float:
    """Days since the last use; a date in the future counts as now."""
    return max(0.0, (now - use.last).total_seconds() / DAY)


def weighted(memory: Memory, use: Use, now: datetime) -> float:
    """Exponential decay from the base weight, plus a boost for frequent use."""
    decay = 1.0 if holds_still(memory, now) else DAILY ** days_idle(use, now)
    if memory.emotional_flag:
        decay = max(decay, SIGNIFICANT_FLOOR)
    return min(memory.base * decay + boost(use.count), 1.0)


def biomimetic(memory: Memory, use: Use, now: datetime) -> float:
    """Forgetting by half-lives that differ by kind, slowed by importance and by use."""
    from memvault.core.kinds import KINDS  # only this model asks for the kinds and all their fields

    kind = KINDS.get(memory.kind, KINDS["semantic"])
    half_life = kind.half_life_days * (2 if memory.emotional_flag else 1)
    fade = 1.0 if holds_still(memory, now) else exp(-log(2) * days_idle(use, now) / half_life)
    consolidated = 2 if use.count >= CONSOLIDATED_AFTER else 1
    return min(1.0, fade * (1 + 2 * memory.base) * consolidated * (1 + 0.1 * log(1 + use.count)))


Model = Callable[[Memory, Use, datetime], float]
MODELS: MappingProxyType[str, Model] = MappingProxyType({"weighted": weighted, "biomimetic": biomimetic})


def effective(memory: Memory, use: Use, now: datetime, *, model: str = "weighted") -> float:
    """The exact weight of a memory at this moment; a pinned one always has 1."""
    return 1.0 if memory.pinned else MODELS[model](memory, use, now)
