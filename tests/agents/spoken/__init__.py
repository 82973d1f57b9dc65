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


def is_covered(pattern: str, hints: Iterable[str], *, edge: str = "") -> bool:
    """Return whether one of some texts is in whatever a pattern finds, `edge` being on either side of it."""
    return _is_covered(patterns.parse(pattern), tuple(hints), edge, edge)


def _is_covered(parts: Iterable[Any], hints: tuple[str, ...], before: str, behind: str) -> bool:
    """Compare runs of letters, with a space for whatever divides words; what stands beside a group reaches into it."""
    parts, run = list(parts), before
    for at, (kind, value) in enumerate(parts):
        is_space = str(kind) == "MAX_REPEAT" and value[0] and str(value[2]) == "[(IN, [(CATEGORY, CATEGORY_SPACE)])]"
        if str(kind) == "LITERAL" or is_space:
            letter = "" if is_space else chr(value)
            run = f"{run}{letter}" if letter.isalnum() else f"{run.removesuffix(' ')} "
            continue
        if any(hint in run for hint in hints):
            return True
        if str(kind) == "IN" and (letters := _read_letters(value)):  # what stands behind is in each of the ways
            return all(_is_covered(parts[at + 1 :], hints, f"{run}{letter}", behind) for letter in letters)
        if _is_group_covered(str(kind), value, hints, run, behind if at == len(parts) - 1 else ""):
            return True
        run = ""
    return any(hint in f"{run.removesuffix(behind)}{behind}" for hint in hints)


def _is_group_covered(kind: str, value: Any, hints: tuple[str, ...], before: str, behind: str) -> bool:
    match kind:
        case "MAX_REPEAT" if value[0]:
            return _is_covered(value[2], hints, before, behind if value[1] == 1 else "")
        case "SUBPATTERN":
            return _is_covered(value[-1], hints, before, behind)
        case "BRANCH":
            return all(_is_covered(way, hints, before, behind) for way in value[1])
    return False


def _read_letters(choices: Any) -> str:
    """Return the letters that a class of them allows; nothing where it allows more than letters."""
    ranges = [each if isinstance(each, tuple) else (each, each) for _, each in choices]
    if not all(isinstance(each, int) for ends in ranges for each in ends):
        return ""
    letters = "".join(chr(code) for first, last in ranges for code in range(first, last + 1))
    return letters if letters.isalnum() else ""
