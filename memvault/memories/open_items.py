"""List what is still to be done: reminders and open tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import takewhile

from memvault.core.kinds.prospective import OPEN, PROSPECTIVE
from memvault.core.kinds.working import WORKING
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.query import Filters
from memvault.core.value import replace
from memvault.errors import BadInput
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.dates import is_past

# Sessions and prompts begin with this, so nothing is imported here that changes memories.

_USUAL_PRIORITY = 3.0
_FAR_FUTURE = datetime.max.replace(tzinfo=UTC)  # when all that has a day is due
_ALL_KEY, _DATED_KEY = "reminders", "dated reminders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One thing to be done: when, how urgent, on what condition."""

    memory: Memory
    due: datetime | None
    is_due: bool
    priority: float
    condition: str
    state: str


def list_reminders(context: VaultContext) -> list[Reminder]:
    """Return all reminders, those that are due first, then by priority; those that are over among them."""
    context.refresh()
    held = context.index.derived.current()
    known: tuple[Memory, ...] | None = held.get(_ALL_KEY)
    if known is None:
        known = held[_ALL_KEY] = tuple(context.index.memories(Filters(kinds=frozenset((PROSPECTIVE.name,)))))
    return sorted((_read_reminder(memory, context.now) for memory in known), key=_sort_key)


def due_reminders(context: VaultContext) -> list[Memory]:
    """Return the open reminders whose day has come, as `reminders` has them in order; the others cost nothing."""
    context.refresh()
    held = context.index.derived.current()
    known: tuple[Reminder, ...] | None = held.get(_DATED_KEY)
    if known is None:
        dated = (
            each for each in list_reminders(replace(context, now=_FAR_FUTURE)) if each.is_due and is_open_reminder(each)
        )
        known = held[_DATED_KEY] = tuple(dated)
    return [each.memory for each in takewhile(lambda each: each.due is not None and each.due <= context.now, known)]


def is_open_reminder(reminder: Reminder) -> bool:
    """Return whether it is neither over nor put away."""
    more = reminder.memory.more
    is_live = reminder.memory.status != "archived" or reminder.is_due
    return reminder.state in OPEN and is_live and not more.get("superseded_by") and not more.get("merged_into")


def _read_reminder(memory: Memory, now: datetime) -> Reminder:
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


def _sort_key(reminder: Reminder) -> tuple[bool, float, float, float, str]:
    """Sort due reminders by day, others by priority, then day, then age."""
    due = reminder.due.timestamp() if reminder.due else float("inf")
    created = reminder.memory.created.timestamp()
    if reminder.is_due:
        return (False, due, -reminder.priority, created, reminder.memory.path)
    return (True, -reminder.priority, due, created, reminder.memory.path)


# -- tasks

_TASK_PLACES = frozenset((Place.HOT, Place.MEMORIES))
_TASKS_KEY = "open tasks"


def list_open_tasks(context: VaultContext) -> list[Memory]:
    """Return the memories of tasks that are not over, the latest begun first."""
    context.refresh()
    held = context.index.derived.current()
    known: tuple[Memory, ...] | None = held.get(_TASKS_KEY)
    if known is None:
        found = context.index.memories(Filters(kinds=frozenset((WORKING.name,)), places=_TASK_PLACES))
        live = (memory for memory in found if is_open_task(memory))
        known = held[_TASKS_KEY] = tuple(sorted(live, key=lambda memory: (memory.created, memory.path), reverse=True))
    return list(known)


def is_open_task(memory: Memory) -> bool:
    """Return whether a memory is of a task that is not over."""
    # What was only guessed to be working memory is somebody's note, and no task that was begun.
    return memory.status != "archived" and not memory.more.get("cleared_at") and "kind" in memory.stated


# When, how urgently and on what condition something is to be done, as it is given on a command line.

LOWEST, HIGHEST = 1, 5


def parse_due_fields(
    due: str | None, priority: int | None, condition: str, *, now: datetime, zone: tzinfo
) -> dict[str, FieldValue]:
    """Return the fields that the options stand for; none where none was given."""
    found: dict[str, FieldValue] = {}
    if due is not None:
        found["due"] = parse_due(due, now=now, zone=zone)
    if priority is not None:
        if not LOWEST <= priority <= HIGHEST:
            raise BadInput(what="the priority", value=priority, reason=f"it must lie between {LOWEST} and {HIGHEST}")
        found["priority"] = priority
    if condition.strip():
        found["condition"] = condition.strip()
    return found


def parse_due(text: str, *, now: datetime, zone: tzinfo) -> datetime:
    """Return the moment that somebody means by a date or a few words."""
    from memvault.text.dates.due import read_when  # deferred: few texts are reminders

    found = read_when(text, now=now, zone=zone)
    if found is None:
        reason = "it is no date that is certain: 2026-01-31, `tomorrow at 9`, `in two weeks`, `by the end of June`"
        raise BadInput(what="the day", value=text, reason=reason)
    return found


def past_due_warning(given: Mapping[str, object], *, now: datetime, zone: tzinfo) -> tuple[str, ...]:
    """Return what is said of a day that is over already."""
    due = given.get("due")
    is_over = isinstance(due, datetime) and is_past(due, now, zone)
    return ("That day has passed, so it is due at once.",) if is_over else ()
