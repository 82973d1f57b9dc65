"""Start a server again after a purge, while its client goes on talking to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter

from memvault.system.memory_holders import read_mark

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
