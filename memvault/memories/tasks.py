"""Working memory: what one task needs in mind, from its start until it is over."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from memvault.core.kinds.kind import Kind
from memvault.core.kinds.procedural import PROCEDURAL
from memvault.core.kinds.prospective import CANCELLED, DONE, OPEN
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.kinds.working import WORKING
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Create, Move, Plan, SetFields, wrote
from memvault.errors import BadInput, NothingToDo
from memvault.memories.draft import Draft
from memvault.memories.edit import Changed, remember_in
from memvault.memories.open_tasks import is_open, open_tasks
from memvault.memories.remember import remember
from memvault.memories.reminders import Reminder, reminders
from memvault.memories.reminders import is_open as reminders_is_open
from memvault.memories.screen import NOTHING_LEFT_OUT, LeftOut, fit_text
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.text.file_names import file_name

STEPS_WORTH_KEEPING = 5  # a task of more noted steps leaves a way of doing it
TIMES_WORTH_KEEPING = 3  # and what so many conversations, or days, called for leaves what it says


@dataclass(frozen=True, slots=True)
class InHand:
    """A task in hand: its memory, what was noted on it, and when it was last used."""

    memory: Memory
    notes: tuple[str, ...] = ()
    last_used: datetime | None = None
    op: str = ""
    left_out: LeftOut = NOTHING_LEFT_OUT


@dataclass(frozen=True, slots=True)
class Finished:
    """A task that is over: where its memory went, what became of it that lasts, and why."""

    memory: Memory
    kept: Memory | None = None
    why: str = ""
    op: str = ""


def start(bench: Bench, task: str, *, secrets: str = "", dry_run: bool = False) -> InHand:
    """Take a task in hand: one memory that is always before the model until the task is over."""
    said = " ".join(fit_text("the task", task).split())
    if not said:
        raise BadInput(what="the task", value=task, reason="there is nothing in it")
    same = [
        memory for memory in _own(bench) if str(memory.more.get("task", memory.title)).casefold() == said.casefold()
    ]
    if same:
        raise NothingToDo(reason=f"“{same[0].title}” is in hand already.")
    draft = Draft(
        text=said, kind=WORKING.name, more={"task": said, "scope": WORKING.scope}, secrets=secrets, near="ignore"
    )
    made = remember(bench, draft, dry_run=dry_run)
    return InHand(made.memory, (), made.memory.last_accessed, made.op, made.left_out)


def note(bench: Bench, text: str, *, task: str = "", secrets: str = "", dry_run: bool = False) -> InHand:
    """Note a step or a finding on the task in hand."""
    said = fit_text("the note", text).strip()
    if not said:
        raise BadInput(what="the note", value=text, reason="there is nothing in it")
    memory = _current(bench, task)
    item = "- " + said.replace("\n", "\n  ")
    made = remember_in(bench, memory.path, Draft(text=item, secrets=secrets), dry_run=dry_run)
    bench.freshen()  # the note counts as a use of this moment, not of the next time somebody looks
    return InHand(made.memory, notes_of(made.memory.body or ""), bench.now, made.op, made.left_out)


def done(bench: Bench, *, task: str = "", keep: bool = False, dry_run: bool = False) -> Finished:
    """End a task: its memory goes to the archive and is not recalled again; what proved significant is kept."""
    memory = bench.read(_current(bench, task))[0]
    kind, why = _worth(bench, memory, keep=keep)
    kept = _lasting(bench, memory, kind, notes_of(memory.body or "")) if kind else None
    created = (Create(kept.path, codec.new_note(kept), why),) if kept else ()
    away = _cleared(bench, memory, f"“{memory.title}” is done")
    if dry_run:
        return Finished(memory, kept, why)
    operation = apply_one(Plan("work done", (*created, away)), bench)
    return Finished(_archived(bench, memory, away), kept, why, operation.op)


def clear(bench: Bench, *, task: str = "", dry_run: bool = False) -> tuple[Finished, ...]:
    """Put tasks away without keeping anything of them: the one that is named, else all in hand here."""
    found = [_current(bench, task)] if task else _own(bench)
    if not found:
        raise NothingToDo(reason="No task is in hand.")
    memories = [bench.read(memory)[0] for memory in found]
    moves = [_cleared(bench, memory, f"“{memory.title}” was let go") for memory in memories]
    if dry_run:
        return tuple(map(Finished, memories))
    operation = apply_one(Plan("work clear", tuple(moves)), bench)
    pairs = zip(memories, moves, strict=True)
    return tuple(Finished(_archived(bench, memory, move), op=operation.op) for memory, move in pairs)


def in_hand(bench: Bench) -> tuple[InHand, ...]:
    """The tasks in hand, the latest begun first, those of other sessions too."""
    found = open_tasks(bench)
    uses = bench.uses(found)
    return tuple(InHand(memory, notes_of(bench.text(memory)), uses[memory.id].last) for memory in found)


def notes_of(body: str) -> tuple[str, ...]:
    """What was noted on a task, one by one."""
    return tuple(line[2:].strip() for line in body.splitlines() if line.startswith("- ") and line[2:].strip())


def _own(bench: Bench) -> list[Memory]:
    """The tasks of this session; of a person, who has none, those begun outside of any."""
    return [memory for memory in open_tasks(bench) if str(memory.more.get("session", "")) == bench.actor.session]


def _current(bench: Bench, task: str) -> Memory:
    if task:
        memory = bench.find(task)
        if memory.kind != WORKING.name or not is_open(memory):
            raise BadInput(what="the task", value=task, reason=f"“{memory.title}” is not in hand")
        return memory
    found = _own(bench)
    if not found:
        raise NothingToDo(reason="No task is in hand. Begin one with `memvault work start TASK`.")
    return found[0]


# -- when it is over


def _worth(bench: Bench, memory: Memory, *, keep: bool) -> tuple[Kind | None, str]:
    """What a task leaves behind, and why; most leave nothing."""
    steps = len(notes_of(memory.body or ""))
    if steps > STEPS_WORTH_KEEPING:
        return PROCEDURAL, f"it took {steps} steps"
    if keep:
        return SEMANTIC, "you wanted it kept"
    if memory.emotional_flag:
        return SEMANTIC, "it was marked as significant"
    times = bench.catalogue.times_asked_for(memory.id)
    return (SEMANTIC, f"it was called for {times} times") if times >= TIMES_WORTH_KEEPING else (None, "")


def _lasting(bench: Bench, memory: Memory, kind: Kind, notes: tuple[str, ...]) -> Memory:
    """What lasts of a task: a way of doing it, or what it says."""
    is_way = kind.has("steps")
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(notes, 1))
    body = f"{memory.more.get('task', memory.title)}\n\n{listed}" if is_way else memory.body
    carried = ("source", "tainted", "agent", "session", "project")
    more: dict[str, FieldValue] = {name: memory.more[name] for name in carried if name in memory.more}
    more |= {"promoted_from": memory.kind, "extends": (f"[[{memory.name}]]",)}
    if is_way:
        more["steps"] = notes
    now = bench.now.replace(microsecond=0)
    return Memory(
        id=str(uuid.uuid4()),
        path=bench.vault.layout.memories + _free_name(bench, memory.title),
        place=Place.MEMORIES,
        title=memory.title,
        kind=kind.name,
        created=now,
        last_accessed=now,
        weight=memory.weight,
        emotional_flag=memory.emotional_flag,
        tags=memory.tags,
        topics=memory.topics,
        people=memory.people,
        aliases=(memory.title,),
        more=more,
        body=body,
    )


def _free_name(bench: Bench, title: str) -> str:
    folder = bench.vault.layout.memories
    day = bench.now.astimezone(bench.zone).date()
    return file_name(day, title, taken=lambda name: bench.catalogue.has_name(name) or bench.vault.exists(folder + name))


def _cleared(bench: Bench, memory: Memory, why: str) -> Move:
    folder, name = bench.vault.layout.folder(Place.ARCHIVED), memory.path.rpartition("/")[2]
    stem, number, path = name.removesuffix(".md"), 2, folder + name
    while bench.vault.exists(path):
        path, number = f"{folder}{stem}-{number}.md", number + 1
    fields: dict[str, FieldValue | None] = {"status": "archived", "cleared_at": bench.now.replace(microsecond=0)}
    about = About(id=memory.id, notes=(wrote(memory.id, "status", "archived", memory.status),))
    return Move(memory.path, path, why, fields=fields, about=about)


def _archived(bench: Bench, memory: Memory, move: Move) -> Memory:
    return bench.read(memory.changed(path=move.to, place=Place.ARCHIVED))[0]


# What is still to be done: list it, and say that it is done.


@dataclass(frozen=True, slots=True)
class Todo:
    """What is to be done, in the order in which to do it, and how many reminders are over or put away."""

    reminders: tuple[Reminder, ...]
    due: int
    over: int


def todo(bench: Bench, *, everything: bool = False) -> Todo:
    """The open reminders, those that are due first, then by priority; on wish those that are over as well."""
    found = reminders(bench)
    live = [reminder for reminder in found if reminders_is_open(reminder)]
    over = [reminder for reminder in found if not reminders_is_open(reminder)]
    shown = (*live, *over) if everything else tuple(live)
    return Todo(shown, sum(reminder.is_due for reminder in live), len(over))


def mark_done(bench: Bench, ref: str, *, cancel: bool = False, dry_run: bool = False) -> Changed:
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
