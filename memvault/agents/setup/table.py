"""The agents that memvault knows: those that run hooks, and those that start MCP servers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memvault.agents.setup import claude_desktop, codex, cursor, vscode
from memvault.agents.setup import clients as claude_code
from memvault.agents.setup.agent import HookAgent, ServerAgent

HOOKED: Mapping[str, HookAgent] = MappingProxyType({row.name: row for row in (claude_code.HOOKS, codex.HOOKS)})

SERVED: Mapping[str, ServerAgent] = MappingProxyType(
    {row.name: row for row in (claude_code.SERVERS, claude_desktop.SERVERS, cursor.SERVERS, vscode.SERVERS)}
)
