"""What is still to be done, as it stands: what a session begins with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile

from memvault.core.kinds.prospective import OPEN, PROSPECTIVE
from memvault.core.memory import Memory
from memvault.core.query import Filters
from memvault.core.value import replace
from memvault.storage.vault.context import Bench

# Every session begins with this, so nothing is imported here that changes memories.

_USUAL_PRIORITY = 3.0
_AT_LAST = datetime.max.replace(tzinfo=UTC)  # when all that has a day is due
_ALL, _DATED = "reminders", "dated reminders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One thing to be done: when, how urgent, on what condition."""

    memory: Memory
    due: datetime | None
    is_due: bool
    priority: float
    condition: str
    state: str


def reminders(bench: Bench) -> list[Reminder]:
    """All reminders, those that are due first, then by priority; those that are over among them."""
    bench.freshen()
    held = bench.catalogue.worked_out.now()
    known: tuple[Memory, ...] | None = held.get(_ALL)
    if known is None:
        known = held[_ALL] = tuple(bench.catalogue.memories(Filters(kinds=frozenset((PROSPECTIVE.name,)))))
    return sorted((_reminder(memory, bench.now) for memory in known), key=_order)


def due(bench: Bench) -> list[Memory]:
    """The open reminders whose day has come, as `reminders` has them in order; the others cost nothing."""
    bench.freshen()
    held = bench.catalogue.worked_out.now()
    known: tuple[Reminder, ...] | None = held.get(_DATED)
    if known is None:
        dated = (each for each in reminders(replace(bench, now=_AT_LAST)) if each.is_due and is_open(each))
        known = held[_DATED] = tuple(dated)
    return [each.memory for each in takewhile(lambda each: each.due is not None and each.due <= bench.now, known)]


def is_open(reminder: Reminder) -> bool:
    """Whether it is neither over nor put away."""
    more = reminder.memory.more
    is_live = reminder.memory.status != "archived" or reminder.is_due
    return reminder.state in OPEN and is_live and not more.get("superseded_by") and not more.get("merged_into")


def _reminder(memory: Memory, now: datetime) -> Reminder:
    due, priority = memory.more.get("due"), memory.more.get("priority")
    state = str(memory.more.get("state", "pending"))
    when = due if isinstance(due, datetime) else None
    return Reminder(
        memory=memory,
        due=when,
        is_due=state in OPEN and when is not None and when <= now,
        priority=float(priority) if isinstance(priority, int | float) else _USUAL_PRIORITY,
        condition=str(memory.more.get("condition", "")),
        state=state,
    )


def _order(reminder: Reminder) -> tuple[bool, float, float, float, str]:
    """Due ones by their day; the others by urgency, then by their day, then the older first."""
    due = reminder.due.timestamp() if reminder.due else float("inf")
    created = reminder.memory.created.timestamp()
    if reminder.is_due:
        return (False, due, -reminder.priority, created, reminder.memory.path)
    return (True, -reminder.priority, due, created, reminder.memory.path)
