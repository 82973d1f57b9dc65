"""The doors of Claude Code's hooks: one file for each event that something is done at."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Event -> its file. An event that is not here is answered with nothing.
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "SessionStart": "session_start",
        "UserPromptSubmit": "user_prompt_submit",
        "PostToolUse": "post_tool_use",
        "PostToolUseFailure": "post_tool_use_failure",
        "Stop": "stop",
        "PreCompact": "session_end",
        "SessionEnd": "session_end",
    }
)
