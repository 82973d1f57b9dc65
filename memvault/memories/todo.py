"""What is still to be done: list it, and say that it is done."""

from __future__ import annotations

from dataclasses import dataclass

from memvault.core.kinds.prospective import CANCELLED, DONE, OPEN
from memvault.core.memory import FieldValue
from memvault.core.plan import About, Plan, SetFields
from memvault.errors import BadInput, NothingToDo
from memvault.memories.edit import Changed
from memvault.memories.reminders import Reminder, is_open, reminders
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import Bench


@dataclass(frozen=True, slots=True)
class Todo:
    """What is to be done, in the order in which to do it, and how many reminders are over or put away."""

    reminders: tuple[Reminder, ...]
    due: int
    over: int


def todo(bench: Bench, *, everything: bool = False) -> Todo:
    """The open reminders, those that are due first, then by priority; on wish those that are over as well."""
    found = reminders(bench)
    live = [reminder for reminder in found if is_open(reminder)]
    over = [reminder for reminder in found if not is_open(reminder)]
    shown = (*live, *over) if everything else tuple(live)
    return Todo(shown, sum(reminder.is_due for reminder in live), len(over))


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
