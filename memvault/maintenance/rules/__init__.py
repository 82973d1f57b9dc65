"""The rules of upkeep: what matters persists, what does not fades, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from memvault.core.memory import Memory
from memvault.core.plan import NAMES, USUAL, Change
from memvault.core.similarity.compare import Compared
from memvault.maintenance.rules import decay, promote
from memvault.maintenance.rules import (
    hot_tier as hot,
)
from memvault.maintenance.rules import (
    merge as consolidation,
)
from memvault.maintenance.rules.case import Course, Made, World
from memvault.maintenance.rules.policy import Decided, Policy, Survey

__all__ = ["RULES", "Decided", "Made", "Policy", "Survey", "Swept", "sweep"]


@dataclass(frozen=True, slots=True)
class Swept:
    """What the rules decided, how the memories stand then, what is alike, and when the next thing is due."""

    changes: tuple[Change | Made, ...]
    memories: tuple[Memory, ...]
    compared: Compared | None
    next: datetime | None


def _each(rule: Callable[[Course, World], None], name: str) -> Callable[[World], None]:
    """A rule that looks at one memory at a time; what a person took back is left alone."""

    def apply(world: World) -> None:
        for course in list(world.courses.values()):
            if not course.is_vetoed(name):
                rule(course, world)

    return apply


_RULES: Mapping[str, Callable[[World], None]] = MappingProxyType(
    {
        "expire": _each(decay.expire, "expire"),
        "consolidate": consolidation.consolidate,
        "promote": promote.promote,
        "adopt": _each(decay.adopt, "adopt"),
        "touches": _each(decay.fold, "touches"),
        "practice": _each(promote.practise, "practice"),
        "decay": _each(decay.weigh, "decay"),
        "stale": _each(decay.mark_stale, "stale"),
        "revive": _each(decay.revive, "revive"),
        "archive": _each(decay.archive, "archive"),
        "hot": hot.refresh,
        "prune": _each(decay.prune, "prune"),
    }
)
RULES: tuple[tuple[str, Callable[[World], None]], ...] = tuple((name, _RULES[name]) for name in NAMES)


def sweep(survey: Survey, rules: frozenset[str] = USUAL) -> Swept:
    """Decide all that is to be done to a vault; nothing is done yet."""
    world = World(survey, rules)
    for name, rule in RULES:
        if name in rules:
            rule(world)
    memories = tuple(course.memory for course in world.courses.values())
    return Swept(tuple(world.changes()), memories, world.compared, world.next)
