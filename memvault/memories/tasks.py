"""Change what is to be done: tasks from start to end, reminders, and ways of doing something that were followed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memvault.core.kinds.kind import Kind
from memvault.core.kinds.procedural import NO_PRACTICE, PROCEDURAL, PracticeRecord, current_practice
from memvault.core.kinds.prospective import CANCELLED, DONE, OPEN
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.kinds.working import WORKING
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import (
    ChangeSubject,
    CreateFile,
    ListEdit,
    MoveFile,
    Plan,
    PlanChange,
    RewriteNote,
    SetFields,
    ledger_lines_for_write,
)
from memvault.core.secrets.private_spans import has_unclosed_private, strip_private_values
from memvault.errors import BadInput, NothingToDo
from memvault.memories.draft import MemoryDraft, screen_draft
from memvault.memories.edit import ChangeResult, add_to_memory, find_each
from memvault.memories.open_items import (
    Reminder,
    is_open_reminder,
    is_open_task,
    list_open_tasks,
    list_reminders,
    next_time,
)
from memvault.memories.remember import free_path, remember
from memvault.memories.screen import NO_REDACTIONS, Redactions, check_not_forgotten, validate_text
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.task_lines import complete_task, read_task
from memvault.text.file_names import free_file_name

STEPS_WORTH_KEEPING = 5  # a task of more noted steps leaves a way of doing it
TIMES_WORTH_KEEPING = 3  # and what so many conversations, or days, called for leaves what it says


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task in hand: its memory, what was noted on it, and when it was last used."""

    memory: Memory
    notes: tuple[str, ...] = ()
    last_used: datetime | None = None
    op: str = ""
    left_out: Redactions = NO_REDACTIONS


@dataclass(frozen=True, slots=True)
class FinishedTask:
    """A task that is over: where its memory went, what became of it that lasts, and why."""

    memory: Memory
    kept: Memory | None = None
    why: str = ""
    op: str = ""


def start_task(context: VaultContext, task: str, *, secrets: str = "", dry_run: bool = False) -> OpenTask:
    """Take a task in hand: one memory that is always before the model until the task is over."""
    stated = " ".join(validate_text("the task", task).split())
    if not stated:
        raise BadInput(what="the task", value=task, reason="there is nothing in it")
    same = [
        memory
        for memory in _session_tasks(context)
        if str(memory.more.get("task", memory.title)).casefold() == stated.casefold()
    ]
    if same:
        raise NothingToDo(reason=f"“{same[0].title}” is already open.")
    draft = MemoryDraft(
        text=stated, kind=WORKING.name, more={"task": stated, "scope": WORKING.scope}, secrets=secrets, near="ignore"
    )
    made = remember(context, draft, dry_run=dry_run)
    return OpenTask(made.memory, (), made.memory.last_accessed, made.op, made.left_out)


def note_task(
    context: VaultContext, text: str, *, task: str = "", secrets: str = "", dry_run: bool = False
) -> OpenTask:
    """Note a step or a finding on the task in hand."""
    stated = validate_text("the note", text).strip()
    if not stated:
        raise BadInput(what="the note", value=text, reason="there is nothing in it")
    memory = _current_task(context, task)
    item = "- " + stated.replace("\n", "\n  ")
    made = add_to_memory(context, memory.path, MemoryDraft(text=item, secrets=secrets), dry_run=dry_run)
    context.refresh()  # the note counts as a use of this moment, not of the next time somebody looks
    return OpenTask(made.memory, task_notes(made.memory.body or ""), context.now, made.op, made.left_out)


def finish_task(context: VaultContext, *, task: str = "", keep: bool = False, dry_run: bool = False) -> FinishedTask:
    """End a task: its memory goes to the archive and is not recalled again; what proved significant is kept."""
    memory = context.read_memory(_current_task(context, task))[0]
    kind, why = _lasting_kind(context, memory, keep=keep)
    kept = _lasting_memory(context, memory, kind, task_notes(memory.body or "")) if kind else None
    created = (CreateFile(kept.path, codec.encode_new(kept), why),) if kept else ()
    away = _archive_move(context, memory, f"“{memory.title}” is done")
    if dry_run:
        return FinishedTask(memory, kept, why)
    operation = apply_one(Plan("work done", (*created, away)), context)
    return FinishedTask(_read_archived(context, memory, away), kept, why, operation.op)


def clear_tasks(context: VaultContext, *, task: str = "", dry_run: bool = False) -> tuple[FinishedTask, ...]:
    """Put tasks away without keeping anything of them: the one that is named, else all in hand here."""
    found = [_current_task(context, task)] if task else _session_tasks(context)
    if not found:
        raise NothingToDo(reason="There is no open task.")
    memories = [context.read_memory(memory)[0] for memory in found]
    moves = [_archive_move(context, memory, f"“{memory.title}” was let go") for memory in memories]
    if dry_run:
        return tuple(map(FinishedTask, memories))
    operation = apply_one(Plan("work clear", tuple(moves)), context)
    pairs = zip(memories, moves, strict=True)
    return tuple(FinishedTask(_read_archived(context, memory, move), op=operation.op) for memory, move in pairs)


def list_tasks(context: VaultContext) -> tuple[OpenTask, ...]:
    """Return the tasks in hand, the latest begun first, those of other sessions too."""
    found = list_open_tasks(context)
    uses = context.memory_uses(found)
    return tuple(OpenTask(memory, task_notes(context.read_text(memory)), uses[memory.id].last) for memory in found)


def task_notes(body: str) -> tuple[str, ...]:
    """Return what was noted on a task, one by one."""
    return tuple(line[2:].strip() for line in body.splitlines() if line.startswith("- ") and line[2:].strip())


def names_task(context: VaultContext, ref: str) -> bool:
    """Return whether a memory is an open task; a line of a note is none."""
    if is_line(ref):
        return False
    memory = context.find_memory(ref)
    return memory.kind == WORKING.name and is_open_task(memory)


def _session_tasks(context: VaultContext) -> list[Memory]:
    """Return the tasks of this session; of a person, who has none, those begun outside of any."""
    return [
        memory for memory in list_open_tasks(context) if str(memory.more.get("session", "")) == context.actor.session
    ]


def _current_task(context: VaultContext, task: str) -> Memory:
    if task:
        memory = context.find_memory(task)
        if not names_task(context, task):
            raise BadInput(what="the task", value=task, reason=f"“{memory.title}” is not an open task")
        return memory
    found = _session_tasks(context)
    if not found:
        raise NothingToDo(reason="There is no open task. Start one with `memvault task start TEXT`.")
    return found[0]


# -- when it is over


def _lasting_kind(context: VaultContext, memory: Memory, *, keep: bool) -> tuple[Kind | None, str]:
    """Return what a task leaves behind, and why; most leave nothing."""
    steps = len(task_notes(memory.body or ""))
    if steps > STEPS_WORTH_KEEPING:
        return PROCEDURAL, f"it took {steps} steps"
    if keep:
        return SEMANTIC, "you wanted it kept"
    if memory.emotional_flag:
        return SEMANTIC, "it was marked as significant"
    times = context.index.count_sessions(memory.id)
    return (SEMANTIC, f"it was called for {times} times") if times >= TIMES_WORTH_KEEPING else (None, "")


def _lasting_memory(context: VaultContext, memory: Memory, kind: Kind, notes: tuple[str, ...]) -> Memory:
    """Return what lasts of a task: a way of doing it, or what it says."""
    is_way = kind.has_field("steps")
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(notes, 1))
    body = f"{memory.more.get('task', memory.title)}\n\n{listed}" if is_way else memory.body
    carried = ("source", "tainted", "agent", "session", "project")
    more: dict[str, FieldValue] = {name: memory.more[name] for name in carried if name in memory.more}
    more |= {"promoted_from": memory.kind, "extends": (f"[[{memory.name}]]",)}
    if is_way:
        more["steps"] = notes
    now, folder = context.now.replace(microsecond=0), context.vault.layout.memories
    name = free_file_name(
        context.now.astimezone(context.zone).date(),
        memory.title,
        taken=lambda name: context.index.has_name(name) or context.vault.exists(folder + name),
    )
    return Memory(
        id=str(uuid.uuid4()),
        path=folder + name,
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


def _archive_move(context: VaultContext, memory: Memory, why: str) -> MoveFile:
    path = free_path(context, context.vault.layout.folder_of(Place.ARCHIVED), memory.path.rpartition("/")[2])
    fields: dict[str, FieldValue | None] = {"status": "archived", "cleared_at": context.now.replace(microsecond=0)}
    about = ChangeSubject(id=memory.id, notes=(ledger_lines_for_write(memory.id, "status", "archived", memory.status),))
    return MoveFile(memory.path, path, why, fields=fields, about=about)


def _read_archived(context: VaultContext, memory: Memory, move: MoveFile) -> Memory:
    return context.read_memory(memory.with_changes(path=move.to, place=Place.ARCHIVED))[0]


# What is still to be done: list it, and say that it is done.


@dataclass(frozen=True, slots=True)
class TodoList:
    """What is to be done, in the order in which to do it, and how many reminders are over or put away."""

    reminders: tuple[Reminder, ...]
    due: int
    over: int


def list_todo(context: VaultContext, *, everything: bool = False) -> TodoList:
    """Return the open reminders, those that are due first, then by priority; on wish those that are over as well."""
    found = list_reminders(context)
    live = [reminder for reminder in found if is_open_reminder(reminder)]
    over = [reminder for reminder in found if not is_open_reminder(reminder)]
    shown = (*live, *over) if everything else tuple(live)
    return TodoList(shown, sum(reminder.is_due for reminder in live), len(over))


def mark_each_done(
    context: VaultContext, refs: Sequence[str], *, cancel: bool = False, dry_run: bool = False
) -> tuple[ChangeResult, ...]:
    """Say that reminders were seen to, or will not be; as one operation. Of a note, a line behind a colon is meant."""
    memories = find_each(context, [ref for ref in refs if not is_line(ref)])
    found = [_settle_memory(context, memory, cancel=cancel) for memory in memories]
    lines: dict[str, list[int]] = {}
    for note, _, number in (ref.rpartition(":") for ref in refs if is_line(ref)):
        lines.setdefault(context.find_memory(note).path, []).append(int(number))
    for path, numbers in lines.items():
        memories += (context.find_memory(path),)
        found.append(_tick_lines(context, memories[-1], numbers, cancel=cancel))
    if dry_run:
        return tuple(ChangeResult(memory, did) for memory, (did, _) in zip(memories, found, strict=True))
    op = apply_one(Plan("done", tuple(change for _, change in found)), context).op
    pairs = zip(memories, found, strict=True)
    return tuple(ChangeResult(context.read_memory(memory)[0], did, op) for memory, (did, _) in pairs)


def mark_done(context: VaultContext, ref: str, *, cancel: bool = False, dry_run: bool = False) -> ChangeResult:
    """Say that something was done, or will not be done."""
    return mark_each_done(context, (ref,), cancel=cancel, dry_run=dry_run)[0]


def _settle_memory(context: VaultContext, memory: Memory, *, cancel: bool) -> tuple[str, PlanChange]:
    """Return what becomes of a reminder, and the change: one that comes again is due on its next day."""
    kind = context.settings.kinds.get(memory.kind)
    if kind is None or not kind.has_field("state"):
        raise BadInput(what="the memory", value=memory.title, reason=f"it is {memory.kind}, nothing that can be done")
    state, before = CANCELLED if cancel else DONE, str(memory.more.get("state", "pending"))
    if before == state:
        raise NothingToDo(reason=f"“{memory.title}” is {state} already.")
    did = state if before in OPEN else f"{state}, and no longer {before}"
    fields: dict[str, FieldValue | None] = {"state": state}
    if not cancel or "completed_at" in memory.more:
        fields["completed_at"] = None if cancel else context.now.replace(microsecond=0)
    following = None if cancel else next_time(memory, context.now, context.zone)
    if following is not None:
        fields = {"due": following, "completed_at": fields["completed_at"]}
        did = f"done for this time; due again {following:%Y-%m-%d}"
    return did, SetFields(memory.path, fields, state, about=ChangeSubject(id=memory.id))


def is_line(ref: str) -> bool:
    """Return whether a line of a note is named: its number stands behind a colon."""
    note, _, number = ref.rpartition(":")
    return bool(note) and number.isdecimal()


def _tick_lines(
    context: VaultContext, memory: Memory, numbers: Sequence[int], *, cancel: bool
) -> tuple[str, PlanChange]:
    """Tick off lines of the Tasks plug-in as the plug-in would; all others stay as they are."""
    note = context.vault.read_note(memory.path)
    start, today = note.block.body_offset, context.now.astimezone(context.zone).date()
    lines, dids = note.raw[start:].decode("utf-8", "surrogateescape").splitlines(keepends=True), []
    for number in sorted(set(numbers), reverse=True):
        whole = lines[number - 1] if 0 < number <= len(lines) else ""
        line = whole.rstrip("\r\n")
        task = read_task(line)
        if task is None or not task.is_open:
            raise BadInput(what="the line", value=number, reason=f"there is no open task in {memory.path} there")
        done, ending = complete_task(line, today, cancel=cancel), whole[len(line) :]
        lines[number - 1] = (ending or "\n").join(done) + (ending if done else "")
        dids.append(task.text)
    did = f"{CANCELLED if cancel else DONE}: {', '.join(reversed(dids))}"
    data = note.raw[:start] + "".join(lines).encode("utf-8", "surrogateescape")
    return did, RewriteNote(memory.path, data, note.version, did, about=ChangeSubject(id=memory.id))


# -- a way of doing something that was followed


@dataclass(frozen=True, slots=True)
class UseResult:
    """A memory that was followed, how it stands since, and where the note on it went."""

    memory: Memory
    ok: bool
    standing: PracticeRecord
    field: str = ""  # where the note stands now: what tells success, or how it fails
    op: str = ""
    left_out: Redactions = NO_REDACTIONS


def record_use(
    context: VaultContext, ref: str, *, ok: bool, note: str = "", secrets: str = "", dry_run: bool = False
) -> UseResult:
    """Note that a memory was followed; a remark goes to what tells success, or to how it tends to fail."""
    memory = context.find_memory(ref)
    kind = context.settings.kinds.get(memory.kind)
    if kind is None or not kind.has_field("usage_count"):
        raise BadInput(what="the memory", value=memory.title, reason=f"it is {memory.kind}, nothing that is followed")
    remark, left_out = _screen_note(context, note, secrets)
    field = "" if not remark else "success_conditions" if ok else "failure_patterns"
    if dry_run:
        return UseResult(memory, ok, _practice_standing(context, memory), field, left_out=left_out)
    op = _write_note(context, memory, field, remark)
    session = {"session": context.actor.session} if context.actor.session else {}
    nonce = os.urandom(4).hex()  # several uses may fall into one second, and each counts
    context.vault.journal.append([{"e": "use", "id": memory.id, "ok": ok, "nonce": nonce, **session}], context.now)
    context.record_uses([memory], why="used")
    context.refresh()
    return UseResult(context.read_memory(memory)[0], ok, _practice_standing(context, memory), field, op, left_out)


def _screen_note(context: VaultContext, note: str, secrets: str) -> tuple[str, Redactions]:
    remark = " ".join(strip_private_values(validate_text("the note", note)).split())
    if not remark:
        return "", NO_REDACTIONS
    draft, left_out = screen_draft(context, MemoryDraft(text=remark, secrets=secrets))
    check_not_forgotten(context, (draft.text,), draft.screen_policy(context))
    return draft.text, replace(left_out, unclosed=has_unclosed_private(note))


def _practice_standing(context: VaultContext, memory: Memory) -> PracticeRecord:
    return current_practice(memory, context.index.practice_records([memory.id]).get(memory.id, NO_PRACTICE))


def _write_note(context: VaultContext, memory: Memory, field: str, remark: str) -> str:
    stated = memory.more.get(field, ()) if field else ()
    before = stated if isinstance(stated, tuple) else (str(stated),)
    if not field or remark in before:
        return ""
    why, lists = "a remark on its use", {field: ListEdit((remark,))}  # others may remark on it at this moment
    change = SetFields(memory.path, {}, why, about=ChangeSubject(id=memory.id), lists=lists)
    return apply_one(Plan("used", (change,)), context).op
