"""`memvault vault log`: what was done to the vault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Agent,
    Argument,
    Device,
    DryRun,
    Limit,
    Option,
    Session,
    Source,
    Tainted,
    action_argument,
    build_origin,
    check_action,
    choice_option,
)
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import DRY_RUN, change_result
from memvault.cli.output.terminal import TerminalFormat, format_table
from memvault.cli.vault.history import Diff, format_history, format_operation, format_time, operations_json
from memvault.context.injection_log import InjectedMemory, InjectionDetails, last_injections
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.core.plan import Operation
from memvault.core.value import take_fields
from memvault.errors import FAILED, Misused
from memvault.maintenance.receipts import judge_memory, strip_receipt
from memvault.maintenance.retention import StoreInfo, list_stores
from memvault.privacy.audit import AuditResult, OriginGroup, audit_origins
from memvault.storage.journal.chain_check import LogAudit, audit_log
from memvault.storage.journal.undo import (
    OperationFilter,
    diff_operations,
    find_operation,
    list_operations,
    undo_operation,
)
from memvault.text.dates.dates import parse_since
from memvault.text.display import format_count, format_size, to_one_line

LOG_EXAMPLES = (
    "memvault vault log",
    "memvault vault log 20260129T0930",
    "memvault vault log 20260129T0930 --diff",
    "memvault vault log --memory 5f0c",
    "memvault vault log --agent claude-code --since today",
)
USUAL = 20

OperationArgument = Annotated[str, Argument(metavar="OPERATION", help="One operation, by the beginning of its name.")]
MemoryOption = Annotated[
    str,
    Option(
        "--memory",
        metavar="MEMORY",
        help="Only what was done to this memory, under all names it had; one that is gone too.",
    ),
]
AgentOption = Annotated[str, Option("--agent", metavar="NAME", help="Only what this program did.")]
SessionOption = Annotated[str, Option("--session", metavar="ID", help="Only what was done in this session.")]
DeviceOption = Annotated[str, Option("--device", metavar="NAME", help="Only what was done on this machine.")]
Verb = Annotated[str, Option("--did", metavar="VERB", help="Only this: remember, edit, maintain …")]
Since = Annotated[str, Option("--since", metavar="WHEN", help="Only since then: 2026-01-31, 12h, 7d, today.")]


def log(
    cli: CliContext,
    operation: OperationArgument = "",
    *,
    memory: MemoryOption = "",
    agent: AgentOption = "",
    session: SessionOption = "",
    device: DeviceOption = "",
    did: Verb = "",
    since: Since = "",
    diff: Diff = False,
    limit: Limit = 0,
) -> CommandResult:
    """List what was done to the vault and by whom, the newest first; or show one operation whole."""
    asked = OperationFilter(
        memory=memory,
        agent=agent,
        session=session,
        device=device,
        verb=did,
        since=parse_since(since, cli.now(), cli.zone) if since else None,
    )
    with cli.open_vault() as vault:
        if operation:
            found = [vault.run(find_operation, operation)]
            changes = vault.run(diff_operations, found) if diff else ()
            return CommandResult(
                result={"operations": operations_json(found, changes)},
                text=lambda paper: format_history(found, changes, "", paper),
            )
        everything, here = vault.run(list_operations, asked), vault.device
        shown = everything[: limit or USUAL]
        changes = vault.run(diff_operations, shown) if diff else ()
    formatted = format_history if diff else _format_operations
    return CommandResult(
        result={"operations": operations_json(shown, changes), "total": len(everything)},
        text=lambda paper: formatted(shown, changes, here, paper) if shown else "",
        messages=(_log_message(cli, len(shown), len(everything), is_all=asked == OperationFilter()),),
    )


_NAMED = 3
_LONGEST_SESSION = 8


def _format_operations(found: Sequence[Operation], _changes: object, device: str, paper: TerminalFormat) -> str:
    """What was done to the vault, a line each, as it looks on this device."""
    rows = [
        [format_time(op.at, paper), op.op, op.verb, op.state, _operation_actor(op, device), _operation_files(op)]
        for op in found
    ]
    return format_table("WHEN? | OPERATION | DID | STATE | BY? | WHAT~", rows, paper)


def _operation_actor(op: Operation, device: str) -> str:
    """Who did it: a person unless an agent is named or it is upkeep; and on which machine, where that is another."""
    by = op.agent or ("upkeep" if op.verb == "maintain" else "you")
    # A purged session's name is a mark in brackets.
    session = op.session if op.session.startswith("[") else op.session[:_LONGEST_SESSION]
    who = f"{by} {session}".rstrip()
    return to_one_line(who if op.device == device else f"{who} on {op.device}")


def _operation_files(op: Operation) -> str:
    """The files an operation was about, the first few by name; for an undo, what it took back."""
    if op.undoes:
        return f"took back {op.undoes}"
    names = list(dict.fromkeys((step.to or step.path).rpartition("/")[2] for step in op.steps if step.path))
    more = f" and {format_count(len(names) - _NAMED, 'other', 'others')}" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _log_message(cli: CliContext, shown: int, total: int, *, is_all: bool) -> str:
    if not total:
        return "Nothing was done to this vault yet." if is_all else "Nothing of that kind was done."
    return f"{total - shown:,} earlier ones: {cli.repeat_command('--limit', str(total))}" if total > shown else ""


# `memvault session given`: what was put before a model last, and why.

LAST_EXAMPLES = (
    "memvault session given",
    "memvault session given --wrong 5f0c",
    "memvault session given --not-useful 5f0c",
    "memvault session given --no-text --json   # to be shown to others",
    "memvault session given -n 5",
    "memvault session given --session 5f0c1234 --json",
)

LastSessionOption = Annotated[str, Option("--session", metavar="ID", help="Only of this session.")]


Wrong = Annotated[str, Option("--wrong", metavar="MEMORY", help="It is wrong: give it to nobody unasked.")]
NotUseful = Annotated[
    str, Option("--not-useful", metavar="MEMORY", help="It was of no use: give it less readily at such prompts.")
]
NoText = Annotated[bool, Option("--no-text", help="Without any text: ids, days and sorts of reasons.")]


def last(
    cli: CliContext,
    *,
    session: LastSessionOption = "",
    wrong: Wrong = "",
    not_useful: NotUseful = "",
    no_text: NoText = False,
    limit: Limit = 1,
    dry_run: DryRun = False,
) -> CommandResult:
    """Show what memvault put before a model without being asked: which memories, when, and why each of them.

    The newest comes first. Looking counts as no use. What you say of a memory with --wrong or --not-useful changes
    neither its text nor its place in a recall, and can be undone.
    """
    if wrong and not_useful:
        raise Misused(reason="Say either --wrong or --not-useful.", command="memvault session given")
    with cli.open_vault() as vault:
        if wrong or not_useful:
            judged = vault.run(judge_memory, wrong or not_useful, "wrong" if wrong else "useless", dry_run=dry_run)
            return change_result(judged, dry_run=dry_run)
        found = vault.run(last_injections, session, limit=limit or 1)
    if no_text:
        receipts = [strip_receipt(shown) for shown in found]
        return CommandResult(
            result={"injections": receipts},
            text=lambda _: "\n".join(_format_bare(receipt) for receipt in receipts),
        )
    return CommandResult(
        result={"injections": [_last_json(shown) for shown in found]},
        text=lambda paper: "\n\n".join(_format_last(shown, paper) for shown in found),
        messages=("" if found else "Nothing was injected yet, as far as is known here.",),
    )


def _format_last(shown: InjectionDetails, paper: TerminalFormat) -> str:
    row = shown.injection
    facts = [
        row.event,
        row.agent,
        f"session {row.session}" if row.session else "",
        row.project,
        f"{row.tokens:,} tokens",
    ]
    head = paper.join_facts([paper.format_minute(row.at), *(to_one_line(fact) for fact in facts if fact)])
    also = [paper.join_facts([f"and {', '.join(map(to_one_line, row.also))}"], "  ")] if row.also else []
    return "\n".join([head, *(_format_memory(given, paper) for given in shown.given), *also])


def _format_bare(receipt: Mapping[str, object]) -> str:
    memories = cast("list[dict[str, str]]", receipt["memories"])
    rows = [f"  {short_id(each['id'])}  {each['kind']}, {each['created']}: {each['why']}" for each in memories]
    return "\n".join([f"{receipt['at']:%Y-%m-%d %H:%M}  {receipt['event']}, {receipt['tokens']} tokens", *rows])


def _format_memory(given: InjectedMemory, paper: TerminalFormat) -> str:
    if given.memory is None:
        return paper.join_facts([to_one_line(given.id), "gone since", to_one_line(given.why)], "  ")
    return layers.format_outcome(given.memory, to_one_line(given.why), paper)


def _last_json(shown: InjectionDetails) -> dict[str, object]:
    row = shown.injection
    memories = [
        {"id": given.id, "why": given.why, "title": given.memory.title, "path": given.memory.path}
        if given.memory
        else {"id": given.id, "why": given.why, "title": "", "path": ""}
        for given in shown.given
    ]
    return {
        **take_fields(row, "at", "session", "agent", "event", "project", "tokens"),
        "memories": memories,
        "also": row.also,
    }


# `memvault undo`: take an operation back.

UNDO_EXAMPLES = ("memvault undo", "memvault undo 20260129T0930 --dry-run")

UndoArgument = Annotated[
    str, Argument(metavar="OPERATION", help="Which one, by the beginning of its name; without it, the last.")
]


def undo(cli: CliContext, operation: UndoArgument = "", *, dry_run: DryRun = False) -> CommandResult:
    """Take an operation back, byte for byte.

    Where a person has edited since what the operation wrote, nothing is changed at all.
    """
    with cli.open_vault() as vault:
        taken = vault.run(undo_operation, operation, dry_run=dry_run)
    did = "Would take back" if dry_run else "Took back"
    return CommandResult(
        result={"operation": taken, "dry_run": dry_run},
        text=lambda paper: f"{did}: {format_operation(taken, paper)}",
        messages=(_passed_message(taken), DRY_RUN if dry_run else ""),
    )


def _passed_message(taken: Operation) -> str:
    if not taken.passed_over:
        return ""
    more = len(taken.passed_over) - 1
    return f"Passed over{f' {more} more and' if more else ''}: {to_one_line(taken.passed_over[0])}"


# `memvault vault audit`: where memories come from, and how far that is trusted.

AUDIT_EXAMPLES = (
    "memvault vault audit",
    "memvault vault audit --by trust",
    "memvault vault audit --by session",
    "memvault vault audit --source web",
    "memvault vault audit --session 5f0c1234",
    "memvault vault audit kept",
    "memvault vault audit verify",
)

# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
BY = ("source", "trust", "session", "agent", "device", "project")

By = Annotated[str, choice_option("--by", BY, "Count by: {}.")]

Action = Annotated[
    str,
    action_argument(
        ("kept", "verify"),
        "kept: what is kept beside the notes, and until when; verify: whether each record of the operation log follows "
        "from those before it.",
    ),
]


def audit(
    cli: CliContext,
    action: Action = "",
    *,
    by: By = "source",
    source: Source = "",
    session: Session = "",
    agent: Agent = "",
    device: Device = "",
    tainted: Tainted = False,
) -> CommandResult:
    """Show where memories come from, what is trusted least first; those of one origin, where you name it.

    `memvault forget` with the same options moves an origin that turned out bad to the trash, as one operation.
    """
    wanted = build_origin(source=source, session=session, agent=agent, device=device, tainted=tainted)
    check_action(action or "kept", ("kept", "verify"), "memvault vault audit")
    if action and wanted:
        raise Misused(reason=f"`{action}` tells of the whole vault, not of one origin.", command="memvault vault audit")
    with cli.open_vault() as vault:
        if action == "kept":
            return _store_result(vault.run(list_stores))
        if action:
            return _log_result(vault.run(audit_log))
        found = vault.run(audit_origins, wanted, by=by)
    return CommandResult(
        result=found,
        text=lambda paper: _format_memories(found.memories, paper) if wanted else _format_groups(found, paper),
        messages=(_audit_messages(found, named=bool(wanted)),),
    )


def _log_result(found: LogAudit) -> CommandResult:
    gone = f"{found.purged} purged" if found.purged else ""
    older = f"{found.unchained} of machines that have logged nothing since logs are chained" if found.unchained else ""
    more = ", ".join(part for part in (gone, older) if part)
    counted = (
        f"{format_count(found.records, 'record', 'records')} of {format_count(found.devices, 'machine', 'machines')}"
    )
    rows = [f"{counted}{f' ({more})' if more else ''}."]
    if found.breaks:
        first = found.breaks[0]
        where = f"{first.device}/{first.month}, {first.at}" + (f", operation {first.op}" if first.op else "")
        rows.append(f"The first that does not follow: {where}: {first.reason}.")
    else:
        rows.append("Each follows from those before it.")
    others = len(found.breaks) - 1
    return CommandResult(
        result=found,
        text=lambda _paper: "\n".join(map(to_one_line, rows)),
        messages=(f"{format_count(others, 'more does', 'more do')} not follow." if others > 0 else "",),
        exit_code=FAILED if found.breaks else 0,
    )


def _store_result(found: Sequence[StoreInfo]) -> CommandResult:
    headings = "WHAT | >FILES | >SIZE | FIRST? | LAST? | SETTING? | KEPT~"
    return CommandResult(
        result={"kept": found},
        text=lambda paper: format_table(headings, [_store_row(store, paper) for store in found], paper),
        messages=("`memvault config keep` shows what you may set; nothing of your own goes unless you do.",),
    )


def _store_row(store: StoreInfo, paper: TerminalFormat) -> list[str]:
    days = [paper.format_day(moment) if moment else "" for moment in (store.first, store.last)]
    counts = (f"{store.files:,}" if store.files else "", format_size(store.size) if store.size else "")
    return [store.store, *counts, *days, " ".join(store.settings), store.until]


def _audit_messages(found: AuditResult, *, named: bool) -> str:
    if not named:
        return "" if found.groups else "There are no memories in this vault yet."
    return "" if found.memories else "No memory has that origin."


def _format_groups(found: AuditResult, paper: TerminalFormat) -> str:
    if not found.groups:
        return ""
    headings = f"{found.by.upper()}~ | >MEMORIES | >ALWAYS LOADED? | >WAITING? | >TAINTED? | FIRST | LAST"
    return format_table(headings, [_group_row(group, paper) for group in found.groups], paper)


def _group_row(group: OriginGroup, paper: TerminalFormat) -> list[str]:
    figures = (group.memories, group.loaded, group.quarantined, group.tainted)
    days = (paper.format_day(group.first), paper.format_day(group.last))
    return [group.value or "(not said)", *(f"{figure:,}" if figure else "" for figure in figures), *days]


def _format_memories(memories: Sequence[Memory], paper: TerminalFormat) -> str:
    if not memories:
        return ""
    rows = [
        [one.id[:8], paper.format_day(one.created), one.place.value, str(one.more.get("session", ""))[:8], one.title]
        for one in memories
    ]
    paths = [memory.path for memory in memories]
    table = format_table("ID | CREATED | PLACE | SESSION? | TITLE~", rows, paper, paths)
    return f"{table}\n{format_count(len(memories), 'memory', 'memories')}"
