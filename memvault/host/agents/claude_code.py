"""Claude Code: where it keeps its settings and the transcripts of its sessions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def home(environment: Mapping[str, str]) -> Path:
    """The folder of its settings and sessions."""
    given = environment.get("CLAUDE_CONFIG_DIR", "")
    if given:
        return Path(given)
    user = environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~")  # noqa: PTH111 - pathlib raises where there is no home
    return Path(user) / ".claude"


def projects(environment: Mapping[str, str]) -> Path:
    """The folder in which every project has one of its own, with a transcript for each session."""
    return home(environment) / "projects"
