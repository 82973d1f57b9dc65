"""The server on a port of this machine, for agents that do not start it themselves."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from memvault.agents.mcp.caller import House
from memvault.agents.mcp.server import build
from memvault.agents.mcp.transport import Guard
from memvault.errors import BadInput

HOST = "127.0.0.1"
PATH = "/mcp"
_LARGEST = 4 * 1024 * 1024  # bytes of a request
_FAREWELL_SECONDS = 2
_HIGHEST_PORT = 65_535


def serve(house: House, *, port: int, token: str, say: Callable[[str], None]) -> None:
    """Answer on a port of this machine until it is ended; port 0 takes any that is free."""
    with _bound(port) as listening:
        taken = listening.getsockname()[1]
        app = build(house).streamable_http_app(streamable_http_path=PATH, host=HOST, max_request_body_size=_LARGEST)
        config = uvicorn.Config(
            Guard(app, port=taken, token=token),
            log_level="error",
            access_log=False,
            server_header=False,
            ws="none",
            proxy_headers=False,
            timeout_graceful_shutdown=_FAREWELL_SECONDS,
        )
        say(f"Answering at http://{HOST}:{taken}{PATH}; Ctrl-C ends it.")
        uvicorn.Server(config).run(sockets=[listening])


def _bound(port: int) -> socket.socket:
    """A socket on the loopback interface, and on no other."""
    if not 0 <= port <= _HIGHEST_PORT:
        raise BadInput(what="the port", value=port, reason=f"it must lie between 0 and {_HIGHEST_PORT}")
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise BadInput(what="the port", value=port, reason=error.strerror or error) from None
