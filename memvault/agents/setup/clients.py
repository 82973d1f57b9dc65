"""Claude Code: where it keeps its settings and the transcripts of its sessions, and how it calls hooks and servers."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from memvault.system.paths import claude_folder

# What every agent is described by: where it keeps hooks and servers, and how an entry of ours looks there.

CommandWords = tuple[str, ...]
SettingsEntry = dict[str, object]

USER, PROJECT, LOCAL = "user", "project", "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFolders:
    """Where an agent's files are looked for: a person's machine, and the project they are in."""

    environment: Mapping[str, str]
    project: Path
    platform: str = sys.platform

    @property
    def home(self) -> Path:
        """The person's home folder."""
        given = self.environment.get("HOME") or self.environment.get("USERPROFILE")
        return Path(given or os.path.expanduser("~"))  # noqa: PTH111 - pathlib raises where there is no home

    @property
    def applications(self) -> Path:
        """The folder in which desktop programs keep their settings, one folder for each."""
        match self.platform:
            case "win32":
                return Path(self.environment.get("APPDATA") or self.home / "AppData/Roaming")
            case "darwin":
                return self.home / "Library/Application Support"
            case _:
                given = self.environment.get("XDG_CONFIG_HOME", "")
                return Path(given) if given.startswith("/") else self.home / ".config"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvent:
    """One event that an agent calls hooks for, and how we want to be called."""

    name: str
    timeout: int  # seconds
    matcher: str = ""
    in_background: bool = False
    minimal: bool = False  # whether the minimal profile has it too


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsAgent:
    """An agent in whose settings entries of ours may stand: a file for each scope."""

    name: str
    title: str
    scopes: tuple[str, ...]
    find_file: Callable[[AgentFolders, str], Path]
    allows_comments: bool = False  # whether its files may hold comments


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAgent(SettingsAgent):
    """An agent that runs hooks: the events, and a handler as it is written there."""

    events: tuple[AgentEvent, ...]
    format_handler: Callable[[AgentEvent, CommandWords, str], SettingsEntry]
    remark: str = ""  # what else the person has to do

    def select_events(self, profile: str) -> tuple[AgentEvent, ...]:
        """Return the events of a profile: a few for the minimal one, all for any other."""
        return tuple(event for event in self.events if event.minimal or profile != "minimal")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAgent(SettingsAgent):
    """An agent that starts MCP servers: the object that they stand in."""

    parent_key: str = "mcpServers"
    has_type: bool = False  # whether an entry says that it speaks over stdio


# What reads and searches is left out: it is most of the calls, and nothing in it is worth keeping.
_WEB_TOOLS = ("Bash", "PowerShell", "WebFetch", "WebSearch", "ReadMcpResource.*", "mcp__.*")
_TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit", "TodoWrite", "TaskCreate", "TaskUpdate", *_WEB_TOOLS)
_CHANGING_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit", "Bash", "PowerShell")


def claude_instructions(environment: Mapping[str, str]) -> Path:
    """Return the file of instructions that Claude Code reads in every session."""
    return claude_folder(environment) / "CLAUDE.md"


def claude_settings(ground: AgentFolders, scope: str) -> Path:
    """Return the settings of a scope: this person's, the project's, or this person's in the project."""
    match scope:
        case "project":
            return ground.project / ".claude" / "settings.json"
        case "local":
            return ground.project / ".claude" / "settings.local.json"
        case _:
            return claude_folder(ground.environment) / "settings.json"


def _claude_server_file(ground: AgentFolders, scope: str) -> Path:
    if scope == PROJECT:
        return ground.project / ".mcp.json"
    moved = ground.environment.get("CLAUDE_CONFIG_DIR", "")
    return (Path(moved) if moved else ground.home) / ".claude.json"


def _claude_code_handler(event: AgentEvent, words: CommandWords, _platform: str) -> SettingsEntry:
    """In the form that starts the program itself: no shell, so no quoting, on any system."""
    background: SettingsEntry = {"async": True} if event.in_background else {}
    return {"type": "command", "command": words[0], "args": list(words[1:]), **background, "timeout": event.timeout}


CLAUDE_CODE_HOOKS = HookAgent(
    name="claude-code",
    title="Claude Code",
    scopes=(USER, PROJECT, LOCAL),
    events=(
        AgentEvent(name="SessionStart", timeout=10),
        AgentEvent(name="UserPromptSubmit", timeout=5),
        AgentEvent(name="PreToolUse", timeout=5, matcher="|".join(_CHANGING_TOOLS)),
        AgentEvent(name="PostToolUse", timeout=10, matcher="|".join(_TOOLS), in_background=True, minimal=True),
        # A command that fails may have read a page before it did.
        AgentEvent(
            name="PostToolUseFailure", timeout=10, matcher="|".join(_WEB_TOOLS), in_background=True, minimal=True
        ),
        # Not in the background: a session without a person ends while that runs, and then ends without its last hook.
        AgentEvent(name="Stop", timeout=10),
        AgentEvent(name="PreCompact", timeout=10),
        AgentEvent(name="SessionEnd", timeout=5, minimal=True),
    ),
    find_file=claude_settings,
    format_handler=_claude_code_handler,
)

CLAUDE_CODE_SERVERS = ServerAgent(
    name="claude-code", title="Claude Code", scopes=(USER, PROJECT), find_file=_claude_server_file, has_type=True
)


CLAUDE_DESKTOP_SERVERS = ServerAgent(
    name="claude-desktop",
    title="Claude Desktop",
    scopes=(USER,),
    find_file=lambda ground, _scope: ground.applications / "Claude" / "claude_desktop_config.json",
)


def _codex_file(ground: AgentFolders, scope: str) -> Path:
    if scope == PROJECT:
        return ground.project / ".codex" / "hooks.json"
    moved = ground.environment.get("CODEX_HOME", "")
    return (Path(moved) if moved else ground.home / ".codex") / "hooks.json"


def _codex_handler(event: AgentEvent, words: CommandWords, platform: str) -> SettingsEntry:
    """As a line for a shell, which is all it takes; on Windows that is PowerShell, which calls a quoted path by &."""
    line = shlex.join(words)
    if platform != "win32":
        return {"type": "command", "command": line, "timeout": event.timeout}
    quoted = "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return {"type": "command", "command": line, "commandWindows": quoted, "timeout": event.timeout}


CODEX_HOOKS = HookAgent(
    name="codex",
    title="Codex",
    scopes=(USER, PROJECT),
    events=(
        AgentEvent(name="SessionStart", timeout=10),
        AgentEvent(name="UserPromptSubmit", timeout=5),
        AgentEvent(name="PostToolUse", timeout=10, minimal=True),
        AgentEvent(name="PreCompact", timeout=10),
        AgentEvent(name="Stop", timeout=10, minimal=True),
    ),
    find_file=_codex_file,
    format_handler=_codex_handler,
    remark="Codex asks once whether it may trust a new hook; an older one needs `hooks = true` below [features] in its "
    "config.toml.",
)


CURSOR_SERVERS = ServerAgent(
    name="cursor",
    title="Cursor",
    scopes=(USER, PROJECT),
    find_file=lambda ground, scope: (ground.project if scope == PROJECT else ground.home) / ".cursor" / "mcp.json",
    allows_comments=True,
)


def _vscode_file(ground: AgentFolders, scope: str) -> Path:
    if scope == PROJECT:
        return ground.project / ".vscode" / "mcp.json"
    return ground.applications / "Code" / "User" / "mcp.json"


VSCODE_SERVERS = ServerAgent(
    name="vscode",
    title="VS Code",
    scopes=(USER, PROJECT),
    parent_key="servers",
    find_file=_vscode_file,
    allows_comments=True,
    has_type=True,
)


# The agents that memvault knows: those that run hooks, and those that start MCP servers.

HOOK_AGENTS: Mapping[str, HookAgent] = MappingProxyType({row.name: row for row in (CLAUDE_CODE_HOOKS, CODEX_HOOKS)})

SERVER_AGENTS: Mapping[str, ServerAgent] = MappingProxyType(
    {row.name: row for row in (CLAUDE_CODE_SERVERS, CLAUDE_DESKTOP_SERVERS, CURSOR_SERVERS, VSCODE_SERVERS)}
)
