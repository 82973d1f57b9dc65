"""Claude Code: where it keeps its settings and the transcripts of its sessions, and how it calls hooks and servers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from memvault.agents.setup.agent import LOCAL, PROJECT, USER, Entry, Event, Ground, HookAgent, ServerAgent, Words

# What reads and searches is left out: it is most of the calls, and nothing in it is worth keeping.
_WEB_TOOLS = ("Bash", "PowerShell", "WebFetch", "WebSearch", "ReadMcpResource.*", "mcp__.*")
_TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit", "TodoWrite", "TaskCreate", "TaskUpdate", *_WEB_TOOLS)


def home(environment: Mapping[str, str]) -> Path:
    """The folder of its settings and sessions."""
    given = environment.get("CLAUDE_CONFIG_DIR", "")
    if given:
        return Path(given)
    user = environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~")  # noqa: PTH111 - pathlib raises where there is no home
    return Path(user) / ".claude"


def projects(environment: Mapping[str, str]) -> Path:
    """The folder in which every project has one of its own, with a transcript for each session."""
    return home(environment) / "projects"


def instructions(environment: Mapping[str, str]) -> Path:
    """The file of instructions that it reads in every session."""
    return home(environment) / "CLAUDE.md"


def settings(ground: Ground, scope: str) -> Path:
    """The settings of a scope: this person's, the project's, or this person's in the project."""
    match scope:
        case "project":
            return ground.project / ".claude" / "settings.json"
        case "local":
            return ground.project / ".claude" / "settings.local.json"
        case _:
            return home(ground.environment) / "settings.json"


def _servers(ground: Ground, scope: str) -> Path:
    if scope == PROJECT:
        return ground.project / ".mcp.json"
    moved = ground.environment.get("CLAUDE_CONFIG_DIR", "")
    return (Path(moved) if moved else ground.home) / ".claude.json"


def _handler(event: Event, words: Words, _platform: str) -> Entry:
    """In the form that starts the program itself: no shell, so no quoting, on any system."""
    background: Entry = {"async": True} if event.in_background else {}
    return {
        "type": "command",
        "command": words[0],
        "args": list(words[1:]),
        **background,
        "timeout": event.timeout,
    }


HOOKS = HookAgent(
    name="claude-code",
    title="Claude Code",
    scopes=(USER, PROJECT, LOCAL),
    events=(
        Event(name="SessionStart", timeout=10),
        Event(name="UserPromptSubmit", timeout=5),
        Event(name="PostToolUse", timeout=10, matcher="|".join(_TOOLS), in_background=True, minimal=True),
        # A command that fails may have read a page before it did.
        Event(name="PostToolUseFailure", timeout=10, matcher="|".join(_WEB_TOOLS), in_background=True, minimal=True),
        # Not in the background: a session without a person ends while that runs, and then ends without its last hook.
        Event(name="Stop", timeout=10),
        Event(name="PreCompact", timeout=10),
        Event(name="SessionEnd", timeout=5, minimal=True),
    ),
    file=settings,
    handler=_handler,
)

SERVERS = ServerAgent(
    name="claude-code", title="Claude Code", scopes=(USER, PROJECT), under="mcpServers", file=_servers, typed=True
)
