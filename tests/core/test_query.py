"""Conditions: an empty one lets everything pass, and every one given narrows."""

from __future__ import annotations

import pytest

from memvault import Memvault
from memvault.core.memory import Place
from memvault.core.query import NO_FILTERS, Filters

ONE_EACH = [
    Filters(kinds=frozenset({"semantic"})),
    Filters(types=frozenset({"milestone"})),
    Filters(tags=frozenset({"tea"})),
    Filters(people=frozenset({"Noor"})),
    Filters(statuses=frozenset({"archived"})),
    Filters(tiers=frozenset({0, 1})),
    Filters(places=frozenset({Place.HOT})),
    Filters(pinned=True),
]


def titles(vault: Memvault, filters: Filters) -> list[str]:
    return sorted(row.memory.title for row in vault.list(filters).rows)


@pytest.mark.parametrize("filters", ONE_EACH, ids=lambda filters: next(n for n in filters.__slots__ if getattr(filters, n)))  # fmt: skip
def test_every_condition_leaves_some_out_and_says_that_it_is_one(filters: Filters, sample: Memvault) -> None:
    assert not filters.is_empty
    assert NO_FILTERS.is_empty
    everything = titles(sample, NO_FILTERS)
    assert len(titles(sample, filters)) < len(everything) == 17
