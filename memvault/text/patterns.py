"""Patterns that are compiled when they are first used: most commands have no use for most of them."""

from __future__ import annotations

import re
from functools import cache


@cache
def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """The compiled pattern, at once if it was used before."""
    return re.compile(source, flags)
