"""`memvault log`: what was done to the vault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
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
    moment,
    one_of,
    origin,
)
from memvault.cli.output import memory as layers
from memvault.cli.output import report
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.errors import Misused
from memvault.text.display import one_line, plural, size

if TYPE_CHECKING:
    from memvault.context.injection_log import Given, Shown
    from memvault.core.memory import Memory
    from memvault.maintenance.retention import Kept
    from memvault.privacy.audit import Audit, Group


LOG_EXAMPLES = (
    "memvault log",
    "memvault log 20260129T0930",
    "memvault log --memory 5f0c",
    "memvault log --agent claude-code --since today",
)
USUAL = 20

OperationArgument = Annotated[
    str, Argument(metavar="OPERATION", help="One operation, by the beginning of its name.", show_default=False)
]
MemoryOption = Annotated[
    str,
    Option(
        "--memory",
        metavar="MEMORY",
        help="Only what was done to this memory, under all names it had; one that is gone too.",
        show_default=False,
    ),
]
AgentOption = Annotated[str, Option("--agent", metavar="NAME", help="Only what this program did.", show_default=False)]
SessionOption = Annotated[
    str, Option("--session", metavar="ID", help="Only what was done in this session.", show_default=False)
]
DeviceOption = Annotated[
    str, Option("--device", metavar="NAME", help="Only what was done on this machine.", show_default=False)
]
Verb = Annotated[str, Option("--did", metavar="VERB", help="Only this: remember, edit, maintain …", show_default=False)]
Since = Annotated[
    str,
    Option("--since", metavar="WHEN", help="Only since then: 2026-01-31, 12h, 7d, today.", show_default=False),
]


def log(
    desk: Desk,
    operation: OperationArgument = "",
    *,
    memory: MemoryOption = "",
    agent: AgentOption = "",
    session: SessionOption = "",
    device: DeviceOption = "",
    did: Verb = "",
    since: Since = "",
    limit: Limit = 0,
) -> Answer:
    """List what was done to the vault and by whom, the newest first; or show one operation whole."""
    from memvault.storage.journal.undo import EVERYTHING, Asked  # deferred: a page of help needs none

    asked = Asked(
        memory=memory,
        agent=agent,
        session=session,
        device=device,
        verb=did,
        since=moment(since, desk.now(), desk.zone) if since else None,
    )
    with desk.open() as vault:
        if operation:
            found = vault.operation(operation)
            return Answer(result={"operations": [found]}, text=lambda paper: report.operation(found, paper))
        everything, here = vault.log(asked), vault.device
    shown = everything[: limit or USUAL]
    return Answer(
        result={"operations": shown, "total": len(everything)},
        text=lambda paper: report.operations(shown, here, paper) if shown else "",
        talk=(_said(len(shown), len(everything), is_all=asked == EVERYTHING),),
    )


def _said(shown: int, total: int, *, is_all: bool) -> str:
    if not total:
        return "Nothing was done to this vault yet." if is_all else "Nothing of that kind was done."
    return f"{total - shown:,} earlier ones: --limit {total} shows them." if total > shown else ""


# `memvault last`: what was put before a model last, and why.

LAST_EXAMPLES = ("memvault last", "memvault last -n 5", "memvault last --session 5f0c1234 --json")

LastSessionOption = Annotated[str, Option("--session", metavar="ID", help="Only of this session.", show_default=False)]


def last(desk: Desk, *, session: LastSessionOption = "", limit: Limit = 1) -> Answer:
    """Show what memvault put before a model without being asked: which memories, when, and why each of them.

    The newest comes first. Looking counts as no use.
    """
    with desk.open() as vault:
        found = vault.last(session=session, limit=limit or 1)
    return Answer(
        result={"injections": [_told(shown) for shown in found]},
        text=lambda paper: "\n\n".join(_text(shown, paper) for shown in found),
        talk=("" if found else "Nothing was injected yet, as far as is known here.",),
    )


def _text(shown: Shown, paper: Paper) -> str:
    row = shown.injection
    facts = [row.event, f"session {row.session}" if row.session else "", row.project, f"{row.tokens:,} tokens"]
    head = paper.facts([paper.minute(row.at), *(one_line(fact) for fact in facts if fact)])
    also = [paper.facts([f"and {', '.join(map(one_line, row.also))}"], "  ")] if row.also else []
    return "\n".join([head, *(_line(given, paper) for given in shown.given), *also])


def _line(given: Given, paper: Paper) -> str:
    if given.memory is None:
        return paper.facts([one_line(given.id), "gone since", one_line(given.why)], "  ")
    return layers.named(given.memory, one_line(given.why), paper)


def _told(shown: Shown) -> dict[str, object]:
    row = shown.injection
    memories = [
        {"id": given.id, "why": given.why, "title": given.memory.title, "path": given.memory.path}
        if given.memory
        else {"id": given.id, "why": given.why, "title": "", "path": ""}
        for given in shown.given
    ]
    return {
        "at": row.at,
        "session": row.session,
        "event": row.event,
        "project": row.project,
        "tokens": row.tokens,
        "memories": memories,
        "also": list(row.also),
    }


# `memvault undo`: take an operation back.

UNDO_EXAMPLES = ("memvault undo", "memvault undo 20260129T0930 --dry-run")

UndoArgument = Annotated[
    str,
    Argument(
        metavar="OPERATION",
        help="Which one, by the beginning of its name; without it, the last.",
        show_default=False,
    ),
]


def undo(desk: Desk, operation: UndoArgument = "", *, dry_run: DryRun = False) -> Answer:
    """Take an operation back, byte for byte.

    Where a person has edited since what the operation wrote, nothing is changed at all.
    """
    with desk.open() as vault:
        taken = vault.undo(operation, dry_run=dry_run)
    did = "Would take back" if dry_run else "Took back"
    return Answer(
        result={"operation": taken, "dry_run": dry_run},
        text=lambda paper: f"{did}: {report.operation(taken, paper)}",
        talk=(DRY_RUN if dry_run else "",),
    )


# `memvault audit`: where memories come from, and how far that is trusted.

AUDIT_EXAMPLES = (
    "memvault audit",
    "memvault audit --by trust",
    "memvault audit --by session",
    "memvault audit --source web",
    "memvault audit --session 5f0c1234",
    "memvault audit --kept",
)

# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
BY = ("source", "trust", "session", "agent", "device", "project")

By = Annotated[str, one_of("--by", BY, "Count by: {}.")]

Stores = Annotated[bool, Option("--kept", help="Instead: what is kept beside the notes, and until when.")]


def audit(
    desk: Desk,
    *,
    by: By = "source",
    kept: Stores = False,
    source: Source = "",
    session: Session = "",
    agent: Agent = "",
    device: Device = "",
    tainted: Tainted = False,
) -> Answer:
    """Show where memories come from, what is trusted least first; those of one origin, where you name it.

    `memvault forget` with the same options moves an origin that turned out bad to the trash, as one operation.
    """
    wanted = origin(source=source, session=session, agent=agent, device=device, tainted=tainted)
    if kept and wanted:
        raise Misused(reason="--kept tells of the whole vault, not of one origin.", command="memvault audit")
    with desk.open() as vault:
        if kept:
            return _stores(vault.kept())
        found = vault.audit(wanted, by=by)
    return Answer(
        result=found,
        text=lambda paper: _listed(found.memories, paper) if wanted else _counted(found, paper),
        talk=(_audit_said(found, named=bool(wanted)),),
    )


def _stores(found: Sequence[Kept]) -> Answer:
    return Answer(
        result={"kept": found},
        text=lambda paper: _kept(found, paper),
        talk=("`memvault config keep` shows what you may set; nothing of your own goes unless you do.",),
    )


def _kept(found: Sequence[Kept], paper: Paper) -> str:
    columns = (
        Column("WHAT"),
        Column("FILES", right=True),
        Column("SIZE", right=True),
        Column("FIRST", may_go=True),
        Column("LAST", may_go=True),
        Column("SETTING", may_go=True),
        Column("KEPT", gives_way=True),
    )
    return table(columns, [_row_of(store, paper) for store in found], paper)


def _row_of(store: Kept, paper: Paper) -> list[str]:
    days = [paper.day(moment) if moment else "" for moment in (store.first, store.last)]
    count = f"{store.files:,}" if store.files else ""
    return [store.store, count, size(store.size) if store.size else "", *days, " ".join(store.settings), store.until]


def _audit_said(found: Audit, *, named: bool) -> str:
    if not named:
        return "" if found.groups else "There are no memories in this vault yet."
    return "" if found.memories else "No memory has that origin."


def _counted(found: Audit, paper: Paper) -> str:
    right = {"right": True}
    columns = (
        Column(found.by.upper(), gives_way=True),
        Column("MEMORIES", **right),
        Column("ALWAYS LOADED", **right, may_go=True),
        Column("WAITING", **right, may_go=True),
        Column("TAINTED", **right, may_go=True),
        Column("FIRST"),
        Column("LAST"),
    )
    return table(columns, [_row(group, paper) for group in found.groups], paper) if found.groups else ""


def _row(group: Group, paper: Paper) -> list[str]:
    figures = (group.memories, group.loaded, group.quarantined, group.tainted)
    days = (paper.day(group.first), paper.day(group.last))
    return [group.value or "(not said)", *(f"{figure:,}" if figure else "" for figure in figures), *days]


def _listed(memories: Sequence[Memory], paper: Paper) -> str:
    if not memories:
        return ""
    columns = (
        Column("ID"),
        Column("CREATED"),
        Column("PLACE"),
        Column("SESSION", may_go=True),
        Column("TITLE", gives_way=True),
    )
    rows = [
        [
            memory.id[:8],
            paper.day(memory.created),
            memory.place.value,
            str(memory.more.get("session", ""))[:8],
            memory.title,
        ]
        for memory in memories
    ]
    return f"{table(columns, rows, paper)}\n{plural(len(memories), 'memory', 'memories')}"
