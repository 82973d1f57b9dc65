"""Putting a memory's score together: what its context says of the terms, and what its best passage says."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

from memvault.core.query import Match
from memvault.index.backends import Keep

Part = tuple[int, int]  # a memory's number, and one of its passages


def matches(
    context: dict[int, float], passages: Iterable[tuple[Part, float]], *, keep: Keep | None, limit: int
) -> list[Match]:
    """One match per memory, best first; the lower number goes first where two score alike."""
    best: dict[int, tuple[float, int]] = {}
    for (number, part), score in passages:
        found = best.get(number)
        if found is None or (score, -part) > (found[0], -found[1]):
            best[number] = (score, part)
    numbers = context.keys() | best.keys()
    joined = (
        Match(number, best.get(number, (0.0, 0))[1], context.get(number, 0.0) + best.get(number, (0.0, 0))[0])
        for number in numbers
        if keep is None or keep(number)
    )
    return nsmallest(limit, joined, key=lambda match: (-round(match.score, 9), match.number))
