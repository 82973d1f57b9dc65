"""Claude Desktop: where it keeps the servers that it starts."""

from __future__ import annotations

from pathlib import Path

from memvault.agents.setup.agent import USER, Ground, ServerAgent


def _file(ground: Ground, _scope: str) -> Path:
    return ground.applications / "Claude" / "claude_desktop_config.json"


SERVERS = ServerAgent(name="claude-desktop", title="Claude Desktop", scopes=(USER,), under="mcpServers", file=_file)
