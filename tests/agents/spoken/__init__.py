"""What the tests of spoken commands share."""

from __future__ import annotations

import re._parser as patterns  # type: ignore[import-not-found]  # what a pattern needs is told by its parts
from collections.abc import Iterable
from typing import Any

from memvault.agents.spoken.intent import Intent
from memvault.agents.spoken.parse import parse_command


def parse_intent(prompt: str, *, phrases: Iterable[str] = ()) -> Intent | None:
    found = parse_command(prompt, phrases=phrases)
    return None if found is None else found.intent


def is_covered(pattern: str, hints: Iterable[str]) -> bool:
    """Return whether one of some texts is in whatever a pattern finds."""
    return _is_covered(patterns.parse(pattern), tuple(hints))


def _is_covered(parts: Iterable[Any], hints: tuple[str, ...]) -> bool:
    run = ""
    for kind, value in parts:
        is_space = str(kind) == "MAX_REPEAT" and value[0] and "CATEGORY_SPACE" in str(value[2])
        if str(kind) == "LITERAL" or is_space:
            run += " " if is_space else chr(value)
        elif any(hint in run for hint in hints):
            return True
        else:
            run = ""
            match str(kind):
                case "MAX_REPEAT" if value[0]:
                    found = _is_covered(value[2], hints)
                case "SUBPATTERN":
                    found = _is_covered(value[-1], hints)
                case "BRANCH":
                    found = all(_is_covered(way, hints) for way in value[1])
                case "IN":
                    found = all(str(each[0]) == "LITERAL" and chr(each[1]) in hints for each in value)
                case _:
                    found = False
            if found:
                return True
    return any(hint in run for hint in hints)
