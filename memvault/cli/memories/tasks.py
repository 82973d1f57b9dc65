"""`memvault task`: reminders, what one task needs in mind, and procedures that were used."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    AllowSecret,
    Argument,
    DryRun,
    Option,
    Redact,
    Ref,
    Refs,
    Several,
    secret_policy,
)
from memvault.cli.output import memory
from memvault.cli.output.changes import (
    change_result,
    redaction_messages,
    redaction_warnings,
    redactions_json,
    undo_message,
)
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.ids import short_id
from memvault.core.value import take_fields
from memvault.errors import Misused
from memvault.memories.open_items import Reminder, describe_time
from memvault.memories.tasks import (
    FinishedTask,
    OpenTask,
    TodoList,
    clear_tasks,
    finish_task,
    list_tasks,
    list_todo,
    mark_each_done,
    names_task,
    note_task,
    record_use,
    start_task,
)
from memvault.text.display import format_count, to_one_line

# `memvault task start`, `note` and `clear`: what one task needs in mind, until it is over.

TASK_START_EXAMPLES = ('memvault task start "Move the gauges to UTC"',)
TASK_NOTE_EXAMPLES = (
    'memvault task note "Staging is done; production waits for Ilse"',
    'memvault task note "It needs a new certificate" --task 5f0c',
)
TASK_CLEAR_EXAMPLES = ("memvault task clear", "memvault task clear --task 5f0c")

Text = Annotated[list[str], Argument(metavar="TEXT", help="The task, or the note; `-` reads stdin.")]
Task = Annotated[
    str, Option("--task", metavar="MEMORY", help="Which task; the one begun last in this session otherwise.")
]


def task_start(
    cli: CliContext, text: Text, *, redact: Redact = False, allow_secret: AllowSecret = False, dry_run: DryRun = False
) -> CommandResult:
    """Start a task.

    What is noted on it is kept before the model while the task lasts; `memvault task done` ends it.
    """
    said, secrets = _read_text(cli, text), secret_policy("task start", redact=redact, allow=allow_secret)
    with cli.open_vault() as vault:
        started = vault.run(start_task, said, secrets=secrets, dry_run=dry_run)
    return _task_result(started, "started", dry_run=dry_run)


def task_note(
    cli: CliContext,
    text: Text,
    *,
    task: Task = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Add a note to the task that was started last in this session, or to the one that --task names."""
    said, secrets = _read_text(cli, text), secret_policy("task note", redact=redact, allow=allow_secret)
    with cli.open_vault() as vault:
        noted = vault.run(note_task, said, task=task, secrets=secrets, dry_run=dry_run)
    return _task_result(noted, "noted", dry_run=dry_run)


def task_clear(cli: CliContext, *, task: Task = "", dry_run: DryRun = False) -> CommandResult:
    """End the open tasks of this session, or the one that --task names, without keeping anything of them."""
    with cli.open_vault() as vault:
        return _finished_result(vault.run(clear_tasks, task=task, dry_run=dry_run), dry_run=dry_run)


def _read_text(cli: CliContext, text: list[str]) -> str:
    said = cli.read_stdin() if text == ["-"] else " ".join(text)
    if not said.strip():
        raise Misused(reason="There is no text on stdin.", command="memvault task")
    return said


def _task_result(found: OpenTask, did: str, *, dry_run: bool) -> CommandResult:
    said = f"would be {did}" if dry_run else did
    return CommandResult(
        result={**take_fields(found, "memory", "notes", "op"), "dry_run": dry_run} | redactions_json(found.left_out),
        text=lambda paper: memory.format_outcome(found.memory, said, paper),
        messages=(*redaction_messages(found.left_out), undo_message(found.op, dry_run=dry_run)),
        warnings=redaction_warnings(found.left_out),
    )


def _finished_result(found: tuple[FinishedTask, ...], *, dry_run: bool) -> CommandResult:
    tasks = [take_fields(one, "memory", "kept", "why") for one in found]
    return CommandResult(
        result={"tasks": tasks, "op": found[0].op, "dry_run": dry_run},
        text=lambda paper: "\n".join(_format_finished(one, paper, dry_run=dry_run) for one in found),
        messages=(undo_message(found[0].op, dry_run=dry_run),),
    )


def _format_finished(one: FinishedTask, paper: TerminalFormat, *, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    lines = [memory.format_outcome(one.memory, f"{would}cleared", paper)]
    if one.kept:
        lines.append(memory.format_outcome(one.kept, f"{would}kept as {one.kept.kind}: {one.why}", paper))
    return "\n".join(lines)


def _format_task(one: OpenTask, paper: TerminalFormat) -> str:
    """A task in hand, with what was noted on it."""
    session = one.memory.more.get("session")
    facts = [
        short_id(one.memory.id),
        f"since {paper.format_minute(one.memory.created)}",
        f"last used {paper.format_minute(one.last_used)}" if one.last_used else "",
        f"session {session}" if session else "",
    ]
    lines = [paper.wrap_block(f"- {to_one_line(note)}", "  ") for note in one.notes]
    return "\n".join([paper.format_title(one.memory.title, one.memory.path), paper.join_facts(facts, "  "), *lines])


# `memvault task done`: say that something was done, or will not be.

TASK_DONE_EXAMPLES = (
    "memvault task done 5f0c 0d1c",
    "memvault task done 5f0c:12   # a line of the Tasks plug-in",
    "memvault task done   # the task that was started last",
    "memvault task done --keep",
)

DoneRefs = Annotated[
    Several, Argument(metavar="MEMORY", help="Reminders, or a task; without any, the task begun last.")
]
Keep = Annotated[bool, Option("--keep", help="Of a task: let a lasting memory come of it.")]


def task_done(
    cli: CliContext,
    refs: DoneRefs = None,
    *,
    keep: Keep = False,
    task: Task = "",
    dry_run: DryRun = False,
) -> CommandResult:
    """Say that reminders were seen to, or end a task.

    A reminder is not shown again, and stays as a memory of what was done; one that comes again is due on its next day.
    A task's memory goes to the archive and is not recalled again. A task of more than five notes leaves a way of doing
    it; with --keep, or where it was marked as significant or called for often, what it says is kept.
    """
    with cli.open_vault() as vault:
        if task or not refs or (len(refs) == 1 and vault.run(names_task, refs[0])):
            finished = vault.run(finish_task, task=task or "".join(refs or ()), keep=keep, dry_run=dry_run)
            return _finished_result((finished,), dry_run=dry_run)
        if keep:
            raise Misused(reason="--keep is for tasks; a reminder stays anyway.", command="memvault task done")
        return change_result(*vault.run(mark_each_done, refs, dry_run=dry_run), dry_run=dry_run)


TASK_CANCEL_EXAMPLES = ('memvault task cancel "Renew the certificate"', "memvault task cancel 5f0c 0d1c")


def task_cancel(cli: CliContext, refs: Refs, *, dry_run: DryRun = False) -> CommandResult:
    """Say that reminders will not be done, today or ever; `memvault task clear` ends a task."""
    with cli.open_vault() as vault:
        if vault.run(names_task, refs[0]):
            raise Misused(reason="Reminders are canceled; a task is cleared.", command="memvault task clear")
        return change_result(*vault.run(mark_each_done, refs, cancel=True, dry_run=dry_run), dry_run=dry_run)


# `memvault task list`: what is still to be done.

TASK_LIST_EXAMPLES = ("memvault task list", "memvault task list --all")

All = Annotated[bool, Option("--all", "-a", help="Those that are over or put away, too.")]


def task_list(cli: CliContext, *, all_: All = False) -> CommandResult:
    """List what is still to be done: today's, what is overdue, what is next, what has no day; then the open tasks.

    Lines of the Tasks plug-in are among it, each with the number of its line: `memvault task done 5f0c:12` ticks it.
    """
    with cli.open_vault() as vault:
        found, tasks = vault.run(list_todo, everything=all_), vault.run(list_tasks)
    return CommandResult(
        result={**take_fields(found, "reminders", "due", "over"), "tasks": tasks},
        text=lambda paper: "\n".join(
            [
                *(_format_reminder(reminder, paper) for reminder in found.reminders),
                *(_format_task(task, paper) for task in tasks),
            ]
        ),
        messages=(_due_message(found, tasks),),
    )


def _format_reminder(reminder: Reminder, paper: TerminalFormat) -> str:
    """One thing to be done, in two lines."""
    facts = [
        reminder.key,
        reminder.state if reminder.state in ("completed", "cancelled") else describe_time(reminder, paper.zone),
        reminder.memory.path,
    ]
    style = paper.styles.warning if reminder.is_due else paper.styles.title
    return f"{style(to_one_line(reminder.title))}\n{paper.join_facts(facts, '  ')}"


def _due_message(found: TodoList, tasks: tuple[OpenTask, ...]) -> str:
    open_ = f"{format_count(len(tasks), 'task is', 'tasks are')} open." if tasks else ""
    if not found.reminders:
        return open_ or "There are no reminders and no open tasks."
    due = f"{format_count(found.due, 'is', 'are')} due." if found.due else "Nothing is due yet."
    return f"{due} {open_}".rstrip()


# `memvault task used`: say that a way of doing something was followed, and whether it worked.

TASK_USED_EXAMPLES = (
    "memvault task used 5f0c --success",
    'memvault task used 5f0c --failure --note "The lock file was still there"',
)

Success = Annotated[bool, Option("--success", help="It worked.")]
Failure = Annotated[bool, Option("--failure", help="It did not.")]
Note = Annotated[str, Option("--note", metavar="TEXT", help="What told that it worked, or how it failed; kept in it.")]


def task_used(
    cli: CliContext,
    ref: Ref,
    *,
    success: Success = False,
    failure: Failure = False,
    note: Note = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Say that a way of doing something was followed, and whether it worked.

    The numbers in its file follow with the next upkeep; a note goes into it at once.
    """
    if success == failure:
        raise Misused(reason="Say whether it worked: --success or --failure.", command="memvault task used")
    secrets = secret_policy("task used", redact=redact, allow=allow_secret)
    with cli.open_vault() as vault:
        found = vault.run(record_use, ref, ok=success, note=note, secrets=secrets, dry_run=dry_run)
    standing = found.standing
    did = "would be noted" if dry_run else _format_usage(standing.count, standing.rate)
    return CommandResult(
        result={
            "memory": found.memory,
            "worked": found.ok,
            "usage_count": standing.count,
            "success_rate": standing.rate,
            "noted_in": found.field,
            "op": found.op,
            "dry_run": dry_run,
            **redactions_json(found.left_out),
        },
        text=lambda paper: memory.format_outcome(found.memory, did, paper),
        messages=(*redaction_messages(found.left_out), undo_message(found.op, dry_run=dry_run)),
        warnings=redaction_warnings(found.left_out),
    )


def _format_usage(count: int, rate: float | None) -> str:
    """How often a way was followed, and how often it worked."""
    share = "" if rate is None else f", worked {round(100 * rate)} % of the time"
    return f"followed {format_count(count, 'time', 'times')}{share}"
