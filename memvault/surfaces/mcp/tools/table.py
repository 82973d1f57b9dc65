"""Every tool in one table, in the order in which an agent reads of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memvault.surfaces.mcp.tools.finding import DIG, RECALL
from memvault.surfaces.mcp.tools.looking import SHOW, STATUS, TIMELINE
from memvault.surfaces.mcp.tools.settling import FORGET, LINK, MAINTAIN, PIN, RESOLVE, UNDO
from memvault.surfaces.mcp.tools.storing import REMEMBER, SAVE_PROGRESS, UPDATE
from memvault.surfaces.mcp.tools.tool import Tool

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
