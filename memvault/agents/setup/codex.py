"""Codex: where it keeps its hooks, and how it calls them."""

from __future__ import annotations

import shlex
from pathlib import Path

from memvault.agents.setup.agent import PROJECT, USER, Entry, Event, Ground, HookAgent, Words


def _file(ground: Ground, scope: str) -> Path:
    if scope == PROJECT:
        return ground.project / ".codex" / "hooks.json"
    moved = ground.environment.get("CODEX_HOME", "")
    return (Path(moved) if moved else ground.home / ".codex") / "hooks.json"


def _handler(event: Event, words: Words, platform: str) -> Entry:
    """As a line for a shell, which is all it takes; on Windows that is PowerShell, which calls a quoted path by &."""
    line = shlex.join(words)
    if platform != "win32":
        return {"type": "command", "command": line, "timeout": event.timeout}
    quoted = "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return {"type": "command", "command": line, "commandWindows": quoted, "timeout": event.timeout}


HOOKS = HookAgent(
    name="codex",
    title="Codex",
    scopes=(USER, PROJECT),
    events=(
        Event(name="SessionStart", timeout=10),
        Event(name="UserPromptSubmit", timeout=5),
        Event(name="PostToolUse", timeout=10, minimal=True),
        Event(name="PreCompact", timeout=10),
        Event(name="Stop", timeout=10, minimal=True),
    ),
    file=_file,
    handler=_handler,
    remark="Codex asks once whether it may trust a new hook; an older one needs `hooks = true` below [features] in its "
    "config.toml.",
)
