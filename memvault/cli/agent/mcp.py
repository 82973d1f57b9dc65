"""`memvault agent mcp`: let an agent use the vault by the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import DryRun, Option, action_argument, check_action, choice_option
from memvault.cli.output.changes import format_entry, install_result, remove_result
from memvault.errors import FAILED, Misused, NotInstalled
from memvault.system.programs import install_command

if TYPE_CHECKING:
    from memvault.agents.setup.install import ServerInstallResult, ServerSetup, ServerStatus


# `memvault agent mcp install`, `uninstall` and `status`: have an agent start memvault as an MCP server.

MCP_INSTALL_EXAMPLES = (
    "memvault agent mcp install",
    "memvault agent mcp install --agent vscode --project",
    "memvault agent mcp status",
    "memvault agent mcp uninstall",
)

ACTIONS = ("install", "uninstall", "status")
# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
AGENTS = ("claude-code", "claude-desktop", "cursor", "vscode")

Agent = Annotated[
    str,
    choice_option("--agent", AGENTS, "With install and uninstall, whose: {}. Without it claude-code, and all of them."),
]
Project = Annotated[
    bool, Option("--project", help="With install and uninstall, in this project's settings instead of your own.")
]

_EXTRA = "mcp"


def manage_entry(
    cli: CliContext, action: str, *, agent: str = "", project: bool = False, dry_run: bool = False
) -> CommandResult:
    """Carry out what stands behind `memvault agent mcp`: install, uninstall or status."""
    check_action(action, ACTIONS, "memvault agent mcp")
    from memvault.agents.setup.install import ServerSetup

    found = ServerSetup.from_environment(cli.environment, cli.now())
    match action:
        case "install":
            require_server()  # a server that cannot start would be complained of at every session
            done = _install_entry(cli, found, agent, project=project, dry_run=dry_run)
            return install_result(done, f"memvault as a server of {done.agent}", "agent mcp")
        case "uninstall":
            scope = "project" if project else ""
            return remove_result(found.remove(agent=agent, scope=scope, dry_run=dry_run), "servers")
        case _:
            return _status_result(found.status())


def require_server() -> None:
    """Complain where what a server needs is not installed."""
    if find_spec(_EXTRA) is None:
        raise NotInstalled(what="The MCP server", command=install_command(_EXTRA))


def _install_entry(
    cli: CliContext, found: ServerSetup, agent: str, *, project: bool, dry_run: bool
) -> ServerInstallResult:
    from memvault.agents.setup.install import EntryOptions, is_found_anywhere

    with cli.open_vault() as vault:
        return found.install(
            EntryOptions(
                agent=agent or "claude-code",
                scope="project" if project else "user",
                vault=str(vault.root) if cli.vault_name else "",
                is_found=is_found_anywhere(vault),
                dry_run=dry_run,
            )
        )


def _status_result(found: ServerStatus) -> CommandResult:
    problems = (*(problem for place in found.places for problem in place.problems), *found.problems)
    if not found.places:
        return CommandResult(
            result=found,
            text=lambda _paper: "Not installed: no agent starts memvault as a server.",
            messages=("`memvault agent mcp install` has Claude Code do so.",),
            warnings=problems,
        )
    return CommandResult(
        result=found,
        text=lambda paper: "\n".join(
            format_entry(f"A server of {each.agent} ({each.scope})", (), each, "", paper) for each in found.places
        ),
        warnings=problems,
        exit_code=FAILED if problems else 0,
    )


MCP_EXAMPLES = (
    "memvault agent mcp",
    "memvault agent mcp --vault ~/memory",
    "memvault agent mcp --http --port 8765",
    *MCP_INSTALL_EXAMPLES,
)

_PORT = 8765

Action = Annotated[
    str, action_argument(ACTIONS, "Without one it serves. install, status and uninstall see to the settings of agents.")
]
Http = Annotated[bool, Option("--http", help="Serve over HTTP on this machine, not on stdin and stdout.")]
Port = Annotated[
    int | None, Option("--port", metavar="N", help="With --http: 8765 unless set, 0 for any that is free.")
]
TokenFile = Annotated[
    Path | None,
    Option(
        "--token-file",
        metavar="FILE",
        help="With --http, the file of the token that callers must send; made where it is not there.",
    ),
]


def mcp(
    cli: CliContext,
    action: Action = "",
    *,
    http: Http = False,
    port: Port = None,
    token_file: TokenFile = None,
    agent: Agent = "",
    project: Project = False,
    dry_run: DryRun = False,
) -> CommandResult | None:
    """Let an agent use the vault by the Model Context Protocol.

    Agents start it by themselves, once `memvault agent mcp install` has entered it in their settings. It answers on
    stdin and stdout, and writes nothing else there. With --http it answers on this machine alone, and only who sends
    the token.
    """
    serving = {"--http": http, "--port": port is not None, "--token-file": token_file is not None}
    if action:
        _check_alone(action, serving)
        return manage_entry(cli, action, agent=agent, project=project, dry_run=dry_run)
    _check_alone("serving", {"--agent": bool(agent), "--project": project, "--dry-run": dry_run})
    if not http:
        _check_alone("serving without --http", {name: given for name, given in serving.items() if name != "--http"})
    require_server()
    _serve_mcp(cli, http=http, port=_PORT if port is None else port, token_file=token_file)
    return None


def _check_alone(what: str, others: dict[str, bool]) -> None:
    for name, given in others.items():
        if given:
            raise Misused(reason=f"{name} does not go with {what}.", command="memvault agent mcp")


def _serve_mcp(cli: CliContext, *, http: bool, port: int, token_file: Path | None) -> None:
    # Deferred, all of them: what speaks the protocol takes a second to load, and no other command needs it.
    from memvault.agents.mcp.caller import VaultOpener

    # The machine's own time zone may change while it serves.
    zone = None if cli.clock is None else cli.zone
    opener = VaultOpener(cli.vault_name, environment=cli.environment, clock=cli.clock, zone=zone)
    if not http:
        from memvault.agents.mcp import transport

        transport.serve_stdio(opener)
        return
    from memvault.agents.mcp import transport
    from memvault.agents.mcp.transport import load_token

    kept = token_file or _default_token_file(cli)
    word = load_token(kept)
    cli.print_message(f"Callers send `Authorization: Bearer TOKEN`; the token is in {kept}.")
    transport.serve_http(opener, port=port, token=word, print_message=cli.print_message)


def _default_token_file(cli: CliContext) -> Path:
    from memvault.system import paths

    return paths.state_folder(cli.environment) / "mcp-token"
