"""Fitting texts into a budget of tokens that is never exceeded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from memvault.core.value import Frozen
from memvault.text.tokens import clip, estimate

Item = TypeVar("Item")
LEAST_WORTH_SHOWING = 20


class Packed(Frozen, Generic[Item]):
    """What fits, with the text as far as it fits, what it costs, and how much had to stay out."""

    kept: tuple[tuple[Item, str], ...]
    used: int
    left_out: int


def pack(items: Iterable[tuple[Item, str]], *, budget: int, overhead: int = 0) -> Packed[Item]:
    """Take items in order until the budget is spent; the one that crosses the line is cut, the rest left out."""
    kept: list[tuple[Item, str]] = []
    used = left_out = 0
    full = False
    for item, text in items:
        room = budget - used - overhead
        cost = 0 if full else estimate(text)
        full = full or room < min(LEAST_WORTH_SHOWING, cost)
        if full:
            left_out += 1
            continue
        fitting = text if cost <= room else clip(text, room)
        full = fitting != text
        kept.append((item, fitting))
        used += (estimate(fitting) if full else cost) + overhead
    return Packed(tuple(kept), used, left_out)
