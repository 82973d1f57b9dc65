"""Tell a model how it recalls by itself: by our server's tool where its agent has that, else by the program."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memvault.agents.setup.clients import LOCAL, PROJECT, SERVER_AGENTS, USER, AgentFolders, claude_settings
from memvault.agents.setup.entries import has_plugin, parse_call
from memvault.agents.setup.json_edit import MalformedJson
from memvault.errors import MemvaultError
from memvault.storage.vault.vault_file import VaultPlaces, find_vault
from memvault.system import files
from memvault.system.paths import repository_top
from memvault.system.programs import own_command
from memvault.text.display import to_one_line

_BY_TOOL = "To find more: the tool `recall` of the MCP server memvault; its `show` gives one memory whole."


def describe_recall(environment: Mapping[str, str], *, agent: str, folder: Path, vault: Path, configured: str) -> str:
    """Return the sentence for an agent that works in a folder; `configured` is the vault of the person's settings."""
    ground = AgentFolders(environment=environment, project=repository_top(folder) or folder)
    if agent == "claude-code" and _has_claude_server(ground, folder):
        return _BY_TOOL
    if agent == "codex" and _has_codex_server(ground):
        return _BY_TOOL
    words = own_command(environment)
    if not _is_found(environment, folder, vault, configured):
        words = (*words, "--vault", str(vault))
    program = to_one_line(" ".join(f'"{word}"' if " " in word else word for word in words))
    return f"To find more: `{program} recall WORDS`; `show ID` there gives one memory whole."


def _is_found(environment: Mapping[str, str], folder: Path, vault: Path, configured: str) -> bool:
    """Return whether the program finds this vault where the agent works, without being given its name."""
    places = VaultPlaces(named=None, environment=environment.get("MEMVAULT_DIR"), folder=folder, configured=configured)
    with suppress(MemvaultError):
        return os.path.realpath(find_vault(places)) == os.path.realpath(vault)
    return False


def _has_claude_server(ground: AgentFolders, folder: Path) -> bool:
    """Return whether Claude Code starts our server: this person's, the project's, this person's there, the plugin's."""
    client = SERVER_AGENTS["claude-code"]
    own = _read_settings(client.find_file(ground, USER))
    projects = _get_table(own, "projects")
    holders = (
        own,
        _read_settings(client.find_file(ground, PROJECT)),
        *(_get_table(projects, str(each)) for each in (folder, ground.project)),
    )
    if any(_calls_server(_get_table(each, client.parent_key)) for each in holders):
        return True
    texts = (_read_text(claude_settings(ground, scope)) for scope in (USER, PROJECT, LOCAL))
    with suppress(MalformedJson):
        return any("memvault" in text and has_plugin(text) for text in texts)
    return False


def _has_codex_server(ground: AgentFolders) -> bool:
    moved = ground.environment.get("CODEX_HOME", "")
    text = _read_text((Path(moved) if moved else ground.home / ".codex") / "config.toml")
    with suppress(tomllib.TOMLDecodeError):
        return _calls_server(_get_table(tomllib.loads(text), "mcp_servers"))
    return False


def _calls_server(servers: Mapping[str, Any]) -> bool:
    calls = (parse_call(entry) for entry in servers.values())
    return any(call is not None and call.does == "mcp" for call in calls)


def _get_table(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = settings.get(name)
    return found if isinstance(found, Mapping) else {}


def _read_settings(path: Path) -> Mapping[str, Any]:
    """Return what a file of settings holds; nothing where it cannot be read, or does not name us."""
    text = _read_text(path)
    with suppress(ValueError, RecursionError):
        found = json.loads(text) if "memvault" in text else {}
        return found if isinstance(found, Mapping) else {}
    return {}


def _read_text(path: Path) -> str:
    with suppress(MemvaultError, OSError):
        return files.read_file(path).decode(errors="replace")
    return ""
