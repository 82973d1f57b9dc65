"""The doors of Claude Code's hooks: one file for each event that something is done at."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Event -> its file, and the function in it. An event that is not here is answered with nothing.
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "SessionStart": "session.serve",
        "UserPromptSubmit": "prompt.serve",
        "PostToolUse": "tool_use.serve",
        "PostToolUseFailure": "post_tool_use_failure.serve",
        "Stop": "stop.serve",
        "PreCompact": "session_end.serve",
        "SessionEnd": "session_end.serve",
    }
)
