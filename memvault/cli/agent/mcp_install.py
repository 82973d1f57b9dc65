"""`memvault mcp install`, `uninstall` and `status`: have an agent start memvault as an MCP server."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

from memvault.cli.answer import Answer
from memvault.cli.context import Desk
from memvault.cli.declare import Option
from memvault.cli.options import one_of
from memvault.cli.output import report as reports
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.entries import diff, removed, spoken
from memvault.cli.output.terminal import Paper
from memvault.errors import FAILED, Misused

if TYPE_CHECKING:
    from memvault.agents.setup.mcp import Installed, McpEntry, Standing


MCP_INSTALL_EXAMPLES = (
    "memvault mcp install",
    "memvault mcp install --agent vscode --project",
    "memvault mcp status",
    "memvault mcp uninstall",
)

ACTIONS = ("install", "uninstall", "status")
# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
AGENTS = ("claude-code", "claude-desktop", "cursor", "vscode")

Agent = Annotated[
    str, one_of("--agent", AGENTS, "With install and uninstall, whose: {}. Without it claude-code, and all of them.")
]
Project = Annotated[
    bool, Option("--project", help="With install and uninstall, in this project's settings instead of your own.")
]

_EXTRA = "The server needs more than memvault alone: `pip install 'memvault[mcp]'`."


def entry(desk: Desk, action: str, *, agent: str = "", project: bool = False, dry_run: bool = False) -> Answer:
    """Carry out what stands behind `memvault mcp`: install, uninstall or status."""
    if action not in ACTIONS:
        raise Misused(reason=f"{action!r} is none of {', '.join(ACTIONS)}.", command="memvault mcp")
    from memvault.api import Memvault

    found = Memvault.mcp_entry(environment=desk.environment, now=desk.now())
    match action:
        case "install":
            return _installed(_install(desk, found, agent, project=project, dry_run=dry_run))
        case "uninstall":
            scope = "project" if project else ""
            return removed(found.remove(agent=agent, scope=scope, dry_run=dry_run), "servers")
        case _:
            return _status(found.status())


def _install(desk: Desk, found: McpEntry, agent: str, *, project: bool, dry_run: bool) -> Installed:
    from memvault.agents.setup.mcp import Wanted

    with desk.open() as vault:
        return found.install(
            Wanted(
                agent=agent or "claude-code",
                scope="project" if project else "user",
                vault=str(vault.root) if desk.vault_named else "",
                is_found=vault.is_found_anywhere,
                dry_run=dry_run,
            )
        )


def _installed(done: Installed) -> Answer:
    would = "Would install" if done.dry_run else "Installed" if done.changed else "Installed already"
    head = f"{would}: memvault as a server of {done.agent} ({done.scope})"
    return Answer(
        result=done,
        text=lambda paper: "\n".join(
            filter(None, (_told(head, done.command, done.path, done.backup, paper), diff(done.diff, paper)))
        ),
        talk=(DRY_RUN if done.dry_run else "Take it back with: memvault mcp uninstall",),
        warnings=(*done.warnings, *([] if find_spec("mcp") else [_EXTRA])),
    )


def _status(found: Standing) -> Answer:
    problems = (*(problem for place in found.places for problem in place.problems), *found.problems)
    if not found.places:
        return Answer(
            result=found,
            text=lambda _paper: "Not installed: no agent starts memvault as a server.",
            talk=("`memvault mcp install` has Claude Code do so.",),
            warnings=problems,
        )
    return Answer(
        result=found,
        text=lambda paper: "\n".join(
            _told(f"A server of {place.agent} ({place.scope})", place.command, place.path, "", paper)
            for place in found.places
        ),
        warnings=problems,
        exit_code=FAILED if problems else 0,
    )


def _told(head: str, words: tuple[str, ...], path: str, backup: str, paper: Paper) -> str:
    rows = (("runs", spoken(words)), ("in", path), ("before", backup))
    return "\n".join([head, *(reports.labelled(label, text, paper) for label, text in rows if text)])
