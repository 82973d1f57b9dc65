"""VS Code: where it keeps the servers that it starts."""

from __future__ import annotations

from pathlib import Path

from memvault.agents.setup.agent import PROJECT, USER, Ground, ServerAgent


def _file(ground: Ground, scope: str) -> Path:
    if scope == PROJECT:
        return ground.project / ".vscode" / "mcp.json"
    return ground.applications / "Code" / "User" / "mcp.json"


SERVERS = ServerAgent(
    name="vscode", title="VS Code", scopes=(USER, PROJECT), under="servers", file=_file, lenient=True, typed=True
)
