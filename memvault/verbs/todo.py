"""What is still to be done: list it, and say that it is done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memvault.core.kinds.prospective import CANCELLED, DONE, OPEN, PROSPECTIVE
from memvault.core.memory import FieldValue, Memory
from memvault.core.plan import About, Plan, SetFields
from memvault.core.query import Filters
from memvault.errors import BadInput, NothingToDo
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench
from memvault.verbs.change import Changed

_USUAL_PRIORITY = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One thing to be done: when, how urgent, on what condition."""

    memory: Memory
    due: datetime | None
    is_due: bool
    priority: float
    condition: str
    state: str


@dataclass(frozen=True, slots=True)
class Todo:
    """What is to be done, in the order in which to do it, and how many reminders are over or put away."""

    reminders: tuple[Reminder, ...]
    due: int
    over: int


def todo(bench: Bench, *, everything: bool = False) -> Todo:
    """The open reminders, those that are due first, then by priority; on wish those that are over as well."""
    bench.freshen()
    found = bench.catalogue.memories(Filters(kinds=frozenset((PROSPECTIVE.name,))))
    reminders = sorted((_reminder(memory, bench.now) for memory in found), key=_order)
    live = [reminder for reminder in reminders if _is_open(reminder)]
    over = [reminder for reminder in reminders if not _is_open(reminder)]
    shown = (*live, *over) if everything else tuple(live)
    return Todo(shown, sum(reminder.is_due for reminder in live), len(over))


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


def _is_open(reminder: Reminder) -> bool:
    more = reminder.memory.more
    is_live = reminder.memory.status != "archived" or reminder.is_due
    return reminder.state in OPEN and is_live and not more.get("superseded_by") and not more.get("merged_into")


def _order(reminder: Reminder) -> tuple[bool, float, float, float, str]:
    """Due ones by their day; the others by urgency, then by their day, then the older first."""
    due = reminder.due.timestamp() if reminder.due else float("inf")
    created = reminder.memory.created.timestamp()
    if reminder.is_due:
        return (False, due, -reminder.priority, created, reminder.memory.path)
    return (True, -reminder.priority, due, created, reminder.memory.path)


def done(bench: Bench, ref: str, *, cancel: bool = False, dry_run: bool = False) -> Changed:
    """Say that something was done, or will not be done."""
    memory = bench.find(ref)
    kind = bench.settings.kinds.get(memory.kind)
    if kind is None or not kind.has("state"):
        raise BadInput(what="the memory", value=memory.title, reason=f"it is {memory.kind}, nothing that can be done")
    state, before = CANCELLED if cancel else DONE, str(memory.more.get("state", "pending"))
    if before == state:
        raise NothingToDo(reason=f"“{memory.title}” is {state} already.")
    did = state if before in OPEN else f"{state}, and no longer {before}"
    now = bench.now.replace(microsecond=0)
    fields: dict[str, FieldValue | None] = {"state": state, "completed_at": None if cancel else now}
    if cancel and "completed_at" not in memory.more:
        del fields["completed_at"]
    if dry_run:
        return Changed(memory, did)
    change = SetFields(memory.path, fields, state, about=About(id=memory.id))
    operation = apply_one(Plan("done", (change,)), bench)
    return Changed(bench.read(memory)[0], did, operation.op)
