"""The rules of upkeep by name, in their order; what they do is in `maintenance/rules`."""

from __future__ import annotations

# They stand apart so that a run with nothing to do need not load them. Order is policy: what is put away is not merged,
# what is merged may be promoted, and what fades is not raised.
NAMES = (
    "expire",
    "consolidate",
    "promote",
    "adopt",
    "touches",
    "practice",
    "decay",
    "stale",
    "revive",
    "archive",
    "hot",
    "prune",
)
CLAUDE_MD = "claude-md"  # the generated page, brought up to date after all of them
ALL = (*NAMES, CLAUDE_MD)
ASKING = frozenset({"prune"})  # what is only done when a person says so
USUAL = frozenset(ALL) - ASKING
