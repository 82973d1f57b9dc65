"""What hangs together with what was found: a walk from the hits over what they share, back to the hits now and then."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from heapq import nlargest
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)
Tie = TypeVar("Tie", bound=Hashable)

ALPHA = 0.85  # how much of the walk goes on; the rest begins anew at the hits
ROUNDS = 4  # more of them change the order no further
MOST = 400  # items that are walked from in a round


def walked(
    hits: Mapping[Item, float],
    ties: Callable[[Item], Iterable[tuple[Tie, float]]],
    items: Callable[[Tie], Iterable[Item]],
    *,
    alpha: float = ALPHA,
    rounds: int = ROUNDS,
    most: int = MOST,
) -> dict[Item, float]:
    """How often a walk is at each item: personalised PageRank over items and what ties them, by a few rounds.

    A tie is a link, a person, a tag, a keyword: of each item with a weight, and with the items that share it.
    """
    whole = sum(value for value in hits.values() if value > 0)
    if not whole:
        return {}
    begin = {item: value / whole for item, value in hits.items() if value > 0}
    here = dict(begin)
    for _ in range(rounds):
        here = _stepped(here, ties, items, most)
        here = {item: alpha * here.get(item, 0.0) + (1 - alpha) * begin.get(item, 0.0) for item in (*here, *begin)}
    return here


def _stepped(
    here: Mapping[Item, float],
    ties: Callable[[Item], Iterable[tuple[Tie, float]]],
    items: Callable[[Tie], Iterable[Item]],
    most: int,
) -> dict[Item, float]:
    """One step from each item to a tie, and from there to one of those who share it; who has no tie stays."""
    at_ties: dict[Tie, float] = {}
    found: dict[Item, float] = {}
    for item in nlargest(most, here, key=here.__getitem__):
        mine = list(ties(item))
        whole = sum(weight for _, weight in mine)
        if not whole:
            found[item] = found.get(item, 0.0) + here[item]
            continue
        for tie, weight in mine:
            at_ties[tie] = at_ties.get(tie, 0.0) + here[item] * weight / whole
    for tie, value in at_ties.items():
        sharers = list(items(tie))
        for item in sharers:
            found[item] = found.get(item, 0.0) + value / len(sharers)
    return found
