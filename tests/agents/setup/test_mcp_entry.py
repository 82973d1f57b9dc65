"""memvault is entered among an agent's servers once, beside all others, and leaves nothing behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.agents.setup.clients import SERVER_AGENTS, AgentFolders
from memvault.agents.setup.install import EntryOptions, ServerSetup
from memvault.agents.setup.settings_files import SettingsWriter
from memvault.cli.agent import mcp, setup
from memvault.errors import BadForeignFile, BadInput
from tests.conftest import START

Made = Callable[..., ServerSetup]


@pytest.fixture
def entry(tmp_path: Path) -> Made:
    program = tmp_path / "memvault"
    program.touch()
    (tmp_path / "home").mkdir()
    (tmp_path / "proj").mkdir()

    def made(words: tuple[str, ...] = (str(program),)) -> ServerSetup:
        ground = AgentFolders(
            environment={"HOME": str(tmp_path / "home"), "PATH": ""}, project=tmp_path / "proj", platform="linux"
        )
        return ServerSetup(ground, words, SettingsWriter(tmp_path / "state", START))

    return made


EVERY = [(name, scope) for name, row in SERVER_AGENTS.items() for scope in row.scopes]


@pytest.mark.parametrize(("agent", "scope"), EVERY)
def test_every_agent_gets_its_entry_and_loses_it_again(agent: str, scope: str, entry: Made) -> None:
    done = entry().install(EntryOptions(agent=agent, scope=scope, vault="/v"))
    told = json.loads(Path(done.path).read_bytes())[SERVER_AGENTS[agent].parent_key]["memvault"]
    assert [told["command"], *told["args"]] == list(done.command)
    assert told["args"] == (["mcp"] if scope == "project" else ["mcp", "--vault", "/v"])
    assert told.get("type") == ("stdio" if SERVER_AGENTS[agent].has_type else None)
    assert entry().install(EntryOptions(agent=agent, scope=scope, vault="/v")).changed is False
    assert [(place.agent, place.scope) for place in entry().status().places] == [(agent, scope)]
    assert entry().remove().files[0].removed
    assert not Path(done.path).exists()


def test_what_else_is_there_stays_byte_for_byte_remarks_and_all(entry: Made, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".config" / "Code" / "User" / "mcp.json"
    path.parent.mkdir(parents=True)
    before = b'{\n\t// mine\n\t"servers": {\n\t\t"web": {"type": "http"}, // by hand\n\t},\n\t"inputs": [],\n}\n'
    path.write_bytes(before)
    entry().install(EntryOptions(agent="vscode"))
    there = path.read_bytes()
    assert b'\t// mine\n\t"servers": {\n\t\t"web": {"type": "http"}, // by hand\n\t\t"memvault": {' in there
    path.write_bytes(there.replace(b'"inputs": []', b'"inputs": [1]'))
    entry().remove()
    assert path.read_bytes() == before.replace(b'"inputs": []', b'"inputs": [1]')


def test_where_no_remarks_are_allowed_they_are_told(entry: Made, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".claude.json"
    path.write_bytes(b'{\n  // mine\n  "a": 1}')
    with pytest.raises(BadForeignFile, match=r"a comment .*line 2"):
        entry().install(EntryOptions())
    assert entry().status().problems[0].endswith("(line 2).")


def test_a_server_of_that_name_that_is_not_ours_stays(entry: Made, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"memvault": {"command": "docker", "args": ["run", "memvault"]}}}')
    with pytest.raises(BadInput, match="not memvault's"):
        entry().install(EntryOptions(agent="cursor"))
    assert entry().remove().files == ()
    assert "docker" in path.read_text()


def test_an_entry_of_ours_under_another_name_gives_way(entry: Made, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"memory": {"command": "memvault", "args": ["mcp"]}}}')
    entry().install(EntryOptions(agent="cursor"))
    assert list(json.loads(path.read_text())["mcpServers"]) == ["memvault"]


def test_variables_that_a_person_gave_the_entry_stay(entry: Made, tmp_path: Path) -> None:
    done = entry().install(EntryOptions(agent="cursor"))
    path = Path(done.path)
    told = json.loads(path.read_text())
    told["mcpServers"]["memvault"]["env"] = {"MEMVAULT_AGENT": "cursor"}
    path.write_text(json.dumps(told))
    assert entry().install(EntryOptions(agent="cursor")).changed is False


def test_the_command_line_names_every_agent() -> None:
    assert mcp.AGENTS == setup.SERVED == tuple(SERVER_AGENTS)
