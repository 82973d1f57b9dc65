"""Every tool in one table, in the order in which an agent reads of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memvault.agents.mcp.tools.read import SHOW, STATUS, TIMELINE
from memvault.agents.mcp.tools.resolve import FORGET, LINK, MAINTAIN, PIN, RESOLVE, UNDO
from memvault.agents.mcp.tools.search import DIG, RECALL
from memvault.agents.mcp.tools.tool import Tool
from memvault.agents.mcp.tools.write import REMEMBER, SAVE_PROGRESS, UPDATE

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            REMEMBER,
            RECALL,
            TIMELINE,
            SHOW,
            DIG,
            UPDATE,
            PIN,
            FORGET,
            LINK,
            RESOLVE,
            UNDO,
            SAVE_PROGRESS,
            MAINTAIN,
            STATUS,
        )
    }
)
