"""Two opinions of the same units made one: how well the words fit, and how near the meaning is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from typing import TypeVar

Item = TypeVar("Item")

RANKS = 60  # how little the first ranks of a list differ, for fusing by rank


def added(scores: Mapping[Item, float], nearness: Mapping[Item, float], *, weight: float) -> dict[Item, float]:
    """Scores with so much of the nearness added; what words did not find starts from nothing."""
    return {item: scores.get(item, 0.0) + weight * nearness.get(item, 0.0) for item in (*scores, *nearness)}


def by_rank(lists: Sequence[tuple[Sequence[Item], float]], *, ranks: int = RANKS) -> dict[Item, float]:
    """Weighted reciprocal ranks: each list gives its items less the later they stand."""
    found: dict[Item, float] = {}
    for items, weight in lists:
        for rank, item in enumerate(items, 1):
            found[item] = found.get(item, 0.0) + weight / (ranks + rank)
    return found


def best(scores: Mapping[Item, float], group: Callable[[Item], object], *, limit: int) -> list[tuple[Item, float]]:
    """The best of each group, best first; of equals the one that was named first."""
    found: list[tuple[Item, float]] = []
    seen: set[object] = set()
    for item, score in nlargest(len(scores), scores.items(), key=lambda row: row[1]):
        if group(item) not in seen:
            seen.add(group(item))
            found.append((item, score))
            if len(found) == limit:
                break
    return found


def sureness(own: Sequence[float | None], *, most: float) -> list[float]:
    """How sure each of some hits is, in their order: one that no word found is as sure as the next that one did.

    But never surer than `most`: that a text lies near is no proof that it answers.
    """
    found: list[float] = []
    behind = 0.0
    for sure in reversed(own):
        behind = behind if sure is None else sure
        found.append(min(behind, most) if sure is None else sure)
    return found[::-1]
