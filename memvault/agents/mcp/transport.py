"""Who may call over HTTP: this machine, by a name that is its own, with the token, and no page of somebody else's."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import signal
import socket
import stat
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError

from memvault.agents.mcp.caller import VaultOpener
from memvault.agents.mcp.http_connection import BoundedConnection
from memvault.agents.mcp.renewal import MessageRelay, await_purge
from memvault.agents.mcp.server import build_server
from memvault.errors import BadInput
from memvault.system import files
from memvault.system.memory_holders import LOOPBACK, open_port, read_mark, register_holder, restart_process

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_NAMES = ("127.0.0.1", "localhost", "[::1]")


class RequestGuard:
    """Lets a request through to the server behind it, or refuses it before anything of it is read."""

    def __init__(self, app: AsgiApp, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in _NAMES)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refusal_reason(_read_headers(scope)) if scope["type"] == "http" else None
        if scope["type"] in ("http", "lifespan") and refused is None:
            await self._app(scope, receive, send)
        elif refused is not None:
            await _send_refusal(send, *refused)

    def _refusal_reason(self, headers: Mapping[bytes, list[bytes]]) -> tuple[int, str] | None:
        """Return why a request is refused, if it is. Each of the headers may stand there once."""
        if _decode_header(headers, b"host") not in self._hosts:
            return 421, "This server answers on this machine alone, by its own address."
        if b"origin" in headers and _decode_header(headers, b"origin") not in self._origins:
            return 403, "A page of another origin may not call this server."
        given = headers.get(b"authorization", [])
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        # The time that a comparison takes must not tell how much of the token was right.
        if not (scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)):
            return 401, "The token is missing or wrong: send `Authorization: Bearer TOKEN`."
        return None


def _read_headers(scope: Scope) -> Mapping[bytes, list[bytes]]:
    found: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.lower(), []).append(value)
    return found


def _decode_header(headers: Mapping[bytes, list[bytes]], name: bytes) -> str:
    given = headers.get(name, [])
    return given[0].decode("latin-1").lower() if len(given) == 1 else ""


async def _send_refusal(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    headers += [(b"www-authenticate", b"Bearer")] if status == 401 else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{sentence}\n".encode()})


# The server on a port of this machine, for agents that do not start it themselves.

PATH = "/mcp"
_MAX_BODY_BYTES = 4 * 1024 * 1024  # bytes of a request
_SHUTDOWN_SECONDS = 2
_SOCKET = "MEMVAULT_MCP_SOCKET"  # by which a server that takes the place of another knows the socket


def serve_http(opener: VaultOpener, *, port: int, token: str, print_message: Callable[[str], None]) -> None:
    """Answer on a port of this machine until it is ended; port 0 takes any that is free."""
    inherited = os.environ.pop(_SOCKET, "")
    with socket.socket(fileno=int(inherited)) if inherited else open_port(port) as listening:
        taken = listening.getsockname()[1]
        app = build_server(opener).streamable_http_app(
            streamable_http_path=PATH, host=LOOPBACK, max_request_body_size=_MAX_BODY_BYTES
        )
        config = uvicorn.Config(
            RequestGuard(app, port=taken, token=token),
            log_level="error",
            access_log=False,
            server_header=False,
            ws="none",
            proxy_headers=False,
            http=BoundedConnection,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        print_message(f"Answering at http://{LOOPBACK}:{taken}{PATH}; Ctrl-C ends it.")
        mark, spare = read_mark(opener.environment), listening.dup()
        with register_holder(opener.environment, mark):
            is_purged = anyio.run(_serve_socket, uvicorn.Server(config), listening, opener.environment, mark)
        if is_purged:
            spare.set_inheritable(True)
            restart_process({_SOCKET: str(spare.fileno())})
        spare.close()


async def _serve_socket(server: Any, listening: socket.socket, environment: Mapping[str, str], mark: bytes) -> bool:
    """Serve until a signal, or a purge, ends it; return whether that was a purge."""

    async def end_after_purge() -> None:
        await await_purge(environment, mark)
        server.should_exit = True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(end_after_purge)
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()
    return read_mark(environment) != mark


# The server at the other end of a pipe: one agent, which has started it and ends it.


def serve_stdio(opener: VaultOpener) -> None:
    """Answer on stdout what comes on stdin, until that ends."""
    # Otherwise Ctrl-C would wait for the thread that reads stdin, and that for a line which nobody sends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    mark = read_mark(opener.environment)
    with register_holder(opener.environment, mark):
        anyio.run(_serve_streams, build_server(opener), opener.environment, mark)


async def _serve_streams(server: Any, environment: Mapping[str, str], mark: bytes) -> None:
    passing, understood = anyio.create_memory_object_stream[Any](0)
    answering, answers = anyio.create_memory_object_stream[Any](0)
    relay, wires = MessageRelay(), (os.dup(0), os.dup(1))
    async with stdio_server() as (reading, writing), anyio.create_task_group() as tasks:
        tasks.start_soon(_pass_messages, reading, passing, writing.clone(), relay)
        tasks.start_soon(relay.pass_answers, answers, writing)
        tasks.start_soon(_restart_after_purge, environment, mark, relay, wires)
        await server.run(understood, answering, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _restart_after_purge(
    environment: Mapping[str, str], mark: bytes, relay: MessageRelay, wires: tuple[int, int]
) -> None:
    await await_purge(environment, mark)
    await relay.await_quiet()
    for number, wire in enumerate(wires):  # which the streams had diverted
        os.dup2(wire, number)
    restart_process(relay.variables)


async def _pass_messages(reading: Any, passing: Any, writing: Any, relay: MessageRelay) -> None:
    """Hand on what can be read; whoever waits for an answer to anything else is told so, and not left waiting."""
    async with passing, writing:
        await relay.introduce_client(passing)
        async for message in reading:
            if not isinstance(message, Exception):
                relay.note_request(message.message)
                await passing.send(message)
            elif (refused := _build_refusal(message)) is not None:
                await writing.send(SessionMessage(refused))


def _build_refusal(trouble: Exception) -> JSONRPCError | None:
    """Return the answer to a request that cannot be read; None where nobody can be seen to wait for one."""
    line = _read_request(trouble)
    id_ = line.get("id")
    if not isinstance(id_, str) and type(id_) is not int:
        return None
    told = "It is no request of JSON-RPC 2.0, or it holds half a character."
    return JSONRPCError(jsonrpc="2.0", id=id_, error=ErrorData(code=INVALID_REQUEST, message=told))


def _read_request(trouble: Exception) -> Mapping[str, Any]:
    """Return the request on a line that was refused; empty where there is none."""
    try:
        inputs = [error.get("input") for error in trouble.errors()]  # type: ignore[attr-defined]
        whole = [json.loads(given) for given in inputs if isinstance(given, str) and given.lstrip().startswith("{")]
    except (AttributeError, ValueError, RecursionError):
        return {}
    return next((given for given in (*inputs, *whole) if isinstance(given, Mapping) and "method" in given), {})


# The word that a caller over HTTP must know: in a file that nobody but this person can read.

MIN_TOKEN_LENGTH = 16


def load_token(path: Path) -> str:
    """Return the token in a file; where there is no such file, it is made with a new one."""
    if not os.path.lexists(path):
        files.make_folder(path.parent)
        files.overwrite_file(path, f"{secrets.token_urlsafe(32)}\n".encode())
    if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise BadInput(what="the token file", value=str(path), reason="others can read it (chmod 600 mends that)")
    found = files.read_file(path).decode("utf-8", "replace").strip()
    if len(found) < MIN_TOKEN_LENGTH or not found.isascii() or not found.isprintable() or " " in found:
        reason = f"it must hold one word of {MIN_TOKEN_LENGTH} characters or more, in plain letters, digits and signs"
        raise BadInput(what="the token file", value=str(path), reason=reason)
    return found
