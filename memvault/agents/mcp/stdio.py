"""The server at the other end of a pipe: one agent, which has started it and ends it."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError

from memvault.agents.mcp.caller import House
from memvault.agents.mcp.server import build


def serve(house: House) -> None:
    """Answer on stdout what comes on stdin, until that ends."""
    # Otherwise Ctrl-C would wait for the thread that reads stdin, and that for a line which nobody sends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(_served, build(house))


async def _served(server: Any) -> None:
    passing, understood = anyio.create_memory_object_stream[Any](0)
    async with stdio_server() as (reading, writing), anyio.create_task_group() as tasks:
        tasks.start_soon(_sorted, reading, passing, writing.clone())
        await server.run(understood, writing, server.create_initialization_options())


async def _sorted(reading: Any, passing: Any, writing: Any) -> None:
    """Hand on what can be read; whoever waits for an answer to anything else is told so, and not left waiting."""
    async with passing, writing:
        async for message in reading:
            if not isinstance(message, Exception):
                await passing.send(message)
            elif (refused := _refusal(message)) is not None:
                await writing.send(SessionMessage(refused))


def _refusal(trouble: Exception) -> JSONRPCError | None:
    """The answer to a request that cannot be read; None where nobody can be seen to wait for one."""
    line = _request(trouble)
    id_ = line.get("id")
    if not isinstance(id_, str) and type(id_) is not int:
        return None
    told = "It is no request of JSON-RPC 2.0, or it holds half a character."
    return JSONRPCError(jsonrpc="2.0", id=id_, error=ErrorData(code=INVALID_REQUEST, message=told))


def _request(trouble: Exception) -> Mapping[str, Any]:
    """The request on a line that was refused; empty where there is none."""
    try:
        inputs = [error.get("input") for error in trouble.errors()]  # type: ignore[attr-defined]
        whole = [json.loads(given) for given in inputs if isinstance(given, str) and given.lstrip().startswith("{")]
    except (AttributeError, ValueError, RecursionError):
        return {}
    return next((given for given in (*inputs, *whole) if isinstance(given, Mapping) and "method" in given), {})
