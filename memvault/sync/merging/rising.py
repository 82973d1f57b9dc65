"""The longest row of matches that keeps the order of both sides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest choice of pairs that rises on both sides."""
    ends: list[int] = []  # the least end of a choice of each length
    chosen: list[int] = []
    before: list[int] = []
    for number, (_, b) in enumerate(pairs):
        length = bisect_left(ends, b)
        before.append(chosen[length - 1] if length else -1)
        ends[length : length + 1] = [b]
        chosen[length : length + 1] = [number]
    found: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
