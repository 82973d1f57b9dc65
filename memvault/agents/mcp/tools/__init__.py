"""The tools, a few to a file: what each takes, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from memvault.agents.mcp.caller import McpCall
from memvault.agents.mcp.results import McpResult

# A tool as a value: what it is called, what it takes and gives, and what an agent may expect of it.


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """One tool; what it takes is a dataclass, whose docstring tells agents when to call it."""

    name: str
    title: str
    arguments: type
    result: type
    handler: Callable[[McpCall, Any], McpResult]
    is_read_only: bool = False
    is_destructive: bool = False
    idempotent: bool = False
    is_storing: bool = False  # whether it keeps what the agent says: not while the user has memvault keep quiet
    max_characters: int = 0  # characters that its answer may take, where that may be many

    @property
    def description(self) -> str:
        """What it does and when to call it."""
        return cleandoc(self.arguments.__doc__ or "")
