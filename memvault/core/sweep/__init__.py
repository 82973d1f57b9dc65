"""The rules of upkeep: what matters persists, what does not fades, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memvault.core.likeness import Compared
from memvault.core.memory import Memory
from memvault.core.plan import Change
from memvault.core.sweep import consolidation, expiry, fading, hot, promotion
from memvault.core.sweep.course import Course
from memvault.core.sweep.policy import Policy
from memvault.core.sweep.survey import Decided, Moving, Survey
from memvault.core.sweep.world import Made, World

__all__ = ["ASKING", "NAMES", "RULES", "Decided", "Made", "Moving", "Policy", "Survey", "Swept", "sweep"]


class Rule(NamedTuple):
    """One rule: its name, what it does, and how it is applied to the whole vault."""

    name: str
    does: str
    apply: Callable[[World], None]


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


# Order is policy: what is put away is not merged, what is merged may be promoted, and what fades is not raised.
RULES: tuple[Rule, ...] = (
    Rule("expire", "clear away what one task needed", _each(expiry.expire, "expire")),
    Rule("consolidate", "merge what says the same", consolidation.consolidate),
    Rule("promote", "make knowledge of what comes up again and again", promotion.promote),
    Rule("adopt", "take over weights that you typed", _each(fading.adopt, "adopt")),
    Rule("touches", "write uses into the notes", _each(fading.fold, "touches")),
    Rule("decay", "let weights fade", _each(fading.weigh, "decay")),
    Rule("stale", "flag what fell below the threshold", _each(fading.mark_stale, "stale")),
    Rule("revive", "take the flag from what was used again", _each(fading.revive, "revive")),
    Rule("archive", "put away what stayed stale", _each(fading.archive, "archive")),
    Rule("hot", "fill Tier 1 with what is used most", hot.refresh),
    Rule("prune", "let go of what was archived long ago", _each(expiry.prune, "prune")),
)
NAMES = tuple(rule.name for rule in RULES)
ASKING = frozenset({"prune"})  # what is only done when a person says so


def sweep(survey: Survey, rules: frozenset[str] = frozenset(NAMES) - ASKING) -> Swept:
    """Decide all that is to be done to a vault; nothing is done yet."""
    world = World(survey, rules)
    for rule in RULES:
        if rule.name in rules:
            rule.apply(world)
    memories = tuple(course.memory for course in world.courses.values())
    return Swept(tuple(world.changes()), memories, world.compared, world.next)
