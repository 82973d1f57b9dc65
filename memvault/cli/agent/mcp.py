"""`memvault mcp`: let an agent use the vault by the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from memvault.cli.agent import mcp_install
from memvault.cli.agent.mcp_install import Agent, Project
from memvault.cli.answer import Answer
from memvault.cli.context import Desk
from memvault.cli.declare import Argument, Option
from memvault.cli.options import DryRun
from memvault.errors import Misused, NotInstalled

MCP_EXAMPLES = (
    "memvault mcp",
    "memvault mcp --vault ~/memory",
    "memvault mcp --http --port 8765",
    *mcp_install.MCP_INSTALL_EXAMPLES,
)

_PORT = 8765
_EXTRA = "mcp"

Action = Annotated[
    str,
    Argument(
        metavar="ACTION",
        help="Without one it serves. install, status and uninstall see to the settings of agents.",
        show_default=False,
        autocompletion=lambda: list(mcp_install.ACTIONS),
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
        return mcp_install.entry(desk, action, agent=agent, project=project, dry_run=dry_run)
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
    from memvault.system import paths as folders

    return folders.state(desk.environment) / "mcp-token"
