"""`memvault agent mcp` as it is typed: it serves, or sees to the settings of agents, and never both."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import memvault
from memvault.cli.agent import mcp
from tests.command_line import Line


def test_without_what_it_needs_it_says_what_to_install(in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda name: None)
    ran = in_vault("agent", "mcp")
    assert (ran.code, ran.out) == (1, "")
    assert "The MCP server is not installed" in ran.err
    assert "-m pip install 'mcp" in ran.err
    assert "memvault[" not in ran.err


def test_no_server_is_installed_that_could_not_start(in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda name: None)
    ran = in_vault("mcp", "install")
    assert ran.code == 1
    assert "-m pip install 'mcp" in ran.err
    assert "Not installed" in in_vault("mcp", "status").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--port", "1"), "--port does not go with serving without --http"),
        (("--token-file", "x"), "--token-file does not go with serving without --http"),
        (("--agent", "cursor"), "--agent does not go with serving"),
        (("--dry-run",), "--dry-run does not go with serving"),
        (("install", "--http"), "--http does not go with install"),
        (("dance",), "'dance' is none of install, uninstall, status"),
    ],
)
def test_what_does_not_go_together_is_told(in_vault: Line, words: tuple[str, ...], told: str) -> None:
    ran = in_vault("agent", "mcp", *words)
    assert ran.code == 2
    assert told in ran.err


def test_the_words_of_the_settings_are_handed_on(in_vault: Line) -> None:
    assert in_vault("agent", "mcp", "status").out.startswith("Not installed")
    assert in_vault("agent", "mcp", "install", "--dry-run").out.startswith(
        "Would install: memvault as a server of claude-code"
    )


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="the server is not installed here")
def test_a_port_that_cannot_be_is_told(in_vault: Line) -> None:
    ran = in_vault("agent", "mcp", "--http", "--port", "70000")
    assert ran.code == 2
    assert "The port cannot be 70000" in ran.err


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="the server is not installed here")
def test_a_port_that_somebody_has_is_told(in_vault: Line) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = in_vault("agent", "mcp", "--http", "--port", str(taken.getsockname()[1]))
    assert ran.code == 2
    assert "The port cannot be" in ran.err


@pytest.mark.parametrize(
    "modules", ["memvault.cli.agent.mcp, memvault.api", "memvault.agents.mcp.queries"], ids=["commands", "daemon"]
)
@pytest.mark.points(only=True)
def test_neither_other_commands_nor_the_daemon_load_the_protocol(modules: str) -> None:
    own = {**os.environ, "PYTHONPATH": str(Path(memvault.__file__).parent.parent)}
    words = [sys.executable, "-c", f"import sys, {modules}; print(*sys.modules)"]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True, env=own).stdout.split()
    assert not {"mcp", "mcp_types", "anyio", "pydantic", "uvicorn", "starlette"} & set(loaded)
