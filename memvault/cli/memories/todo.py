"""`memvault todo`: what is still to be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Option
from memvault.cli.output import doing
from memvault.cli.output.terminal import Paper
from memvault.text.figures import plural

if TYPE_CHECKING:
    from memvault.memories.reminders import Reminder
    from memvault.memories.todo import Todo


TODO_EXAMPLES = ("memvault todo", "memvault todo --all")

All = Annotated[bool, Option("--all", "-a", help="Those that are over or put away, too.")]


def todo(desk: Desk, *, all_: All = False) -> Answer:
    """List what is still to be done: first what is due, by its day; then by priority, then by day."""
    with desk.open() as vault:
        found = vault.todo(everything=all_)
    return Answer(
        result=found,
        text=lambda paper: "\n".join(_line(reminder, paper) for reminder in found.reminders),
        talk=(_summary(found),),
    )


def _line(reminder: Reminder, paper: Paper) -> str:
    return doing.reminder(
        reminder.memory,
        paper,
        due=reminder.due,
        is_due=reminder.is_due,
        priority=reminder.priority,
        condition=reminder.condition,
        state=reminder.state,
    )


def _summary(found: Todo) -> str:
    if not found.reminders:
        return "Nothing is to be done."
    return f"{plural(found.due, 'is', 'are')} due." if found.due else "Nothing is due yet."
