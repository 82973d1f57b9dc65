"""The tools, a few to a file: what each takes, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from memvault.agents.mcp.caller import Call
from memvault.agents.mcp.results import Answer

# A tool as a value: what it is called, what it takes and gives, and what an agent may expect of it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool; what it takes is a dataclass, whose docstring tells agents when to call it."""

    name: str
    title: str
    asked: type
    answer: type
    act: Callable[[Call, Any], Answer]
    reads: bool = False
    destroys: bool = False
    idempotent: bool = False
    stores: bool = False  # whether it keeps what the agent says: not while the user has memvault keep quiet
    room: int = 0  # characters that its answer may take, where that may be many

    @property
    def description(self) -> str:
        """What it does and when to call it."""
        return cleandoc(self.asked.__doc__ or "")
