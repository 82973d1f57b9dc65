"""The server at the other end of a pipe: one agent, which has started it and ends it."""

from __future__ import annotations

import signal
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from memvault.surfaces.mcp.caller import House
from memvault.surfaces.mcp.server import build


def serve(house: House) -> None:
    """Answer on stdout what comes on stdin, until that ends."""
    # Otherwise Ctrl-C would wait for the thread that reads stdin, and that for a line which nobody sends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(_served, build(house))


async def _served(server: Any) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
