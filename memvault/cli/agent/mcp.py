"""`memvault mcp`: let an agent use the vault by the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Option, one_of
from memvault.cli.output import report
from memvault.cli.output.changes import DRY_RUN, diff, removed, spoken
from memvault.cli.output.terminal import Paper
from memvault.errors import FAILED, Misused, NotInstalled

if TYPE_CHECKING:
    from memvault.agents.setup.mcp import Installed, McpEntry, Standing


# `memvault mcp install`, `uninstall` and `status`: have an agent start memvault as an MCP server.

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

_MCP_INSTALL_EXTRA = "The server needs more than memvault alone: `pip install 'memvault[mcp]'`."


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
        warnings=(*done.warnings, *([] if find_spec("mcp") else [_MCP_INSTALL_EXTRA])),
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
    return "\n".join([head, *(report.labelled(label, text, paper) for label, text in rows if text)])


MCP_EXAMPLES = (
    "memvault mcp",
    "memvault mcp --vault ~/memory",
    "memvault mcp --http --port 8765",
    *MCP_INSTALL_EXAMPLES,
)

_PORT = 8765
_EXTRA = "mcp"

Action = Annotated[
    str,
    Argument(
        metavar="ACTION",
        help="Without one it serves. install, status and uninstall see to the settings of agents.",
        show_default=False,
        autocompletion=lambda: list(ACTIONS),
    ),
]
Http = Annotated[bool, Option("--http", help="Serve over HTTP on this machine, not on stdin and stdout.")]
Port = Annotated[
    int | None,
    Option("--port", metavar="N", help="With --http: 8765 unless set, 0 for any that is free.", show_default=False),
]
TokenFile = Annotated[
    Path | None,
    Option(
        "--token-file",
        metavar="FILE",
        help="With --http, the file of the token that callers must send; made where it is not there.",
        show_default=False,
    ),
]


def mcp(
    desk: Desk,
    action: Action = "",
    *,
    http: Http = False,
    port: Port = None,
    token_file: TokenFile = None,
    agent: Agent = "",
    project: Project = False,
    dry_run: DryRun = False,
) -> Answer | None:
    """Let an agent use the vault by the Model Context Protocol.

    Agents start it by themselves, once `memvault mcp install` has entered it in their settings. It answers on stdin and
    stdout, and writes nothing else there. With --http it answers on this machine alone, and only who sends the token.
    """
    serving = {"--http": http, "--port": port is not None, "--token-file": token_file is not None}
    if action:
        _check_alone(action, serving)
        return entry(desk, action, agent=agent, project=project, dry_run=dry_run)
    _check_alone("serving", {"--agent": bool(agent), "--project": project, "--dry-run": dry_run})
    if not http:
        _check_alone("serving without --http", {name: given for name, given in serving.items() if name != "--http"})
    if find_spec(_EXTRA) is None:
        raise NotInstalled(what="The MCP server", extra=_EXTRA)
    _serve(desk, http=http, port=_PORT if port is None else port, token_file=token_file)
    return None


def _check_alone(what: str, others: dict[str, bool]) -> None:
    for name, given in others.items():
        if given:
            raise Misused(reason=f"{name} does not go with {what}.", command="memvault mcp")


def _serve(desk: Desk, *, http: bool, port: int, token_file: Path | None) -> None:
    # Deferred, all of them: what speaks the protocol takes a second to load, and no other command needs it.
    from memvault.agents.mcp.caller import House

    house = House(desk)
    if not http:
        from memvault.agents.mcp import transport

        transport.serve_stdio(house)
        return
    from memvault.agents.mcp import transport
    from memvault.agents.mcp.transport import token

    kept = token_file or _usual_token_file(desk)
    word = token(kept)
    desk.say(f"Callers send `Authorization: Bearer TOKEN`; the token is in {kept}.")
    transport.serve_http(house, port=port, token=word, say=desk.say)


def _usual_token_file(desk: Desk) -> Path:
    from memvault.system import paths

    return paths.state(desk.environment) / "mcp-token"
