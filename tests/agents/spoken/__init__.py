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


def required_texts(pattern: str) -> set[str]:
    """Return texts of which one is in whatever a pattern finds: the set whose shortest is longest."""
    return _required(patterns.parse(pattern))


def _required(parts: Iterable[Any]) -> set[str]:
    found, run = [], ""
    for kind, value in parts:
        is_space = str(kind) == "MAX_REPEAT" and value[0] and "CATEGORY_SPACE" in str(value[2])
        if str(kind) == "LITERAL" or is_space:
            run += " " if is_space else chr(value)
            continue
        found, run = [*found, {run.strip()}], ""
        match str(kind):
            case "MAX_REPEAT" if value[0]:
                found.append(_required(value[2]))
            case "SUBPATTERN":
                found.append(_required(value[-1]))
            case "BRANCH":
                ways = [_required(way) for way in value[1]]
                found.append(set().union(*ways) if all(ways) else set())
            case "IN":
                found.append({chr(each[1]) for each in value if str(each[0]) == "LITERAL"})
    sure = [texts for texts in [*found, {run.strip()}] if texts and all(texts)]
    return max(sure, key=lambda texts: (min(min(map(len, texts)), 5), -len(texts), min(map(len, texts))), default=set())
