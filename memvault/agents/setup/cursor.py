"""Cursor: where it keeps the servers that it starts."""

from __future__ import annotations

from pathlib import Path

from memvault.agents.setup.agent import PROJECT, USER, Ground, ServerAgent


def _file(ground: Ground, scope: str) -> Path:
    return (ground.project if scope == PROJECT else ground.home) / ".cursor" / "mcp.json"


SERVERS = ServerAgent(
    name="cursor", title="Cursor", scopes=(USER, PROJECT), under="mcpServers", file=_file, lenient=True
)
