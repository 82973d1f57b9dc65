"""Putting a memory's score together: what its context says of the terms, and what its best passage says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import nsmallest

from memvault.core.query import Match, Word
from memvault.storage.index.search import Keep
from memvault.storage.index.search.bm25 import rarity

Part = tuple[int, int]  # a memory's number, and one of its passages

_NONE = (0.0, 0)


def worth(word: Word, holding: Callable[[str], int], total: int) -> float:
    """How much a word says: by its own term, or where that stands nowhere by the commonest that stands for it."""
    held = holding(word.term) or max((holding(other) for other, _ in word.others), default=0)
    return word.weight * rarity(held, total)


def matches(
    context: dict[int, float], passages: Iterable[tuple[Part, float]], *, keep: Keep | None, limit: int
) -> list[Match]:
    """One match per memory, best first; the lower number goes first where two score alike."""
    best: dict[int, tuple[float, int]] = {}
    for (number, part), score in passages:
        found = best.get(number, _NONE)
        if score > found[0] or (score == found[0] and part < found[1]):
            best[number] = score, part
    joined = []
    for number in context.keys() | best.keys():
        if keep is None or keep(number):
            own, part = best.get(number, _NONE)
            score = context.get(number, 0.0) + own
            joined.append((-round(score, 9), number, part, score))
    return [Match(number, part, score) for _, number, part, score in nsmallest(limit, joined)]
