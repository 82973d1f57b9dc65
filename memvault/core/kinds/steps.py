"""The steps that a text lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_NUMBERED = re.compile(r" {0,3}(\d{1,3})[.)] +(.+)")
_BULLET = re.compile(r" {0,3}[-*+] +(?:\[[ xX]\] +)?(.+)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def steps_of(text: str) -> tuple[str, ...]:
    """The items of a text's first numbered list, else of its first bulleted one; none where there is but one item."""
    lines = list(_outside_code(text.splitlines()))
    for pattern in (_NUMBERED, _BULLET):
        found = _first_list(lines, pattern)
        if len(found) > 1:
            return found
    return ()


def _outside_code(lines: Sequence[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            yield line


def _first_list(lines: Sequence[str], pattern: re.Pattern[str]) -> tuple[str, ...]:
    """The items of the first list of that sort; what is indented below an item belongs to it and is left out."""
    items: list[str] = []
    for line in lines:
        found = pattern.match(line)
        if found:
            items.append(found[found.lastindex or 1].strip())
        elif items and line.strip() and not line.startswith((" ", "\t")):
            break
    return tuple(dict.fromkeys(items))
