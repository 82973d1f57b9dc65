"""A vault behind the server, and a client of the protocol that calls it, in this process."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Clock, LaidDown

Call = Callable[..., Any]
Talk = Callable[[Callable[[Any], Awaitable[Any]]], Any]


@pytest.fixture
def house(  # type: ignore[no-untyped-def]
    tmp_path: Path, environment: dict[str, str], clock: Clock, laid_down: LaidDown, monkeypatch: pytest.MonkeyPatch
):
    """Opens the sample vault for callers, on the fixed clock."""
    from memvault.agents.mcp.caller import VaultOpener

    shutil.copytree(laid_down(True), tmp_path / "vault")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return VaultOpener(str(tmp_path / "vault"), environment=environment, clock=clock, zone=UTC)


def run_client(opener: Any, act: Callable[[Any], Awaitable[Any]]) -> Any:
    """Has a client do something with a server of its own; what the protocol refuses is given back."""
    import anyio
    from mcp import Client
    from mcp.shared.exceptions import MCPError
    from mcp_types import Implementation

    from memvault.agents.mcp.server import build_server

    async def talked() -> Any:
        async with Client(build_server(opener), client_info=Implementation(name="Test Agent", version="1")) as client:
            try:
                return await act(client)
            except MCPError as error:  # by itself, not within a group of what else went wrong on the way out
                return error

    return anyio.run(talked)


@pytest.fixture
def talk(house) -> Talk:  # type: ignore[no-untyped-def]
    """Has a client do something with the server."""

    def run(act: Callable[[Any], Awaitable[Any]]) -> Any:
        found = run_client(house, act)
        if isinstance(found, Exception):
            raise found
        return found

    return run


@pytest.fixture
def call(talk: Talk) -> Call:
    """Calls one tool, which must do what it was asked for, and gives its structured answer."""

    def run(name: str, **arguments: Any) -> Any:
        found = talk(lambda client: client.call_tool(name, arguments))
        assert not found.is_error, found.content[0].text
        return found.structured_content

    return run


@pytest.fixture
def refused(talk: Talk) -> Callable[..., str]:
    """Calls one tool, which must refuse, and gives what the model is told."""

    def run(name: str, **arguments: Any) -> str:
        found = talk(lambda client: client.call_tool(name, arguments))
        assert found.is_error, found.structured_content
        told: str = found.content[0].text
        return told

    return run
