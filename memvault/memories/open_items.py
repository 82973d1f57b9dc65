"""List what is still to be done: reminders and open tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal, get_args

from memvault.core.ids import short_id
from memvault.core.kinds.prospective import OPEN, PROSPECTIVE
from memvault.core.kinds.working import WORKING
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.query import Filters
from memvault.errors import BadInput
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.calendar import DAY
from memvault.text.dates.dates import WholeDay, is_past
from memvault.text.dates.task_lines import Recurrence, parse_recurrence, read_task

# Sessions and prompts begin with this, so nothing is imported here that changes memories.

USUAL_PRIORITY = 3.0
_KNOWN_KEY = "reminders"
_TASK_LINE_PLACES = frozenset((Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.FOREIGN))
_SOON, _SOON_URGENT = timedelta(days=2), timedelta(days=7)
_URGENT = 4.0
_LONG = 7  # days
_CONDITIONAL = ("when", "once", "if ", "as soon", "next time", "the ", "after", "before", "in case", "should ", "any")

Urgency = Literal["today", "overdue", "soon", "later", "undated"]
_RANKS: dict[Urgency, int] = {name: rank for rank, name in enumerate(get_args(Urgency))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One thing to be done: when, how urgent, on what condition, and how often it comes again."""

    memory: Memory
    due: datetime | None  # of one that comes again, its day now or the next one
    is_due: bool
    priority: float
    condition: str
    state: str
    repeat: str = ""
    days_over: int = 0
    urgency: Urgency = "undated"
    line: str = ""  # of a note that holds several: the line itself, as it stands there
    place: int = 0  # which line it is, counted from 1

    @property
    def is_long_over(self) -> bool:
        """Return whether its day has been over for more than a week."""
        return self.days_over > _LONG

    @property
    def title(self) -> str:
        """Return what is to be done."""
        task = read_task(self.line) if self.line else None
        return task.text if task else self.memory.title

    @property
    def piece_id(self) -> str:
        """Return what names it among all that is given: a memory, or a line of a note."""
        return f"{self.memory.id}:{self.place}" if self.line else self.memory.id

    @property
    def key(self) -> str:
        """Return what names it to a person."""
        return f"{short_id(self.memory.id)}:{self.place}" if self.line else short_id(self.memory.id)


def list_reminders(context: VaultContext) -> list[Reminder]:
    """Return all reminders as they stand now: today's, those that are over, the next, the undated; then the rest."""
    context.refresh()
    held = context.index.derived.current()
    known: tuple[tuple[Memory, int, str], ...] | None = held.get(_KNOWN_KEY)
    if known is None:
        found = context.index.memories(Filters(kinds=frozenset((PROSPECTIVE.name,))))
        known = held[_KNOWN_KEY] = (
            *((memory, 0, "") for memory in found if is_reminder(memory)),
            *(row for row in context.index.task_lines() if row[0].place in _TASK_LINE_PLACES),
        )
    return sorted((_read_reminder(*row, context.now, context.zone) for row in known), key=_sort_key)


def open_reminders(context: VaultContext) -> list[Reminder]:
    """Return the reminders that are neither over nor put away, as `list_reminders` has them in order."""
    return [reminder for reminder in list_reminders(context) if is_open_reminder(reminder)]


def is_reminder(memory: Memory) -> bool:
    """Return whether a memory is a reminder: an ordinary note of an adopted vault is none, whatever it reads like."""
    return memory.kind == PROSPECTIVE.name and (memory.place is not Place.FOREIGN or "kind" in memory.stated)


def is_open_reminder(reminder: Reminder) -> bool:
    """Return whether it is neither over nor put away."""
    more = reminder.memory.more
    if reminder.line:
        return reminder.memory.status != "archived"
    is_live = reminder.memory.status != "archived" or reminder.is_due
    return reminder.state in OPEN and is_live and not more.get("superseded_by") and not more.get("merged_into")


def _read_reminder(memory: Memory, place: int, line: str, now: datetime, zone: tzinfo) -> Reminder:
    more = _line_fields(line, zone) if line else memory.more
    due, priority, state = more.get("due"), more.get("priority"), str(more.get("state", "pending"))
    urgency = float(priority) if isinstance(priority, int | float) else USUAL_PRIORITY
    repeat = str(more.get("repeat", ""))
    rule = None if line else parse_recurrence(repeat)  # the next time of a line is a line of its own, once it is done
    when = current_time(due, rule, now, zone) if isinstance(due, datetime) else None
    found = _urgency_of(when, urgency, now, zone, repeats=rule is not None) if state in OPEN else "undated"
    return Reminder(
        memory=memory,
        due=when,
        is_due=found in ("today", "overdue") and when is not None and (when <= now or _is_whole_day(when, zone)),
        priority=urgency,
        condition=str(more.get("condition", "")),
        state=state,
        repeat=repeat,
        days_over=max(0, (_day_of(now, zone) - _day_of(when, zone)).days) if when and state in OPEN else 0,
        urgency=found,
        line=line,
        place=place,
    )


def _line_fields(line: str, zone: tzinfo) -> Mapping[str, FieldValue]:
    """Return what a line of the Tasks plug-in says, as the fields of a memory say it."""
    task = read_task(line)
    assert task is not None, "only such lines are indexed"
    day = task.due
    told: dict[str, FieldValue | None] = {
        "due": datetime(day.year, day.month, day.day, tzinfo=zone) if day else None,
        "priority": task.priority,
        "repeat": task.signs.get("repeat", ""),
    }
    return {name: value for name, value in told.items() if value}


def current_time(due: datetime, rule: Recurrence | None, now: datetime, zone: tzinfo) -> datetime:
    """Return when something is due that may come again: today, a few days ago where it was not done, else next time."""
    if rule is None or due > now:
        return due
    here = due.astimezone(zone)
    first, today = here.date(), _day_of(now, zone)
    day = rule.next_day(first, since=today)
    if day > today:
        day = rule.missed_day(first, today=today) or day
    return due if day == first else datetime.combine(day, here.timetz())


def next_time(memory: Memory, now: datetime, zone: tzinfo) -> datetime | None:
    """Return when a reminder that comes again is due after it was seen to now; None where it does not."""
    due, rule = memory.more.get("due"), parse_recurrence(str(memory.more.get("repeat", "")))
    if rule is None or not isinstance(due, datetime) or str(memory.more.get("state", "pending")) not in OPEN:
        return None
    today, here = _day_of(now, zone), due.astimezone(zone)
    first = today if rule.when_done else here.date()
    day = rule.next_day(first, since=max(today, first) + DAY)
    following = datetime.combine(day, here.timetz())
    return WholeDay(day.year, day.month, day.day, tzinfo=here.tzinfo) if _is_whole_day(due, zone) else following


def _day_of(moment: datetime, zone: tzinfo) -> date:
    try:
        return moment.astimezone(zone).date()
    except OverflowError:  # the first or last day that there is
        return moment.date()


def _is_whole_day(moment: datetime, zone: tzinfo) -> bool:
    here = moment.astimezone(zone)
    return (here.hour, here.minute) == (0, 0)


def _urgency_of(when: datetime | None, priority: float, now: datetime, zone: tzinfo, *, repeats: bool) -> Urgency:
    if when is None:
        return "undated"
    today, day = _day_of(now, zone), _day_of(when, zone)
    if day == today:
        return "today"
    if day < today:
        return "overdue"
    # What comes again comes on its day; a day that is named once is told before it is there.
    ahead = timedelta() if repeats else _SOON_URGENT if priority >= _URGENT else _SOON
    return "soon" if day - today <= ahead else "later"


def _sort_key(reminder: Reminder) -> tuple[bool, int, float, float, float, str]:
    """Sort by urgency; within a day by priority and hour, what is to come by its day."""
    due = reminder.due.timestamp() if reminder.due else float("inf")
    created, is_over = reminder.memory.created.timestamp(), reminder.state not in OPEN
    if reminder.urgency in ("today", "undated"):
        return (is_over, _RANKS[reminder.urgency], -reminder.priority, due, created, reminder.memory.path)
    day = reminder.days_over if reminder.urgency == "overdue" else due // 86_400
    return (is_over, _RANKS[reminder.urgency], day, -reminder.priority, due, reminder.memory.path)


def describe_time(reminder: Reminder, zone: tzinfo) -> str:
    """Return when it is due as a line has it: due 2026-11-20, 3 days over, every week on Thursday."""
    parts = []
    if reminder.due is not None:
        here = reminder.due.astimezone(zone)
        parts.append(f"due {here:%Y-%m-%d}{'' if _is_whole_day(here, zone) else f' {here:%H:%M}'}")
    if reminder.days_over:
        parts.append(f"{reminder.days_over} {'day' if reminder.days_over == 1 else 'days'} over")
    elif reminder.urgency == "today":
        parts.append("today")
    if reminder.repeat:
        parts.append(reminder.repeat)
    if reminder.condition:
        has_word = reminder.condition.lower().startswith(_CONDITIONAL)
        parts.append(reminder.condition if has_word else f"when: {reminder.condition}")
    if reminder.priority != USUAL_PRIORITY:
        parts.append(f"priority {reminder.priority:g}")
    return ", ".join(parts)


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
    found: dict[str, FieldValue] = {} if due is None else parse_due(due, now=now, zone=zone)
    if priority is not None:
        if not LOWEST <= priority <= HIGHEST:
            raise BadInput(what="the priority", value=priority, reason=f"it must lie between {LOWEST} and {HIGHEST}")
        found["priority"] = priority
    if condition.strip():
        found["condition"] = condition.strip()
    return found


def parse_due(text: str, *, now: datetime, zone: tzinfo) -> dict[str, FieldValue]:
    """Return the moment that somebody means by a date or a few words, and the rule by which it comes again."""
    from memvault.text.dates.due import read_when  # deferred: few texts are reminders
    from memvault.text.dates.reminders import find_recurrence, read_reminder

    if find_recurrence(text) is not None and (reading := read_reminder(text, now=now, zone=zone)).due is not None:
        return {"due": reading.due, "repeat": str(reading.repeat)}
    found = read_when(text, now=now, zone=zone)
    if found is None:
        reason = "it is no date that is certain: 2026-01-31, `tomorrow at 9`, `every Thursday`, `by the end of June`"
        raise BadInput(what="the day", value=text, reason=reason)
    return {"due": found}


def due_remarks(given: Mapping[str, object], *, now: datetime, zone: tzinfo) -> tuple[str, ...]:
    """Return the day that was understood, as it is told back; that it is over, where it is."""
    due = given.get("due")
    if not isinstance(due, datetime):
        return ()
    from memvault.text.dates.reminders import describe_due  # deferred, as above

    repeat = parse_recurrence(str(given.get("repeat", "")))
    over = () if repeat or not is_past(due, now, zone) else ("That day has passed, so it is due at once.",)
    return (f"Due {describe_due(due, repeat, zone=zone)}.", *over)
