"""How a model is told to recall by itself: the tool where its agent starts our server, else a program that is found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.setup.install import EntryOptions, ServerSetup
from memvault.agents.setup.recall_way import describe_recall
from tests.conftest import START

SERVER = {"mcpServers": {"notes": {"command": "/opt/memvault", "args": ["mcp"]}}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "gauges" / ".claude").mkdir(parents=True)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".claude").mkdir()
    return tmp_path


def describe(
    home: Path, agent: str = "claude-code", *, configured: str = "", vault: Path = Path("/v"), **more: str
) -> str:
    environment = {"HOME": str(home), **more}
    return describe_recall(environment, agent=agent, folder=home / "gauges", vault=vault, configured=configured)


@pytest.mark.parametrize(
    ("agent", "path", "text"),
    [
        ("claude-code", ".claude.json", json.dumps(SERVER)),
        ("claude-code", ".claude.json", json.dumps({"projects": {"FOLDER": SERVER}})),
        ("claude-code", "gauges/.mcp.json", json.dumps(SERVER)),
        ("claude-code", ".claude/settings.json", json.dumps({"enabledPlugins": {"memvault@memvault": True}})),
        ("codex", ".codex/config.toml", '[mcp_servers.notes]\ncommand = "memvault"\nargs = ["mcp"]\n'),
    ],
)
def test_where_an_agent_starts_our_server_its_tool_is_named(home: Path, agent: str, path: str, text: str) -> None:
    assert "recall WORDS" in describe(home, agent)
    (home / path).write_text(text.replace("FOLDER", str(home / "gauges")), encoding="utf-8")
    assert "the tool `recall` of the MCP server memvault" in describe(home, agent)
    other = "codex" if agent == "claude-code" else "claude-code"
    assert "recall WORDS" in describe(home, other)


def test_the_server_that_memvault_installs_is_seen(home: Path) -> None:
    ServerSetup.from_environment({"HOME": str(home), "PATH": ""}, START, folder=home).install(EntryOptions())
    assert "MCP server" in describe(home)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"mcpServers": {"memvault": 7}}', '{"mcpServers": ["memvault mcp"]}'])
def test_settings_that_say_nothing_leave_the_program_with_its_whole_path(home: Path, text: str) -> None:
    (home / ".claude.json").write_text(text, encoding="utf-8")
    (home / ".claude" / "settings.json").write_text(f"memvault {text}", encoding="utf-8")
    (home / ".codex" / "config.toml").write_text(text, encoding="utf-8")
    for agent in ("claude-code", "codex", "", "another"):
        program = re.search(r"`(\S+) .*recall WORDS`", describe(home, agent))
        assert program is not None
        assert Path(program[1]).is_file()


def test_the_vault_is_named_only_where_it_would_not_be_found(home: Path) -> None:
    Memvault.init(home / "my vault")
    vault = home / "my vault"
    assert "--vault" not in describe(home, vault=vault, configured=str(vault))
    assert "--vault" not in describe(home, vault=vault, MEMVAULT_DIR=str(vault))
    assert f'--vault "{vault}" recall WORDS`' in describe(home, vault=vault)
    Memvault.init(home / "gauges")
    assert "--vault" in describe(home, vault=vault, configured=str(vault))
