"""`memvault log`: what was done to the vault."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, Limit, Option, moment
from memvault.cli.output import report as reports

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
    from memvault.storage.journal.chronicle import EVERYTHING, Asked  # deferred: a page of help needs none

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
            return Answer(result={"operations": [found]}, text=lambda paper: reports.operation(found, paper))
        everything, here = vault.log(asked), vault.device
    shown = everything[: limit or USUAL]
    return Answer(
        result={"operations": shown, "total": len(everything)},
        text=lambda paper: reports.operations(shown, here, paper) if shown else "",
        talk=(_said(len(shown), len(everything), is_all=asked == EVERYTHING),),
    )


def _said(shown: int, total: int, *, is_all: bool) -> str:
    if not total:
        return "Nothing was done to this vault yet." if is_all else "Nothing of that kind was done."
    return f"{total - shown:,} earlier ones: --limit {total} shows them." if total > shown else ""
