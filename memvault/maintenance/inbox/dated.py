"""Cards that a day brings: reminders and lines of the Tasks plug-in that are due, and memories that fade soon."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from memvault.core.plan import Plan, SetFields
from memvault.core.value import replace
from memvault.maintenance.inbox.card import (
    EDIT,
    FORGET,
    PIN,
    Card,
    CardKind,
    InboxQuery,
    build_card,
    dismiss_card,
    format_date,
    name_memory,
)
from memvault.memories.open_items import Reminder, is_open_reminder, list_reminders
from memvault.memories.tasks import mark_done
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import VaultContext
from memvault.text.display import format_count

MOST_TASKS = 10  # cards: an old folder of notes has many whose day is long over
MOST_FADING = 10  # cards: the memories used most, of those that fade soonest


# -- reminders


def _find_due(context: VaultContext, _query: InboxQuery) -> Iterable[Card]:
    for reminder in list_reminders(context):
        if reminder.is_due and is_open_reminder(reminder) and not reminder.line:
            yield build_card(
                context,
                DUE,
                (reminder.memory,),
                question=f"Is this done: {name_memory(reminder.memory)}?",
                why=describe_due(context, reminder),
            )


def describe_due(context: VaultContext, reminder: Reminder) -> str:
    """Return when a reminder was due, and how long ago that is."""
    if reminder.due is None:
        return "It has no day."
    today = context.now.astimezone(context.zone).date()
    days = (today - reminder.due.astimezone(context.zone).date()).days
    late = f", {format_count(days, 'day', 'days')} over" if days > 0 else ""
    return f"It was due on {format_date(context, reminder.due)}{late}."


def _mark_done(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool, cancel: bool = False) -> str:
    return mark_done(context, ids[0], cancel=cancel, dry_run=dry_run).op


DUE = CardKind(
    name="due",
    one="reminder that is due",
    many="reminders that are due",
    find=_find_due,
    acts={
        "accept": ("done", _mark_done),
        "refuse": ("will not be done", partial(_mark_done, cancel=True)),
        "edit": EDIT,
        "forget": FORGET,
    },
    snooze_days=1,
    due_field="due",
)


# -- lines of the Tasks plug-in


def _find_tasks(context: VaultContext, _query: InboxQuery) -> Iterable[Card]:
    due = [each for each in list_reminders(context) if each.line and each.is_due and is_open_reminder(each)]
    for reminder in sorted(due, key=lambda each: each.days_over)[:MOST_TASKS]:
        ids = (reminder.memory.id, str(reminder.place))
        question = f"Is this done: “{reminder.title}”?"
        why = f"{describe_due(context, reminder)} It is a line of {name_memory(reminder.memory)}."
        card = build_card(context, TASK, (reminder.memory,), question=question, why=why, ids=ids)
        yield replace(card, version=card.memories[0].version)  # the line is known by its number


def _tick_line(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool, cancel: bool = False) -> str:
    return mark_done(context, ":".join(ids), cancel=cancel, dry_run=dry_run).op


TASK = CardKind(
    name="task",
    one="task in your notes that is due",
    many="tasks in your notes that are due",
    find=_find_tasks,
    acts={
        "accept": ("done", _tick_line),
        "refuse": ("will not be done", partial(_tick_line, cancel=True)),
        "edit": EDIT,
    },
    snooze_days=1,
)


# -- what fades


def _find_fading(context: VaultContext, query: InboxQuery) -> Iterable[Card]:
    for row in sorted(query.fading, key=lambda row: (-row.use.count, row.falls, row.memory.path))[:MOST_FADING]:
        times = f"used {format_count(row.use.count, 'time', 'times')}" if row.use.count else "never used"
        yield build_card(
            context,
            FADING,
            (row.memory,),
            question=f"Does {name_memory(row.memory)} still matter?",
            why=f"It fades on {format_date(context, row.falls or context.now)}: {times}, last seen on"
            f" {format_date(context, row.use.last)}.",
        )


def _renew_memory(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    memory = context.find_memory(ids[0])
    change = SetFields(memory.path, {"last_accessed": context.now.replace(microsecond=0)}, "it still matters")
    return "" if dry_run else apply_one(Plan("review", (change,)), context).op


FADING = CardKind(
    name="fading",
    one="memory that fades soon",
    many="memories that fade soon",
    find=_find_fading,
    acts={
        "accept": ("it still matters", _renew_memory),
        "refuse": ("let it fade", dismiss_card("fading")),
        "pin": PIN,
        "edit": EDIT,
        "forget": FORGET,
    },
)
