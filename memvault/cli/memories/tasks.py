"""`memvault work`: what one task needs in mind, until it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import AllowSecret, Argument, DryRun, Option, Redact, Ref, Several, on_secrets
from memvault.cli.output import memory, report
from memvault.cli.output.changes import changed, left_out, remarks, undo_hint, warnings
from memvault.cli.output.report import followed
from memvault.cli.output.terminal import Paper
from memvault.errors import Misused
from memvault.text.display import plural

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.memories.reminders import Reminder
    from memvault.memories.tasks import Finished, InHand, Todo


WORK_EXAMPLES = (
    'memvault work start "Move the gauges to UTC"',
    'memvault work note "Staging is done; production waits for Ilse"',
    "memvault work list",
    "memvault work done --keep",
)

ACTIONS = ("list", "start", "note", "done", "clear")

Action = Annotated[
    str,
    Argument(
        metavar="ACTION",
        help="What to do: start, note, done, clear or list; list unless you say otherwise.",
        show_default=False,
        autocompletion=lambda: list(ACTIONS),
    ),
]
Words = Annotated[Several, Argument(metavar="TEXT", help="The task, or the note; `-` reads stdin.", show_default=False)]
Task = Annotated[
    str,
    Option(
        "--task", metavar="MEMORY", help="Which task; the one begun last in this session otherwise.", show_default=False
    ),
]
Keep = Annotated[bool, Option("--keep", help="Let a lasting memory come of it.")]


def work(
    desk: Desk,
    action: Action = "list",
    text: Words = None,
    *,
    task: Task = "",
    keep: Keep = False,
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> Answer:
    """Take a task in hand, note what it needs in mind, end it.

    What is noted is kept before the model while the task lasts. When it is done its memory goes to the archive and is
    not recalled again. A task of more than five notes leaves a way of doing it; with --keep, or where it was marked as
    significant or called for often, what it says is kept.
    """
    said = _said(desk, action, text)
    if keep and action != "done":
        raise Misused(reason="--keep goes with done.", command="memvault work")
    secrets = on_secrets("work", redact=redact, allow=allow_secret)
    with desk.open() as vault:
        match action:
            case "start":
                return _begun(vault.work_start(said, secrets=secrets, dry_run=dry_run), "in hand", dry_run=dry_run)
            case "note":
                noted = vault.work_note(said, task=task, secrets=secrets, dry_run=dry_run)
                return _begun(noted, "noted", dry_run=dry_run)
            case "done":
                return _over((vault.work_done(task=task, keep=keep, dry_run=dry_run),), dry_run=dry_run)
            case "clear":
                return _over(vault.work_clear(task=task, dry_run=dry_run), dry_run=dry_run)
            case _:
                return _listed(vault)


def _said(desk: Desk, action: str, text: Several) -> str:
    if action not in ACTIONS:
        raise Misused(reason=f"{action!r} is none of {', '.join(ACTIONS)}.", command="memvault work")
    if action not in ("start", "note"):
        if text:
            raise Misused(reason=f"{action} takes no text; --task names a task.", command="memvault work")
        return ""
    said = desk.read() if text == ["-"] else " ".join(text or [])
    if not said.strip():
        raise Misused(reason=f"{action} takes a text.", command="memvault work")
    return said


def _begun(found: InHand, did: str, *, dry_run: bool) -> Answer:
    said = f"would be {did}" if dry_run else did
    return Answer(
        result={"memory": found.memory, "notes": found.notes, "op": found.op, "dry_run": dry_run}
        | left_out(found.left_out),
        text=lambda paper: memory.named(found.memory, said, paper),
        talk=(*remarks(found.left_out), undo_hint(found.op, dry_run=dry_run)),
        warnings=warnings(found.left_out),
    )


def _over(found: tuple[Finished, ...], *, dry_run: bool) -> Answer:
    tasks = [{"memory": one.memory, "kept": one.kept, "why": one.why} for one in found]
    return Answer(
        result={"tasks": tasks, "op": found[0].op, "dry_run": dry_run},
        text=lambda paper: "\n".join(_finished(one, paper, dry_run=dry_run) for one in found),
        talk=(undo_hint(found[0].op, dry_run=dry_run),),
    )


def _finished(one: Finished, paper: Paper, *, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    lines = [memory.named(one.memory, f"{would}cleared", paper)]
    if one.kept:
        lines.append(memory.named(one.kept, f"{would}kept as {one.kept.kind}: {one.why}", paper))
    return "\n".join(lines)


def _listed(vault: Memvault) -> Answer:
    found = vault.work_in_hand()
    return Answer(
        result={"tasks": found},
        text=lambda paper: "\n".join(_task(one, paper) for one in found),
        talk=("" if found else "No task is in hand.",),
    )


def _task(one: InHand, paper: Paper) -> str:
    session = str(one.memory.more.get("session", ""))
    return report.task(one.memory, one.notes, paper, last_used=one.last_used, session=session)


# `memvault done`: say that something was done, or will not be.

DONE_EXAMPLES = ("memvault done 5f0c", 'memvault done "Renew the certificate" --cancel')

Cancel = Annotated[bool, Option("--cancel", help="It will not be done.")]


def done(desk: Desk, ref: Ref, *, cancel: Cancel = False, dry_run: DryRun = False) -> Answer:
    """Say that a reminder was seen to; it is not shown again, and stays as a memory of what was done."""
    with desk.open() as vault:
        return changed(vault.done(ref, cancel=cancel, dry_run=dry_run), dry_run=dry_run)


# `memvault todo`: what is still to be done.

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
    return report.reminder(
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


# `memvault used`: say that a way of doing something was followed, and whether it worked.

USED_EXAMPLES = ("memvault used 5f0c --success", 'memvault used 5f0c --failure --note "The lock file was still there"')

Success = Annotated[bool, Option("--success", help="It worked.")]
Failure = Annotated[bool, Option("--failure", help="It did not.")]
Note = Annotated[
    str,
    Option(
        "--note", metavar="TEXT", help="What told that it worked, or how it failed; kept in it.", show_default=False
    ),
]


def used(
    desk: Desk,
    ref: Ref,
    *,
    success: Success = False,
    failure: Failure = False,
    note: Note = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> Answer:
    """Say that a way of doing something was followed, and whether it worked.

    The numbers in its file follow with the next upkeep; a note goes into it at once.
    """
    if success == failure:
        raise Misused(reason="Say whether it worked: --success or --failure.", command="memvault used")
    secrets = on_secrets("used", redact=redact, allow=allow_secret)
    with desk.open() as vault:
        found = vault.used(ref, ok=success, note=note, secrets=secrets, dry_run=dry_run)
    standing = found.standing
    did = "would be noted" if dry_run else followed(standing.count, standing.rate)
    return Answer(
        result={
            "memory": found.memory,
            "worked": found.ok,
            "usage_count": standing.count,
            "success_rate": standing.rate,
            "noted_in": found.field,
            "op": found.op,
            "dry_run": dry_run,
            **left_out(found.left_out),
        },
        text=lambda paper: memory.named(found.memory, did, paper),
        talk=(*remarks(found.left_out), undo_hint(found.op, dry_run=dry_run)),
        warnings=warnings(found.left_out),
    )
