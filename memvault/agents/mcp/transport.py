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
import h11
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)
from uvicorn.protocols.http.h11_impl import H11Protocol

from memvault.agents.mcp.caller import VaultOpener
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


# What a caller over HTTP may hold: connections, and the time in which a request has to arrive.


MOST_CONNECTIONS = 64
_SECONDS = {h11.IDLE: 10, h11.SEND_BODY: 30}  # for the headers, and for the body
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class BoundedConnection(H11Protocol):
    """One connection, which is closed when a request does not arrive in time, or when there are too many."""

    _awaited: Any = None  # the part of a request that a timer waits for
    _timer: Any = None

    def connection_made(self, transport: Any) -> None:
        """Begin with a caller, unless too many are there."""
        if len(self.connections) >= MOST_CONNECTIONS:
            self.transport = transport
            self._refuse_caller(_TOO_MANY)
            return
        super().connection_made(transport)
        self._await_part()

    def data_received(self, data: bytes) -> None:
        """Take in what came; a byte now and then buys no more time."""
        super().data_received(data)
        self._await_part()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_timer()
        super().connection_lost(exc)

    def _await_part(self) -> None:
        part = self.conn.their_state
        if part is self._awaited:
            return
        self._stop_timer()
        if part in _SECONDS:
            self._awaited = part
            self._timer = self.loop.call_later(_SECONDS[part], self._refuse_caller, _TOO_LATE)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._awaited = self._timer = None

    def _refuse_caller(self, answer: bytes) -> None:
        if self.cycle is None or not self.cycle.response_started:
            self.transport.write(answer)
        self.transport.close()


# A server starts again after a purge, while its client goes on talking to it.


HANDSHAKE = "MEMVAULT_MCP_HANDSHAKE"
"""The variable by which a server that takes the place of another knows how the client introduced itself."""

_ID = "memvault-handshake"
_LOOK_SECONDS, _QUIET_SECONDS = 2.0, 0.5


async def await_purge(environment: Mapping[str, str], mark: bytes) -> None:
    """Wait until something was purged since a mark was read."""
    while read_mark(environment) == mark:
        await anyio.sleep(_LOOK_SECONDS)


class MessageRelay:
    """Hands messages on between a client and a server, and knows how the client began and what it waits for."""

    def __init__(self) -> None:
        self.awaited: set[str | int] = set()
        self._handshake = os.environ.pop(HANDSHAKE, "")
        self._is_introduced = anyio.Event()

    @property
    def variables(self) -> Mapping[str, str]:
        """Return the variables by which the next server goes on from here."""
        return {HANDSHAKE: self._handshake} if self._handshake else {}

    async def introduce_client(self, passing: Any) -> None:
        """Say to a server that took the place of another what the client said to that one."""
        if self._handshake:
            said = jsonrpc_message_adapter.validate_json(self._handshake, by_name=False)
            await passing.send(SessionMessage(said.model_copy(update={"id": _ID})))
            await self._is_introduced.wait()
            begun = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
            await passing.send(SessionMessage(begun))

    def note_request(self, message: Any) -> None:
        """Note what the client waits for."""
        if isinstance(message, JSONRPCRequest):
            self.awaited.add(message.id)
            if message.method == "initialize":
                self._handshake = message.model_dump_json(by_alias=True, exclude_unset=True)

    async def pass_answers(self, answers: Any, writing: Any) -> None:
        """Hand on what the server says, but its answer to what the client did not say."""
        async with writing:
            async for message in answers:
                id_ = getattr(message.message, "id", None)
                if id_ == _ID:
                    self._is_introduced.set()
                    continue
                await writing.send(message)
                if not isinstance(message.message, JSONRPCRequest):
                    self.awaited.discard(id_)

    async def await_quiet(self) -> None:
        """Wait until the client has all its answers, and says nothing for a moment."""
        quiet = False
        while not quiet:
            quiet = not self.awaited
            await anyio.sleep(_QUIET_SECONDS)
            quiet = quiet and not self.awaited
