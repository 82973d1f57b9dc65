"""`memvault audit`: where memories come from, and how far that is trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Agent, Device, Option, Session, Source, Tainted, one_of, origin
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.errors import Misused
from memvault.text.figures import plural, size

if TYPE_CHECKING:
    from memvault.core.memory import Memory
    from memvault.maintenance.retention import Kept
    from memvault.privacy.audit import Audit, Group


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
        talk=(_said(found, named=bool(wanted)),),
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


def _said(found: Audit, *, named: bool) -> str:
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
